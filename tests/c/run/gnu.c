// What gcc's own test suite found: GNU extensions and unusual initialisers.
#include <stdio.h>
#include <string.h>

// A flexible array is as long as its initialiser, which makes the object longer than its type.
struct text { char kind; char text[]; };
static struct text word = { 'w', "flexible" };
static struct text letters = { 'l', { 'x', 'y' } };

static void flexible(void) {
  struct text *p = &word, *q = &letters;
  printf("%c %s %c %c%c\n", p->kind, p->text, q->kind, q->text[0], q->text[1]);
}

// Two names of one object, and of one function.
static int shared[4] = { 1, 2, 3, 4 };
extern int other_name[4] __attribute__((alias("shared")));
int twice(int x) { return 2 * x; }
int doubled(int x) __attribute__((alias("twice")));

static void aliases(void) {
  other_name[1] = 20;
  shared[2] = 30;
  printf("%d %d %d\n", shared[1], other_name[2], doubled(21));
}

// Overflow in an initialiser wraps.
static long long wrapped = (0x1234567876543210LL << 32) >> 32;
static int negated = -(-2147483647 - 1) - 1;

// Vectors work element by element, without promotion; comparisons give all ones.
typedef int four __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(8)));
typedef float floats __attribute__((vector_size(16)));
static four table = { 150, -100, 150 };

static void show(four v) { printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); }

static int n_calls;
static four *next(four *v) {
  n_calls++;
  return v;
}

static void vectors(void) {
  four a = table, b = { 10, 13, 20, 30 };
  floats f = { 1.5f, 2.5f };
  bytes c = { 200, 100 };
  show(a + b);
  show(a * b - ~a);
  show(a / b % 7);
  show(-a << 2);
  show(a > b);
  *next(&a) += b;
  show(a);
  show(a & 12);
  f *= f;
  c += c;
  printf("%g %g %d %d %d\n", f[0], f[1], c[0], c[1], n_calls);
  long long raw = (long long)c;
  c = (bytes)(raw + 1);
  printf("%llx %d\n", (unsigned long long)raw, c[0]);
}

static void counts(void) {
  static const unsigned values[] = { 1, 2, 0x80000000u, 0xf0f0u, 0xffffffffu, 0x1234567u };
  for (int i = 0; i < 6; i++) {
    unsigned x = values[i];
    unsigned long long wide = (unsigned long long)x << 20 | 1u << 19;
    printf("%d %d %d %d %d %d ", __builtin_popcount(x), __builtin_parity(x), __builtin_clz(x), __builtin_ctz(x),
           __builtin_ffs((int)x), __builtin_clrsb((int)x));
    printf("%d %d %d %d %d %d\n", __builtin_popcountll(wide), __builtin_parityll(wide), __builtin_clzll(wide),
           __builtin_ctzll(wide), __builtin_ffsll((long long)wide), __builtin_clrsbll(~(long long)wide));
  }
  printf("%d %d %d\n", __builtin_popcount(0), __builtin_ffs(0), __builtin_clrsb(0));
}

static void overflows(void) {
  int i;
  unsigned u;
  long long l;
  unsigned long long ul;
  _Bool lost;
  lost = __builtin_smul_overflow(65536, 32768, &i);
  printf("%d %d\n", lost, i);
  lost = __builtin_usub_overflow(3u, 5u, &u);
  printf("%d %u\n", lost, u);
  lost = __builtin_mul_overflow(-3037000500LL, 3037000500ULL, &l);
  printf("%d %lld\n", lost, l);
  lost = __builtin_mul_overflow(-1LL, ~0ULL, &ul);
  printf("%d %llu\n", lost, ul);
  lost = __builtin_umulll_overflow(1ULL << 32, 1ULL << 31, &ul);
  printf("%d %llu\n", lost, ul);
  lost = __builtin_mul_overflow(1ULL << 62, 2ULL, &l);
  printf("%d %lld\n", lost, l);
}

// Nobody looks at the result.
static int falls_off(int x) {
  if (x > 3) return x;
}

static void parts(void) {
  int x = 7;
  printf("%d %d\n", __real__ x, __imag__ x);
}

void *alloca(unsigned long);

static void on_the_stack(int n) {
  char *p = alloca(n);
  memset(p, 'a', n - 1);
  p[n - 1] = 0;
  char *end = __builtin_stpcpy(p + 2, "b");
  printf("%s %d %s\n", p, (int)(end - p), strrchr(p, 'a'));
  printf("%#o %#o %#x\n", 0, 8, 0);
}

int main(void) {
  flexible();
  aliases();
  printf("%llx %d\n", wrapped, negated);
  vectors();
  counts();
  overflows();
  falls_off(1);
  printf("%d\n", falls_off(9));
  parts();
  on_the_stack(8);
  return 0;
}
