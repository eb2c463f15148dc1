// Contracts that nobody can keep, promises that no return keeps, behaviors that never apply, invariants and assertions that
// make code dead.
int any(void);

/*@ requires n > 10;
    requires n < 5; //~ contradictory-contract
*/
int two_bounds_bad(int n) { return n; }

/*@ requires n % 2 == 0;
    requires (n & 1) == 1; //~ contradictory-contract
*/
int parity_bad(int n) { return n; }

/*@ requires p != \null;
    requires p == \null; //~ contradictory-contract
*/
int null_and_not_bad(int *p) { return 0; }

/*@ requires \valid(p) && p == \null; */ //~ contradictory-contract
int valid_null_bad(int *p) { return 0; }

/*@ requires n > INT_MAX; */ //~ contradictory-contract
int too_large_bad(int n) { return n; }

/*@ requires n < 0; */ //~ contradictory-contract
int negative_unsigned_bad(unsigned n) { return 0; }

/*@ requires a < b && b < c && c < a; */ //~ contradictory-contract
int circle_bad(int a, int b, int c) { return a; }

// Whoever writes that means it.
/*@ requires \false; */ //~? contradictory-contract
int fn_false(int n) { return n; }

/*@ requires 0 <= n < 3;
    requires n != 0 && n != 1 && n != 2; //~ contradictory-contract
*/
int excluded_bad(int n) { return n; }

/*@ requires c == 'a' && c == 98; */ //~ contradictory-contract
int characters_bad(char c) { return c; }

/*@ requires n + 1 < n; */ //~ contradictory-contract
int mathematical_bad(int n) { return n; }

struct pair { int low, high; };
/*@ requires p->low < p->high;
    requires p->low > p->high; //~ contradictory-contract
*/
int fields_bad(struct pair *p) { return 0; }

/*@ requires a[0] > 5 && a[0] < 3; */ //~ contradictory-contract
int elements_bad(const int *a) { return 0; }

/*@ ensures \result > 0; */ //~ contradictory-contract
int zero_bad(int n) { return 0; }

/*@ requires n > 0;
    ensures \result < 0; //~ contradictory-contract
*/
int sign_bad(int n) { return n / 2; }

/*@ ensures \result == \old(*p) + 1; */ //~ contradictory-contract
int old_bad(int *p) { return *p; }

/*@ ensures \result != n; */ //~ contradictory-contract
int itself_bad(int n) { return n; }

/*@ requires n >= 0;
    behavior negative:
      assumes n < 0; //~ contradictory-contract
      ensures \result == -1;
    behavior other:
      assumes n > 3;
      ensures \result == 1;
*/
int vacuous_behavior_bad(int n) { return 1; }

int dead_by_invariant_bad(const int *a, int n) {
  int i = 0;
  //@ loop invariant i < 100;
  while (i < n) {
    if (i == 200) //~ contradictory-contract
      return any();
    i++;
  }
  return i;
}

int dead_by_assertion_bad(int n) {
  //@ assert n > 0;
  if (n < -5) //~ contradictory-contract
    return any();
  return n;
}

int impossible_assertion_bad(int n) {
  int twice = n % 2;
  //@ assert twice > 1; //~ contradictory-contract
  return twice;
}

/*@ requires n == 10;
    behavior small: assumes n < 10;
    behavior large: assumes n > 10;
    complete behaviors small, large; //~ contradictory-contract
*/
int incomplete_bad(int n) { return n; }
