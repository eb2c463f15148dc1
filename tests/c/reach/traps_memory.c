// Memory, aliases and layout: nothing here contradicts itself.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct s { int a, b; struct s *next; unsigned f : 3, g : 5; };
struct t { int k; int z; };
union u { int i; float f; char c[4]; struct { short low, high; } parts; };
struct flexible { int n; int items[]; };
struct trailing { int n; char text[1]; };
struct link { struct link *next; };
struct item { int id; struct link link; };
enum color { RED, GREEN, BLUE };
int combine(int, int);
void fill(void *, size_t);
extern const int configured;
extern int table_of_unknown_size[];
static const int squares[4] = {0, 1, 4, 9};
static int filled_at_run_time[4];

// The two parameters may be the same.
int aliased_ok(int *p, int *q) {
  *p = 1;
  *q = 2;
  if (*p == 2)
    return 1;
  return 0;
}

// The same structure through two pointers.
int aliased_structures_ok(struct s *p, struct s *q) {
  p->a = 1;
  q->a = 2;
  if (p->a != 1)
    return 1;
  return 0;
}

// Structures that begin alike are often one.
int common_beginning_ok(struct s *p, struct t *q) {
  p->a = 1;
  q->k = 2;
  if (p->a == 2)
    return 1;
  return 0;
}

// Another member of the union changes this one.
int union_ok(union u *p) {
  p->i = 0;
  p->f = 1.0f;
  if (p->i)
    return 1;
  return 0;
}

// Part of the union.
int union_part_ok(int x) {
  union u v;
  v.i = x;
  v.parts.low = 0;
  if (v.i != 0)
    return 1;
  return 0;
}

// Bytes of an integer.
int bytes_ok(int x, char c) {
  ((char *)&x)[1] = c;
  if (x > 100000)
    return 1;
  return 0;
}

// Copied over.
int copied_over_ok(struct s *p, const struct s *q) {
  p->a = 1;
  memcpy(p, q, sizeof *p);
  if (p->a != 1)
    return 1;
  return 0;
}

// Copied over in part.
int copied_in_part_ok(char *to, const char *from, size_t n) {
  to[3] = 'x';
  memcpy(to, from, n);
  if (to[3] != 'x')
    return 1;
  return 0;
}

// Moved within itself.
int moved_ok(char *text) {
  text[0] = 'a';
  text[1] = 'b';
  memmove(text, text + 1, 2);
  if (text[0] == 'b')
    return 1;
  return 0;
}

// Filled by somebody else.
int filled_ok(void) {
  struct s x = {0};
  fill(&x, sizeof x);
  if (x.a)
    return 1;
  return 0;
}

// Only an address is computed.
int address_ok(struct s *p) {
  int *q = &p->b;
  if (!p)
    return 0;
  return *q;
}

// sizeof does not access.
int sizeof_ok(struct s *p) {
  size_t n = sizeof *p + sizeof p->next->a;
  if (!p)
    return (int)n;
  return 1;
}

// typeof does not access.
int typeof_ok(struct s *p) {
  __typeof__(p->a) x = 1;
  if (!p)
    return x;
  return 2;
}

// The classic offsetof.
int offset_ok(struct s *p) {
  size_t offset = (size_t)&((struct s *)0)->next;
  if (!p)
    return (int)offset;
  return 0;
}

// The address of an element one past the end.
int one_past_ok(void) {
  int values[4] = {1, 2, 3, 4}, sum = 0;
  const int *end = &values[4], *p;
  for (p = values; p != end; p++)
    sum += *p;
  return sum;
}

// From the member back to the whole, which is never NULL by arithmetic alone.
int container_ok(struct link *link) {
  struct item *item = (struct item *)((char *)link - offsetof(struct item, link));
  if (!link)
    return 0;
  return item->id;
}

// A flexible array has room that the type does not tell.
int flexible_ok(struct flexible *p, int i) {
  p->items[i] = 1;
  if (i > 10)
    return 1;
  return 0;
}

// The old form of a flexible array.
int trailing_ok(struct trailing *p, int i) {
  p->text[i] = 'x';
  if (i > 5)
    return 1;
  return 0;
}

// Rows lie behind each other, and programs rely on it.
int rows_ok(int i) {
  static int matrix[3][4];
  matrix[0][i] = 1;
  if (i > 5)
    return 1;
  return 0;
}

// An extern array has any size.
int unknown_size_ok(int i) {
  int x = table_of_unknown_size[i];
  if (i > 1000)
    return x;
  return 0;
}

// extern const is constant, but unknown.
int extern_const_ok(void) {
  if (configured > 10)
    return 1;
  return 0;
}

// A pointer to const does not make what it points to constant.
int const_ok(const int *p, int *q) {
  int before = *p;
  *q = before + 1;
  if (*p != before)
    return 1;
  return 0;
}

// Filled at run time, not by its initialiser.
int run_time_table_ok(int i) {
  if (filled_at_run_time[i & 3])
    return 1;
  return 0;
}

// A constant table read at an unknown place.
int constant_table_ok(unsigned i) {
  if (i > 3)
    return 0;
  if (squares[i] == 4)
    return 1;
  return 2;
}

// A bit-field in the same word.
int bit_fields_ok(struct s *p, struct s *q) {
  p->f = 1;
  q->g = 2;
  q->f = 3;
  if (p->f == 3)
    return 1;
  return 0;
}

// A signed bit-field of one bit holds 0 and -1.
int one_bit_ok(struct { int flag : 1; } *p) {
  if (p->flag < 0)
    return 1;
  return 0;
}

// A plain char may be negative.
int char_ok(char c) {
  if (c < 0)
    return 1;
  return 0;
}

// An enum holds any value of its type.
int enum_ok(enum color c) {
  switch (c) {
  case RED: return 1;
  case GREEN: return 2;
  case BLUE: return 3;
  }
  return combine(c, 0);
}

// An enum out of range, tested on purpose.
int enum_range_ok(enum color c) {
  if (c > BLUE)
    return -1;
  return c;
}

// _Bool from raw memory.
int raw_bool_ok(const unsigned char *bytes) {
  _Bool b;
  memcpy(&b, bytes, 1);
  if (b)
    return 1;
  return 0;
}

// A cursor on the links of a list writes the head.
int cursor_ok(struct link *new) {
  struct link *head = NULL, **p;
  for (p = &head; *p; p = &(*p)->next)
    ;
  *p = new;
  if (head)
    return 1;
  return 0;
}

// A pointer to a pointer changes the variable.
int indirect_ok(int *q) {
  int *p = NULL, **pp = &p;
  *pp = q;
  if (p)
    return *p;
  return 0;
}

// A static local keeps its value.
int static_local_ok(void) {
  static int initialised;
  if (!initialised) {
    initialised = 1;
    return 0;
  }
  return 1;
}

// A compound literal of a block is a new object.
int literal_ok(int x) {
  struct t *p = &(struct t){.k = x};
  struct t *q = &(struct t){.k = x + 1, .z = x};
  p->z = 1;
  if (q->z)
    return 1;
  return q->k != p->k;
}

// A VLA of unknown size.
int vla_ok(int n, int i) {
  int values[n];
  memset(values, 0, sizeof values);
  if (i >= 0 && i < n)
    return values[i];
  if (i > 100)
    return 1;
  return 0;
}

// restrict speaks of accesses in its block only.
int restrict_ok(int *restrict p, int *q) {
  int x = *q;
  if (p == q)
    return x;
  return 0;
}

// Pointers into different objects compare as they like.
int compared_ok(const char *p, const char *q) {
  if (p < q)
    return 1;
  if (p > q)
    return 2;
  return 3;
}

// An address as an integer may be odd.
int tagged_ok(void *p) {
  uintptr_t bits = (uintptr_t)p;
  if (bits & 1)
    return (int)(bits >> 1);
  return 0;
}

// A zero pattern written by memset, then other bytes.
int zeroed_ok(struct s *p, int n) {
  memset(p, 0, sizeof *p);
  p->b = n;
  if (p->b)
    return p->a + 1;
  return 0;
}

// A hash table's slot is read again after it was filled.
int hash_ok(struct s **table, unsigned size, unsigned hash, struct s *fresh) {
  struct s *p;
  if (size == 0)
    return -1;
  for (p = table[hash % size]; p; p = p->next)
    if (p->a == 3)
      return 1;
  fresh->next = table[hash % size];
  table[hash % size] = fresh;
  if (fresh->next)
    return 2;
  return 0;
}
