// With --whole-program: where threads may run, whoever waits finds changed what the others write.

#include <pthread.h>

int outside(void);

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *data) {
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    return data;
}

int waits_ok(void) {
    pthread_mutex_lock(&lock);
    shared = 2;
    pthread_mutex_unlock(&lock);
    outside();
    pthread_mutex_lock(&lock);
    if (shared != 2)
        return 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int set_by_first;

// The first thread goes on while this one waits.
int in_thread_ok(void) {
    set_by_first = 1;
    outside();
    if (set_by_first != 1)
        return 1;
    return 0;
}

int first_thread(void) {
    set_by_first = 2;
    return outside();
}

static void *look(void *data) {
    int seen = in_thread_ok();
    return seen ? data : 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_create(&thread, 0, look, 0);
    return waits_ok() + first_thread();
}
