// With --whole-program: libraries know nothing of the program but what they are given, so what nobody gives away they leave
// as it is. Each trap is one way for a library to get at a function of the program that changes a variable.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int outside(void);
void take(void *object);
void take_number(long number);
void take_many(int count, ...);
typedef void (*callback)(void);
extern callback hook_of_library;

static int level;
int level_of_all;

void set_level(int n) {
    level = n;
    level_of_all = n;
}

int static_stays_bad(void) {
    level = 1;
    outside();
    if (level != 1) //~ contradictory-condition
        return 2;
    return 0;
}

int global_stays_bad(void) {
    level_of_all = 1;
    outside();
    if (level_of_all != 1) //~ contradictory-condition
        return 2;
    return 0;
}

// The address as a number.
static int by_number;
static void set_by_number(void) { by_number = 2; }
int by_number_ok(void) {
    by_number = 1;
    take_number((long)set_by_number);
    if (by_number != 1)
        return 2;
    return 0;
}

// In a union.
static int by_union;
static void set_by_union(void) { by_union = 2; }
int by_union_ok(void) {
    union { callback f; long n; } u;
    u.f = set_by_union;
    by_union = 1;
    take_number(u.n);
    if (by_union != 1)
        return 2;
    return 0;
}

// In a record that is copied.
struct operations { int n; callback f; };
static int by_copy;
static void set_by_copy(void) { by_copy = 2; }
int by_copy_ok(void) {
    struct operations a = {1, set_by_copy}, b;
    memcpy(&b, &a, sizeof a);
    by_copy = 1;
    take(&b);
    if (by_copy != 1)
        return 2;
    return 0;
}

// Among further arguments.
static int by_rest;
static void set_by_rest(void) { by_rest = 2; }
int by_rest_ok(void) {
    by_rest = 1;
    take_many(1, set_by_rest);
    if (by_rest != 1)
        return 2;
    return 0;
}

// Where a library may find it later.
static int by_heap;
static void set_by_heap(void) { by_heap = 2; }
void enter(struct operations *table) { table->f = set_by_heap; }
int by_heap_ok(void) {
    by_heap = 1;
    outside();
    if (by_heap != 1)
        return 2;
    return 0;
}

// In a variable of the library.
static int by_hook;
static void set_by_hook(void) { by_hook = 2; }
void set_hook_of_library(void) { hook_of_library = set_by_hook; }
int by_hook_ok(void) {
    by_hook = 1;
    outside();
    if (by_hook != 1)
        return 2;
    return 0;
}

// By a table that the library is given.
static int by_table;
static void set_by_table(void) { by_table = 2; }
static struct operations table[2] = {{1, 0}, {2, set_by_table}};
int by_table_ok(void) {
    by_table = 1;
    take(table);
    if (by_table != 1)
        return 2;
    return 0;
}

// On the spot.
static int by_qsort;
static int compare(const void *a, const void *b) {
    by_qsort = 2;
    return *(const int *)a - *(const int *)b;
}
int by_qsort_ok(int *numbers, size_t n) {
    by_qsort = 1;
    qsort(numbers, n, sizeof *numbers, compare);
    if (by_qsort != 1)
        return 2;
    return 0;
}

// Through another function that passes it on.
static int by_parameter;
static void set_by_parameter(void) { by_parameter = 2; }
static void pass_on(callback f) { take(&f); }
int by_parameter_ok(void) {
    pass_on(set_by_parameter);
    by_parameter = 1;
    outside();
    if (by_parameter != 1)
        return 2;
    return 0;
}

// At the end of the program, and when a signal comes.
static int by_end;
static void at_end(void) { by_end = 2; }
int by_end_ok(void) {
    atexit(at_end);
    by_end = 1;
    outside();
    if (by_end != 1)
        return 2;
    return 0;
}

static int by_signal;
static void on_signal(int number) { by_signal = number; }
int by_signal_ok(void) {
    signal(SIGINT, on_signal);
    by_signal = 1;
    outside();
    if (by_signal != 1)
        return 2;
    return 0;
}

// The library keeps an address and writes there later.
static int kept;
int kept_ok(void) {
    take(&kept);
    kept = 1;
    outside();
    if (kept != 1)
        return 2;
    return 0;
}

static char *line;
static size_t room;
int read_ok(FILE *f) {
    line = 0;
    if (getline(&line, &room, f) < 0)
        return 1;
    if (line)
        return 2;
    return 0;
}

static char buffer[100];
int buffered_ok(FILE *f) {
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    buffer[0] = 'a';
    fflush(f);
    if (buffer[0] != 'a')
        return 2;
    return 0;
}

// Who is called by a pointer that comes from outside may be any function that was given away, or a library's.
static int by_answer;
static void set_by_answer(void) { by_answer = 2; }
callback ask(void *question);
int by_answer_ok(void) {
    callback f = ask(set_by_answer);
    by_answer = 1;
    if (f)
        f();
    if (by_answer != 1)
        return 2;
    return 0;
}

int main(void) {
    struct operations mine = {0, 0};
    enter(&mine);
    set_hook_of_library();
    set_level(outside());
    return static_stays_bad() + global_stays_bad() + by_number_ok() + by_union_ok() + by_copy_ok() + by_rest_ok()
        + by_heap_ok() + by_hook_ok() + by_table_ok() + by_parameter_ok() + by_end_ok() + by_signal_ok() + kept_ok()
        + by_answer_ok() + buffered_ok(stdout) + read_ok(stdin);
}
