// Stores that may meet loads: what must stay silent by default.
#include <stddef.h>
#include <string.h>

struct pair { int first, second; };
struct list { struct list *next; int count; };
int shared;
void forget(void);

// Only if both parameters are one place.
int meets_ok(int *p, int *q) {
  *p = 1;
  *q = 0;
  return 10 / *p;
}

// The same parameter by two indices: nobody declared that they differ, nor that they are the same.
int elements_ok(int *a, unsigned i, unsigned j) {
  a[i] = 0;
  a[j] = 1;
  return 10 / a[i];
}

// A path that exists only if the parameters are the same is not expected.
int only_if_same_ok(int *p, int *q, int n) {
  if (n == 0)
    forget();
  *p = 1;
  *q = 2;
  if (*p == 2)
    return 10 / n;
  return 0;
}

// A global that a parameter may point to.
int global_ok(int *p) {
  shared = 0;
  *p = 1;
  return 10 / shared;
}

// The list may be a ring, and is one if it has one element.
int ring_ok(struct list *l) {
  l->count = 0;
  l->next->count = 1;
  return 10 / l->count;
}

// An unknown function may have written anything in between.
int forgotten_ok(int *p, int *q) {
  if (*p == 0) {
    *q = 1;
    forget();
    return 10 / *p;
  }
  return 0;
}

// Who tests whether they are the same is prepared for both; where they are, the value is the other.
int tested_ok(int *p, int *q) {
  if (p == q) {
    *p = 0;
    *q = 1;
    return 10 / *p;
  }
  return 0;
}

// Two names of one place hold one value: this path is never taken.
int one_value_ok(int *p, int *q, int n) {
  if (n == 0)
    forget();
  if (p == q && *p == 1 && *q == 2)
    return 10 / n;
  return n;
}

// Another type under the same address is not followed.
int bytes_ok(int *p, char *q) {
  if (*p == 0) {
    *q = 1;
    return 10 / *p;
  }
  return 0;
}

// A copy of unknown length.
int copied_ok(struct pair *a, const struct pair *b, size_t n) {
  a->second = 0;
  memcpy(a, b, n);
  return 10 / a->second;
}

// The caller passes a place that the callee is done with.
int swapped_ok(struct pair *a, struct pair *b) {
  int saved = a->first;
  a->first = b->first;
  b->first = saved;
  if (a->first == 0)
    return 0;
  return 10 / a->first;
}
