// Branch edges that no run which ends well can take, marked on the line of the condition.
#include <stdlib.h>

struct s { int a, b; struct s *next; unsigned f : 3, g : 5; };
void unknown(void);
int global;

int late_check_bad(struct s *p) {
  int x = p->a;
  if (!p) //~ if true
    return 0;
  return x;
}

int fatal_bad(struct s *p, int n) {
  if (n > 3 && !p) //~ if true
    n = p->b;
  return n;
}

int exclusive_bad(int port) {
  if (port < 1 && port > 65535) //~ if true
    return -1;
  return port;
}

int division_bad(int n, int d) {
  int q = n / d;
  if (d == 0) //~ if true
    q = 0;
  return q;
}

int remembered_bad(struct s *p) {
  p->a = 1;
  p->b = 2;
  if (p->a == 1) //~ if false
    return 1;
  return 0;
}

int bounds_bad(int i) {
  static int table[8];
  int x = table[i];
  if (i >= 8) //~ if true
    return 0;
  return x;
}

unsigned masked_bad(unsigned x) {
  unsigned low = x & 7;
  switch (low) {
  case 3: return 1;
  case 9: return 2; //~ switch case
  }
  return 0;
}

int asserted_bad(int x) {
  if (x == 5) //~ if true
    abort();
  return x;
}

int bit_fields_bad(struct s *p) {
  p->f = 5;
  p->g = 2;
  if (p->f == 5) //~ if false
    return 1;
  return 0;
}
