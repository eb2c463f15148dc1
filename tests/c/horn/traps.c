/* Loops that look endless, fatal or one-sided and are not. */
#include <stdlib.h>

int leaves_at_the_fifth_ok(int n) {
  int i = 0;
  while (n) {
    i++;
    if (i == 5) return 1;
  }
  return 0;
}

/* Endless in mathematical integers only. */
int wraps_to_zero_ok(unsigned i) {
  while (i != 0) i++;
  return 1;
}

int comes_back_ok(unsigned char i) {
  while (i != 7) i += 3;
  return i;
}

/* Endless in machine integers only. */
int countdown_bad(unsigned n) {
  int c = 0;
  for (unsigned i = n; i >= 0; i--) //~ endless
    c ^= 1;
  return c;
}

int all_characters_bad(void) {
  int n = 0;
  for (unsigned char c = 0; c < 256; c++) //~ endless
    n ^= 1;
  return n;
}

int breaks_ok(int n) {
  for (;;) {
    if (n == 3) break;
    n--;
  }
  return n;
}

int jumps_ok(int n) {
  while (1) {
    n++;
    if (n % 7 == 3) goto out;
  }
out:
  return n;
}

int exits_ok(int n) {
  for (;;) {
    if (n == 12) exit(1);
    n++;
  }
  return n;
}

int waits_ok(volatile int *flag) {
  int n = 0;
  while (!*flag) n++;
  return n;
}

extern int ready;
void poll_once(void);

int polls_ok(void) {
  int n = 0;
  while (!ready) {
    poll_once();
    n++;
  }
  return n;
}

/* Zero only for some arguments. */
int divides_ok(int x) {
  int ret = 0;
  for (int i = -x + 1; i < x; i += 2) ret += 10 / i;
  return ret;
}

/* The last row is filled after all. */
int rows_ok(int k) {
  int *rows[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    rows[i] = malloc(3 * sizeof(int));
    if (!rows[i]) return -1;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) rows[i][j] = k;
  return 0;
}

/* Steps of 0.5 do meet 1.5. */
int halves_ok(void) {
  int n = 0;
  for (double d = 0; d != 1.5; d += 0.5) n++;
  return n;
}

int searches_ok(const int *a, int n, int key) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (a[mid] == key) return mid;
    if (a[mid] < key) lo = mid + 1;
    else hi = mid;
  }
  return -1;
}

/* A server is meant to stay. */
void serves_ok(void) {
  for (;;) poll_once();
}

/* Another pointer may change the bound. */
int aliased_ok(int *n, int *k) {
  int i = 0;
  while (i < *n) {
    *k = 0;
    i++;
  }
  if (i > *n) return 1;
  return 0;
}

int filled_to_n_ok(int n) {
  int a[8];
  if (n > 8) return -1;
  for (int i = 0; i < n; i++) a[i] = 1;
  if (n > 0 && a[n - 1] == 1) return 1;
  return 0;
}
