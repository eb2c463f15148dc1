// Arithmetic: nothing here contradicts itself.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int combine(int, int);

// Not a number is not equal to itself.
int nan_ok(double x) {
  if (x != x)
    return 1;
  return 0;
}

// Not a number is neither below nor above.
int unordered_ok(double x) {
  if (x < 1)
    return 1;
  else if (x >= 1)
    return 2;
  return 3;
}

// Minus zero equals zero and has another sign.
int minus_zero_ok(double x) {
  if (x == 0 && 1 / x < 0)
    return 1;
  return 0;
}

// Rounding: a sum may equal its summand.
int rounded_ok(double x) {
  if (x != 0 && 1e20 + x == 1e20)
    return 1;
  return 0;
}

// Unsigned numbers wrap below zero.
int wraps_ok(unsigned n) {
  if (n - 1 > n)
    return 1;
  return 0;
}

// The overflow test that programs rely on.
int overflow_test_ok(unsigned a, unsigned b) {
  if (a + b < a)
    return -1;
  return 0;
}

// A signed overflow test: wrong by the standard, but no contradiction unless overflow is asked for.
int signed_overflow_test_ok(int a, int b) {
  if (a > 0 && b > 0 && a + b < 0)
    return -1;
  return a + b;
}

// A negative number compared as unsigned is large.
int mixed_ok(int n, unsigned limit) {
  if (n > limit)
    return n < 0 ? -1 : 1;
  return 0;
}

// Narrow unsigned types are promoted to int.
int promoted_ok(uint8_t a, uint8_t b) {
  if (a - b < 0)
    return 1;
  return 0;
}

// The complement of a narrow type is wide.
int complement_ok(uint8_t a) {
  if (~a < -100)
    return 1;
  return 0;
}

// Truncation loses bits.
int truncated_ok(int n) {
  unsigned char c = n;
  if (c != n)
    return 1;
  return 0;
}

// The absolute value of INT_MIN is negative on a machine that wraps.
int absolute_ok(int n) {
  int a = n < 0 ? -n : n;
  if (a < 0)
    return 1;
  return 0;
}

// A shift that stays in range.
unsigned shifted_ok(unsigned x, unsigned n) {
  if (n < 32)
    return x << n;
  return n == 40 ? 1 : 0;
}

// A rotation by zero.
unsigned rotated_ok(unsigned x, unsigned n) {
  n &= 31;
  return n ? x << n | x >> (32 - n) : x;
}

// A remainder has the sign of the dividend.
int remainder_ok(int n) {
  int r = n % 4;
  if (r < 0)
    r += 4;
  if (r == 3)
    return 1;
  return 0;
}

// A product that is zero by wrapping.
int product_ok(unsigned a, unsigned b) {
  if (a != 0 && b != 0 && a * b == 0)
    return 1;
  return 0;
}

// The branch is taken in the fifth round only.
int fifth_round_ok(int n) {
  int i, r = 0;
  for (i = 0; i < n; i++)
    if (i == 5)
      r = 1;
  return r;
}

// The first round is special.
int first_round_ok(const int *values, int n) {
  int i, best = 0, first = 1;
  for (i = 0; i < n; i++) {
    if (first || values[i] > best)
      best = values[i];
    first = 0;
  }
  return best;
}

// The loop may not run at all.
int no_round_ok(const int *values, int n) {
  int i, found = -1;
  for (i = 0; i < n; i++)
    if (values[i] == 0)
      found = i;
  if (found < 0)
    return combine(n, 0);
  return found;
}

// Counted in the loop.
int counted_ok(const char *text) {
  int n = 0;
  while (*text++)
    n++;
  if (n > 3)
    return 1;
  return 0;
}

// Digits are checked as one unsigned range.
int range_ok(int c) {
  if ((unsigned)c - '0' < 10)
    return c - '0';
  if (c < '0')
    return -1;
  return -2;
}

// A mask of several bits.
int mask_ok(unsigned flags) {
  if (flags & 6) {
    if (!(flags & 2))
      return 1;
    if (!(flags & 4))
      return 2;
  }
  return 0;
}

// A short-circuit chain in which each operand matters.
int chain_ok(const int *p, int n, int limit) {
  if (p && n > 0 && n < limit && p[0] && p[n - 1])
    return 1;
  if (!p || n == 0 || (n >= limit && limit > 0))
    return 2;
  return 3;
}

// Divided only where it is not zero.
int guarded_ok(int total, int n) {
  int average = n ? total / n : 0;
  if (!n)
    return combine(average, 1);
  return average;
}

// The quotient may be zero though nothing else is.
int quotient_ok(int a, int b) {
  if (a > 0 && b > 0 && a / b == 0)
    return 1;
  return 0;
}

// A long that does not fit an int.
int converted_ok(long n) {
  int i = (int)n;
  if (n > INT_MAX && i < 0)
    return 1;
  return i;
}
