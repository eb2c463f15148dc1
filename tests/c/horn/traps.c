/* Loops that look endless, fatal or one-sided and are not. */
#include <stdlib.h>
#include <string.h>

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

/* Elements that look unset and are not, or are not read. */
void fill(int *a, int n);

int only_the_written_part_ok(void) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 3; i++) s ^= a[i];
  return s;
}

int set_by_memset_ok(void) {
  int a[4], s = 0;
  memset(a, 0, sizeof a);
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int last_set_by_memset_ok(void) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  memset(a + 3, 0, sizeof *a);
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int set_by_callee_ok(void) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  fill(&a[3], 1);
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int set_by_second_pointer_ok(void) {
  int a[4], s = 0;
  int *p = a;
  for (int i = 0; i < 4; i++) *p++ = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int heap_set_by_second_pointer_ok(void) {
  int s = 0;
  int *a = malloc(4 * sizeof *a);
  if (!a) return 0;
  int *p = a;
  for (int i = 0; i < 4; i++) *p++ = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  free(a);
  return s;
}

int swapped_ok(int n) {
  int s = 0;
  int *a = malloc(4 * sizeof *a), *b = malloc(4 * sizeof *b);
  if (!a || !b) return 0;
  for (int i = 0; i < 4; i++) a[i] = n;
  int *t = a;
  a = b;
  b = t;
  for (int i = 0; i < 4; i++) s ^= b[i];
  return s;
}

int computed_size_ok(int n) {
  int s = 0;
  int *a = malloc(n * sizeof *a);
  if (!a) return 0;
  for (int i = 0; i < n; i++) a[i] = i;
  for (int i = 0; i < n; i++) s ^= a[i];
  free(a);
  return s;
}

int smaller_later_ok(int n) {
  int s = 0;
  int *a = malloc(100 * sizeof *a);
  if (!a || n > 50 || n < 2) return 0;
  for (int i = 0; i < n; i++) a[i] = i;
  n = n - 1;
  for (int i = 0; i < n; i++) s ^= a[i];
  free(a);
  return s;
}

int breaks_before_unset_ok(int k) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 4; i++) {
    if (i == k) break;
    s ^= a[i];
  }
  return s;
}

int set_and_read_alike_ok(int k) {
  int a[4], s = 0;
  for (int i = 0; i < 4; i++)
    if (k > i) a[i] = i;
  for (int i = 0; i < 4; i++)
    if (k > i) s ^= a[i];
  return s;
}

int static_is_zero_ok(void) {
  static int a[4];
  int s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int partly_initialised_is_zero_ok(void) {
  int a[4] = {7}, s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int calloc_is_zero_ok(void) {
  int s = 0;
  int *a = calloc(4, sizeof *a);
  if (!a) return 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  free(a);
  return s;
}

int realloc_keeps_ok(void) {
  int s = 0;
  int *a = malloc(2 * sizeof *a);
  if (!a) return 0;
  a[0] = a[1] = 1;
  int *b = realloc(a, 4 * sizeof *a);
  if (!b) return 0;
  b[2] = b[3] = 2;
  for (int i = 0; i < 4; i++) s ^= b[i];
  free(b);
  return s;
}

int bytes_may_be_read_ok(void) {
  unsigned char a[4];
  int s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

/* To write a bit-field is to read its neighbours. */
union cell { unsigned u : 12; unsigned short h; };

int bit_fields_ok(void) {
  union cell a[3];
  int s = 0;
  for (int i = 0; i < 3; i++) a[i].u = 1;
  for (int i = 0; i < 3; i++) s ^= a[i].h;
  return s;
}

int copied_half_set_ok(int n) {
  int a[4], b[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = n;
  memcpy(b, a, sizeof a);
  for (int i = 0; i < 3; i++) s ^= b[i];
  return s;
}

int set_in_the_round_before_ok(int n) {
  int a[4], s = 0;
  for (int k = 0; k < n; k++) {
    if (k > 0)
      for (int i = 0; i < 4; i++) s ^= a[i];
    for (int i = 0; i < 4; i++) a[i] = k;
  }
  return s;
}

int null_rows_are_skipped_ok(int k, int n) {
  int **m = calloc(n, sizeof *m);
  if (!m) return -1;
  for (int i = 0; i < n - 1; i++) m[i] = malloc(4 * sizeof **m);
  for (int i = 0; i < n; i++)
    if (m[i]) m[i][0] = k;
  return 0;
}

int null_row_ends_ok(int k) {
  int **m = calloc(5, sizeof *m);
  if (!m) return -1;
  for (int i = 0; i < 4; i++) {
    m[i] = malloc(4 * sizeof **m);
    if (!m[i]) return -1;
  }
  for (int i = 0; m[i]; i++) m[i][0] = k;
  return 0;
}

/* A callee that is known, and keeps no address, writes all the same. */
static void set_all(int *a, int n) {
  for (int i = 0; i < n; i++) a[i] = 0;
}

static int set_one(int **p) {
  *p = malloc(sizeof **p);
  return *p != NULL;
}

int set_by_known_callee_ok(void) {
  int a[4], s = 0;
  set_all(a, 4);
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int last_set_by_known_callee_ok(void) {
  int a[4], s = 0;
  for (int i = 0; i < 3; i++) a[i] = i;
  set_all(&a[3], 1);
  for (int i = 0; i < 4; i++) s ^= a[i];
  return s;
}

int heap_set_by_known_callee_ok(int n) {
  int s = 0;
  int *a = malloc(n * sizeof *a);
  if (!a) return 0;
  set_all(a, n);
  for (int i = 0; i < n; i++) s ^= a[i];
  free(a);
  return s;
}

int pointer_set_by_known_callee_ok(int n) {
  int *p, s = 0;
  for (int i = 0; i < n; i++) {
    if (!set_one(&p)) break;
    *p = i;
    s ^= *p;
    free(p);
  }
  return s;
}

/* Only long runs show that these branches are taken. */
static const char *const names[] = {
  "open", "close", "access", "getcwd", "stat", "fstat", "ftruncate", "fcntl", "read", "pread", "write", "pwrite",
  "fchmod", "unlink", "mkdir", "rmdir", "fchown", "mmap", "munmap", "lstat", "ioctl", "readlink", "getpid", "link",
};

int not_in_the_table_ok(const char *name) {
  int i;
  for (i = 0; i < 24; i++)
    if (strcmp(name, names[i]) == 0) break;
  if (i == 24) return -1;
  return i;
}

int too_many_digits_ok(const char *s) {
  int n = 0;
  unsigned long value = 0;
  while (s[n] >= '0' && s[n] <= '7') {
    value = value * 8 + (unsigned long)(s[n] - '0');
    n++;
  }
  if (n > 21) return 2;
  return value > 100;
}

int after_sixty_rounds_ok(void **slots) {
  int used = 0;
  for (int i = 0; i < 62; i++)
    if (slots[i]) used++;
  if (used == 62) return 1;
  return 0;
}
