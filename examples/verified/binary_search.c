// Binary search: the index of a value in a sorted array, or -1 if it is not there.

/*@ requires n >= 0;
    requires \valid_read(a + (0 .. n - 1));
    requires sorted: \forall integer i, j; 0 <= i <= j < n ==> a[i] <= a[j];
    assigns \nothing;
    ensures -1 <= \result < n;
    ensures \result >= 0 ==> a[\result] == wanted;
    ensures \result == -1 ==> \forall integer k; 0 <= k < n ==> a[k] != wanted;
*/
int binary_search(const int *a, int n, int wanted) {
    int low = 0;
    int high = n;
    /*@ loop invariant 0 <= low <= high <= n;
        loop invariant \forall integer k; 0 <= k < low ==> a[k] < wanted;
        loop invariant \forall integer k; high <= k < n ==> wanted < a[k];
        loop assigns low, high;
        loop variant high - low;
    */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < wanted)
            low = middle + 1;
        else if (wanted < a[middle])
            high = middle;
        else
            return middle;
    }
    return -1;
}
