// Calls through pointers. What they do is known where every place that sets the pointer is seen, and else may be anything.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef void hook_t(void);
int combine(int, int);
void *find_symbol(const char *);
void give(hook_t **);
void register_setter(void (*)(hook_t *));
int shared;

static void quiet(void) {}
static void quieter(void) { quiet(); }
static void loud(void) { shared = 7; }

// Only functions that leave `shared` alone are ever put there.
static hook_t *own = quiet;
void toggle_own(int n) { own = n ? quiet : quieter; }
static void run_own(void) { own(); }
int own_bad(void) {
  shared = 1;
  run_own();
  if (shared != 1) //~ contradictory-condition
    return combine(shared, 1);
  return 0;
}

static void apply(hook_t *h) { h(); }
int apply_bad(void) {
  shared = 1;
  apply(quiet);
  if (shared != 1) //~ contradictory-condition
    return combine(shared, 1);
  return 0;
}

static hook_t *pick(int n) { return n ? quiet : quieter; }
static void run_picked(int n) { pick(n)(); }
int picked_bad(int n) {
  shared = 1;
  run_picked(n);
  if (shared != 1) //~ contradictory-condition
    return combine(shared, 1);
  return 0;
}

// Two members of one object are two places.
static struct { hook_t *calm, *wild; } both = {quiet, loud};
void set_wild(hook_t *h) { both.wild = h; }
static void run_calm(void) { both.calm(); }
int calm_bad(void) {
  shared = 1;
  run_calm();
  if (shared != 1) //~ contradictory-condition
    return combine(shared, 1);
  return 0;
}

// The other member can be set by whoever uses this file.
static void run_wild(void) { both.wild(); }
int wild_ok(void) {
  shared = 1;
  run_wild();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// One of the functions writes it.
static hook_t *mixed = quiet;
void mix(int n) { mixed = n ? quiet : loud; }
static void run_loud(void) { mixed(); }
int loud_ok(void) {
  shared = 1;
  run_loud();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// Anybody can call the function that sets it.
static hook_t *settable = quiet;
void set_settable(hook_t *h) { settable = h; }
static void run_setter(void) { settable(); }
int setter_ok(void) {
  shared = 1;
  run_setter();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// A number becomes a pointer.
static hook_t *numbered = quiet;
void set_numbered(void) {
  long n = (long)loud;
  numbered = (hook_t *)n;
}
static void run_number(void) { numbered(); }
int number_ok(void) {
  shared = 1;
  run_number();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The other member of a union.
static union { hook_t *h; long n; } pun = {quiet};
void set_pun(long n) { pun.n = n; }
static void run_union(void) { pun.h(); }
int union_ok(void) {
  shared = 1;
  run_union();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The whole record is copied.
struct ops { hook_t *h; int n; };
static struct ops ops = {quiet, 0};
void load_ops(const struct ops *p) { memcpy(&ops, p, sizeof ops); }
static void run_memcpy(void) { ops.h(); }
int memcpy_ok(void) {
  shared = 1;
  run_memcpy();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The whole record is assigned.
static struct ops assigned = {quiet, 0};
void assign_ops(const struct ops *p) { assigned = *p; }
static void run_assigned(void) { assigned.h(); }
int assigned_ok(void) {
  shared = 1;
  run_assigned();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// An argument without a name.
static hook_t *variadic = quiet;
void set_variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  variadic = va_arg(list, hook_t *);
  va_end(list);
}
static void run_va_arg(void) { variadic(); }
int va_arg_ok(void) {
  shared = 1;
  run_va_arg();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// Another file may write the table, or define it.
extern hook_t *table[4];
static void run_table(void) { table[0](); }
int table_ok(void) {
  shared = 1;
  run_table();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// A variable that the linker knows.
hook_t *exported_hook = quiet;
static void run_exported(void) { exported_hook(); }
int exported_ok(void) {
  shared = 1;
  run_exported();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// Found by name.
static hook_t *found = quiet;
void find(void) { found = (hook_t *)find_symbol("x"); }
static void run_symbol(void) { found(); }
int symbol_ok(void) {
  shared = 1;
  run_symbol();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// Somebody has the address of the pointer.
static hook_t *given = quiet;
void give_given(void) { give(&given); }
static void run_given(void) { given(); }
int given_ok(void) {
  shared = 1;
  run_given();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// An index that nobody knows.
static hook_t *indexed[4] = {quiet, quiet};
void set_indexed(unsigned n) { indexed[n % 4] = loud; }
static void run_index(void) { indexed[1](); }
int index_ok(void) {
  shared = 1;
  run_index();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The function that sets it is given to somebody.
static hook_t *through_setter = quiet;
static void setter(hook_t *h) { through_setter = h; }
void publish(void) {
  setter(quiet);
  register_setter(setter);
}
static void run_escaped(void) { through_setter(); }
int escaped_ok(void) {
  shared = 1;
  run_escaped();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The function that sets it has another name outside.
static hook_t *through_alias = quiet;
static void set_static(hook_t *h) { through_alias = h; }
extern void set_alias(hook_t *) __attribute__((alias("set_static")));
void reset_alias(void) { set_static(quiet); }
static void run_alias(void) { through_alias(); }
int alias_ok(void) {
  shared = 1;
  run_alias();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The address comes back from where it was put.
static hook_t **kept;
void keep(hook_t **p) {
  kept = p;
  *kept = loud;
}
static void run_kept(void) { (*kept)(); }
int kept_ok(void) {
  shared = 1;
  run_kept();
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}

// The library calls back.
static int compare(const void *a, const void *b) {
  shared = 2;
  return *(const int *)a - *(const int *)b;
}
int sorted_ok(int *numbers, size_t n) {
  shared = 1;
  qsort(numbers, n, sizeof *numbers, compare);
  if (shared != 1)
    return combine(shared, 1);
  return 0;
}
