// Idioms that C allows and that a lowering too eager to check, or to forget, gets wrong.
#include <stdio.h>
#include <stdlib.h>

static int unused_value(int *p) { int u; (void)u; if (p) (void)*p; u = u; return 3; }
static int empty_vla_parameter(int n, int a[n]) { if (n == 0) return 4; return a[n - 1]; }

struct tail { int n; int d[1]; };
struct framed { struct tail head; int more[4]; };
static int trailing(void) {
  struct tail *p = malloc(100);
  for (int i = 0; i < 5; i++) p[0].d[i] = p->d[i] = i;
  int r = p[0].d[3] + (*p).d[4];
  free(p);
  return r;
}
static int behind_header(struct framed *f) { f->head.d[2] = 7; return f->more[1]; }

struct flexible { int n; int d[]; };
static struct flexible fixed = { 2, { 1, 2 } };
static int through(struct flexible *p) { return p->d[1] + p->n; }

static int rows(void) {
  int m[3][4], s = 0;
  for (int i = 0; i < 12; i++) m[0][i] = i;
  for (int i = 0; i < 3; i++) s += m[i][i];
  return s;
}

static int next_random(int *state) {
  int s = *state;
  int a = ({ s = s * 5 + 1; s; }) - ({ s = s * 5 + 1; s; });
  *state = s;
  return a;
}

static int die_count;
static void die(void) { die_count++; }
static void unless(int ok) { ok ?: die(); }

static int negations(int a, int b) {
  int r = 0;
  if (!a) r |= 1;
  if (!(a && b)) r |= 2;
  if (!(a || !b)) r |= 4;
  if (!!a && !(!b)) r |= 8;
  while (!(r & 16)) r += 16;
  return r + (!(a && b) ? 100 : 200);
}

static int aliased_target = 1;
extern int alias_of_it __attribute__((alias("aliased_target")));

volatile struct { int a, b; } vol = { 1, 2 };

int main(void) {
  int x = 5, state = 7;
  printf("%d %d %d\n", unused_value(&x), empty_vla_parameter(0, 0), empty_vla_parameter(1, &x));
  struct framed f = { .more = { 9, 8 } };
  printf("%d %d %d\n", trailing(), behind_header(&f), through(&fixed));
  printf("%d %d\n", rows(), next_random(&state));
  unless(1); unless(0); printf("%d\n", die_count);
  for (int i = 0; i < 4; i++) printf("%d ", negations(i & 1, i >> 1));
  alias_of_it = 6;
  typeof(vol) copy; copy.a = vol.a; copy.b = vol.b;
  printf("%d %d\n", aliased_target, copy.a + copy.b);
  return 0;
}
