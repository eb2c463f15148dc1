// The figures of papers/evidence-based-analysis. Marks with ^ name the column of its Table 1 from which on the line is
// reported, and in no column before; those with ~ are for the default. With another rule, `reach` proves it as well.
#include <stddef.h>

int bar(void);

int figure_1a_ok(int *x) {
  return *x; //^ ev-all
}

int figure_1b_bad(int *x) {
  if (x != NULL) bar(); //~ fatal-branch
  return *x; //^ ev-2
}

int a[3];

int figure_3a_bad(unsigned i) {
  int r;
  if (i == 0) r = 0; else
  if (i == 1) r = 1; else
  if (i == 2) r = 2; //~ fatal-branch
  return a[i]; //^ ev-3
}

int figure_3b_bad(unsigned i) {
  int r;
  if (i == 0) r = 0; else
  if (i == 1) r = 1; else
  if (i == 2) r = 2; //~ fatal-branch
  return r; //^ ev-0
}

int figure_4a_ok(unsigned n) {
  int i;
  for (i = 0; i < n; i++) {
    /* anything */
  }
  return 42 / n; //^ ev-6
}

int figure_4b_bad(unsigned n) {
  int x = 0;
  int i;
  for (i = 0; i < n; i++) {
    x++;
  }
  return 42 / x; //^ ev-0 //~ evident-error
}

int figure_4c_ok(unsigned n) {
  int i;
  for (i = 0; ; i++) {
    if (i >= n) break;
    /* anything */
  }
  return 42 / n; //^ ev-all
}

int table[10];

// Section 4.4.
int relational_bad(unsigned i) {
  if (i <= 10) //~ boundary-error
    return table[i]; //^ ev-4
  else
    return 0;
}

// Section 4.5, with tests instead of the comment "can handle n1 == 0 as well as n2 == 0".
int average_bad(int sum, unsigned n1, unsigned n2) {
  if (n1 == 0) bar();
  if (n2 == 0) bar();
  return sum / (n1 + n2); //^ ev-1 //~ evident-error
}

// Section 6 and appendix: firestorm's mesg.
#define M_MAX 6

char *mesg_str[] = {"undefined", "critical", "error", "warning", "info", "debug"};
unsigned init_buflen;
int printf(const char *format, ...);

void mesg_bad(unsigned char code, char *buf) {
  if (code > M_MAX)
    code = 0;
  if (!init_buflen) {
    printf("%s: %s\n", mesg_str[code], buf); //^ ev-4 //~ evident-error
    return;
  }
}
