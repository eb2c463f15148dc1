// checked-too-late: what is tested was needed before, so the test has only one outcome.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct s { int a, b; struct s *next; int *data; char name[16]; };
struct pair { struct s *left, *right; };
void log_error(const char *);
int combine(int, int);

// The plainest form.
int plain_bad(struct s *p) {
  int x = p->a;
  if (!p) { //~ checked-too-late
    log_error("no p");
    return 0;
  }
  return x;
}

// A write is an access too.
void written_bad(struct s *p, int n) {
  p->a = n;
  if (p == NULL) //~ checked-too-late
    return;
  p->b = n;
}

// Through a copy of the pointer.
int copy_bad(struct s *p) {
  struct s *q = p;
  int x = q->b;
  if (!p) //~ checked-too-late
    return -1;
  return x;
}

// Through a field.
int field_bad(struct pair *p) {
  int x = p->left->a;
  if (p->left == NULL) //~ checked-too-late
    return -1;
  return x + 1;
}

// Through an element of an array.
int element_bad(struct s **table, int i) {
  int x = table[i]->a;
  if (!table[i]) //~ checked-too-late
    return -1;
  return x;
}

// The right test in the wrong order.
int order_bad(struct s *p) {
  if (p->a > 0 && p != NULL) //~ checked-too-late
    return 1;
  return 0;
}

// In the condition of `?:`.
int conditional_bad(struct s *p) {
  int x = p->a;
  return p ? combine(x, 1) : combine(0, 0); //~ checked-too-late
}

// Both sides of a branch need the pointer.
int both_sides_bad(struct s *p, int first) {
  int x;
  if (first)
    x = p->a;
  else
    x = p->b;
  if (!p) //~ checked-too-late
    return -1;
  return x;
}

// Every case of a switch needs it.
int every_case_bad(struct s *p, int kind) {
  int x;
  switch (kind) {
  case 0: x = p->a; break;
  case 1: x = p->b; break;
  default: x = p->name[0]; break;
  }
  if (p == NULL) //~ checked-too-late
    return combine(x, 0);
  return x;
}

// The divisor.
int divisor_bad(int sum, int n) {
  int average = sum / n;
  if (n == 0) //~ checked-too-late
    return 0;
  return average;
}

// The divisor of a remainder.
unsigned remainder_bad(unsigned hash, unsigned n_buckets) {
  unsigned bucket = hash % n_buckets;
  if (!n_buckets) { //~ checked-too-late
    log_error("empty table");
    return 0;
  }
  return bucket;
}

// A product is not zero, so no factor is.
int factor_bad(int total, int rows, int columns) {
  int cell = total / (rows * columns);
  if (columns == 0) //~ checked-too-late
    return -1;
  return cell;
}

// The index.
int index_bad(int i) {
  static const int table[8] = {1, 2, 3, 5, 8, 13, 21, 34};
  int x = table[i];
  if (i < 0 || i >= 8) { //~ checked-too-late
    log_error("bad index");
    return 0;
  }
  return x;
}

// The index minus one of an unsigned length.
int last_bad(unsigned n) {
  char buffer[32];
  memset(buffer, 0, sizeof buffer);
  buffer[n - 1] = 'x';
  if (n == 0) //~ checked-too-late
    return -1;
  return buffer[0];
}

// The shift amount.
unsigned shift_bad(unsigned x, int bits) {
  unsigned high = x << bits;
  if (bits >= 32) //~ checked-too-late
    return 0;
  return high;
}

// A function pointer that was called.
int callback_bad(int (*callback)(int)) {
  int x = callback(1);
  if (callback == NULL) //~ checked-too-late
    return combine(x, 0);
  return x;
}

// An argument that the callee wants not to be NULL.
size_t argument_bad(const char *text) {
  size_t n = strlen(text);
  if (text == NULL) //~ checked-too-late
    return 0;
  return n;
}

// Equal to something that was dereferenced.
int equal_bad(struct s *p, struct s *q) {
  int x = p->a;
  if (p == q && !q) //~ checked-too-late
    return combine(x, 1);
  return x;
}

// A case of a switch that the access has excluded.
int case_bad(int i) {
  int digits[10] = {0};
  digits[i]++;
  switch (i) {
  case 0: return 1;
  case 10: return combine(digits[0], 2); //~ checked-too-late
  }
  return digits[0];
}

// A loop in between leaves the pointer alone.
int loop_between_bad(struct s *p, const int *values, int n) {
  int i, sum = p->a;
  for (i = 0; i < n; i++)
    sum += values[i];
  if (!p) //~ checked-too-late
    return -1;
  return sum;
}

// Saved as an integer and compared as one.
int as_integer_bad(struct s *p) {
  uintptr_t address = (uintptr_t)p;
  int x = p->a;
  if (address == 0) //~ checked-too-late
    return -1;
  return x;
}

// A truth value computed after the access.
int truth_bad(struct s *p) {
  int x = *p->data;
  int usable = p->data != NULL;
  if (!usable) //~ checked-too-late
    return combine(x, 3);
  return x;
}

// Returned early unless the index is in range: too late all the same.
int early_return_bad(unsigned i, int x) {
  int table[4] = {0};
  table[i] = x;
  if (i > 3) //~ checked-too-late
    return -1;
  return table[0];
}
