/* The kinds of the evaluation of papers/horn-clauses-with-loops, section 7, as reconstructed, and relatives. Marked is
   every edge that no run which ends well takes, however often the loops are repeated. */
#include <stdlib.h>

/* Example 1, the running example. */
int figure1(int x) {
  int ret = 0;
  for (int i = -x; i < x; i++) { //~ loop-entry true
    ret += 10 / i;
  }
  return ret;
}

/* Example 4: the middle becomes the lower end, and stays it. */
int binary_search(const int *a, int n, int key) {
  int lo = 0, hi = n;
  if (n < 2) return -1;
  while (lo < hi) { //~ loop-entry false
    int mid = (lo + hi) / 2;
    if (a[mid] == key) return mid;
    lo = mid;
  }
  return -1;
}

int binary_search_in_ten(int key) {
  int lo = 0, hi = 10;
  if (key <= 10) return 0; //~ if false
  while (lo < hi) { //~ loop-entry true //~ loop-entry false
    int mid = lo + (hi - lo) / 2;
    if (mid < key) //~ if true //~ if false
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* Example 6: the first iteration fails. */
int first_iteration(int n) {
  int d = 0, r = 0;
  for (int i = 0; i < n; i++) { //~ loop-entry true
    r += 10 / d;
    d = i + 1;
  }
  return r;
}

/* Example 10: one too many. */
int off_by_one(int c) {
  int a[10];
  if (c) { //~ if true
    for (int i = 0; i <= 10; i++) //~ loop-entry true //~ loop-entry false
      a[i] = i;
    return a[0];
  }
  return 0;
}

/* Two loops whose relation matters. */
int two_loops(int k) {
  int a[5];
  int n = 0;
  for (int i = 0; i < 5; i++) //~ loop-entry true //~ loop-entry false
    n++;
  for (int i = 0; i <= n; i++) //~ loop-entry true //~ loop-entry false
    a[i] = k;
  return a[2];
}

int back_again(int n) {
  int k = n, s = 0;
  if (n < 0 || n > 100) return 0;
  while (k > 0) {
    k--;
    s++;
  }
  if (s != n) //~ if true
    return 1;
  return 0;
}

/* What an array holds. */
int array_contents(int k) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = 0;
  if (k >= 0 && k < 4) {
    if (a[k] != 0) //~ if true
      return 1;
  }
  return 0;
}

/* Parity. */
int parity(void) {
  unsigned i = 0;
  while (i != 7) //~ loop-entry true //~ loop-entry false
    i += 2;
  return i;
}

int stays_even(int n) {
  int i = 0, k = 0;
  while (k < n) {
    i += 2;
    k++;
  }
  if (i % 2 != 0) //~ if true
    return 1;
  return 0;
}

/* Nested loops. */
int nested(int n) {
  int s = 0;
  for (int i = 1; i <= n; i++) //~ loop-entry true
    for (int j = 0; j <= i; j++) //~ loop-entry true //~ loop-entry false
      s += 10 / (i - j);
  return s;
}

/* Example 13: the first loop fills the same row again and again. */
int matrix(int k) {
  int *rows[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) { //~ loop-entry false
    rows[0] = malloc(3 * sizeof(int));
    if (!rows[0]) return -1;
  }
  for (int i = 0; i < 3; i++) //~ loop-entry true //~ loop-entry false
    for (int j = 0; j < 3; j++) //~ loop-entry true //~ loop-entry false
      rows[i][j] = k;
  return 0;
}

/* Steps of 0.1 never meet 1.1. */
int floats(void) {
  int n = 0;
  for (double d = 0; d != 1.1; d += 0.1) //~ loop-entry true //~ loop-entry false
    n++;
  return n;
}

/* An assignment in a condition. */
int assignment(int n) {
  int c = 0;
  while (n = 1) //~ loop-entry true //~ loop-entry false
    c ^= n;
  return c;
}

/* Memory that the loop does not write, and memory that it does. */
struct pair { int n, m; };
int counter;

int member(struct pair *p) {
  int i = 0;
  if (p->n < 0) return 0;
  while (i < p->n) i++;
  if (i > p->n) //~ if true
    return 1;
  return 2;
}

int global(void) {
  counter = 0;
  while (counter < 10) counter += 2;
  if (counter == 11) //~ if true
    return 1;
  return 0;
}

int states(int n) {
  int state = 0;
  while (n-- > 0) {
    switch (state) {
    case 0: state = 1; break;
    case 1: state = 2; break;
    case 2: state = 0; break;
    default: return -1; //~ switch default
    }
  }
  return state;
}
