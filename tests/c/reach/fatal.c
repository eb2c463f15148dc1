// fatal-branch: whoever takes the branch fails later.
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct s { int a, b; struct s *next; int *data; int state; };
void log_error(const char *, int);
int combine(int, int);
extern int global;

// The missing object's field is reported.
int message_bad(struct s *p) {
  if (!p) { //~ fatal-branch
    log_error("bad object", p->state);
    return -1;
  }
  return p->a;
}

// The test is the wrong way round: the rest of the function has only NULL.
int inverted_bad(struct s *p) {
  if (p) //~ fatal-branch
    return 0;
  return p->a + p->b;
}

// `&&` where `||` was meant.
int and_or_bad(struct s *p) {
  if (!p && p->a > 0) //~ fatal-branch
    return -1;
  return 1;
}

// `||` where `&&` was meant.
int or_and_bad(struct s *p) {
  if (p || p->a > 0) //~ fatal-branch
    return 1;
  return 0;
}

// In the other arm of `?:`.
int arm_bad(struct s *p) {
  return p ? 0 : p->a; //~ fatal-branch
}

// In one case of a switch.
int case_bad(int total, int parts) {
  switch (parts) {
  case 0: return total / parts; //~ fatal-branch
  case 1: return total;
  default: return total / 2;
  }
}

// Division in the error path.
int division_bad(int total, int n) {
  if (n == 0) { //~ fatal-branch
    log_error("no parts", total % n);
    return 0;
  }
  return total / n;
}

// The only quotient that does not fit.
int quotient_bad(int n, int d) {
  if (d == -1 && n == INT_MIN) //~ fatal-branch
    return n / d;
  return 0;
}

// Too many bits.
unsigned shift_bad(unsigned x, unsigned bits) {
  if (bits > 31) //~ fatal-branch
    x = x << bits;
  return x;
}

// Below the array.
int below_bad(int i) {
  int table[8] = {0};
  if (i < 0) //~ fatal-branch
    table[i] = 1;
  return table[0];
}

// Past the array by an unsigned length of zero.
int past_bad(size_t n) {
  char buffer[64];
  memset(buffer, 0, sizeof buffer);
  if (n == 0) //~ fatal-branch
    buffer[n - 1] = 0;
  return buffer[0];
}

// Freed in one branch, used after the join.
int freed_bad(struct s *p, int release) {
  if (release) //~ fatal-branch
    free(p);
  return p->a;
}

// Freed twice, once under another name.
void twice_bad(char *text, int early) {
  char *alias = text;
  if (!text)
    return;
  if (early) //~ fatal-branch
    free(alias);
  free(text);
}

// Freed although it is an array of the function.
void stack_bad(int n) {
  char small[16], *buffer = small;
  if (n > 16) //~ fatal-branch
    buffer = malloc(n);
  if (buffer == small)
    free(buffer);
}

// Freed with an offset.
void middle_bad(int skip) {
  char *block = malloc(100);
  if (!block)
    return;
  if (skip) //~ fatal-branch
    block += 4;
  free(block);
}

// realloc failed, and its result is used.
char *realloc_bad(char *old, size_t n) {
  char *block = realloc(old, n);
  if (!block) { //~ fatal-branch
    block[0] = 0;
    return old;
  }
  return block;
}

// One way leaves the variable without a value.
int uninitialised_bad(int kind) {
  int result;
  if (kind == 1) //~ fatal-branch
    result = combine(kind, 2);
  return result;
}

// NULL for a function that does not take it.
size_t argument_bad(const char *text) {
  size_t n = 0;
  if (text == NULL) //~ fatal-branch
    n = strlen(text);
  return n;
}

// A callback that is not there.
int callback_bad(int (*callback)(int), int x) {
  if (!callback) //~ fatal-branch
    return callback(x);
  return x;
}

// A negative size.
int vla_bad(int n) {
  if (n < 0) { //~ fatal-branch
    char buffer[n];
    return combine(sizeof buffer, n);
  }
  return n;
}

// Asserted afterwards.
int asserted_bad(int n) {
  int x = combine(n, 1);
  if (n < 0) //~ fatal-branch
    x = 0;
  assert(n >= 0);
  return x;
}

// A function that must not return does.
_Noreturn void die_bad(int code) {
  if (code) //~ fatal-branch
    exit(code);
}

// Both ways make it NULL.
int join_bad(int which, int use) {
  int *p;
  if (which)
    p = NULL;
  else
    p = (int *)0;
  if (use) //~ fatal-branch
    return *p;
  return 0;
}

// The pointer waits in a field.
int parked_bad(struct s *p, int use) {
  p->data = NULL;
  p->state = 1;
  if (use) //~ fatal-branch
    return *p->data;
  return 0;
}

// The pointer waits in an array.
int slot_bad(int use) {
  int x = 1, *slots[2] = {NULL, &x};
  if (use) //~ fatal-branch
    return *slots[0];
  return *slots[1];
}

// The test is remembered in a flag.
int flag_bad(struct s *p) {
  int usable = p != NULL;
  if (!usable) //~ fatal-branch
    return p->a;
  return 1;
}

// No bit, so the divisor is zero.
unsigned bits_bad(unsigned flags) {
  unsigned low = flags & 7;
  if (!(flags & 15)) //~ fatal-branch
    return 100 / low;
  return low;
}

// Equal pointers, one of them NULL.
int equal_bad(int *p, int *q) {
  if (q)
    return 0;
  if (p == q) //~ fatal-branch
    return *p;
  return 1;
}

// Every run fails, at this statement.
int always_bad(int n) {
  int *p = NULL;
  if (n > 0)
    n = 7;
  *p = n; //~ fatal-branch
  return n;
}

// The loop ends when there is nothing left, and then something is wanted of it.
int after_loop_bad(struct s *p) {
  int n = 0;
  while (p) {
    n += p->a;
    p = p->next;
  }
  return n + p->b; //~ fatal-branch
}

// The jump skips the initialisation.
int skipped_bad(int n) {
  int size;
  if (n > 100) //~ fatal-branch
    goto out;
  size = combine(n, 2);
  n++;
out:
  return size + n;
}

// The structure was copied with its NULL.
int fn_copied(struct s *p) {
  struct s copy = *p;
  if (!p->data) //~? fatal-branch
    return *copy.data;
  return 0;
}

// The last round of a do loop.
int do_bad(struct s *p) {
  int n = 0;
  do {
    n++;
    p = p->next;
  } while (p);
  return n + p->a; //~ fatal-branch
}
