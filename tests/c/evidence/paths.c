// Within one function: what testifies, and what a path is.
#include <stdlib.h>

struct node { struct node *next; int value; };
int table[8];
int rank(int);
void report(int);

// The test comes first, and the use does not heed it.
int use_bad(struct node *n, int level) {
  int value = 0;
  if (n != NULL)
    value = n->value;
  if (level > 3)
    return n->value + value; //~ evident-error
  return 0;
}

// Each of two tests is needed.
int both_bad(int level, int depth) {
  if (level == 7)
    report(level);
  if (depth == 1)
    report(depth);
  return table[level + depth]; //~ evident-error
}

// The result of a call, tested and then used all the same.
int result_bad(int key) {
  int r = rank(key);
  if (r == 0)
    report(key);
  if (key > 10)
    return 100 / r; //~ evident-error
  return 1;
}

// Found in no iteration.
int search_bad(struct node *list, int value) {
  struct node *found = NULL;
  for (struct node *n = list; n; n = n->next)
    if (n->value == value)
      found = n;
  return found->value; //~ evident-error
}

// A limit that is let through.
int limit_bad(int i, int quiet) {
  if (i < 0 || i > 8)
    return -1;
  if (!quiet)
    return table[i]; //~ evident-error
  return 0;
}

// A case that assigns nothing.
int cases_bad(int kind, int level) {
  int size;
  switch (kind) {
  case 1: size = 4; break;
  case 2: size = 8; break;
  case 3: report(kind); break;
  default: return 0;
  }
  if (level)
    return size; //~ evident-error
  return 1;
}

// An assertion that a test contradicts is a finding of the class assertion-only, which is hidden.
int asserts_ok(int n, int level) {
  if (n == 0)
    report(n);
  if (level > 1) {
    if (n == 0)
      abort();
    return 100 / n;
  }
  return 0;
}
