// Code outside of functions that is not C: it defines, calls and writes what it likes.
int cnt_seen;
static int cnt __attribute__((used)), plain;
void bump(void), hop(void);
__asm__(".text\n.globl bump\nbump: movl $1, cnt(%rip)\n ret\n");
__asm__(".text\n.globl hop\nhop: movl $1, plain(%rip)\n ret\n");

int written(void) {
    cnt = 0;
    bump();
    if (cnt) return 0;
    return 1;
}

int written_without_a_word(void) {
    plain = 0;
    hop();
    if (plain) return 0;
    return 1;
}

int still_contradicts_bad(int x) {
    if (x > 3) {
        if (x < 2) return 0; //~ contradictory-condition
    }
    return 1;
}

int main(int argc, char **argv) { return written() + written_without_a_word() + still_contradicts_bad(argc) + cnt_seen; }
