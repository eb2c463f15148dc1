// endless: from here on no run ends.
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

int combine(int, int);
void serve(void);
int plain_flag;
volatile int device_status;
atomic_int ready;

// The counter is never counted.
int not_counted_bad(const int *values, int n) {
  int i = 0, sum = 0;
  while (i < n) //~ endless
    sum += values[i];
  return sum;
}

// Another counter is.
int other_counter_bad(const int *values, int n) {
  int i, j = 0, sum = 0;
  for (i = 0; i < 10; j++) //~ endless
    sum += values[j & 1];
  return sum + i;
}

// An unsigned number is never negative.
int never_negative_bad(const int *values, unsigned n) {
  int sum = 0;
  unsigned i;
  for (i = n; i >= 0; i--) //~ endless
    sum += values[i & 7];
  return sum;
}

// Nothing in the loop changes a plain variable.
void spin_bad(void) {
  while (!plain_flag) //~ endless
    ;
}

// A condition that the branch around it decides for good.
int decided_bad(int n) {
  int rounds = 0;
  if (n > 0) {
    do rounds++; while (n > 0); //~ endless
  }
  return rounds;
}

// Deliberate: the loop has no condition.
void hang_ok(void) {
  for (;;)
    ;
}

// Deliberate: a constant condition.
void handler_ok(void) {
  while (1) {
  }
}

// A call may exit.
void server_ok(void) {
  for (;;)
    serve();
}

// A call may change the variable.
void waiting_ok(void) {
  while (!plain_flag)
    serve();
}

// A device changes the variable.
void device_ok(void) {
  while (!device_status)
    ;
}

// Another thread changes it.
void thread_ok(void) {
  while (!atomic_load(&ready))
    ;
}

// The way out is inside.
int inside_ok(int n) {
  for (;;) {
    if (n-- == 0)
      return 1;
  }
}

// The way out is in a switch.
int state_machine_ok(const char *text) {
  int state = 0;
  while (1) {
    switch (state) {
    case 0: state = *text++ == 'a' ? 1 : 2; break;
    case 1: state = *text++ == 'b' ? 0 : 2; break;
    case 2: return *text;
    }
  }
}

// It must not return.
_Noreturn void stop_ok(void) {
  while (1)
    ;
}

// Assembly may do anything.
void barrier_ok(void) {
  while (!plain_flag)
    __asm__ volatile("" ::: "memory");
}

// Waits for a signal that ends the process.
void paused_ok(void) {
  for (;;)
    pause();
}

// The pointed-to may be the counter.
int aliased_counter_ok(int *values, int *n) {
  int i = 0;
  while (*n > 0)
    values[i++] = 0;
  return i;
}

// No run comes to what would fail behind a loop without end.
int fails_behind_bad(int c, int *p) {
  int run = 1;
  int *q = 0;
  if (c > 5) {
    while (run) //~ endless
      *p = c;
    return *q;
  }
  return 1;
}

int overrun_behind_bad(int c, int *p) {
  int x = 0;
  int *r = &x;
  int values[2] = {0, 0};
  if (c > 5) {
    while (r) //~ endless
      *p = 1;
    values[2] = x;
  }
  return values[0];
}

int divides_behind_bad(int d, int *p) {
  if (d == 0) {
    while (!d) //~ endless
      *p = 3;
    return 1 / d;
  }
  return 0;
}

// The loop has no end, but the run fails in it.
int fails_inside_bad(int *h, int *q, int b) {
  int y = 1;
  int *z = b ? q : &y;
  if (h != z)
    return 0;
  while (!h) { //~ fatal-branch
    *q = b;
    *q = 4;
  }
  return *h;
}
