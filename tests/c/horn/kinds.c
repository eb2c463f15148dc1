/* Contradictions that need to know what loops do: the kinds of papers/horn-clauses-with-loops, section 7, and some more. */
#include <stdlib.h>

/* The running example (Figure 1). */
int figure1_bad(int x) {
  int ret = 0;
  for (int i = -x; i < x; i++) { //~ fatal-branch
    ret += 10 / i;
  }
  return ret;
}

int no_loop_bad(int x) {
  int d = 0;
  if (x > 3) d = x - x; //~ fatal-branch
  else d = 1;
  return 10 / d;
}

int first_iteration_bad(int n) {
  int d = 0, r = 0;
  for (int i = 0; i < n; i++) { //~ fatal-branch
    r += 10 / d;
    d = i + 1;
  }
  return r;
}

/* The middle becomes the lower end, and stays it: nobody finds that the key is missing. */
int binary_search_bad(const int *a, int n, int key) {
  int lo = 0, hi = n;
  if (n < 2) return -1;
  while (lo < hi) { //~ contradictory-condition
    int mid = (lo + hi) / 2;
    if (a[mid] == key) return mid;
    lo = mid;
  }
  return -1;
}

int binary_search_in_ten_bad(int key) {
  int lo = 0, hi = 10;
  if (key <= 10) return 0;
  while (lo < hi) { //~ endless
    int mid = lo + (hi - lo) / 2;
    if (mid < key) //~ contradictory-condition
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

int two_loops_bad(int k) {
  int a[5];
  int n = 0;
  for (int i = 0; i < 5; i++)
    n++;
  for (int i = 0; i <= n; i++) //~ fatal-branch
    a[i] = k;
  return a[2];
}

int back_again_bad(int n) {
  int k = n, s = 0;
  if (n < 0 || n > 100) return 0;
  while (k > 0) {
    k--;
    s++;
  }
  if (s != n) //~ contradictory-condition
    return 1;
  return 0;
}

int array_contents_bad(int k) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = 0;
  if (k >= 0 && k < 4) {
    if (a[k] != 0) //~ contradictory-condition
      return 1;
  }
  return 0;
}

int parity_bad(void) {
  unsigned i = 0;
  while (i != 7) //~ endless
    i += 2;
  return i;
}

int stays_even_bad(int n) {
  int i = 0, k = 0;
  while (k < n) {
    i += 2;
    k++;
  }
  if (i % 2 != 0) //~ contradictory-condition
    return 1;
  return 0;
}

int nested_bad(int n) {
  int s = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 0; j <= i; j++) //~ boundary-error
      s += 10 / (i - j);
  return s;
}

/* The first loop fills the same row again and again; the others stay null. */
int matrix_bad(int k) {
  int *rows[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    rows[0] = malloc(3 * sizeof(int));
    if (!rows[0]) return -1;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) //~ fatal-branch
      rows[i][j] = k;
  return 0;
}

/* Steps of 0.1 never meet 1.1. */
int floats_bad(void) {
  int n = 0;
  for (double d = 0; d != 1.1; d += 0.1) //~ endless
    n++;
  return n;
}

int assignment_bad(int n) {
  int c = 0;
  while (n = 1) //~ endless
    c ^= n;
  return c;
}

struct pair { int n, m; };

int member_bad(struct pair *p) {
  int i = 0;
  if (p->n < 0) return 0;
  while (i < p->n) i++;
  if (i > p->n) //~ contradictory-condition
    return 1;
  return 2;
}

/* The second loop goes one further than the first. */
int unset_element_bad(void) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++)
    a[i] = i;
  for (int i = 0; i < 4; i++) //~ fatal-branch
    s ^= a[i];
  return s;
}

/* Too many elements to know them all. */
int unset_first_of_many_bad(void) {
  double a[1000], s = 0;
  for (int i = 1; i < 1000; i++)
    a[i] = i;
  for (int i = 0; i < 1000; i++) //~ fatal-branch
    s += a[i];
  return s > 1;
}

int unset_in_rows_bad(void) {
  int a[3][3], s = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      a[i][j] = i;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) //~ fatal-branch
      s ^= a[i][j];
  return s;
}

int unset_in_heap_bad(void) {
  int s = 0, i = 0;
  int *a = malloc(100 * sizeof *a);
  if (!a) return 0;
  while (i < 99) {
    a[i] = i;
    i++;
  }
  i = 0;
  while (i < 100) //~ fatal-branch
    s ^= a[i++];
  free(a);
  return s;
}

/* Nobody knows how many there are, but the last one is missing. */
int unset_last_of_n_bad(int n) {
  int s = 0;
  int *a = malloc(n * sizeof *a);
  if (!a) return 0;
  for (int i = 0; i < n - 1; i++)
    a[i] = i;
  for (int i = 0; i < n; i++) //~ fatal-branch
    s ^= a[i];
  free(a);
  return s;
}

int unset_in_variable_length_bad(int n) {
  if (n < 1) return 0;
  int a[n];
  int s = 0;
  for (int i = 1; i < n; i++)
    a[i] = i;
  for (int i = 0; i < n; i++) //~ fatal-branch
    s ^= a[i];
  return s;
}

/* A matrix in the heap whose last row nobody has allocated. */
int heap_matrix_bad(int k) {
  int **m = malloc(4 * sizeof *m);
  if (!m) return -1;
  for (int i = 0; i < 3; i++) {
    m[i] = malloc(4 * sizeof **m);
    if (!m[i]) return -1;
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) //~ fatal-branch
      m[i][j] = k;
  return 0;
}

/* The same, with rows that are NULL. */
int null_row_bad(int k) {
  int **m = calloc(4, sizeof *m);
  if (!m) return -1;
  for (int i = 0; i < 3; i++) {
    m[i] = malloc(4 * sizeof **m);
    if (!m[i]) return -1;
  }
  for (int i = 0; i < 4; i++) //~ fatal-branch
    m[i][0] = k;
  return 0;
}

int null_row_of_n_bad(int k, int n) {
  int **m = calloc(n, sizeof *m);
  if (!m) return -1;
  for (int i = 0; i < n - 1; i++) {
    m[i] = malloc(4 * sizeof **m);
    if (!m[i]) return -1;
  }
  for (int i = 0; i < n; i++) //~ fatal-branch
    m[i][0] = k;
  return 0;
}
