// boundary-error: the last value that a comparison lets through must occur, and the one before it must be fine.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int next(int);
void ready(int *);
void tell(int);
extern char block[1024];

// --- the value occurs ---

int many_iterations_bad(void) {
  char line[1024];
  int i;
  for (i = 0; i <= 1024; i++) //~ boundary-error
    line[i] = ' ';
  return line[0];
}

int very_many_iterations_bad(void) {
  static char page[65536];
  unsigned i;
  for (i = 0; i <= 65536; i++) //~ boundary-error
    page[i] = 1;
  return page[0];
}

int by_twos_bad(void) {
  int values[10] = {0}, i;
  for (i = 0; i <= 10; i += 2) //~ boundary-error
    values[i] = i;
  return values[3];
}

int by_fours_bad(void) {
  int values[16] = {0}, i;
  for (i = 0; i <= 16; i += 4) { //~ boundary-error //~ fatal-branch
    values[i] = i;
    values[i + 3] = i;
  }
  return values[3];
}

int down_by_threes_bad(void) {
  int values[10] = {0}, i;
  for (i = 9; i >= -3; i -= 3) //~ boundary-error
    values[i] = i;
  return values[3];
}

int doubled_bad(void) {
  char seen[1024] = {0};
  unsigned size;
  for (size = 1; size <= 1024; size *= 2) //~ boundary-error
    seen[size] = 1;
  return seen[3];
}

int shifted_bad(void) {
  char seen[1024] = {0};
  unsigned size = 16;
  while (size <= 1024) { //~ boundary-error
    seen[size] = 1;
    size <<= 1;
  }
  return seen[3];
}

// 512, 768, 896, ... 1022, 1023: it gets there, and stays.
int filled_with_ones_bad(void) {
  int s;
  for (s = 512; s < 1024; s = s | (s >> 1)) //~ boundary-error //~ contradictory-condition
    if (block[s + 1])
      return s;
  return 0;
}

int fn_rows(void) {
  int m[4][8] = {{0}}, i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j <= 8; j++) //~? boundary-error
      m[i][j] = i;
  return m[0][0];
}

int given_bound_bad(int n) {
  int values[n], i;
  for (i = 0; i <= n; i++) //~ boundary-error
    values[i] = i;
  return n;
}

int large_bound_bad(int n) {
  if (n < 1000)
    return 0;
  int values[n], i = 0;
  while (i <= n) { //~ boundary-error
    values[i] = i;
    i++;
  }
  return n;
}

struct message {
  unsigned len;
  struct message *next;
  char text[8];
};

int member_bad(struct message *m) {
  char buffer[8];
  if (m == NULL || m->next == NULL)
    return 0;
  if (m->next->len > 8) //~ boundary-error
    return -1;
  buffer[m->next->len] = 0;
  return buffer[0];
}

static int table[10], count;

int fn_add(int x) {
  if (count < 0 || count > 10) //~? boundary-error
    return -1;
  table[count++] = x;
  return 0;
}

int unknown_result_bad(unsigned x) {
  unsigned p = next(x);
  if (p > 1024) //~ boundary-error
    return 0;
  return block[p];
}

int fn_written_by_others(void) {
  int n, values[8] = {0};
  ready(&n);
  if (n < 0 || n > 8) //~? boundary-error
    return -1;
  values[n] = 1;
  return values[0];
}

static int at_most_ten(int n) {
  return n > 10 ? 10 : n;
}

int result_of_a_body_bad(int n) {
  int values[10] = {0}, i = at_most_ten(n);
  if (i < 0 || i > 10) //~ boundary-error
    return -1;
  values[i] = 1;
  return values[0];
}

static void set(int *where, int n) {
  *where = n + 1;
}

int fn_left_by_a_body(int n) {
  int values[10] = {0}, i = 0;
  set(&i, n);
  if (i < 0 || i > 10) //~? boundary-error
    return -1;
  values[i] = 1;
  return values[0];
}

int through_a_pointer_bad(void) {
  int values[10], *p = values, i;
  for (i = 0; i <= 10; i++) //~ boundary-error
    p[i] = 0;
  return values[3];
}

int on_the_heap_bad(unsigned n) {
  unsigned i;
  if (n == 0 || n > 100)
    return 0;
  char *p = malloc(n);
  if (!p)
    return 0;
  for (i = 0; i <= n; i++) //~ boundary-error
    p[i] = 0;
  free(p);
  return 1;
}

struct node {
  struct node *next;
};

int length_of_a_list_bad(struct node *list) {
  int values[4] = {0}, n = 0;
  for (; list; list = list->next)
    n++;
  if (n > 4) //~ boundary-error
    return 0;
  return values[n];
}

int how_often_bad(void) {
  int values[6] = {0}, n = 0;
  while (next(n))
    n++;
  if (n > 6) //~ boundary-error
    return 0;
  return values[n];
}

// Twenty bits, each of its own choice.
int fn_bits(int x) {
  int values[20] = {0}, i, n = 0;
  for (i = 0; i < 20; i++)
    if (x >> i & 1)
      n++;
  if (n <= 20) //~ contradictory-condition //~? boundary-error
    return values[n];
  return 0;
}

int difference_bad(int total, int a, int b) {
  int d = a - b;
  if (d < 0) //~ boundary-error
    return 0;
  return total / d;
}

int break_bad(void) {
  int values[7], i = 0;
  for (;;) {
    if (i > 7) //~ boundary-error
      break;
    values[i] = i;
    i++;
  }
  return values[0];
}

int every_third_number_bad(int n) {
  int values[5] = {0}, k = n * 3 + 2;
  if (k < 0 || k > 5) //~ boundary-error
    return 0;
  return values[k];
}

unsigned half_a_shift_bad(unsigned x, unsigned n) {
  unsigned by = n / 2;
  if (by > 32) //~ boundary-error
    return 0;
  return x << by;
}

int length_bad(const char *text) {
  char buffer[64];
  size_t n = strlen(text);
  if (n > 64) //~ boundary-error
    return -1;
  memcpy(buffer, text, n);
  buffer[n] = 0;
  return buffer[0];
}

int number_bad(const char *text) {
  static const int squares[4] = {0, 1, 4, 9};
  long n = strtol(text, NULL, 10);
  if (n < 0 || n > 4) //~ boundary-error
    return -1;
  return squares[n];
}

// --- the value never occurs ---

int length_of_a_known_text_ok(void) {
  char buffer[8] = "seven", copy[7] = {0};
  size_t n = strlen(buffer);
  if (n <= 7)
    copy[n] = 0;
  return copy[0];
}

// The first character says that it is not empty.
int text_with_a_beginning_ok(const char *text, int total) {
  int n;
  if (text[0] == 0)
    return 0;
  n = (int)strlen(text);
  if (n >= 0)
    return total / n;
  return 0;
}

// No more is read than was asked for.
int read_less_ok(int fd) {
  char buffer[64];
  ssize_t n = read(fd, buffer, sizeof buffer - 1);
  if (n < 0 || n > 64)
    return -1;
  buffer[n] = 0;
  return buffer[0];
}

int doubled_over_ok(void) {
  unsigned size;
  for (size = 16; size < 1024; size <<= 1)
    if (block[size + 2] == '.')
      return size;
  return 0;
}

int multiplied_over_ok(void) {
  unsigned s = 16;
  while (s < 1024) {
    if (block[s + 2])
      return s;
    s *= 2;
  }
  return 0;
}

int four_times_and_one_ok(void) {
  unsigned s;
  for (s = 1; s < 1024; s = s * 4 + 1)
    if (block[s + 2])
      return s;
  return 0;
}

int by_threes_ok(void) {
  int s;
  for (s = 0; s < 1023; s += 3)
    if (block[s + 1] && block[s + 2])
      return s;
  return 0;
}

int four_times_another_ok(void) {
  int s, k = 0;
  for (s = 0; s < 1024; s = k * 4) {
    if (block[s + 3])
      return s;
    k++;
  }
  return 0;
}

int by_eights_ok(void) {
  int s;
  for (s = 1016; s >= 0; s -= 8)
    if (block[s + 7])
      return s;
  return 0;
}

int multiple_of_four_ok(unsigned n) {
  unsigned start = n * 4;
  if (start < 1024)
    return block[start + 3];
  return 1;
}

int pairs_ok(unsigned short *out) {
  unsigned short values[16];
  unsigned n = 0;
  int it = -1, i = 0;
  for (;;) {
    it = next(it + 1);
    if (it < 0)
      break;
    if (n >= 16)
      return -1;
    values[n++] = it;
    it = next(it);
    if (it < 0)
      return -1;
    values[n++] = it;
  }
  while (n > 0) {
    out[i++] = values[--n];
    n--;
    if (values[n] != 0)
      out[i++] = values[n];
  }
  return i;
}

// The length is 0, 2, 4, ...
int twice_the_length_ok(struct node *list) {
  int values[3] = {0}, n = 0;
  for (; list; list = list->next)
    n += 2;
  if (n <= 3)
    return values[n];
  return 0;
}

int twice_the_bits_ok(int x) {
  int i, n = 0;
  for (i = 0; i < 20; i++)
    if (x >> i & 1)
      n += 2;
  if (n <= 1023)
    return block[n + 1];
  return 0;
}

static unsigned rounded_up(unsigned n) {
  return (n + 3) & ~3u;
}

int rounded_up_ok(unsigned n) {
  unsigned start = rounded_up(n);
  if (start < 1024)
    return block[start + 3];
  return 0;
}

static int kind_of(int x) {
  switch (x) {
  case 0:
    return 1;
  case 1:
    return 3;
  case 2:
    return 7;
  }
  return -1;
}

int kinds_ok(int x) {
  static const int sizes[6] = {1, 2, 3, 4, 5, 6};
  int kind = kind_of(x);
  if (kind < 0 || kind > 6)
    return 0;
  return sizes[kind];
}

// 5 only where the product wraps around.
int only_with_overflow_ok(int n) {
  int values[5] = {0}, k = n * 3 + 1;
  if (k < 0 || k > 5)
    return 0;
  return values[k];
}

static int depth_of(unsigned format) {
  switch (format & 0xff) {
  case 1:
    return 4;
  default:
    return -22;
  }
}

int never_returned_ok(unsigned format, unsigned offset) {
  int depth = depth_of(format);
  if (depth < 0)
    return depth;
  if (offset % depth)
    return -22;
  return 0;
}

static int limit = 9;

static void check_range(int n) {
  if (n > limit && n > 9)
    exit(1);
}

int callee_exits_ok(int n) {
  int values[10] = {0};
  check_range(n);
  if (n < 0 || n > 10)
    return -1;
  values[n] = 1;
  return values[0];
}

static void halve(unsigned *n) {
  *n = *n / 2 * 2;
}

int made_even_by_a_body_ok(unsigned n) {
  halve(&n);
  if (n < 1024)
    return block[n + 1];
  return 0;
}

// A callee outside cannot get at it.
static int hidden_count;

int not_changed_outside_ok(int x) {
  hidden_count = 3;
  tell(x);
  if (hidden_count > 10)
    return -1;
  return table[hidden_count < 10 ? hidden_count : 0];
}

int popcount_ok(unsigned x) {
  char seen[33] = {0};
  int n = __builtin_popcount(x);
  if (n <= 33)
    seen[n] = 1;
  return seen[0];
}

// --- the value before it fails as well ---

int far_from_the_array_ok(unsigned char speed, int *out) {
  if (speed >= 0x40) {
    *out = 1;
    return 0;
  } else {
    unsigned mode = speed - 0x20;
    const unsigned times[3] = {8, 11, 12};
    return times[mode] - 8;
  }
}

int far_too_many_ok(int n) {
  int values[10] = {0};
  if (n < 0 || n > 100)
    return 0;
  values[n] = 1;
  return values[0];
}

// A `_Bool` is 0 or 1, wherever it comes from.
int bool_parameter_ok(_Bool b) {
  static int t[2];
  if (b < 3)
    return t[b];
  return 0;
}

int bool_behind_a_pointer_ok(const _Bool *b) {
  static int t[2];
  int v = *b;
  if (v <= 2)
    return t[v];
  return 0;
}

_Bool some_bool(void);

int bool_of_a_call_ok(void) {
  static int t[2];
  int v = some_bool();
  if (v <= 2)
    return t[v];
  return 0;
}

// A text of eight characters does not fit the member.
struct named { char name[8]; };

int text_in_a_member_ok(const struct named *p) {
  static int lengths[8];
  size_t n = strlen(p->name);
  if (n <= 8)
    return lengths[n];
  return 0;
}
