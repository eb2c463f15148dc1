// What functions of the library write is known, and so is what cannot be reached.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct state { int mode; char *name; struct state *next; };
int combine(int, int);

// Printing changes the stream and errno.
int after_fprintf_bad(struct state *s, FILE *out) {
  s->mode = 1;
  fprintf(out, "%s\n", s->name);
  if (s->mode != 1) //~ contradictory-condition
    return combine(s->mode, 2);
  return 0;
}

// Reading changes the buffer as well, which nobody else knows.
int after_read_bad(struct state *s, int file) {
  char buffer[64];
  s->mode = 1;
  if (read(file, buffer, sizeof buffer) < 0)
    return -1;
  if (s->mode == 2) //~ contradictory-condition
    return combine(buffer[0], 2);
  return 0;
}

// The buffer stays private after that.
void unknown(void);

int lent_to_the_system_bad(const char *name) {
  struct stat about;
  if (stat(name, &about) != 0)
    return -1;
  about.st_mode = 0;
  unknown();
  if (about.st_mode != 0) //~ contradictory-condition
    return combine(1, 2);
  return 0;
}

// A callee that prints is known, too.
static void report(const char *what) { fputs(what, stderr); }

int after_report_bad(struct state *s) {
  s->mode = 1;
  report(s->name);
  if (s->mode != 1) //~ contradictory-condition
    return combine(s->mode, 2);
  return 0;
}

// With a format that is not known, only integers may change.
static void say(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  va_end(rest);
}

int after_say_bad(struct state *s, char *format) {
  s->next = NULL;
  say(format, s->name);
  if (s->next) //~ contradictory-condition
    return combine(s->mode, 2);
  return 0;
}

int after_say_ok(struct state *s, char *format) {
  s->mode = 1;
  say(format, s->name);
  if (s->mode != 1)
    return combine(s->mode, 2);
  return 0;
}

// Where an error ends the run, what the last words write matters to nobody.
static void check(struct state *s) {
  if (!s->name)
    exit(1);
}

int after_check_bad(struct state *s) {
  s->mode = 1;
  check(s);
  if (s->mode != 1) //~ contradictory-condition
    return combine(s->mode, 2);
  return 0;
}

// The address of `depth` is lent and never kept: what is found in memory does not point there.
static int depth;

static void set_to(int *what, int value) { *what = value; }
static void clear_all(int **what) { **what = 0; }

int lent_static_bad(int **other) {
  set_to(&depth, 3);
  depth = 1;
  clear_all(other);
  if (depth != 1) //~ contradictory-condition
    return combine(depth, 2);
  return 0;
}

// That of `level` is kept by somebody else.
static int level;
int *kept;

int kept_static_ok(int **other) {
  kept = &level;
  level = 1;
  clear_all(other);
  if (level != 1)
    return combine(level, 2);
  return 0;
}

// That of `height` goes away as a number.
static int height;

static void set_number(unsigned long where) { *(int *)where = 0; }

int static_by_number_ok(void) {
  height = 1;
  set_number((unsigned long)&height);
  if (height != 1)
    return combine(height, 2);
  return 0;
}

// That of `width` is given back.
static int width;

static int *same(int *what) { return what; }

int static_given_back_ok(int value) {
  width = 1;
  *same(&width) = value;
  if (width != 1)
    return combine(width, 2);
  return 0;
}
