// contradictory-condition: no value makes the condition come out so, whatever fails elsewhere.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct s { int a, b; struct s *next; unsigned f : 3, g : 5; };
void log_error(const char *);
int combine(int, int);

int port_bad(int port) {
  if (port < 1 && port > 65535) { //~ contradictory-condition
    log_error("bad port");
    return -1;
  }
  return port;
}

int two_values_bad(int c) {
  if (c == 'a' && c == 'b') //~ contradictory-condition
    return combine(c, 1);
  return 0;
}

int nested_bad(int x) {
  if (x > 10) {
    if (x < 5) //~ contradictory-condition
      return combine(x, 1);
    x = 10;
  }
  return x;
}

int cascade_bad(int n) {
  if (n >= 0)
    return 1;
  else if (n > 10) //~ contradictory-condition
    return combine(n, 2);
  return 3;
}

int unsigned_bad(unsigned n) {
  if (n < 0) { //~ contradictory-condition
    log_error("negative");
    return -1;
  }
  return combine(n, 1);
}

int narrow_bad(unsigned char c) {
  if (c > 300) //~ contradictory-condition
    return combine(c, 1);
  return c;
}

int signed_char_bad(signed char c) {
  if (c == 0xff) //~ contradictory-condition
    return combine(c, 1);
  return c;
}

int case_bad(unsigned x) {
  switch (x & 6) {
  case 0: return combine(1, 1);
  case 5: return combine(2, 2); //~ contradictory-condition
  case 6: return combine(3, 3);
  }
  return 0;
}

int case_inside_bad(int k) {
  switch (k) {
  case 1:
    if (k == 2) //~ contradictory-condition
      return combine(k, 1);
    return 1;
  case 2: return 5;
  }
  return 0;
}

int field_bad(struct s *p) {
  p->a = 1;
  p->b = 2;
  if (p->a == 2) //~ contradictory-condition
    return combine(p->b, 1);
  return 0;
}

int bit_field_bad(struct s *p) {
  p->f = 5;
  p->g = 2;
  if (p->f == 2) //~ contradictory-condition
    return combine(p->g, 1);
  return 0;
}

int wide_bit_field_bad(struct s *p) {
  if (p->f > 7) //~ contradictory-condition
    return combine(p->g, 1);
  return 0;
}

int copy_bad(int x) {
  int y = x;
  if (x == 3) {
    if (y != 3) //~ contradictory-condition
      return combine(x, y);
    return 1;
  }
  return 0;
}

int fn_structure(struct s *p) {
  struct s copy = *p;
  if (p->a == 7 && copy.a < 7) //~? contradictory-condition
    return combine(copy.b, 1);
  return 0;
}

int masked_bad(unsigned x) {
  if ((x & 4) && !(x & 6)) //~ contradictory-condition
    return combine(x, 1);
  return 0;
}

int even_bad(unsigned x) {
  unsigned twice = x * 2;
  if (twice & 1) //~ contradictory-condition
    return combine(x, 1);
  return 0;
}

int remainder_bad(unsigned x) {
  unsigned column = x % 4;
  if (column == 4) //~ contradictory-condition
    return combine(x, 1);
  return column;
}

int top_bits_bad(uint32_t x) {
  uint32_t nibble = x >> 28;
  if (nibble > 15) //~ contradictory-condition
    return combine(nibble, 1);
  return nibble;
}

int minimum_bad(int a, int b) {
  int least = a < b ? a : b;
  if (least > a) //~ contradictory-condition
    return combine(least, 1);
  return least;
}

int bool_bad(int x) {
  bool set = x;
  if (set == 2) //~ contradictory-condition
    return combine(x, 1);
  return set;
}

int kept_by_loop_bad(const int *values, int n) {
  int i, sum = 0, limit = 100;
  for (i = 0; i < n; i++)
    sum += values[i];
  if (limit != 100) //~ contradictory-condition
    return combine(sum, 1);
  return sum;
}

int after_loop_bad(const int *values, int n) {
  int i, sum = 0;
  for (i = 0; i < n; i++)
    sum += values[i];
  if (i < n) //~ contradictory-condition
    return combine(sum, 1);
  return sum;
}

int returned_bad(struct s *p) {
  if (p == NULL)
    return 0;
  combine(1, 2);
  if (p == NULL) { //~ contradictory-condition
    log_error("no p");
    return -1;
  }
  return p->a;
}

int alternatives_bad(int a, int b) {
  if (a || b)
    return combine(a, b);
  else if (b) //~ contradictory-condition
    return combine(1, b);
  return 0;
}

int jumped_bad(int error) {
  int r = 1;
  if (error)
    goto out;
  r = combine(1, 2);
  if (error) //~ contradictory-condition
    r = combine(r, 3);
out:
  return r;
}

int address_bad(void) {
  int x = 0, *p = &x;
  combine(1, 2);
  if (p == NULL) { //~ contradictory-condition
    log_error("no p");
    return -1;
  }
  return *p;
}

int linear_bad(int x) {
  int y = x + 1;
  if (x >= 0 && x < 100) {
    if (y == 0) //~ contradictory-condition
      return combine(x, y);
    return y;
  }
  return 0;
}

int power_bad(unsigned x) {
  if (x != 0 && (x & (x - 1)) == 0) {
    if (x == 6) //~ contradictory-condition
      return combine(x, 1);
    return 1;
  }
  return 0;
}

int length_bad(const char *text) {
  unsigned n = 0;
  while (text[n])
    n++;
  if (text[n] != 0) //~ contradictory-condition
    return combine(n, 1);
  return n;
}

int unchanged_argument_bad(int mode) {
  if (mode != 1 && mode != 2)
    return -1;
  combine(mode, 0);
  switch (mode) {
  case 1: return combine(1, 1);
  case 2: return combine(2, 2);
  case 3: return combine(3, 3); //~ contradictory-condition
  }
  return 0;
}

// The order of the cascade hides its last test. What follows `else` is code, not a defensive last else.
int hidden_by_cascade_bad(unsigned status) {
  if (status < 200)
    return 1;
  else if (status < 400)
    return 2;
  else if (status >= 400) //~ contradictory-condition
    return 3;
  else if (status >= 500)
    return 4;
  return 5;
}

// An unsigned number is never negative, so the search never fails. Hidden as redundant: behind a cut loop the exit
// has two ways in.
int fn_unsigned_countdown(const int *a, unsigned n) {
  for (unsigned i = n; i >= 0; --i) //~? contradictory-condition
    if (a[i] == 7)
      return 1;
  return 0;
}

// The reason is hard for one solver and easy for the other.
int after_loop_of_two_steps_bad(int n) {
  int i = 0;
  while (i < n) {
    if (n > 100)
      i += 2;
    else
      i++;
  }
  if (i < n) //~ contradictory-condition
    return combine(i, 1);
  return i;
}
