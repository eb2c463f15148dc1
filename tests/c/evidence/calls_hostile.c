// What a hostile reviewer would try on evidence across calls: what must be found, and traps.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

int bar(void);

struct queue { int n; int *first; };

static int per(struct queue *q) { return 100 / q->n; }

// The input is behind a pointer.
int member_bad(struct queue *q) {
  int empty = 0;
  if (q->n == 0) empty = 1;
  return per(q) + empty; //~ evident-error
}

static int table[10];
static int at(unsigned i) { return table[i]; }

// The limit itself is expected.
int limit_bad(unsigned i) {
  if (i > 10) i = 0;
  return at(i); //~ evident-error
}

static int first(const char *s) { return s[0]; }

// One of two values is a constant.
int either_bad(int known) {
  const char *name = known ? "name" : NULL; //~ fatal-branch
  return first(name);
}

static int *cursor;
static int next(void) { return *cursor; }

// The input is a global.
int global_bad(void) {
  int seen = 0;
  if (cursor == NULL) seen = 1;
  return next() + seen; //~ evident-error
}

static void put(int *p, int len) {
  if (len > 0) p[0] = len;
}

// The callee fails under a condition that holds here.
void guarded_bad(int *p, int len) {
  int missing = 0;
  if (p == NULL) missing = 1;
  if (len <= missing) return;
  put(p, len); //~ evident-error
}

// Trap: with these arguments the callee does not come to its check.
void correlated_ok(void) {
  put(NULL, 0);
}

// Trap: the caller sees to it in another way.
void sees_to_it_ok(int *p, int len) {
  if (p == NULL) len = 0;
  put(p, len);
}

static void die(void) { exit(1); }

// Trap: the run ends before the call.
int dies_ok(const char *s) {
  if (s == NULL) die();
  return first(s);
}

void fail(const char *why);

// The callee is prepared for NULL and goes on: if `fail` comes back, it is itself to blame.
static int prepared_bad(const char *s) {
  if (s == NULL) fail("no text");
  return s[0]; //~ evident-error
}

// Trap: its callers are not.
int prepared_ok(const char *s) {
  int none = 0;
  if (s == NULL) none = 1;
  return prepared_bad(s) + none;
}

#define IS_SET(p) ((p) != NULL ? 1 : 0)

// Trap: what a macro is prepared for says nothing of its users (section 4.6).
int macro_ok(const char *s) {
  int set = IS_SET(s);
  return first(s) + set;
}

static int share(int whole, int parts) { return whole / parts; }

// Trap: the syntax of the loop compels the test (section 4.3).
int loop_ok(int *sums, int n) {
  for (int i = 0; i < n; i++) sums[i] = 0;
  return share(100, n);
}

// Trap: an assertion says what is not expected.
int asserted_ok(int n) {
  assert(n != 0);
  return share(100, n);
}

static int fallback = 1;

static int or_fallback(int *p) {
  if (p == NULL) p = &fallback;
  return *p;
}

// Trap: the callee changes its parameter.
int fallback_ok(int *p) {
  int none = 0;
  if (p == NULL) none = 1;
  return or_fallback(p) + none;
}

static int ratio(int a, int b) {
  int rest = b;
  if (a < 0) rest = 1;
  return a / rest;
}

// Trap: only one way through the callee fails.
int other_way_ok(int a, int b) {
  if (b == 0) a = -1;
  return ratio(a, b);
}
