// What a callee leaves in memory whenever it returns, and what its callers do with it.
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct node { int kind; int *data; struct node *next; };
struct list { int count; int state; struct node *head; struct node first; };

int unknown(void);
int sink(int);

static void succeed(int *err) { *err = 0; }

static void reset(struct list *l) {
  l->count = 0;
  l->state = 3;
  l->head = NULL;
}

static void give(int *out, int x) { *out = x; }

static void give_pointer(struct node **out, struct node *n) { *out = n; }

static void give_first(struct node **out, struct list *l) { *out = &l->first; }

static int current;

static void forget_current(void) { current = 0; }

// The divisor is always zero.
int divide_bad(int x, int c) {
  struct list l;
  reset(&l);
  if (c) //~ fatal-branch
    x = x / l.count;
  return x;
}

int through_pointer_bad(struct list *l, int c) {
  reset(l);
  if (c) //~ fatal-branch
    return l->head->kind;
  return 0;
}

// What was handed over was tested, and is used under its other name.
int other_name_bad(struct node *n) {
  struct node *copy;
  give_pointer(&copy, n);
  int kind = copy->kind;
  if (n == NULL) //~ checked-too-late
    return 0;
  return kind;
}

// Two names of one place.
int member_bad(struct list *l, int c) {
  struct node *first;
  give_first(&first, l);
  l->first.data = NULL;
  if (c) //~ fatal-branch
    return *first->data;
  return 0;
}

int number_bad(int n, int c) {
  int copy;
  give(&copy, n);
  if (n == 0) //~ fatal-branch
    return c / copy;
  return c;
}

int global_bad(int x, int c) {
  forget_current();
  if (c) //~ fatal-branch
    return x % current;
  return x;
}

// To look whether it went well is prudence.
int prudent_ok(void) {
  int err;
  succeed(&err);
  if (err)
    return unknown();
  return sink(1);
}

int prudent_member_ok(struct list *l) {
  reset(l);
  if (l->state != 3)
    return unknown();
  if (l->head)
    return sink(2);
  return l->count;
}

int prudent_copy_ok(int n) {
  int copy;
  give(&copy, n);
  if (copy != n)
    return unknown();
  return sink(copy);
}

int prudent_global_ok(void) {
  forget_current();
  if (current)
    return unknown();
  return 1;
}

// Both arguments may be one place: the last store counts.
static void set_both(int *a, int *b) {
  *a = 0;
  *b = 1;
}

int same_twice_ok(int x, int c) {
  int n;
  set_both(&n, &n);
  if (c)
    x = x / n;
  return x;
}

int aliased_ok(int *p, int *q, int x, int c) {
  set_both(p, q);
  if (c)
    x = x / *p;
  return x;
}

static void only_sometimes(int *p, int c) {
  if (c)
    *p = 0;
}

int sometimes_ok(int x, int c) {
  int n = 2;
  only_sometimes(&n, c);
  if (c < 0 || x)
    return x / n;
  return 0;
}

// What is called last may have another opinion.
static int *watched;

static void overwritten(int *p) {
  *p = 0;
  unknown();
}

static void write_watched(void) { *watched = 5; }

static void overwritten_by_known(int *p) {
  *p = 0;
  write_watched();
}

int overwritten_ok(int x, int c) {
  int n;
  watched = &n;
  overwritten(&n);
  if (c)
    x = x / n;
  overwritten_by_known(&n);
  if (c > 1)
    x = x / n;
  return x;
}

// Only the value at entry is known to callers.
static void counts_down(int *out, int n) {
  while (n > 0)
    n--;
  *out = n;
}

static void one_more(int *out, int n) {
  n++;
  *out = n;
}

int reassigned_ok(int x, int n) {
  int out;
  counts_down(&out, n);
  if (n == 0)
    x += 1;
  one_more(&out, n);
  if (n == 0)
    return x / out;
  return x;
}

// The argument is the variable's old value.
static int give_and_count(int *out, int n) {
  *out = n;
  return unknown();
}

int assigned_by_call_ok(int n, int x) {
  int out;
  n = give_and_count(&out, n);
  if (n == 0)
    return x / out;
  return x;
}

// Single bytes, and members that share them.
union number { int i; unsigned char bytes[4]; float f; };

static void clear_then_byte(union number *u) {
  u->i = 0;
  u->bytes[1] = 7;
}

static void clear_then_chars(int *p, char *c) {
  *p = 0;
  *c = 1;
}

int union_ok(int x, int c) {
  union number u;
  clear_then_byte(&u);
  if (c)
    x = x / u.i;
  int n;
  clear_then_chars(&n, (char *)&n);
  if (c > 1)
    x = x / n;
  return x;
}

struct flags { unsigned first : 3, second : 5; };

static void set_first(struct flags *f) { f->first = 0; }

int bits_ok(struct flags *f, int x, int c) {
  set_first(f);
  if (c)
    x = x / f->second;
  return x;
}

static void copied_over(struct list *l, const struct list *from) {
  l->count = 0;
  memcpy(l, from, sizeof *l);
}

int copied_ok(const struct list *from, int x, int c) {
  struct list l;
  copied_over(&l, from);
  if (c)
    x = x / l.count;
  return x;
}

// A jump comes back without the store.
static jmp_buf again;

static void jumps(int *p, int c) {
  if (c)
    longjmp(again, 1);
  *p = 0;
}

int jumped_ok(int x, int c) {
  static int n;
  n = 1;
  if (setjmp(again))
    return x / n;
  jumps(&n, c);
  return x;
}

static void saved(int *p) {
  *p = 0;
  if (setjmp(again))
    return;
  unknown();
}

int saved_ok(int x, int c) {
  int n;
  saved(&n);
  if (c)
    x = x / n;
  return x;
}

// Without a prototype the callee may find other arguments than it was given.
int too_few_ok(int x, int c) {
  int old_style();
  int n = 1;
  old_style(&n);
  if (c)
    x = x / n;
  return x;
}

int old_style(p, q, n) int *p, *q, n;
{
  *q = n;
  return *p;
}

// Another definition may take the place of a weak one.
__attribute__((weak)) void replaceable(int *p) { *p = 0; }

int weak_ok(int x, int c) {
  int n;
  replaceable(&n);
  if (c)
    x = x / n;
  return x;
}

// Which of them comes last depends on how often the loop runs.
static void in_loop(int *p, int *q, int n) {
  for (int i = 0; i < n; i++) {
    *q = i + 1;
    *p = 0;
  }
  *q = 4;
}

int loop_ok(int x, int c) {
  int n = 1, m;
  in_loop(&n, &n, c);
  if (c)
    x = x / n;
  in_loop(&n, &m, 0);
  if (c > 1)
    x = x / n;
  return x;
}

// The callee is done with the block.
static int *exchange(int *p) {
  *p = 0;
  free(p);
  int *q = malloc(sizeof *q);
  if (q)
    *q = 2;
  return q;
}

int freed_ok(int x, int c) {
  int *p = malloc(sizeof *p);
  if (!p)
    return 0;
  int *q = exchange(p);
  if (!q)
    return 0;
  if (c)
    x = x / *q;
  free(q);
  return x;
}

// errno is an int, too, and malloc may set it.
static void *clear_and_allocate(int *err) {
  *err = 0;
  return malloc(10);
}

int errno_ok(int x, int c) {
  void *p = clear_and_allocate(&errno);
  if (c)
    x = x / errno;
  free(p);
  return x;
}

// Somebody else looks at it, or changes it.
static void set_volatile(volatile int *p) { *p = 0; }

int volatile_ok(int x, int c) {
  volatile int n;
  set_volatile(&n);
  if (c)
    x = x / n;
  return x;
}

static void recursive(int *p, int n) {
  *p = 0;
  if (n > 0)
    recursive(p, n - 1);
  else
    *p = 1;
}

int recursive_ok(int x, int c) {
  int n;
  recursive(&n, c);
  if (c)
    x = x / n;
  return x;
}

// What the caller does afterwards counts.
int changed_afterwards_ok(struct list *l, struct list *other, int x, int c) {
  reset(l);
  other->count = 4;
  if (c)
    x = x / l->count;
  return x;
}

/* The block may stay where it is, and what was written before may be written again. */
struct grown { int x; int more[4]; };

static struct grown *grow(struct grown *p)
{
    struct grown *q;
    p->x = 1;
    q = realloc(p, 2 * sizeof *p);
    if (q != NULL)
        q->x = 2;
    return q;
}

int grown_in_place_ok(struct grown *p)
{
    struct grown *q = grow(p);
    if (q == NULL)
        return 0;
    if (q == p && q->x == 2)
        return 1;
    return 2;
}
