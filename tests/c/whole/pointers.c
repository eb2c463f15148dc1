// With --whole-program: pointers to functions that only the program sets are known, even if exported functions set them.

#include <stdlib.h>

int outside(void);

static int first, second;
static void set_first(void) { first = 2; }

static void (*hook)(void);
// Declared first, as a header does, and then defined.
extern void (*hook_of_all)(void);
void (*hook_of_all)(void);

void set_hook(void (*h)(void)) { hook = h; }

int others_stay_bad(void) {
    second = 1;
    if (hook)
        hook();
    if (second != 1) //~ contradictory-condition
        return 2;
    return 0;
}

int target_changes_ok(void) {
    first = 1;
    if (hook)
        hook();
    if (first != 1)
        return 2;
    return 0;
}

int others_stay_by_name_bad(int *p) {
    *p = 1;
    if (hook_of_all)
        hook_of_all();
    if (*p != 1) //~ contradictory-condition
        return 2;
    return 0;
}

static int fail(int code) { exit(code); }
static int (*on_failure)(int) = fail;

// A call through a pointer that never returns.
int does_not_return_bad(int *p) {
    if (!p)
        on_failure(1);
    if (!p) //~ contradictory-condition
        return 1;
    return *p;
}

// Set by a cast: another type is another matter.
static void *as_pointer(void) { return 0; }
static long (*cast)(void);
int cast_ok(void) {
    cast = (long (*)(void))as_pointer;
    long n = cast();
    if (n)
        return 1;
    return 0;
}

// One of two.
static void set_second(void) { second = 3; }
static void (*either)(void);
int either_ok(int n) {
    either = n ? set_first : set_second;
    second = 1;
    either();
    if (second != 1)
        return 2;
    return 0;
}

// A function of the library.
static void *(*get)(size_t) = malloc;
void set_memory(void *(*getter)(size_t)) { get = getter; }
int library_as_value_bad(long *p) {
    *p = 1;
    void *block = get(10);
    if (*p != 1) //~ contradictory-condition
        return 2;
    free(block);
    return 0;
}

// A pointer whose address is given away.
static void (*given)(void) = set_first;
void give_away(void (**place)(void));
int given_ok(void) {
    give_away(&given);
    second = 1;
    given();
    if (second != 1)
        return 2;
    return 0;
}

int main(void) {
    int n = 0;
    long wide = 0;
    set_hook(set_first);
    hook_of_all = set_first;
    give_away(&either);
    return others_stay_bad() + target_changes_ok() + others_stay_by_name_bad(&n) + does_not_return_bad(&n)
        + cast_ok() + either_ok(outside()) + given_ok() + library_as_value_bad(&wide);
}
