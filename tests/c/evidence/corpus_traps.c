// Paths that programs of the corpus have on paper only. Each was a wrong report.
#include <stddef.h>

struct node { int type; struct node *left, *right; };
struct rule { struct rule *lhs; int number; };
extern int interactive;
int *environment;
int n_environment;
void work(void);
int length(struct node *n);
char *scan(char *from, char *to);

static int length_of(const char *from, const char *to) {
  return to[0] + (int)(to - from);
}

// bash, shell_comment: a pointer that walks through a string does not come to NULL.
int walks_ok(char *line) {
  char *p;
  if (line == NULL)
    return 0;
  for (p = line; p && *p && *p == ' '; p++)
    ;
  return length_of(line, p);
}

// bash, execute_cond_node: the type of a node tells which members it has.
int typed_ok(struct node *n) {
  if (n->left)
    n->left->type |= 4;
  if (n->type == 6)
    return n->left->type;
  return 0;
}

// bash, maybe_make_export_env: an array and its size.
int sized_ok(int size) {
  if (environment)
    work();
  if (size <= n_environment)
    return environment[0];
  return 0;
}

// bash, extglob_skipname: the loop is always entered where that is read.
int entered_ok(char *pattern, char *end) {
  int r;
  char *p = pattern, *t;
  while ((t = scan(p, end))) {
    r = *t;
    if (r == 0)
      return r;
    p = t;
  }
  if (p == end)
    return r;
  return 0;
}

// bison, rule_print: what a callee finds in memory when it fails.
static int print(const struct rule *r, const struct rule *before) {
  if (before != r->lhs)
    return r->number;
  return before->number;
}
int prints_ok(const struct rule *r, const struct rule *before) {
  return print(r, before ? before->lhs : NULL);
}

// bash, shell_expand_word_list: what earlier rounds of the loop have seen.
int expands_ok(struct node *list) {
  struct node *command = NULL;
  int sum = 0;
  for (; list; list = list->right) {
    if (command == NULL && list->type == 1)
      command = list;
    if (list->type == 2)
      sum += command->type;
  }
  return sum;
}
