// Symbols of the linker, once more: what they may reach.
#include <string.h>
#include <stdlib.h>
extern char __bss_start[], _end[], __init_begin;
int count; static int hid;
int clear(void) { count = 1; memset(__bss_start, 0, _end - __bss_start); if (count == 0) return 1; return 0; }
int empty(void) { if (__bss_start == _end) return 1; return 0; }
int empty2(void) { if (_end - __bss_start == 0) return 1; return 0; }
int order(void) { if (_end < __bss_start) return 1; return 0; }
struct tail { int n; char d[1]; }; extern struct tail tl;
int flex(int i) { if (i > 5) return tl.d[i]; return 0; }
static const int ctab[2] __attribute__((section(".rodata.x"))) = { 1, 2 };
int patched(void) { if (ctab[0] != 1) return 1; return 0; }
static int per_cpu __attribute__((section(".data..percpu")));
int percpu(long off) { per_cpu = 1; *(int *)((char *)&per_cpu + off) = 2; if (per_cpu != 1) return 1; return 0; }
static int retained __attribute__((retain, used)); void ext(void);
int ret(void) { retained = 0; ext(); if (retained) return 1; return 0; }
int asm_label __asm__("other_name"); extern int other_name;
int lab(void) { asm_label = 1; other_name = 2; if (asm_label != 1) return 1; return 0; } //~ if false
extern struct tail first __attribute__((weak));
int wk(void) { if (&first == 0) return 1; return 0; }
static void walk(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
extern int _sdata;
int through(int n) { count = 3; walk(&_sdata, n); if (count == 0) return 1; return 0; }
static void one(int *p) { p[1] = 0; }
int through2(void) { count = 3; one(&_sdata); if (count == 0) return 1; return 0; }
static void two(void) { (&_sdata)[1] = 0; }
int through3(void) { count = 3; two(); if (count == 0) return 1; return 0; }
static void three(void) { int *p = &_sdata; p++; *p = 0; }
int through4(void) { count = 3; three(); if (count == 0) return 1; return 0; }
