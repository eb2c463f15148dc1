// Calls, exits, threads and callbacks: nothing here contradicts itself.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct s { int a, b; struct s *next; int *data; };
void unknown(void);
void takes(int *);
void fatal(const char *, ...);
void usage(void) __attribute__((noreturn));
int global;
volatile sig_atomic_t interrupted;
atomic_int counter;
static jmp_buf back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct s *instance;
extern void optional_hook(int) __attribute__((weak));
extern int optional_value __attribute__((weak));
int (*handler)(int);

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void die_deeper(const char *why) { die(why); }

// A wrapper of exit that is defined here ends the run well.
int exit_wrapper_ok(struct s *p) {
  if (!p)
    die_deeper("no p");
  return p->a;
}

// A function that is only declared may not return.
int declared_exit_ok(struct s *p) {
  if (!p)
    fatal("no p");
  return p->a;
}

// It may not return, but it may.
int declared_maybe_ok(struct s *p) {
  if (!p)
    fatal("no p %d", 1);
  unknown();
  if (p)
    return p->a;
  return 0;
}

// It is declared not to return.
int noreturn_ok(int argc, char **argv) {
  if (argc < 2)
    usage();
  return argv[1][0];
}

// longjmp ends the function well.
int longjmp_ok(struct s *p) {
  if (!p)
    longjmp(back, 1);
  return p->a;
}

// setjmp returns twice, and the second time the local has changed.
int setjmp_ok(void) {
  volatile int tries = 0;
  if (setjmp(back))
    return tries > 3;
  tries++;
  unknown();
  return 0;
}

// The call may change the global.
int global_ok(void) {
  global = 0;
  unknown();
  if (global)
    return 1;
  return 0;
}

// The call may change what the pointer points to.
int pointee_ok(struct s *p) {
  p->data = NULL;
  unknown();
  if (p->data)
    return *p->data;
  return 0;
}

// The callee got the address.
int out_parameter_ok(void) {
  int found = 0;
  takes(&found);
  if (found)
    return 1;
  return 0;
}

// The callee kept the address, and a later call uses it.
int kept_address_ok(void) {
  int x = 1;
  takes(&x);
  x = 0;
  unknown();
  if (x)
    return 1;
  return 0;
}

static int compare(const void *a, const void *b) {
  global++;
  return *(const int *)a - *(const int *)b;
}

// The callback changes the global.
int callback_ok(int *values, size_t n) {
  global = 0;
  qsort(values, n, sizeof *values, compare);
  if (global > 0)
    return 1;
  return 0;
}

// A function pointer may be anything.
int pointer_call_ok(int x) {
  int before = global;
  if (handler)
    x = handler(x);
  if (before != global)
    return 1;
  return x;
}

// errno is changed by the call.
long number_ok(const char *text) {
  char *end;
  long value;
  errno = 0;
  value = strtol(text, &end, 10);
  if (errno != 0)
    return -1;
  return value;
}

// The call is repeated until it was not interrupted.
int retry_ok(int (*send)(int), int x) {
  int n;
  do {
    n = send(x);
  } while (n < 0 && errno == EINTR);
  return n;
}

// Tested again under the lock on purpose.
struct s *double_checked_ok(void) {
  if (!instance) {
    pthread_mutex_lock(&lock);
    if (!instance)
      instance = calloc(1, sizeof *instance);
    pthread_mutex_unlock(&lock);
  }
  return instance;
}

// A signal handler changes the variable.
int signal_ok(void) {
  if (!interrupted) {
    if (interrupted)
      return 1;
  }
  return 0;
}

// Another thread changes the atomic.
int atomic_ok(void) {
  int before = atomic_load(&counter);
  if (before == 0) {
    if (atomic_load(&counter) != 0)
      return 1;
  }
  return 0;
}

// A compare-and-exchange may fail.
int exchange_ok(void) {
  int expected = 0;
  if (atomic_compare_exchange_strong(&counter, &expected, 1))
    return 0;
  if (expected == 0)
    return 1;
  return expected;
}

// A weak function may be missing.
int weak_function_ok(int x) {
  if (optional_hook)
    optional_hook(x);
  return x;
}

// A weak variable may be missing.
int weak_variable_ok(void) {
  if (&optional_value)
    return 1;
  return 0;
}

// The arguments of a variadic function are anything.
int variadic_ok(int n, ...) {
  va_list args;
  int first, second;
  va_start(args, n);
  first = va_arg(args, int);
  second = va_arg(args, int);
  va_end(args);
  if (first != second)
    return 1;
  return 0;
}

// A recursive call may change anything too.
int recursive_ok(struct s *p, int depth) {
  p->a = depth;
  if (depth > 0)
    recursive_ok(p, depth - 1);
  if (p->a != depth)
    return 1;
  return 0;
}

// The recursion ends the run below some depth.
int recursion_exit_ok(int depth) {
  if (depth > 100)
    die("too deep");
  return depth ? recursion_exit_ok(depth - 1) : 0;
}

// free takes NULL.
void free_null_ok(char *p) {
  if (!p)
    unknown();
  free(p);
}

// realloc failed: the old block is still there.
char *realloc_ok(char *old, size_t n) {
  char *block = realloc(old, n);
  if (!block) {
    old[0] = 0;
    free(old);
    return NULL;
  }
  return block;
}

// malloc(0) may be NULL or not.
int malloc_zero_ok(void) {
  char *p = malloc(0);
  if (p) {
    free(p);
    return 1;
  }
  return 0;
}

// A freed address may come back.
int reused_address_ok(void) {
  char *p = malloc(8), *q;
  size_t old = (size_t)p;
  free(p);
  q = malloc(8);
  if (q && (size_t)q == old) {
    free(q);
    return 1;
  }
  free(q);
  return 0;
}

// Freed under one condition, used under the opposite one.
int freed_or_used_ok(struct s *p, int release) {
  int x = 0;
  if (release)
    free(p);
  if (!release)
    x = p->a;
  return x;
}

// Freed and replaced.
int replaced_ok(struct s *p, int fresh) {
  if (fresh) {
    free(p);
    p = calloc(1, sizeof *p);
    if (!p)
      return -1;
  }
  return p->a;
}

// A pure function may be asked twice, but nobody said that it is pure.
int asked_twice_ok(int (*next)(void)) {
  if (next() == 0)
    if (next() == 1)
      return 1;
  return 0;
}

// The reader may read nothing.
int short_read_ok(FILE *in) {
  char line[16];
  line[0] = 'x';
  if (!fgets(line, sizeof line, in))
    return line[0] == 'x';
  if (line[0] == 'x')
    return 2;
  return 3;
}

// sscanf may leave the variable as it was.
int scanned_ok(const char *text) {
  int x = 5;
  if (sscanf(text, "%d", &x) != 1 && x == 5)
    return 1;
  return x;
}

// strchr may find nothing.
int found_ok(const char *text) {
  const char *colon = strchr(text, ':');
  if (!colon)
    return -1;
  return colon[1];
}

// strncpy may leave the string without an end; strlen may be anything.
int lengths_ok(char *to, const char *from) {
  strncpy(to, from, 4);
  if (strlen(to) > 4)
    return 1;
  return 0;
}

// A cleanup label frees what may be NULL.
int cleanup_ok(const char *name) {
  int result = -1;
  char *copy = NULL, *second = NULL;
  FILE *in = fopen(name, "r");
  if (!in)
    goto out;
  copy = malloc(100);
  if (!copy)
    goto out;
  second = malloc(100);
  if (!second)
    goto out;
  result = 0;
out:
  if (second)
    free(second);
  if (copy)
    free(copy);
  if (in)
    fclose(in);
  return result;
}

// A handler sets a plain flag while the program waits for input.
static int stopped, ticks;

static void stop(int signal) {
  (void)signal;
  ticks++;
  stopped = 1;
}

int plain_flag_ok(char *line, int size) {
  signal(SIGINT, stop);
  stopped = 0;
  if (!fgets(line, size, stdin) && stopped)
    return 1;
  return 0;
}

// The library gives out its own memory again.
int static_buffer_ok(int a, int b) {
  char *first = strerror(a);
  char before = first[0];
  char *second = strerror(b);
  if (first[0] != before)
    return 1;
  return second == first;
}

// strtol leaves a pointer into the text behind.
int end_of_number_ok(void) {
  char text[8] = "12";
  char *end;
  long n = strtol(text, &end, 10);
  *end = 'x';
  if (text[0] == 'x')
    return 1;
  return (int)n;
}

// strtok keeps the text and writes there later.
int tokens_ok(void) {
  char text[8] = "a b";
  strtok(text, " ");
  text[3] = 'b';
  strtok(NULL, " ");
  if (text[3] != 'b')
    return 1;
  return 0;
}

// %n writes, and so may a format that is not known.
static int printed;

static void count_into(const char *format, int *count) { printf(format, count); }

int counted_ok(const char *format) {
  printed = 0;
  count_into(format, &printed);
  if (printed)
    return 1;
  printf("x%n", &printed);
  if (printed)
    return 2;
  return 0;
}

// A function that is lent a static object writes it.
static int lent_total;

static void add_to(int *total, int **other) {
  *total += 1;
  **other = 0;
}

int lent_ok(int **other) {
  lent_total = 0;
  add_to(&lent_total, other);
  if (lent_total == 1)
    return 1;
  return 0;
}

// The address is passed as a transparent union, and written all the same.
int address_ok(int s) {
  struct sockaddr address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(s, &address, &length) < 0)
    return -1;
  if (address.sa_family == AF_INET)
    return 1;
  return length == 0;
}
