// With --whole-program: a function that a system header declares is called by libraries, too, if the program defines it.

#include <unistd.h>

int outside(void);

static int calls, others;

long gethostid(void) {
    calls++;
    return 1;
}

int called_ok(void) {
    calls = 1;
    outside();
    if (calls != 1)
        return 2;
    return 0;
}

int not_called_bad(void) {
    others = 1;
    outside();
    if (others != 1) //~ contradictory-condition
        return 2;
    return 0;
}

int main(void) { return called_ok() + not_called_bad(); }
