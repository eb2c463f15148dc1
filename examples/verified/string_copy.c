// Copies a string into a buffer of a given size, as strlcpy does: never writes outside the buffer, always ends it with a
// zero, and what is copied is a prefix of the source.

/*@ requires size > 0 && size <= 1000000;
    requires \valid(to + (0 .. size - 1));
    requires \valid_read(from + (0 .. size - 1));
    requires \separated(to + (0 .. size - 1), from + (0 .. size - 1));
    assigns to[0 .. size - 1];
    ensures 0 <= \result < size;
    ensures to[\result] == 0;
    ensures \forall integer k; 0 <= k < \result ==> to[k] == from[k] && from[k] != 0;
    ensures \result < size - 1 ==> from[\result] == 0;
*/
int string_copy(char *to, const char *from, int size) {
    int i = 0;
    /*@ loop invariant 0 <= i < size;
        loop invariant \forall integer k; 0 <= k < i ==> to[k] == from[k] && from[k] != 0;
        loop assigns i, to[0 .. size - 1];
        loop variant size - i;
    */
    while (i < size - 1 && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    to[i] = 0;
    return i;
}
