// Evidence across calls (papers/evidence-based-analysis, sections 4.6 and 5). Marks as in figures.c,
// up to ev-9: in ev-all the callee itself is to blame for whatever is possible.
#include <stddef.h>
#include <stdio.h>
#include <sys/time.h>

int bar(void);

// Section 4.6, with tests instead of the comments "can handle n1 == 0" and "can handle n2 == 0".
int average2_ok(int sum, unsigned n1, unsigned n2) {
  if (n2 == 0) bar();
  return sum / (n1 + n2);
}

int average1_ok(int sum, unsigned n1, unsigned n2) {
  if (n1 == 0) bar();
  return average2_ok(sum, n1, n2); //^ ev-9
}

// Here the caller is prepared for both.
int average0_bad(int sum, unsigned n1, unsigned n2) {
  if (n1 == 0) bar();
  if (n2 == 0) bar();
  return average2_ok(sum, n1, n2); //^ ev-1 //~ evident-error
}

// Section 6 and appendix: firestorm's mesg and mesg_initlog, without `vsnprintf`, whose format may hold a %n.
#define M_MAX 6

char *mesg_str[] = {"undefined", "critical", "error", "warning", "info", "debug"};
static unsigned init_buflen = 100;
static char *init_buf_p;

void mesg_initlog(struct timeval *tv, int code, char *buf) {
  int ret;
  if (!init_buflen) {
    printf("warning: internal message buffer overflow\n");
    return;
  }
  ret = snprintf(init_buf_p, init_buflen, "%.8lu.%6lu %s: %s\n", tv->tv_sec, tv->tv_usec, mesg_str[code], buf);
  init_buf_p += ret;
  if (ret > init_buflen) {
    init_buflen = 0;
  } else {
    init_buflen -= ret;
  }
}

void mesg_bad(unsigned char code, char *buf) {
  struct timeval tv;

  if (code > M_MAX)
    code = 0;

  gettimeofday(&tv, NULL);

  if (!init_buflen) {
    printf("%.8lu%.6lu %s: %s\n", tv.tv_sec, tv.tv_usec, mesg_str[code], buf); //^ ev-4 //~ evident-error
    fflush(stdout);
    return;
  } else {
    mesg_initlog(&tv, code, buf); //^ ev-4 //~ evident-error
  }
}

// The callee's own test has only to be possible, but nothing implies it (section 4.6, and the columns of Table 1).
void mesg_without_test_bad(unsigned char code, char *buf) {
  struct timeval tv;
  if (code > M_MAX)
    code = 0;
  gettimeofday(&tv, NULL);
  mesg_initlog(&tv, code, buf); //^ ev-8 //~ evident-error
}

// What was probably meant.
void mesg_repaired_ok(unsigned char code, char *buf) {
  struct timeval tv;
  if (code >= M_MAX)
    code = 0;
  gettimeofday(&tv, NULL);
  mesg_initlog(&tv, code, buf);
}

// The caller passes what it tests; the callee leaves it to the caller.
static int length(const char *s) {
  int n = 0;
  while (s[n]) n++;
  return n;
}

int tested_before_bad(const char *s) {
  if (s == NULL) bar();
  return length(s); //~ evident-error
}

int not_tested_ok(const char *s) {
  return length(s);
}

int tested_and_left_ok(const char *s) {
  if (s == NULL) return 0;
  return length(s);
}

// Two calls deep: the error is where the evidence is.
static int share(int whole, int parts) { return whole / parts; }

static int half_share(int whole, int parts) { return share(whole, parts) / 2; }

int deep_bad(int whole, int parts) {
  if (parts == 0) bar();
  return half_share(whole, parts); //~ evident-error
}

int above_ok(int whole, int parts) {
  if (parts == 0) bar();
  return deep_bad(whole, parts);
}

// A constant needs no evidence.
int constant_bad(int whole) {
  return share(whole, 0); //~ fatal-branch
}

int constant_ok(int whole) {
  return share(whole, 3);
}

// What the callee tests itself is no demand.
static int guarded(int whole, int parts) {
  if (parts == 0) return 0;
  return whole / parts;
}

int guarded_ok(int whole, int parts) {
  if (parts == 0) bar();
  return guarded(whole, parts);
}

// The callee has the evidence itself, so it is to blame, and its caller is not.
static int to_blame_bad(int *p) {
  if (!p) bar();
  return *p; //~ evident-error
}

int not_to_blame_ok(int *p) {
  if (p == NULL) bar();
  return to_blame_bad(p);
}
