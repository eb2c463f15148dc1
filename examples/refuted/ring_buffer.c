// A ring buffer whose `put` looks for room with the wrong comparison: one item too many overwrites the first.

enum { SIZE = 8 };

struct ring {
    unsigned first;
    unsigned count;
    int items[SIZE];
};

/*@ requires \valid(r);
    assigns r->first, r->count;
    ensures r->first == 0 && r->count == 0;
*/
void ring_clear(struct ring *r) {
    r->first = 0;
    r->count = 0;
}

/*@ requires \valid(r);
    requires r->first < SIZE && r->count <= SIZE;
    assigns r->count, r->items[0 .. SIZE - 1];
    ensures \result == 0 || \result == 1;
    ensures \result == 1 <==> \old(r->count) < SIZE;
    ensures \result == 1 ==> r->count == \old(r->count) + 1;
    ensures \result == 1 ==> r->items[(r->first + \old(r->count)) % SIZE] == value;
    ensures \result == 0 ==> r->count == \old(r->count);
    ensures r->first < SIZE && r->count <= SIZE;
*/
int ring_put(struct ring *r, int value) {
    if (r->count > SIZE)
        return 0;
    r->items[(r->first + r->count) % SIZE] = value;
    r->count++;
    return 1;
}

/*@ requires \valid(r) && \valid(value) && \separated(r, value);
    requires r->first < SIZE && r->count <= SIZE;
    assigns r->first, r->count, *value;
    ensures \result == 1 <==> \old(r->count) > 0;
    ensures \result == 1 ==> *value == \old(r->items[r->first]) && r->count == \old(r->count) - 1;
    ensures r->first < SIZE && r->count <= SIZE;
*/
int ring_get(struct ring *r, int *value) {
    if (r->count == 0)
        return 0;
    *value = r->items[r->first];
    r->first = (r->first + 1) % SIZE;
    r->count--;
    return 1;
}

#ifdef CHECKED
#include <stdlib.h>
static void checked_ring_put(struct ring *r, int value) {
    unsigned before = r->count;
    int result = ring_put(r, value);
    if ((result == 1) != (before < SIZE) || r->count > SIZE)
        abort();
}
#endif
