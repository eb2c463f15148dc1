/* Every statement of C and GNU C; counted against clang's own dump, so nothing here may be folded away. */
int printf(const char *, ...);
extern int outside;
static int counter = 3;

int loops(int n) {
  int total = 0;
  for (int i = 0; i < n; i++) total += i;
  for (;;) { if (total++ > 3) break; }
  for (; total < 10;) total++;
  while (n--) { if (n == 5) continue; total ^= n; }
  do total--; while (total > 0);
  return total;
}

int jumps(int n) {
  void *where = &&first;
  switch (n) {
  case 1: case 2 ... 5: n++; __attribute__((fallthrough));
  default: { case 'z': n = 0; }
  }
  goto *where;
first:
  if (n) goto second; else ;
  n = 1;
second:
  return n;
}

/* Duff's device */
void copy(char *to, char *from, int count) {
  int n = (count + 7) / 8;
  switch (count % 8) {
  case 0: do { *to = *from++;
  case 7: *to = *from++;
  case 6: *to = *from++;
  case 1: *to = *from++;
          } while (--n > 0);
  }
}

int assembly(int x) {
  __asm__ volatile("addl %1,%0" : "+r"(x) : "ir"(5) : "memory", "cc");
  __asm__ goto("jmp %l0" : : : : out);
  x++;
out:
  return x;
}

int empty(void) { ; ; {} return counter + outside; }
