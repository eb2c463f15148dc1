// Every branch here can be taken: a report would be a false alarm.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct s { int a, b; struct s *next; unsigned f : 3, g : 5; };
struct t { int k; int z; };
union u { int i; float f; char c[4]; };
void unknown(void);
void takes(int *);
int global;
volatile int flag;
static jmp_buf buf;

int call_changes_global_ok(void) { global = 1; unknown(); if (global != 1) return 1; return 0; }
int call_changes_pointee_ok(struct s *p) { p->a = 1; unknown(); if (p->a != 1) return 1; return 0; }
int escaped_local_ok(void) { int x = 0; takes(&x); if (x) return 1; return 0; }
int volatile_ok(void) { if (flag) if (!flag) return 1; return 0; }
int aliased_ok(int *p, int *q) { *p = 1; *q = 2; if (*p == 2) return 1; return 0; }
int same_offset_ok(struct s *p, struct t *q) { p->a = 1; q->k = 2; if (p->a == 2) return 1; return 0; }
int punned_ok(union u *p) { p->i = 0; p->f = 1; if (p->i) return 1; return 0; }
int bytes_ok(int x, char c) { ((char *)&x)[1] = c; if (x > 1000000) return 1; return 0; }
int copied_ok(struct s *p, struct s *q) { p->a = 1; memcpy(p, q, sizeof *p); if (p->a != 1) return 1; return 0; }
int bit_fields_ok(struct s *p) { p->f = 1; p->g = 2; unknown(); if (p->f == 3) return 1; return 0; }
int flag_word_ok(struct s *p) { p->f = 1; *(unsigned *)((char *)p + 16) = 2; if (p->f == 2) return 1; return 0; }
int fifth_iteration_ok(int n) { int i, r = 0; for (i = 0; i < n; i++) if (i == 5) r = 1; return r; }
int written_in_loop_ok(struct s *p) { int n = 0; while (p) { n++; p = p->next; } if (n > 3) return 1; return 0; }
int no_access_ok(struct s *p) { int *q = &p->b; if (!p) return 0; return *q; }
int sizeof_ok(struct s *p) { unsigned long n = sizeof *p; if (!p) return (int)n; return 1; }
int one_past_ok(void) { int a[4], *e = &a[4], *i, n = 0; for (i = a; i != e; i++) n++; return n; }
int nan_ok(double x) { if (x != x) return 1; if (x < 1 || x >= 1) return 2; return 3; }
int setjmp_ok(int n) { int x = 1; if (setjmp(buf)) return x == 2 ? 5 : 6; x = n; unknown(); return 0; }
int unsigned_wrap_ok(unsigned a) { if (a - 1 > a) return 1; return 0; }
int enum_ok(enum { A, B } e) { switch (e) { case A: return 1; case B: return 2; } return 3; }
int cleanup_ok(struct s *p) { int r = -1; if (!p) goto out; r = p->a; out: if (p) free(p); return r; }
int short_circuit_ok(struct s *p) { if (p && p->a) return 1; if (!p || p->b) return 2; return 3; }
int static_local_ok(void) { static int n; if (n++) return 1; return 0; }
int trailing_ok(struct { int n; char c[1]; } *p, int i) { p->c[i] = 0; if (i > 5) return 1; return 0; }
int rows_ok(int i) { static int m[3][4]; m[0][i] = 1; if (i > 5) return 1; return 0; }
int constant_p_ok(int n) { if (__builtin_constant_p(n)) return 1; return 0; }
int asm_ok(int x) { __asm__ volatile("foo" : "+r"(x)); if (x == 7) return 1; return 0; }
int realloc_ok(char *p) { char *q = realloc(p, 9); if (!q) { free(p); return 1; } return q[0]; }
int shifted_ok(unsigned x, unsigned n) { return n < 32 ? x << n : n == 40 ? 1 : 0; }
int through_cursor_ok(struct s *n) {
  struct s *head = 0, **p;
  for (p = &head; *p; p = &(*p)->next)
    ;
  *p = n;
  if (head) return 1;
  return 0;
}
int copied_cursor_ok(int n) { int x = 0, *q = &x, *p = 0; while (n--) p = q; if (p) *p = 1; if (x) return 1; return 0; }
