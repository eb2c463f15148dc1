// With --whole-program: functions that are called through records may be a library's, even if the program has just one of
// the type: they are found where a pointer of the library leads to, in what it fills, behind numbers.

#include <dlfcn.h>
#include <stdint.h>

struct ops {
    void (*run)(int *);
};

static void nothing(int *p) { (void)p; }
static struct ops own = {nothing};

// The only function of the type leaves it alone, and still.
static int changed(struct ops *ops) {
    int x = 0;
    ops->run(&x);
    if (x)
        return 1;
    return 0;
}

int by_name_ok(void *handle) {
    struct ops *ops = dlsym(handle, "ops");
    int x = 0;
    if (!ops)
        ops = &own;
    ops->run(&x);
    if (x)
        return 1;
    return changed(ops);
}

struct ops *ops_of_library(void);
int given_ok(void) {
    int x = 0;
    ops_of_library()->run(&x);
    if (x)
        return 1;
    return changed(ops_of_library());
}

void fill(void *memory);
int filled_ok(void) {
    struct ops ops = {nothing};
    int x = 0;
    fill(&ops);
    ops.run(&x);
    if (x)
        return 1;
    return 0;
}

extern struct ops table_of_library[];
int table_ok(int i) {
    int x = 0;
    table_of_library[i].run(&x);
    if (x)
        return 1;
    return 0;
}

int at_number_ok(void) {
    struct ops *rom = (struct ops *)(uintptr_t)0x8000;
    int x = 0;
    rom->run(&x);
    if (x)
        return 1;
    return changed(rom);
}

// Called back with a record of the library's.
void each(int (*visit)(struct ops *));
static int visit_ok(struct ops *ops) {
    int x = 0;
    ops->run(&x);
    if (x)
        return 1;
    return 0;
}

int main(void) {
    each(visit_ok);
    return by_name_ok(dlopen("x.so", RTLD_NOW)) + given_ok() + filled_ok() + table_ok(1) + at_number_ok()
        + changed(&own);
}
