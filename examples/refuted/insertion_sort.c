// Insertion sort that stops one element too early: the first element is never moved.

/*@ requires 0 <= n <= 1000000;
    requires \valid(a + (0 .. n - 1));
    assigns a[0 .. n - 1];
    ensures \forall integer i, j; 0 <= i <= j < n ==> a[i] <= a[j];
*/
void insertion_sort(int *a, int n) {
    int i = 1;
    /*@ loop invariant 1 <= i;
        loop invariant n >= 1 ==> i <= n;
        loop invariant \forall integer k, m; 0 <= k <= m < i && m < n ==> a[k] <= a[m];
        loop assigns i, a[0 .. n - 1];
        loop variant n - i;
    */
    while (i < n) {
        int value = a[i];
        int hole = i;
        /*@ loop invariant 0 <= hole <= i;
            loop invariant \forall integer k, m; 0 <= k <= m <= i && k != hole && m != hole ==> a[k] <= a[m];
            loop invariant \forall integer k; hole < k <= i ==> value < a[k];
            loop assigns hole, a[0 .. n - 1];
            loop variant hole;
        */
        while (hole > 1 && a[hole - 1] > value) {
            a[hole] = a[hole - 1];
            hole--;
        }
        a[hole] = value;
        i++;
    }
}

#ifdef CHECKED
#include <stdlib.h>
static void checked_insertion_sort(int *a, int n) {
    insertion_sort(a, n);
    for (int i = 1; i < n; i++)
        if (a[i - 1] > a[i])
            abort();
}
#endif
