// Libraries know nothing of the program. Other units may be part of it.

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

int other_unit(void);

static int level;
void set_level(int n) { level = n; }

static int taken;
int *address(void) { return &taken; }

int library_bad(void) {
    level = 1;
    gethostid();
    if (level != 1) //~ contradictory-condition
        return 2;
    return 0;
}

int library_of_two_calls_bad(void) {
    level = 1;
    if (gethostid() == 3 && l64a(3))
        return 1;
    if (level != 1) //~ contradictory-condition
        return 2;
    return 0;
}

// It may call `set_level`.
int other_unit_ok(void) {
    level = 1;
    other_unit();
    if (level != 1)
        return 2;
    return 0;
}

int address_ok(void) {
    taken = 1;
    gethostid();
    if (taken != 1)
        return 2;
    return 0;
}

// Somebody else's function may call `set_level`.
int callback_ok(int *numbers, size_t n, int (*compare)(const void *, const void *)) {
    level = 1;
    qsort(numbers, n, sizeof *numbers, compare);
    if (level != 1)
        return 2;
    return 0;
}

int callback_of_tree_ok(void *key, void **root, int (*compare)(const void *, const void *)) {
    level = 1;
    tsearch(key, root, compare);
    if (level != 1)
        return 2;
    return 0;
}

// Another thread may call `set_level` meanwhile.
int waits_ok(pthread_mutex_t *lock) {
    level = 1;
    pthread_mutex_lock(lock);
    if (level != 1)
        return 2;
    return 0;
}

int waits_for_all_ok(pthread_barrier_t *barrier) {
    level = 1;
    pthread_barrier_wait(barrier);
    if (level != 1)
        return 2;
    return 0;
}

// What it is given it may write.
int argument_ok(void) {
    char bytes[4] = {0};
    getentropy(bytes, sizeof bytes);
    if (bytes[0])
        return 1;
    return 0;
}

// Behind the pointer there may be an object with functions of others.
int opaque_ok(void *handle) {
    level = 1;
    getentropy(handle, 1);
    if (level != 1)
        return 2;
    return 0;
}
