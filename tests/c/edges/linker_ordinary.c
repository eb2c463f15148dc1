// Ordinary objects beside those that only a declaration shows.
#include <string.h>
#include <stdlib.h>
int count; static int hid; extern int outside_int; extern struct s { int a, b; } rec; extern int arr[8];
static void set(void) { outside_int = 5; }
int m1(void) { count = 1; set(); if (count != 1) return 1; return 0; } //~ if true
int m2(void) { count = 1; rec.a = 2; rec.b = 3; if (count != 1) return 1; return 0; } //~ if true
int m3(int i) { count = 1; arr[i] = 2; if (count != 1) return 1; return 0; } //~ if true
int m4(int i) { if (i > 7) { return arr[i]; } return 0; } //~ if true
int m5(void) { rec.a = 1; rec.b = 2; if (rec.a != 1) return 1; return 0; } //~ if true
int m6(char *s) { size_t n = strlen(s); if (!s) return 1; return n; } //~ if true
int m7(void) { char *p = malloc(4); if (!p) return *p; return 0; } //~ if true
int m8(int x) { if (x) { exit(1); } if (x) return 2; return 0; } //~ if true
static int t1[1]; int m9(int i) { if (i > 2) return t1[i]; return 0; } //~ if true
int m10(void) { int *p = t1; if (count) return p[3]; return 0; } //~ if true
static int st; int m11(void) { st = 1; (void)strlen("x"); if (st != 1) return 2; return 0; } //~ if true
int m12(int *q) { hid = 1; *q = 2; if (hid != 1) return 1; return 0; } //~ if true
