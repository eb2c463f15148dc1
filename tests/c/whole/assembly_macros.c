// Assembly that makes names of parts may mean any of them.
static int composed, other;
void hop(void), lib(void);
__asm__(".macro PUT a b\n movl $1, \\a\\b(%rip)\n.endm\n.text\n.globl hop\nhop: PUT com posed\n ret\n");

int written(void) {
    composed = 0;
    hop();
    if (composed) return 0;
    return 1;
}

int known_to_anybody(void) {
    other = 0;
    lib();
    if (other) return 0;
    return 1;
}

int main(void) { return written() + known_to_anybody(); }
