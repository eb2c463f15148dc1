// Does a store meet a later load through another pointer (papers/evidence-based-analysis, section 5)? Marks with ^ name the
// column of its Table 1 from which on the line is reported; those with ~ are for the default.
#include <stddef.h>

struct pair { int first, second; };
struct list { struct list *next; int count; };

// The very declaration of two parameters says that they do not always point to the same place.
int two_parameters_bad(int *p, int *q) {
  if (*p == 0) {
    *q = 1;
    return 10 / *p; //^ ev-7 //~ evident-error
  }
  return 0;
}

// Members of two records, likewise.
int two_records_bad(struct pair *a, struct pair *b, int n) {
  a->second = 0;
  b->second = n;
  return 10 / a->second; //^ ev-7 //~ evident-error
}

// One place only under a setting that lets both outcomes testify.
int one_place_ok(int *p, int *q) {
  *p = 5;
  *q = 0;
  return 10 / *p; //^ ev-7
}

// What was loaded is no parameter: nothing says by default whether the two meet.
int loaded_ok(struct list *l, struct list *m) {
  if (l->next->count == 0) {
    m->next->count = 1;
    return 10 / l->next->count; //^ ev-7
  }
  return 0;
}

// Whether they meet makes no difference: no evidence is needed.
int both_ways_bad(int *p, int *q) {
  *p = 0;
  *q = 0;
  return 10 / *p; //^ ev-0 //~ evident-error
}

// One or zero: the value read is the question itself.
int flags_bad(int *p, int *q) {
  *p = 0;
  *q = 1;
  return 10 / *p; //^ ev-7 //~ evident-error
}
