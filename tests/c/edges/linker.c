// Objects that the linker puts in a row: their extent is not known, and pointers to one of them lead to all.
struct reg { const char *name; int on; int (*fn)(void); };
static struct reg r1 __attribute__((section("regs"), used)) = { "a", 0, 0 };
static struct reg r2 __attribute__((section("regs"), used)) = { "b", 0, 0 };
extern struct reg __start_regs[], __stop_regs[];
int bind(const struct reg *), warn(const char *), g(int);

static void enable_all(int v) {
    for (struct reg *p = __start_regs; p < __stop_regs; p++)
        p->on = v;
}
int by_callee(int v) {
    r1.on = 0;
    enable_all(v);
    if (r1.on) return 0;
    return 1;
}
int by_loop(int v) {
    r1.on = 0;
    for (struct reg *p = __start_regs; p < __stop_regs; p++) p->on = v;
    if (r1.on) return 0;
    return 1;
}
int by_index(int v) {
    r1.on = 0;
    __start_regs[0].on = v;
    if (r1.on) return 0;
    return 1;
}
int by_neighbour(int v) {
    r2.on = 0;
    (&r1)[1].on = v;
    if (r2.on) return 0;
    return 1;
}
int at_entry(void) {
    if (r2.on) return 0;
    return 1;
}
int backwards(int n) {
    r1.on = n;
    __stop_regs[-1].on = 0;
    if (r1.on == n) return 1;
    return 0;
}
int walk_from_one(void) {
    struct reg *p = &r1 + 1;
    if (p < __stop_regs) return p->on;
    return 0;
}
int distance(void) {
    if (__stop_regs - __start_regs > 5) return 1;
    return 0;
}

// u-boot: the marks are objects of no size.
#define ll_start(t, l) ({ static char start[0] __attribute__((aligned(4), unused, section("__list_2_" #l "_1"))); (t *)&start; })
#define ll_end(t, l) ({ static char end[0] __attribute__((aligned(4), unused, section("__list_2_" #l "_3"))); (t *)&end; })
int pass(void) {
    struct reg *first = ll_start(struct reg, drv);
    int n = ll_end(struct reg, drv) - first, result = 0;
    for (int i = 0; i < n; i++) {
        const struct reg *e = first + i;
        int ret = bind(e);
        if (!ret) continue;
        else if (ret != -1) { warn(e->name); result = ret; }
    }
    return result;
}

static int sec[1] __attribute__((section("mysec"), used));
int past_the_end(int i) {
    if (i > 2) return sec[i];
    return 0;
}
int past_the_end_by_pointer(int i) {
    int *p = sec;
    if (i > 2) return p[i];
    return 0;
}

// Declarations that symbols of the linker have.
extern int tab0[0], tab1[1], tab_[];
int none(int i) {
    if (i > 2) return tab0[i];
    return 0;
}
int one(int i) {
    if (i > 2) return tab1[i];
    return 0;
}
int unknown(int i) {
    if (i > 2) return tab_[i];
    return 0;
}
extern char _start_x, _end_x;
extern int level_x;
int scalar(int i) {
    char *p = &_start_x;
    if (i > 2) return p[i];
    return 0;
}
int over_others(int n) {
    level_x = 1;
    for (int i = 0; i < n; i++) (&_start_x)[i] = 0;
    if (level_x == 0) return 1;
    return 0;
}
int over_others_at_once(void) {
    level_x = 1;
    (&_start_x)[4] = 0;
    if (level_x != 1) return 1;
    return 0;
}

// A constant view of what others change.
extern const int __start_view[];
int view(void) {
    int before = __start_view[0];
    g(1);
    if (before != __start_view[0]) return 1;
    return 0;
}

static int known_to_debugger __attribute__((used));
int used(void) {
    known_to_debugger = 0;
    g(1);
    if (known_to_debugger) return 1;
    return 0;
}
static int mark_a __attribute__((section("marks"))), mark_b __attribute__((section("marks")));
int neighbours(void) {
    if (&mark_a + 1 == &mark_b) return 1;
    return 0;
}

// What is an ordinary object stays one.
static int four[4], other;
int ordinary(int i) {
    if (i > 3) return four[i]; //~ if true
    return 0;
}
int ordinary_by_pointer(int i) {
    int *p = four;
    if (i > 3) return p[i]; //~ if true
    return 0;
}
extern int ten[10];
int declared(int i) {
    if (i > 9) return ten[i]; //~ if true
    return 0;
}
int apart(int i) {
    other = 1;
    four[i] = 0;
    if (other != 1) return 1; //~ if true
    return 0;
}
int declared_apart(int i) {
    other = 1;
    ten[i] = 0;
    if (other != 1) return 1; //~ if true
    return 0;
}
extern int a_number, another;
int declared_numbers(void) {
    a_number = 1;
    another = 2;
    if (a_number != 1) return 1; //~ if true
    return 0;
}
struct hdr { char t; };
struct four { int n; int data[4]; };
int too_small(void) {
    struct hdr h;
    struct four *f = (struct four *)&h;
    if (g(1)) return f->data[3]; //~ if true
    return 0;
}
int mark_is_an_address(void) {
    if (&r1 == 0) return 1; //~ if true
    return 0;
}
