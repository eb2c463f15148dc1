// Contracts: what a callee requires, a caller must be able to give; what is not understood is not used.
#include <stddef.h>

struct s { int a; };
int combine(int, int);

/*@ requires n > 0;
  @ requires \valid(values + (0 .. n - 1));
  @*/
int sum(const int *values, int n);

//@ requires p != \null;
int get(struct s *p) { return p->a; }

/*@ requires 0 <= lo <= hi <= 100; ensures \result >= 0; assigns \nothing; */
int span(int lo, int hi) { return hi - lo; }

// The names of this declaration are its own.
/*@ requires from < to; */
int renamed(int from, int to);
int renamed(int a, int b) { return b - a; }

int empty_bad(const int *values, int n) {
  if (n <= 0) //~ fatal-branch
    return sum(values, n);
  return 0;
}

int null_bad(struct s *p) {
  if (!p) //~ fatal-branch
    return get(p);
  return 0;
}

int no_values_bad(int n) {
  if (n > 2) //~ fatal-branch
    return sum(NULL, n);
  return 0;
}

int too_late_bad(int lo, int hi) {
  int n = span(lo, hi);
  if (lo > hi) //~ checked-too-late
    return combine(n, 1);
  return n;
}

int out_of_range_bad(int hi) {
  if (hi > 100) //~ fatal-branch
    return span(0, hi);
  return 1;
}

int renamed_bad(int x) {
  if (x) //~ fatal-branch
    return renamed(x, x);
  return 0;
}

// The contract is assumed inside.
/*@ requires n > 0 && (n < 10 ==> step == 1); */
int inside_bad(int n, int step) {
  if (n < 0) //~ contradictory-condition
    return combine(n, step);
  return step;
}

// Mathematical integers: a sum that is smaller has not wrapped, its summand is negative.
/*@ requires a + b < a; */
int mathematical_bad(int a, int b) {
  if (b > 0) //~ contradictory-condition
    return combine(a, b);
  return 0;
}

int sum_ok(const int *values, int n) {
  if (n > 0)
    return sum(values, n);
  return 0;
}

int get_ok(struct s *p) {
  if (!p)
    return 0;
  return get(p);
}

int span_ok(int lo, int hi) {
  if (lo < 0 || hi < lo || hi > 100)
    return 0;
  return span(lo, hi);
}

// Not understood, so nothing is known.
/*@ requires \forall integer i; 0 <= i < n ==> values[i] > 0; */
int quantified_ok(const int *values, int n) {
  if (n > 0 && values[0] < 0)
    return combine(n, 1);
  return 0;
}

// What a behavior requires, it requires only where the behavior applies.
/*@ behavior small: assumes n < 10; requires n > 5; ensures \result == 1; */
int behavior_ok(int n) {
  if (n == 13)
    return combine(n, 1);
  return 1;
}

// Found, and hidden as one of the configuration.
/*@ behavior small: assumes n < 10; requires n > 5; */
int fn_behavior(int n) {
  if (n < 3) //~? contradictory-condition
    return combine(n, 1);
  return 1;
}

// Another tool's annotation.
/*@unused@*/
int other_tool_ok(int n) {
  if (n + 1 < n)
    return combine(n, 1);
  return 0;
}

/*@ requires n > 0; */

int separator;

// A contract belongs to the declaration after it, not to a later one.
int later_ok(int n) {
  if (n < 0)
    return combine(n, 1);
  return 0;
}

// The unsigned wrap of C is not the arithmetic of the contract.
/*@ requires a + b >= a; */
int unsigned_ok(unsigned a, unsigned b) {
  if (a + b < a)
    return combine(1, 1);
  return 0;
}

// Called through a pointer, nothing is known of the callee.
int pointer_ok(int (*callee)(int, int), int x) {
  callee = callee ? callee : span;
  return callee(x, 200);
}
