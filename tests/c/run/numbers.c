// Integers of every width, conversions, promotion, shifts, division, floats.
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum small { A = -1, B = 2 };
enum wide { C = 0x100000000LL, D };

static void ints(signed char c, unsigned char u, short s, unsigned short us, int i, unsigned x, long l, unsigned long ul) {
  printf("%d %d %d %d\n", c + u, c * s, u << 4, us * 3);
  printf("%d %u %ld %lu\n", i / 3, x / 3, l / -3, ul / 3);
  printf("%d %u %ld %lu\n", i % 7, x % 7, l % -7, ul % 7);
  printf("%d %u %ld %lu\n", i >> 3, x >> 3, l >> 3, ul >> 3);
  printf("%d %d %d %d\n", c < u, (unsigned)c < u, i < x, l < x);
  printf("%d %d %d\n", -c, ~u, !s);
  printf("%d %d\n", (signed char)i, (unsigned char)i);
  printf("%d %d\n", (short)l, (unsigned short)l);
  c += 300; u -= 300; s *= 1000; us /= 3; i ^= l; x <<= 5; l |= x; ul &= c;
  printf("%d %d %d %d %d %u %ld %lu\n", c, u, s, us, i, x, l, ul);
  c++; u--; --s; ++us;
  printf("%d %d %d %d\n", c++, u--, s, us);
}

static void bools(int x, double d, void *p) {
  bool a = x, b = d, c = p;
  _Bool e = 0.5;
  printf("%d %d %d %d %d\n", a, b, c, e, a + b + c);
  a++; b--; c += 7; e -= 1;
  printf("%d %d %d %d\n", a, b, c, e);
  a = x & 2; printf("%d\n", a);
}

static void wide(void) {
  __int128 x = (__int128)1 << 100;
  unsigned __int128 y = ~(unsigned __int128)0;
  x += 12345;
  printf("%ld %ld %lu %d\n", (long)(x >> 64), (long)x, (long)(y >> 3), x > 0);
  x = -x / 1000;
  printf("%ld %ld\n", (long)(x >> 64), (long)x);
}

static void floats(double d, float f, int i) {
  printf("%f %f %f\n", d + f, d * 2 - 1, f / 3);
  printf("%d %d %ld %u\n", (int)d, (int)-d, (long)(d * 1e9), (unsigned)f);
  printf("%d %d %d %d\n", d < f, d == d, d != f, d >= 2);
  float g = i; double h = i;
  g += 0.25; h /= 3; g++;
  printf("%f %.10f %g\n", g, h, -g);
  printf("%d\n", 0.1 + 0.2 == 0.3);
  double step = 0; int n = 0;
  while (step < 1) { step += 0.1; n++; }
  printf("%d %.17g\n", n, step);
}

int main(void) {
  ints(-5, 250, -1234, 60000, -100000, 4000000000u, -5000000000L, 0xffffffffffffff00ul);
  ints(127, 0, 32767, 65535, INT_MAX, UINT_MAX, LONG_MAX, ULONG_MAX);
  int x = 3;
  bools(0, 0.0, 0); bools(2, 0.25, &x);
  wide();
  floats(2.75, 1.5f, 7);
  printf("%d %d %ld %lu\n", A < B, A, (long)D, sizeof(enum wide));
  printf("%d %ld\n", (int)sizeof(long), (long)(INT_MIN));
  uint8_t w = 200; int8_t v = (int8_t)w; printf("%d %d\n", v, w + v);
  printf("%d %d\n", __builtin_bswap32(0x01020304), (int)__builtin_bswap16(0x0102));
  int r; long lr; unsigned char cr;
  printf("%d", __builtin_add_overflow(INT_MAX, 1, &r)); printf(" %d", r);
  printf(" %d", __builtin_mul_overflow(100000, 100000, &r)); printf(" %d", r);
  printf(" %d", __builtin_sub_overflow(3u, 5u, &lr)); printf(" %ld", lr);
  printf(" %d", __builtin_add_overflow(200, 100, &cr)); printf(" %d\n", cr);
  return 0;
}
