/* Beliefs that contradict each other, one function for each way they do. */

#include <stdio.h>
#include <stdlib.h>

struct item { int count; struct item *next; char *name; };
struct owner { struct item *item; int kind; int flags; };

int other(void);
int asked(int question);
void work(void);
struct item *lookup(int key);

/* Example 3 of the paper: an alias, tested; the other name, not. */
int alias_bad(struct item *a) {
    struct item *x = a;
    int n = 0;
    if (x)
        n = x->count;
    if (other())
        n += a->count; //~ inconsistent-null
    return n;
}

/* Example 10: the test is kept in a flag. */
int flag_bad(struct item *p) {
    int is_there = p != NULL;
    struct item *q = p;
    int n = 0;
    if (is_there)
        n = p->count;
    if (other())
        n += q->count; //~ inconsistent-null
    return n;
}

/* Example 4: no common source, the same values under the same conditions. */
int no_common_source_bad(int a, struct item *s) {
    struct item *x = NULL, *y = NULL;
    if (a == 1)
        x = s;
    if (a == 1)
        y = s;
    int n = 0;
    if (y)
        n = y->count;
    if (other())
        n += x->count; //~ inconsistent-null
    return n;
}

/* The OpenSSL example of section 6: the two ways exclude each other. */
int exclusive_bad(struct owner *o, int key) {
    struct item *h = lookup(key);
    if (h != NULL) {
        if (!o->item)
            return -1;
        return o->item->count + h->count;
    } else {
        return o->item->count; //~ inconsistent-null
    }
}

/* The Linux example of section 6 within one function: through members and copies. */
int through_members_bad(struct owner *o) {
    struct item *first = o->item;
    int n = 0;
    if (o->item != NULL)
        n = o->item->count;
    if (other())
        n += first->count; //~ inconsistent-null
    return n;
}

/* Used first, on some runs, and tested later. */
int used_before_bad(struct item *p) {
    int n = 0;
    if (other())
        n = p->count; //~ inconsistent-null
    if (p)
        n += p->count;
    return n;
}

/* array[0] and head. */
int head_bad(struct item **list) {
    struct item *head = list[0];
    int n = 0, is_asked = other();
    head = list[0];
    if (head)
        n = head->count;
    if (is_asked)
        n += list[0]->count; //~ inconsistent-null
    return n;
}

/* The same element by an index, by a pointer that was moved to it, and by its address. */
int element_bad(struct item **list) {
    struct item **second = list + 1;
    int i = 1, n = 0, is_asked = other();
    if (list[i])
        n = list[1]->count;
    if (is_asked)
        n += (*second)->count; //~ inconsistent-null
    return n;
}

/* A member of an object behind two names of it. */
int nested_bad(struct owner **all) {
    int n = 0, is_asked = other();
    struct owner *o = all[0];
    struct item **place = &o->item;
    if (*place)
        n = (*all)->item->count;
    if (is_asked)
        n += o->item->count; //~ inconsistent-null
    return n;
}

/* A generic pointer and its copy with a type. */
int void_copy_bad(void *data) {
    struct item *p = data;
    int n = 0;
    if (data)
        n = p->count;
    if (other())
        n += ((struct item *)data)->count; //~ inconsistent-null
    return n;
}

/* A function pointer. */
int callback_bad(int (*call)(int)) {
    int n = 0;
    if (call)
        n = call(1);
    if (other())
        n += call(2); //~ inconsistent-null
    return n;
}

/* Divisors. */
int divisor_bad(int total, int parts) {
    int n = 0;
    if (parts != 0)
        n = total / parts;
    if (other())
        n += total % parts; //~ inconsistent-zero
    return n;
}

int positive_divisor_bad(int total, int parts) {
    int n = 0;
    if (parts > 0)
        n = total / parts;
    if (other())
        n += total / parts; //~ inconsistent-zero
    return n;
}

/* Example 6: the callee's check can fail, the caller tests. */
static int count_if(struct item *y, int deep) {
    if (deep)
        return y->count;
    return 0;
}

int callee_bad(struct item *x) {
    int n = 0;
    if (x)
        n = x->count;
    if (other())
        n += count_if(x, 1); //~ inconsistent-null
    return n;
}

/* The same through a chain of calls. */
static int deeper(struct item *z, int deep) {
    work();
    return count_if(z, deep);
}

int chain_bad(struct item *x) {
    int n = 0;
    if (x)
        n = x->count;
    if (other())
        n += deeper(x, 2); //~ inconsistent-null
    return n;
}

/* Definition 3: NULL is assigned and comes to a use. */
int source_bad(int key) {
    struct item *p = NULL;
    if (asked(key))
        p = lookup(key);
    if (other())
        return p->count; //~ null-source
    return 0;
}

/* Nearly all test what comes back. */
struct item *find_item(struct item *list, int count) {
    for (; list; list = list->next)
        if (list->count == count)
            return list;
    return NULL;
}

int habit1_ok(struct item *l) { struct item *p = find_item(l, 1); return p ? p->count : 0; }
int habit2_ok(struct item *l) { struct item *p = find_item(l, 2); return p ? p->count : 0; }
int habit3_ok(struct item *l) { struct item *p = find_item(l, 3); return p ? p->count : 0; }
int habit4_ok(struct item *l) { struct item *p = find_item(l, 4); return p ? p->count : 0; }
int habit5_ok(struct item *l) { struct item *p = find_item(l, 5); return p ? p->count : 0; }
int habit6_ok(struct item *l) { struct item *p = find_item(l, 6); return p ? p->count : 0; }
int habit7_ok(struct item *l) { struct item *p = find_item(l, 7); return p ? p->count : 0; }
int habit8_ok(struct item *l) { struct item *p = find_item(l, 8); return p ? p->count : 0; }
int habit9_ok(struct item *l) { struct item *p = find_item(l, 9); return p ? p->count : 0; }

int unchecked_bad(struct item *l) {
    struct item *p = find_item(l, 10);
    return p->count; //~ unchecked-result
}

/* More than words: what is found is counted, too. */
int said_and_counted_bad(struct item *p) {
    int n = 0;
    if (p) {
        printf("%d\n", p->count);
        n = p->count;
    }
    if (other())
        n += p->count; //~ inconsistent-null
    return n;
}

/* NULL that is stored in memory, and read from there. */
int memory_source_bad(struct owner *o) {
    int drop = asked(1), look = other();
    if (drop)
        o->item = NULL;
    if (look)
        return o->item->count; //~ null-source
    return 0;
}

/* A callee surely stores NULL. */
static void forget(struct item **p) {
    *p = NULL;
}

int callee_source_bad(struct item *x) {
    struct item *p = x;
    int drop = asked(1), look = other();
    if (drop)
        forget(&p);
    if (look)
        return p->count; //~ null-source
    return 0;
}

/* A callee surely stores NULL into a member. */
static void empty(struct owner *o) {
    free(o->item);
    o->item = NULL;
}

int callee_member_source_bad(struct owner *o) {
    int drop = asked(1), look = other();
    if (drop)
        empty(o);
    if (look)
        return o->item->count; //~ null-source
    return 0;
}

/* Freed, and used; and freed again by another name. */
int freed_bad(struct item *p, int key) {
    if (asked(key))
        free(p);
    if (other())
        return p->count; //~ use-after-free
    return 0;
}

void freed_twice_bad(struct owner *o, int key) {
    int is_done = asked(key);
    struct item *old = o->item;
    if (is_done)
        free(old);
    free(o->item); //~ use-after-free
}

/* What `reach` proves as well is one finding, of both. */
int proved_bad(struct item *p) {
    int n = 0;
    if (p) //~ fatal-branch
        n = p->count;
    return n + p->count;
}
