// Assembly knows whatever has a symbol.
static int cnt, kept, other;
int shared, elsewhere;
void lib(void);

__attribute__((used)) static int called_by_assembly(int v) {
    kept = v;
    return v;
}

int named_in_a_statement(void) {
    cnt = 0;
    __asm__ volatile("movl $1, cnt(%%rip)" ::: "memory");
    if (cnt) return 0;
    return 1;
}

// The address of what a statement names may be anywhere.
int written_through_a_pointer(int *p) {
    __asm__ volatile("leaq cnt(%%rip), %0" : "=r"(p));
    cnt = 0;
    *p = 1;
    if (cnt) return 0;
    return 1;
}

int shared_is_named(void) {
    shared = 0;
    __asm__ volatile("call bump_shared" ::: "memory");
    if (shared) return 0;
    return 1;
}

int outside_may_know(void) {
    cnt = 0;
    lib();
    if (cnt) return 0;
    return 1;
}

int callee_of_assembly(void) {
    kept = 0;
    lib();
    if (kept) return 0;
    return 1;
}

int still_hidden_bad(void) {
    other = 0;
    lib();
    if (other) return 0; //~ contradictory-condition
    return 1;
}

int main(void) { return named_in_a_statement() + written_through_a_pointer(&elsewhere) + shared_is_named() + outside_may_know() + callee_of_assembly() + still_hidden_bad(); }
