// What several analyses find is one finding, and is seen if one of them would show it.
#include <stddef.h>
#include <stdlib.h>

struct item { int count; char *name; };
int table[10];
int reports;
void report(void) { reports++; }

// Decided in a macro's definition, which `reach` hides; that the path fails whatever comes is to be seen all the same.
#define CLAMP(i) ((i) > 10 ? 10 : (i))
int clamped_bad(unsigned i) {
  return table[CLAMP(i)]; //~ evident-error
}

// Proved by `reach`, and one finding of its.
int tested_bad(struct item *p) {
  if (p == NULL) //~ fatal-branch
    report();
  return p->count;
}

// `reach` takes the test for prudence before a release, and hides what it proves; the test testifies all the same.
void released_bad(struct item *p) {
  if (p != NULL)
    free(p->name);
  p->name = NULL; //~ evident-error
}
