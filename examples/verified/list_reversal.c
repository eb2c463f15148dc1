// Reverses a list whose links are indices into a pool (-1 ends it). Shown: every link stays inside the pool, no access
// outside it, only links are written, and the reversed list is empty only if the list was. Not shown: that it holds the same
// nodes in the opposite order (that needs an inductive definition), nor that it ends (a list may be a circle).

struct node {
    int next;
    int value;
};

/*@ requires 0 < n <= 1000000;
    requires \valid(pool + (0 .. n - 1));
    requires -1 <= head < n;
    requires \forall integer i; 0 <= i < n ==> -1 <= pool[i].next < n;
    assigns pool[0 .. n - 1];
    ensures -1 <= \result < n;
    ensures \result == -1 <==> head == -1;
    ensures \forall integer i; 0 <= i < n ==> -1 <= pool[i].next < n;
*/
int list_reverse(struct node *pool, int n, int head) {
    int done = -1;
    int left = head;
    /*@ loop invariant -1 <= done < n && -1 <= left < n;
        loop invariant \forall integer i; 0 <= i < n ==> -1 <= pool[i].next < n;
        loop invariant done == -1 ==> left == head;
        loop invariant head == -1 ==> done == -1;
        loop assigns done, left, pool[0 .. n - 1];
    */
    while (left != -1) {
        int next = pool[left].next;
        pool[left].next = done;
        done = left;
        left = next;
    }
    return done;
}
