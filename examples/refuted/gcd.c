// Euclid's algorithm that subtracts from the smaller number.

/*@ requires a > 0 && b > 0;
    assigns \nothing;
    ensures 0 < \result <= a && \result <= b;
    ensures a == b ==> \result == a;
*/
int gcd(int a, int b) {
    int x = a;
    int y = b;
    /*@ loop invariant 0 < x <= a && 0 < y <= b;
        loop invariant a == b ==> x == a && y == b;
        loop assigns x, y;
        loop variant x + y;
    */
    while (x != y) {
        if (x < y)
            x = x - y;
        else
            y = y - x;
    }
    return x;
}

#ifdef CHECKED
#include <stdlib.h>
static void checked_gcd(int a, int b) {
    int result = gcd(a, b);
    if (result <= 0 || result > a || result > b || (a == b && result != a))
        abort();
}
#endif
