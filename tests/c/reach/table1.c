// The small examples of the paper's Table 1, of which it gives the names: one contradiction each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *prev, *next; int value; };
struct list { struct node *first, *last; };

// bsearch: the halves are swapped, so the callee's precondition is broken. The paper's own version ends in
// `else if(a[mid] > n)`, whose missing last else is the "trivial" dead code of the table: not shown here.
/*@ requires beg <= end; */
int bsearch_bad(int a[], int n, int beg, int end) {
  int mid = (beg + end) / 2;
  if (end - beg < 2)
    return -1;
  if (a[mid] == n) {
    return mid;
  } else if (a[mid] < n) { //~ fatal-branch
    return bsearch_bad(a, n, mid, end);
  } else if (a[mid] > n) {
    return bsearch_bad(a, n, mid, beg);
  }
  return -1;
}

// dblfree: the error path frees what the common end frees again.
int dblfree_bad(FILE *in) {
  int result = 0;
  char *line = malloc(256);
  if (!line)
    return -1;
  if (!fgets(line, 256, in)) { //~ fatal-branch
    free(line);
    result = -1;
  }
  free(line);
  return result;
}

// list: the successor is used, and only then asked for.
void list_bad(struct list *list, struct node *node) {
  if (node->prev)
    node->prev->next = node->next;
  else
    list->first = node->next;
  node->next->prev = node->prev;
  if (node->next == NULL) //~ checked-too-late
    list->last = node->prev;
}

// oom: out of memory, and the missing block is written.
struct node *oom_bad(int value) {
  struct node *node = malloc(sizeof *node);
  if (node == NULL) { //~ fatal-branch
    node->value = -1;
    return NULL;
  }
  node->prev = node->next = NULL;
  node->value = value;
  return node;
}

// overflow: Figure 5 with an array of constant size.
void overflow_bad(void) {
  int table[16];
  int i;
  for (i = 0; i <= 16; i++) //~ boundary-error
    table[i] = 0;
}

// unstructured: the jump goes where the pointer is used.
int unstructured_bad(struct node *node, int depth) {
  int result = 0;
  if (node == NULL) //~ fatal-branch
    goto unlock;
  if (depth == 0)
    goto done;
  result = node->value;
done:
  return result;
unlock:
  result = node->next->value;
  goto done;
}

// useafterfree: the message comes too late.
int useafterfree_bad(struct node *node, int keep) {
  if (!keep) { //~ fatal-branch
    free(node);
  }
  printf("value %d\n", node->value);
  return keep;
}
