/* Assertions: what they say is no news, and neither is a second line of defence for builds without them. */
#include <assert.h>
#include <stddef.h>

struct chain { struct chain *next; unsigned off; unsigned len; };
extern const char *const names[7];

int second_defence_ok(const int *p) {
  assert(p);
  if (!p) return -1;
  return *p;
}

int own_condition_ok(const int *a, const int *b) {
  assert((a && b) || a == b);
  return a != b;
}

int found_by_search_ok(struct chain *c, struct chain *wanted) {
  int level = 0;
  while (c && c != wanted) {
    level++;
    c = c->next;
  }
  assert(c && c == wanted);
  return level;
}

/* The assertion is met by every run; the branch before it says that it may fail. */
int counted_then_asserted_bad(int n) {
  int many = 0;
  if (n < 0) many = 1; //~ fatal-branch
  assert(n >= 0);
  return n + many;
}

/* Two ways into one loop that never ends are one finding. */
unsigned waste_bad(struct chain *chain) {
  unsigned sum = 0;
  while (chain && chain->off) {
    sum += chain->len;
    chain = chain->next;
  }
  while (chain) { //~ endless
    sum += chain->len;
  }
  return sum;
}

int negative_index_bad(int t) {
  const char *name = names[t];
  if (t != -2) return name[0]; //~ checked-too-late
  return 5;
}
