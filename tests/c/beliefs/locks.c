/* Locks that are locked or unlocked twice, and some that are not. */

#include <pthread.h>
#include <stdio.h>

struct queue { pthread_mutex_t lock; pthread_cond_t filled; pthread_spinlock_t spin; int length; int closed; };

pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;

int other(void);
void change(struct queue *q);

/* The early way out does not leave. */
int unlocked_twice_bad(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->length == 0)
        pthread_mutex_unlock(&q->lock);
    q->length = 0;
    pthread_mutex_unlock(&q->lock); //~ inconsistent-lock
    return 0;
}

int locked_twice_bad(struct queue *q, int how) {
    pthread_mutex_lock(&q->lock);
    if (how > 3)
        q->length++;
    pthread_mutex_lock(&q->lock); //~ inconsistent-lock
    q->length++;
    pthread_mutex_unlock(&q->lock);
    return 0;
}

/* By another name. */
void alias_bad(struct queue *q) {
    pthread_mutex_t *lock = &q->lock;
    pthread_mutex_lock(lock);
    q->length++;
    pthread_mutex_lock(&q->lock); //~ inconsistent-lock
    pthread_mutex_unlock(lock);
}

void global_bad(int how) {
    pthread_mutex_lock(&all);
    if (how)
        pthread_mutex_unlock(&all);
    printf("%d\n", how);
    pthread_mutex_unlock(&all); //~ inconsistent-lock
}

void spin_bad(struct queue *q) {
    pthread_spin_lock(&q->spin);
    q->length++;
    pthread_spin_lock(&q->spin); //~ inconsistent-lock
    pthread_spin_unlock(&q->spin);
}

int leaves_ok(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->length == 0) {
        pthread_mutex_unlock(&q->lock);
        return 0;
    }
    q->length--;
    pthread_mutex_unlock(&q->lock);
    return 1;
}

/* The flag says whether it is locked. */
void flag_ok(struct queue *q, int locks) {
    if (locks)
        pthread_mutex_lock(&q->lock);
    q->length++;
    if (locks)
        pthread_mutex_unlock(&q->lock);
}

void two_ways_ok(struct queue *q, int how) {
    pthread_mutex_lock(&q->lock);
    if (how)
        pthread_mutex_unlock(&q->lock);
    q->closed = 1;
    if (!how)
        pthread_mutex_unlock(&q->lock);
}

/* Somebody may unlock it in between. */
void lends_ok(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    change(q);
    pthread_mutex_lock(&q->lock);
    q->length++;
    pthread_mutex_unlock(&q->lock);
}

void two_locks_ok(struct queue *a, struct queue *b) {
    pthread_mutex_lock(&a->lock);
    pthread_mutex_lock(&b->lock);
    a->length += b->length;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
}

void waits_ok(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->length == 0)
        pthread_cond_wait(&q->filled, &q->lock);
    q->length--;
    pthread_mutex_unlock(&q->lock);
}

void again_ok(struct queue *q) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&q->lock);
        q->length++;
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_lock(&q->lock);
    q->closed = 1;
    pthread_mutex_unlock(&q->lock);
}

/* To try is not to have. */
void tries_ok(struct queue *q) {
    if (pthread_mutex_trylock(&q->lock) == 0) {
        q->length++;
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_lock(&q->lock);
    q->length++;
    pthread_mutex_unlock(&q->lock);
}

/* What decides is not known here. */
void asked_ok(struct queue *q, int key) {
    int is_own = key == 3;
    if (is_own)
        pthread_mutex_lock(&q->lock);
    if (!is_own || q->closed)
        printf("%d\n", key);
    if (key != 3)
        pthread_mutex_lock(&q->lock);
    q->length++;
    pthread_mutex_unlock(&q->lock);
}
