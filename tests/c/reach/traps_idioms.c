// How C is written: macros, labels, configurations. Nothing here is worth a report.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(p) do { if (!(p)) return -1; } while (0)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SAFE_FREE(p) do { if (p) { free(p); (p) = NULL; } } while (0)
#define BUFFER_SIZE 512
#define DEBUG 0
#define HAVE_FEATURE 1
#define ARRAY_LEN(a) (sizeof(a) / sizeof *(a))
#define CLAMP(x) ((x) < 0 ? 0 : (x) > 255 ? 255 : (x))

struct s { int a, b; struct s *next; };
int combine(int, int);
void log_error(const char *);
static inline int platform_has_it(void) { return 0; }

// The macro asks what this place knows.
int macro_test_ok(struct s *p) {
  int x = p->a;
  CHECK(p);
  return x;
}

// The macro's branches are not ours.
int macro_max_ok(unsigned char c) {
  return MAX(c, -1) + CLAMP(c);
}

// The macro frees what is known not to be NULL.
int macro_free_ok(void) {
  char *p = malloc(10);
  if (!p)
    return -1;
  p[0] = 0;
  SAFE_FREE(p);
  return p == NULL ? 0 : 1;
}

// do-while(0) in plain code.
int once_ok(int n) {
  do {
    if (n < 0)
      break;
    n = combine(n, 1);
  } while (0);
  return n;
}

// A constant of the configuration.
int debug_ok(int n) {
  if (DEBUG)
    log_error("debug");
  return n;
}

// Another one.
int feature_ok(int n) {
  if (!HAVE_FEATURE)
    return -1;
  return n;
}

// The size of a type of this target.
int size_ok(long n) {
  if (sizeof(long) > 4)
    return n > 0x7fffffffL;
  return combine((int)n, 0);
}

// The sizes of two buffers.
int buffer_size_ok(const char *text) {
  char buffer[BUFFER_SIZE];
  if (sizeof buffer < 16)
    return -1;
  strncpy(buffer, text, sizeof buffer - 1);
  return buffer[0];
}

// The stub of a platform that lacks the feature.
int stub_ok(int n) {
  if (platform_has_it())
    return combine(n, 1);
  return n;
}

// Switched off by hand.
int switched_off_ok(int n) {
  if (0)
    log_error("off");
  return n;
}

// A loop without condition.
int forever_ok(const char *text) {
  while (1) {
    if (*text++ == 0)
      return 1;
  }
}

// A defensive default.
int default_ok(int x) {
  switch (x & 3) {
  case 0: return 5;
  case 1: return 6;
  case 2: return 7;
  case 3: return 8;
  default: return -1;
  }
}

// A last else for the reader.
int last_else_ok(int x) {
  if (x < 0)
    return combine(1, x);
  else if (x == 0)
    return combine(2, x);
  else if (x > 0)
    return combine(3, x);
  else
    return -1;
}

// A redundant test without code.
int redundant_ok(int x) {
  if (x < 10)
    return 1;
  if (x >= 10)
    x = combine(x, 2);
  return x;
}

// A branch that only says that it cannot be.
int impossible_ok(int x) {
  switch (x & 1) {
  case 0: return 1;
  case 1: return 2;
  }
  abort();
}

// An assertion that the compiler may use.
int unreachable_ok(int x) {
  if (x < 0)
    __builtin_unreachable();
  return x;
}

// An assertion of the program.
int assertion_ok(struct s *p) {
  assert(p != NULL);
  return p->a;
}

// Abort where the impossible happens.
int abort_ok(struct s *p) {
  if (!p)
    abort();
  return p->a;
}

// A label reached from several places.
int label_ok(struct s *p, int n) {
  int r = 0;
  if (!p)
    goto out;
  r = p->a;
  if (n < 0)
    goto out;
  r += combine(n, 1);
out:
  if (p)
    r++;
  return r;
}

// A jump backwards.
int again_ok(struct s *p) {
  int tries = 0;
again:
  if (tries > 2)
    return -1;
  tries++;
  if (p->a == combine(1, tries))
    goto again;
  return tries;
}

// Duff's device.
void duff_ok(char *to, const char *from, int count) {
  int n = (count + 7) / 8;
  switch (count % 8) {
  case 0:
    do {
      *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
    } while (--n > 0);
  }
}

// Fall-through from one case to the next.
int fall_through_ok(int kind, struct s *p) {
  int x = 0;
  switch (kind) {
  case 0: p = NULL; /* fall through */
  case 1:
    if (!p)
      return -1;
    x = p->a;
  }
  return x;
}

// A statement expression.
int statement_expression_ok(int n) {
  int x = ({ int t = combine(n, 1); t > 0 ? t : -t; });
  if (x < 0)
    return -1;
  return x;
}

// Assembly writes the variable.
int assembly_ok(int x) {
  __asm__ volatile("" : "+r"(x));
  if (x == 7)
    return 1;
  return 0;
}

// Assembly writes memory.
int assembly_memory_ok(struct s *p) {
  p->a = 1;
  __asm__ volatile("" ::: "memory");
  if (p->a != 1)
    return 1;
  return 0;
}

// A computed goto.
int computed_goto_ok(unsigned char op, int x) {
  static void *const labels[] = {&&add, &&stop};
  goto *labels[op & 1];
add:
  if (x > 0)
    return x + 1;
stop:
  return x;
}

// A generated parser keeps tests that a person would not write.
int state_ok(const char *text) {
  int state = 0;
  for (;;) {
    char c = *text++;
    if (state == 0 && c == 'a')
      state = 1;
    else if (state == 1 && c == 'b')
      state = 2;
    else if (c == 0)
      return state;
    else
      state = 0;
  }
}

// Tested first, used later, tested again at the end.
int tested_again_ok(struct s *p) {
  int x = 0;
  if (p)
    x = p->a;
  if (p)
    x += p->b;
  return x;
}

// Whether the pointer moved, the loop knows.
int moved_ok(struct s *p) {
  int x = p->a;
  while (p) {
    x += p->b;
    p = p->next;
  }
  if (x > 3)
    return combine(x, 1);
  return 0;
}

// The last of a list.
struct s *last_ok(struct s *p) {
  struct s *last = NULL;
  for (; p; p = p->next)
    last = p;
  if (!last)
    return NULL;
  last->a = 1;
  return last;
}

// An initialiser by designators, and a count by the compiler.
int designated_ok(unsigned i) {
  static const int table[] = {[2] = 5, [7] = 1};
  if (i >= ARRAY_LEN(table))
    return -1;
  if (table[i] == 5)
    return 1;
  return 0;
}

// A constant compared on purpose by a static check.
int static_check_ok(void) {
  if (offsetof(struct s, next) % sizeof(void *) != 0)
    return -1;
  return 0;
}

// Set on every way, though not in one place.
int set_on_every_way_ok(int n) {
  int x;
  if (n > 0)
    x = 1;
  else if (n < 0)
    x = 2;
  else
    return 0;
  return x;
}

// Set in the loop that runs at least once, for all that is known.
int set_in_loop_ok(int n) {
  int i, x;
  for (i = 0; i < n; i++)
    x = combine(i, n);
  return n > 0 ? x : 0;
}

// Set under a condition and read under the same.
int set_and_read_ok(int n) {
  int x;
  if (n > 3)
    x = combine(n, 1);
  if (n > 5)
    return x;
  return 0;
}

// The test guards nothing but the release: noise of class defensive.
void guarded_free_ok(int *p) {
  *p = 0;
  if (p)
    free(p);
}

// The second test is redundant: what was NULL has been replaced, on whatever way. That a run with NULL would also fail
// below is no better reason.
size_t replaced_before_ok(const char *first, const char *second) {
  const char *name = first;
  if (name == NULL || *name == 0)
    name = second;
  if (name == NULL || *name == 0)
    name = "C";
  size_t n = (name && *name) ? 1 : 0;
  return n + strlen(name);
}

// `default` is there for the compiler; the value it would leave unset is read below.
int default_for_the_compiler_ok(int kind, int x) {
  int r;
  if (kind == 3 || kind == 4 || kind == 7) {
    switch (kind) {
    case 3:
      r = combine(x, 1);
      break;
    case 4:
      r = combine(x, 2);
      break;
    case 7:
      r = combine(x, 3);
      break;
    default:
      break;
    }
    return r + 1;
  }
  return 0;
}
