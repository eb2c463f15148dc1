// What must stay silent by default.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; int value; };
struct node *first;
int table[8];
void unknown(void);
int known_good(int);

// An assertion testifies against what it excludes, and says nothing of the boundary.
int asserted_ok(const int *p, int n) {
  assert(p != NULL);
  assert(n > 0);
  return p[0] / n;
}

// `abort` is an assertion by another name.
int aborts_ok(const int *p) {
  if (p == NULL) {
    fprintf(stderr, "no p\n");
    abort();
  }
  return *p;
}

// The test of a macro's definition is nobody's promise.
#define VALUE(p) ((p) != NULL ? (p)->value : 0)
int macro_ok(struct node *n) {
  int value = VALUE(n);
  return value + n->value;
}

// A loop that need not be entered testifies to nothing.
int share_ok(const int *a, unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += a[i];
  return sum / n;
}

// Nor does the first operand of its condition.
int last_ok(struct node *n) {
  while (n && n->value)
    n = n->next;
  return n->value;
}

// What an unknown call may have changed is not followed.
int reread_ok(void) {
  if (first == NULL)
    unknown();
  return first->value;
}

// The pointer that walks through an array does not start behind its end.
int sum_ok(void) {
  int last;
  for (int *p = table; p < table + 8; p++)
    last = *p;
  return last;
}

// The two tests agree.
int correlated_ok(int flag) {
  int value;
  if (flag)
    value = 1;
  if (flag)
    return value;
  return 0;
}

// A limit that is handled.
int limited_ok(unsigned i) {
  if (i >= 8)
    i = 7;
  return table[i];
}

// Whoever is told of NULL does not go on.
int guarded_ok(struct node *n) {
  if (n == NULL)
    return -1;
  return n->value;
}

// A table that is constant: its contents are not made up.
static const int sizes[] = {1, 2, 4};
int constant_ok(unsigned i) {
  if (i > 2)
    return 0;
  if (sizes[i] == 0)
    unknown();
  return 16 / sizes[i];
}

// The loop's own variable is bound to meet its limit.
int counted_ok(unsigned n) {
  unsigned i = 0;
  while (i < n && table[i & 7])
    i++;
  return 100 / (n - i + 1);
}

// That a loop goes on for so long is nobody's promise: the callers know how large `index` can be.
int digits_ok(unsigned index) {
  int digit[4];
  int n = 0;
  while (index > 0 || n < 1) {
    digit[n] = index & 15;
    index >>= 4;
    n++;
  }
  return digit[0];
}

// What an assertion's operands test is as little expected as the assertion's failure.
int operands_ok(int color, int level) {
  if (!(color == 0 || color == 1))
    abort();
  if (level > 2)
    return 10 / color;
  return 0;
}

// A test for overflow says nothing of zero.
int overflow_ok(unsigned size, unsigned step, int level) {
  unsigned whole = size + step;
  if (whole < size)
    return -1;
  if (level > 2)
    return whole / step;
  return 0;
}

// A switch that lists all values of its enum needs no default.
enum color { RED, GREEN, BLUE };
int weights[3];
int exhausted_ok(enum color c) {
  int r = 0;
  switch (c) {
  case RED: r = 1; break;
  case GREEN: r = 2; break;
  case BLUE: r = 3; break;
  }
  unknown();
  return r + weights[c];
}

// One that leaves a value out is prepared for it.
int two_weights[2];
int left_out_bad(enum color c) {
  int r = 0;
  switch (c) {
  case RED: r = 1; break;
  case GREEN: r = 2; break;
  }
  unknown();
  return r + two_weights[c]; //~ evident-error
}
