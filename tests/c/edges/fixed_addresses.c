// Numbers as addresses: what lies there is a device, or any object.
int g(int);
static int hidden;

int vector_table(int c) {
    if (c) return *(volatile int *)0;
    return 0;
}
int reset(int c) {
    if (c) { *(volatile unsigned *)0 = 1; return 1; }
    return 0;
}
int device(int c) {
    if (c) { *(int *)0x40001000 = 1; return 1; }
    return 0;
}
int device_changes(void) {
    int before = *(int *)0x40001000;
    if (before != *(int *)0x40001000) return 1;
    return 0;
}
int writes_anything(void) {
    hidden = 1;
    *(int *)0x20000000 = 0;
    if (hidden != 1) return 1;
    return 0;
}
int writes_by_pointer(void) {
    int *p = (int *)0x20000000;
    hidden = 1;
    *p = 0;
    if (hidden != 1) return 1;
    return 0;
}
static void poke(int *at) { *at = 0; }
int writes_by_callee(void) {
    hidden = 1;
    poke((int *)0x20000000);
    if (hidden != 1) return 1;
    return 0;
}
static void clear(void) {
    int *p = (int *)0x20000000;
    *p = 0;
}
int writes_in_callee(void) {
    hidden = 1;
    clear();
    if (hidden != 1) return 1;
    return 0;
}
struct regs { int control, status; };
#define DEVICE ((struct regs *)0x40002000)
int record(void) {
    DEVICE->control = 1;
    if (DEVICE->control != 1) return 1;
    return 0;
}

// NULL in a variable is no such address.
int null_pointer(int *p) {
    if (!p) return *p; //~ if true
    return 0;
}
int checked_late(volatile int *p) {
    int v = *p;
    if (!p) return 1; //~ if true
    return v;
}
int local_apart(void) {
    int x = 1;
    int *p = &x;
    *(int *)0x20000000 = 0;
    if (*p != 1) return 1; //~ if true
    return 0;
}
