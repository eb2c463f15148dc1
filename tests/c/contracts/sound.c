// Contracts that leave something possible, however little: nothing is reported.
int any(void);

/*@ requires 4 < n < 6; */
int one_value_ok(int n) { return n; }

/*@ requires n % 2 == 0 && n % 3 == 0; */
int multiples_ok(int n) { return n; }

/*@ requires p == \null || \valid(p); */
int null_or_valid_ok(int *p) { return p ? *p : 0; }

/*@ requires n >= INT_MAX; */
int largest_ok(int n) { return n; }

/*@ requires n <= 0; */
int zero_unsigned_ok(unsigned n) { return 0; }

/*@ requires a <= b && b <= c && c <= a; */
int all_equal_ok(int a, int b, int c) { return a; }

/*@ requires c == 'a' || c == 98; */
int characters_ok(char c) { return c; }

/*@ requires n + 1 > n; */
int mathematical_ok(int n) { return n - 1; }

struct pair { int low, high; };
/*@ requires p->low <= p->high;
    requires p->low >= p->high;
*/
int fields_ok(struct pair *p) { return p->low; }

/*@ requires a[0] > 5 && a[1] < 3; */
int elements_ok(const int *a) { return a[0]; }

/*@ ensures \result >= 0; */
int zero_ok(int n) { return 0; }

/*@ requires n > 0;
    ensures 0 <= \result < n;
*/
int half_ok(int n) { return n / 2; }

/*@ ensures \result == \old(*p) + 1;
    ensures *p == \result;
*/
int old_ok(int *p) {
  if (*p == 2147483647)
    return any();
  return ++*p;
}

/*@ ensures \result == n || \result == -n; */
int either_ok(int n) { return any() ? n : n; }

/*@ requires n >= 0;
    behavior zero:
      assumes n == 0;
      ensures \result == 0;
    behavior other:
      assumes n > 0;
      ensures \result == 1;
    complete behaviors;
    disjoint behaviors;
*/
int behaviors_ok(int n) { return n > 0; }

int invariant_ok(const int *a, int n) {
  int i = 0;
  //@ loop invariant 0 <= i;
  while (i < n) {
    if (i == 200)
      return any();
    i++;
  }
  return i;
}

int assertion_ok(int n) {
  if (n > 10) {
    //@ assert n > 5;
    return any();
  }
  return n;
}

/*@ requires \forall integer i; 0 <= i < n ==> a[i] > 0;
    ensures \exists integer i; 0 <= i < 10 && \result == i;
*/
int quantified_ok(const int *a, int n) {
  if (n > 3 && a[2] < 0)
    return any();
  return 3;
}

/*@ requires \separated(p, q) && \valid(p) && \valid(q); */
int separated_ok(int *p, int *q) {
  *p = 1;
  *q = 2;
  return *p == 2 ? any() : 0;
}

/*@ requires n > 0 <==> m > 0;
    requires n < 0 ? m < 0 : m >= 0;
*/
int equivalence_ok(int n, int m) {
  if (n == 0 && m == 0)
    return any();
  return n;
}

int admitted_ok(int n) {
  //@ admit n > 3;
  return n > 4 ? any() : 0;
}
