// Records, unions, bit-fields, arrays, initialisers, pointers.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct line { struct point from, to; char name[6]; };
struct bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned long c : 40; _Bool d : 1; signed char e : 4; };
struct __attribute__((packed)) tight { char c; int i; short s : 9; long l : 50; char end; };
union pun { int i; unsigned char b[4]; float f; struct { unsigned lo : 16, hi : 16; }; };
struct flex { int n; int data[]; };
struct anon { int tag; union { int i; char *s; }; struct { short p, q; }; };

static struct line lines[] = { [1] = { .to.y = 4, .from = { 1, 2 }, .name = "ab" }, { { 7 }, .name = "toolo" } };
static struct bits gbits = { 5, -7, 0x123456789, 1, -3 };
static struct tight gtight = { 'x', -2, -100, 1L << 40, 'y' };
static int matrix[3][4] = { { 1, 2 }, [2] = { [3] = 9 } };
static char text[8] = "hey", *pointers[] = { text, text + 2, &text[1], "lit" + 1, 0 };
static int *into = &matrix[1][2];
static struct anon an = { 3, { .s = text }, { 8, 9 } };
static double dbl[] = { 1.5, -2, 1.0 / 3 };
static const struct point *compound = &(struct point){ 11, 12 };
static int (*const ops[])(const char *) = { puts, 0 };

static struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct line make(int n) { struct line l = { { n, n + 1 }, .name = "made" }; return l; }

static void show_bits(struct bits *b) { printf("%u %d %lu %d %d\n", b->a, b->b, (unsigned long)b->c, b->d, b->e); }

static void bit_fields(void) {
  struct bits b = gbits;
  show_bits(&b);
  b.a += 6; b.b--; b.c = b.c * 3 + b.a; b.d ^= 1; b.e = 7; b.e++;
  show_bits(&b);
  printf("%d %d\n", b.a = 9, b.b = 17);
  show_bits(&b);
  struct tight t = gtight;
  t.s = 255; t.l -= 5; t.s += 1;
  printf("%c %d %d %ld %c %d\n", t.c, t.i, t.s, (long)t.l, t.end, (int)sizeof t);
}

static void unions(void) {
  union pun u = { .f = 1.0f };
  printf("%x %x %x %x\n", u.i, u.b[3], u.lo, u.hi);
  u.b[0] = 0xff; u.hi++;
  printf("%x %g\n", u.i, (double)u.f);
  an.i = 5; printf("%d %d %d %d\n", an.tag, an.i, an.p, an.q);
}

static void pointers_and_arrays(int n) {
  int vla[n][n + 1], *p = &vla[0][0], s = 0;
  for (int i = 0; i < n * (n + 1); i++) *p++ = i;
  for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) s += vla[i][j] * (i + 1);
  printf("%d %d %d %d\n", s, (int)sizeof vla, (int)(p - vla[0]), (int)(&vla[1] - &vla[0]));
  int a[] = { 1, 2, 3, [6] = 7 };
  printf("%d %d %d\n", (int)(sizeof a / sizeof *a), 2[a], *(a + 6));
  int (*row)[4] = matrix; row++;
  printf("%d %d %d\n", (int)(row - matrix), (*row)[2], (int)((char *)row - (char *)matrix));
  *into = 77; printf("%d\n", matrix[1][2]);
  char *q = text; while (*q) *q++ -= 32; printf("%s %s %s\n", text, pointers[1], pointers[3]);
  struct flex *f = malloc(sizeof *f + 3 * sizeof(int));
  f->n = 3; for (int i = 0; i < f->n; i++) f->data[i] = i * i;
  printf("%d %d\n", f->data[2], (int)offsetof(struct flex, data)); free(f);
  long addr = (long)&lines[1]; struct line *l = (struct line *)addr; printf("%s %d\n", l->name, l == lines + 1);
}

int main(void) {
  for (int i = 0; i < 3; i++) printf("%d %d %d %d %s\n", lines[i].from.x, lines[i].from.y, lines[i].to.x, lines[i].to.y, lines[i].name);
  bit_fields(); unions(); pointers_and_arrays(4);
  struct point s = add((struct point){ 1, 2 }, add(lines[1].from, *compound));
  printf("%d %d %d %s\n", s.x, s.y, make(5).from.y, make(1).name);
  struct line copy = lines[1], *pl = &copy; *pl = make(9); copy.to = pl->from = s;
  printf("%d %d %s\n", copy.to.x, copy.from.y, copy.name);
  struct point ps[2] = { s, { .y = 3 } }, choice = s.x > 3 ? ps[1] : ps[0];
  printf("%d %d %f %f\n", choice.x, choice.y, dbl[1], dbl[2]);
  char buffer[16] = "x"; memset(buffer + 1, 'z', 3); buffer[4] = 0; strcat(buffer, "!"); ops[0](buffer);
  memcpy(&copy, &lines[2], sizeof copy); printf("%s %d\n", copy.name, memcmp(&copy, &lines[2], sizeof copy));
  return 0;
}
