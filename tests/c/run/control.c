// Control flow: every kind of jump, nested and crossed.
#include <stdio.h>

static int trace(int x) { printf("[%d]", x); return x; }

static int duff(int n) {
  int count = 0, turns = (n + 3) / 4;
  switch (n % 4) {
  case 0: do { count++;
  case 3:      count++;
  case 2:      count++;
  case 1:      count++;
          } while (--turns > 0);
  }
  return count;
}

static int ranges(int c) {
  switch (c) {
  case 'a' ... 'f': return 10 + c - 'a';
  case '0' ... '9': return c - '0';
  case -5 ... -1: return 100;
  default: return -1;
  }
}

static int missing_default(unsigned char c) {
  int r = 7;
  switch (c) {
  case 255: r = 1;
  case 1: r += 2; break;
  case 2: { int r2 = 5; r = r2; }
  }
  return r;
}

static int gotos(int n) {
  int i = 0, s = 0;
again:
  if (i >= n) goto out;
  for (;; i++) {
    if (i % 3 == 2) { i++; goto again; }
    s += i;
    if (s > 40) break;
  }
  s = -s;
out:
  return s;
}

static int loops(void) {
  int i, j, s = 0;
  for (i = 0; i < 5; i++) {
    if (i == 1) continue;
    j = 0;
    while (1) { if (++j > i) break; if (j == 2) continue; s += j * 10 + i; }
    do { s++; if (s % 7 == 0) continue; s += 2; } while (s % 5 != 0);
  }
  return s;
}

static int short_circuit(int a, int b) {
  int r = 0;
  if (trace(a) && trace(b)) r |= 1;
  if (trace(a) || trace(b)) r |= 2;
  if (!(a && !b) || (b, a)) r |= 4;
  r |= (a || b) << 3;
  r |= (a && b) << 4;
  a && (r += 100);
  b || (r += 1000);
  return r;
}

static int gnu(int x) {
  int y = trace(x) ?: 42;
  int z = ({ int t = y; if (t > 5) t--; t; });
  return y * 1000 + z + (x ? x > 3 ? 1 : 2 : 3);
}

static int nested_switch(int a, int b) {
  switch (a) {
  case 1:
    switch (b) { case 1: return 11; case 2: break; default: return 19; }
    return 12;
  case 2:
    while (b-- > 0) { if (b == 3) break; }
    return 20 + b;
  }
  return 0;
}

static int late_default(int x) {
  int r = 0;
  switch (x) { default: r = 50; case 1: r++; break; case 2: r = 9; }
  return r;
}

int main(void) {
  for (int n = 1; n < 10; n++) printf("%d ", duff(n));
  printf("%d %d %d %d\n", ranges('c'), ranges('7'), ranges(-3), ranges('z'));
  printf("%d %d %d %d\n", missing_default(255), missing_default(1), missing_default(2), missing_default(9));
  printf("%d %d %d\n", gotos(4), gotos(100), loops());
  for (int i = 0; i < 4; i++) printf("%d\n", short_circuit(i & 1, i >> 1));
  printf("%d", gnu(0)); printf(" %d\n", gnu(9));
  printf("%d %d %d %d %d\n", nested_switch(1, 1), nested_switch(1, 2), nested_switch(1, 7), nested_switch(2, 6), nested_switch(3, 0));
  printf("%d %d %d\n", late_default(1), late_default(2), late_default(3));
  return loops() & 0x7f;
}
