/* Expressions and initialisers; counted against clang's own dump. */
typedef __builtin_va_list va_list;
typedef unsigned long size_t;
struct point { int x, y; };
struct bits { unsigned a : 3; int b : 5; unsigned long c : 40; };
union either { int i; float f; };
struct nested { struct point p; union { int u; char c; }; int tail[4]; };

static struct nested global = { .p = { .y = 2 }, .u = 7, .tail = { [1] = 10, [3] = 30 } };
static const char *names[] = { "a", "b", "c" };
int matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };

int arithmetic(int a, unsigned b, long c, double d, _Bool e) {
  short s = d;
  char ch = 'x';
  ch += a;
  s <<= c;
  a = b > -1 || s < a && !e;
  a = a ? b : c;
  a = (a, s);
  e = d;
  d = a + 1.5f;
  return ~a + -s + +ch + (int)c % 3 + (a & 1 | 2 ^ a) + (b >> 2);
}

int memory(struct nested *n, int *p, int i) {
  struct point q = n->p;
  n->p.x = p[i] + 3[p] + *p++ + --*p;
  n->u = q.y;
  struct point *r = &(struct point){ .x = i };
  void *v = p;
  int (*call)(struct nested *, int *, int) = memory;
  return call(n, v, r->x) + (*call)(n, p, 0) + (p == 0) + (p - r->y != p);
}

int bitfields(struct bits *b) {
  b->a = b->b + b->c;
  b->b++;
  return b->a;
}

int variadic(int n, ...) {
  va_list ap;
  __builtin_va_start(ap, n);
  int sum = __builtin_va_arg(ap, int);
  __builtin_va_end(ap);
  return sum + sizeof n + sizeof(struct nested) + __alignof__(double) + __builtin_offsetof(struct nested, tail);
}

int extensions(union either *u, int x, _Atomic int *at) {
  union either v = (union either)x;
  int y = ({ int t = x; t > 0 ? t : -t; });
  y += __builtin_types_compatible_p(int, int) + __builtin_expect(x, 1);
  *at = y;
  return v.i + u->i + *at + __extension__ x + (__real__ (1.0 + 2.0i) > 0);
}
