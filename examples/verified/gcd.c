// Euclid's algorithm by subtraction. Shown: it ends, the result is positive and at most as large as both numbers, and the
// invariant that both numbers stay positive. That the result divides both and is the largest that does is not expressed.

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
        if (x > y)
            x = x - y;
        else
            y = y - x;
    }
    return x;
}
