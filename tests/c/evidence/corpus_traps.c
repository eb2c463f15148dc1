// Paths that programs of the corpus have on paper only. Each was a wrong report.
#include <stddef.h>
#include <string.h>

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

/* What a call says of an object and what the object holds go together: strlen gives 0 for the empty string only. */
char *reserve(unsigned long size);

int asked_and_looked_ok(const char *rep) {
    unsigned long length = strlen(rep);
    char *copy = NULL;
    int n = 0;
    if (length != 0)
        copy = reserve(length);
    if (*rep != 0)
        copy[n++] = *rep;
    return n;
}

/* Everybody knows what strcmp says of these but us. */
int settled_ok(const char *secret) {
    const char *kind = secret == NULL ? "none" : "crypt";
    if (strcmp(kind, "crypt") == 0)
        return secret[0];
    return 0;
}

/* Two members that come and go together. */
struct pair { int *first; int *second; };

static int sum(struct pair *p) { return *p->first + *p->second; }

int members_ok(struct pair *p, int *other) {
    int *first = p->first, *second = p->second;
    if (first != NULL && other != NULL && *first > *other)
        return 1;
    if (second != NULL)
        return sum(p);
    return 0;
}

/* The callee chooses between two pointers: that one is NULL says nothing of the other. */
struct session { int level; };
struct context { int level; };

static int level_of(struct session *s, struct context *c) {
    if (s != NULL)
        return s->level;
    return c->level;
}

int level_of_session_ok(struct session *s) { return level_of(s, NULL); }
int level_of_context_ok(struct context *c) { return level_of(NULL, c); }

/* A count is not negative. */
struct sorter { int n_tasks; int **tasks; };

int last_of_ok(struct sorter *s) {
    int n = s->n_tasks - 1, i;
    int *task = NULL;
    for (i = 0; i < n; i++) {
        task = s->tasks[i];
        if (task[1] == 0)
            break;
    }
    if (i == n)
        return 0;
    return *task;
}

/* The same question twice, with one answer. */
struct stack;
int count_of(const struct stack *s);
int *element_of(const struct stack *s, int i);

int asked_twice_ok(const struct stack *s) {
    int *last = NULL;
    if (count_of(s) <= 0)
        return 0;
    for (int i = 0; i < count_of(s); i++)
        last = element_of(s, i);
    return *last;
}
