/* Loops that look endless or fatal and are not, and some that really are: only those are marked. */
#include <stdlib.h>

int leaves_at_the_fifth(int n) {
  int i = 0;
  while (n) {
    i++;
    if (i == 5) return 1;
  }
  return 0;
}

/* Endless in mathematical integers only. */
int wraps_to_zero(unsigned i) {
  while (i != 0) i++;
  return 1;
}

int steps_over_and_comes_back(unsigned char i) {
  while (i != 7) i += 2;
  return i;
}

/* Endless in machine integers only. */
int countdown(unsigned n) {
  int c = 0;
  for (unsigned i = n; i >= 0; i--) //~ loop-entry true //~ loop-entry false
    c ^= 1;
  return c;
}

int all_characters(void) {
  int n = 0;
  for (unsigned char c = 0; c < 256; c++) //~ loop-entry true //~ loop-entry false
    n ^= 1;
  return n;
}

int breaks(int n) {
  for (;;) {
    if (n == 3) break;
    n--;
  }
  return n;
}

int jumps(int n) {
  while (1) { //~ loop-entry false
    n++;
    if (n % 7 == 3) goto out;
  }
out:
  return n;
}

int exits(int n) {
  for (;;) {
    if (n == 12) exit(1);
    n++;
  }
}

volatile int flag;
int waits(void) {
  while (!flag) {}
  return 1;
}

int shared;
void other(void);
int calls(void) {
  shared = 0;
  while (shared == 0) other();
  return shared;
}

/* The pointer may be the address of x. */
int points(int *p, int n) {
  int x = 0;
  int *q = &x;
  while (n > 0) {
    *q = n;
    n--;
    q = p;
    if (x == 3) return 7;
  }
  return x;
}

int points_to_either(int n) {
  int x = 0;
  int *q = n > 3 ? &x : &n;
  while (n-- > 0) {
    x = 1;
    *q = 5;
    if (x == 5) return 1;
  }
  return 0;
}

/* The store through q may change what p points to. */
struct pair { int n, m; };
int aliases(struct pair *p, int *q) {
  int i = 0;
  if (p->n != 5) return 0;
  while (i < 10) {
    *q = i;
    i++;
  }
  if (p->n != 5) return 1;
  return 2;
}

int sets_in_time(int n) {
  int y;
  while (n > 0) {
    if (n == 5) y = 3;
    n--;
    if (n == 2) return y;
  }
  return 0;
}

int serves(void) {
  for (;;) other();
}

int float_meets(void) {
  int n = 0;
  for (double d = 0; d != 1.0; d += 0.25) n++;
  return n;
}

int float_of_unknown(double s) {
  int n = 0;
  for (double d = s; d != 1.1; d += 0.1) n++;
  return n;
}

int float_breaks(void) {
  int n = 0;
  for (double d = 0; d != 1.1; d += 0.1) { //~ loop-entry false
    n++;
    if (d > 5) break;
  }
  return n;
}

int float_of_two_steps(int c) {
  int n = 0;
  for (double d = 0; d != 1.1; d += 0.1)
    if (c) d += 0.05;
  return n;
}

int element_by_index(int n, int k) {
  int a[3] = {0, 0, 0};
  while (n-- > 0) {
    if (k >= 0 && k < 3) a[k] = n;
    if (n == 4) break;
  }
  if (a[1] == 4) return 1;
  return 0;
}

/* Without the break the last write is 0. */
int last_element(int n, int k) {
  int a[3] = {0, 0, 0};
  while (n-- > 0)
    if (k >= 0 && k < 3) a[k] = n;
  if (a[1] == 4) //~ if true
    return 1;
  return 0;
}
