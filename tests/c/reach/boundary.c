// boundary-error: the comparison admits one value too many.
#include <stddef.h>
#include <string.h>

struct s { int a; };
int combine(int, int);

void one_too_many_bad(void) {
  char line[80];
  int i;
  for (i = 0; i <= 80; i++) //~ boundary-error
    line[i] = ' ';
}

void variable_size_bad(int n) {
  int values[n];
  int i = 0;
  while (i <= n) { //~ boundary-error
    values[i] = i;
    i++;
  }
}

int guard_bad(int i) {
  static const int table[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
  if (i < 0 || i > 10) //~ boundary-error
    return -1;
  return table[i];
}

void terminator_bad(const char *text, size_t n) {
  char buffer[64];
  if (n <= sizeof buffer) { //~ boundary-error
    memcpy(buffer, text, n);
    buffer[n] = 0;
    combine(buffer[0], 1);
  }
}

int strict_bad(int i) {
  int table[10] = {0};
  if (i >= 0 && i < 11) //~ boundary-error
    table[i] = 1;
  return table[0];
}

int divisor_bad(int total, int n) {
  if (n >= 0) //~ boundary-error
    return total / n;
  return 0;
}

unsigned shift_bad(unsigned x, unsigned n) {
  if (n <= 32) //~ boundary-error
    return x << n;
  return 0;
}

void downwards_bad(void) {
  int values[8], i;
  for (i = 7; i >= -1; i--) //~ boundary-error
    values[i] = 0;
}

// The right bound.
void exact_ok(void) {
  char line[80];
  int i;
  for (i = 0; i < 80; i++)
    line[i] = ' ';
  combine(line[0], 1);
}

// The paper's example: zero has been dealt with.
int signs_ok(int x) {
  if (x == 0)
    return combine(0, 0);
  else if (x > 0)
    return combine(1, 100 / x);
  else
    return combine(2, 100 / x);
}

// The boundary is excluded by the branch around it.
int excluded_ok(int i, int n) {
  int values[n];
  if (n < 1 || i == n)
    return 0;
  values[0] = 0;
  if (i >= 0 && i <= n)
    values[i] = 1;
  return values[0];
}

// The boundary has its own branch inside.
int own_branch_ok(int i) {
  int values[10] = {0};
  if (i >= 0 && i <= 10) {
    if (i == 10)
      return combine(1, 1);
    values[i] = 1;
  }
  return values[0];
}

// The next operand excludes it.
int next_operand_ok(int total, int n) {
  if (n >= 0 && n != 0)
    return total / n;
  return 0;
}

// The last element, from above.
int reversed_ok(int n) {
  int values[8], i;
  for (i = 7; i >= 0; i--)
    values[i] = n;
  return values[0];
}

// One past the end is computed, not read.
int end_pointer_ok(const int *values, int n) {
  int table[8], *end = table + 8, *p, sum = 0;
  for (p = table; p < end; p++)
    *p = 1;
  for (p = table; p != end; p++)
    sum += *p;
  return sum + values[n > 0];
}

// The next bound follows from the loop before.
int insertion_ok(int *values, int n) {
  int i, j;
  for (i = 1; i < n; i++)
    for (j = i; j > 0 && values[j - 1] > values[j]; j--) {
      int t = values[j];
      values[j] = values[j - 1];
      values[j - 1] = t;
    }
  return n;
}

// The boundary of an unsigned number that is never below.
int unsigned_ok(unsigned n) {
  if (n <= 0)
    return 0;
  return combine(1, 100 / n);
}

// What stands before is hard to find values for.
int behind_a_product_bad(unsigned x, unsigned y, int i) {
  int a[10];
  if (x < 2 || y < 2 || x >= y || x > 5000 || y > 5000)
    return 0;
  if (x * y != 101u * 103u)
    return 0;
  if (i < 0)
    return 1;
  if (i <= 10) { //~ boundary-error
    a[i] = 1;
    return a[i];
  }
  return 2;
}
