// Calls: recursion, function pointers, static locals, K&R, cleanup, order of effects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter(void) { static int n = 10; static int *p = &n; (*p)++; return n; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int old(a, b, f) char a; short b; float f; { return a + b + (int)f; }
static int apply(int (*f)(int), int x) { return (*f)(x) + f(x); }
static int twice(int x) { return 2 * x; }
static int (*pick(int i))(int) { return i ? twice : fib; }
static void fini(int *p) { printf("<%d>", *p); }

static int cleanups(int n) {
  int a __attribute__((cleanup(fini))) = n;
  for (int i = 0; i < 3; i++) {
    int b __attribute__((cleanup(fini))) = i * 10;
    if (i == 1) continue;
    if (n == 2) break;
    if (n == 3) return a + b;
    b++;
  }
  a = 7;
  return a;
}

static int depth(int n, int *out) { int here = n; if (n == 0) { *out = here; return 1; } return depth(n - 1, out) + here % 2; }

static int effects(void) {
  int i = 0, a[5] = { 0 };
  a[i++] = 5; a[i++] += 2; ++a[i]; i += a[0]++;
  int *p = a; *p++ = 9; int v = *p--; (*p)--; int w = *++p;
  int k = (i = 3, i + 1), m = i = k;
  return a[0] * 1000 + a[1] * 100 + a[2] * 10 + v + w + k + m;
}

static int assigned(char *s) { int c, n = 0; while ((c = *s++) != 0) n = n * 3 + c; return n; }

struct node { int v; struct node *next; };
static struct node *push(struct node *l, int v) { struct node *n = malloc(sizeof *n); n->v = v; n->next = l; return n; }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sort(int *a, int n, int (*cmp)(const void *, const void *)) {
  for (int i = 1; i < n; i++) for (int j = i; j > 0 && cmp(&a[j - 1], &a[j]) > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
}

int main(int argc, char **argv) {
  int c1 = counter(); c1 += counter(); printf("%d", c1); printf(" %d\n", counter());
  printf("%d %d %d %d\n", fib(12), old('a', -3, 2.5), apply(twice, 4), pick(1)(pick(0)(7)));
  for (int i = 1; i < 4; i++) printf(" %d\n", cleanups(i));
  int out = -1; printf("%d", depth(300, &out)); printf(" %d\n", out);
  printf("%d %d\n", effects(), assigned("hello"));
  struct node *l = 0; for (int i = 0; i < 5; i++) l = push(l, i * i);
  int s = 0; for (struct node *n = l; n; n = n->next) s = s * 7 + n->v; printf("%d\n", s);
  int a[] = { 5, 2, 8, -1, 3 }; sort(a, 5, compare); for (int i = 0; i < 5; i++) printf("%d,", a[i]);
  char *buf = __builtin_alloca(8); strcpy(buf, "al"); printf("%s %d\n", buf, (int)strlen(buf));
  volatile int vol = 3; vol += 4; vol++; printf("%d\n", vol);
  _Atomic int at = 3; at += 4; at++; printf("%d\n", at);
  exit(argc > 100 ? 1 : 3);
}
