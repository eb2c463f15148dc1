/* Nothing here contradicts itself, although it looks a little like it. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { int count; struct item *next; char *name; };
struct owner { struct item *item; int n_items; int kind; int flags; };

int other(void);
void work(void);
void die(const char *why);
void change(struct item **p);
struct item *make(void);
int is_good(struct item *p);
extern struct item *current;
extern int have_current;

/* Assigned between the test and the use. */
int reassigned_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    else
        p = &(struct item){1};
    if (other())
        n += p->count;
    return n;
}

int set_by_callee_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    change(&p);
    if (other())
        n += p->count;
    return n;
}

/* The other variable says that the pointer is there. */
int correlated_arguments_ok(char *buffer, int length) {
    if (buffer)
        buffer[0] = 0;
    if (length > 0)
        return buffer[length - 1];
    return 0;
}

int correlated_members_ok(struct owner *o) {
    int n = 0;
    if (o->item)
        n = o->item->count;
    if (o->n_items > 0)
        n += o->item->count;
    return n;
}

int correlated_globals_ok(void) {
    int n = 0;
    if (current)
        n = current->count;
    if (have_current)
        n += current->count;
    return n;
}

int local_flag_ok(struct item *p) {
    int is_there = 0, n = 0;
    if (p) {
        n = p->count;
        is_there = 1;
    }
    if (other() && is_there)
        n += p->count;
    return n;
}

/* The kind of a thing says what it has. */
int kinds_ok(struct owner *o) {
    switch (o->kind) {
    case 1:
        return o->item->count;
    case 2:
        return o->item ? o->item->count : 0;
    default:
        return 0;
    }
}

int options_ok(int option, char *argument) {
    switch (option) {
    case 'f':
        return atoi(argument);
    case 'g':
        if (argument)
            return (int)strlen(argument);
        break;
    }
    return 0;
}

int kinds_by_if_ok(struct owner *o) {
    if (o->kind == 1)
        return o->item->count;
    else if (o->item)
        return o->item->next != NULL ? o->item->count : 1;
    return 0;
}

/* A callee that was asked about the pointer. */
int asked_ok(struct item *p) {
    int n = 0;
    if (p && p->count > 3)
        n = p->count;
    else if (is_good(p))
        n = p->count + 1;
    return n;
}

/* Whoever does not come back. */
int dies_ok(struct item *p) {
    int n = 0;
    if (other())
        n = 1;
    if (!p)
        die("no item");
    if (other())
        n += p->count;
    return n;
}

int exits_ok(struct item *p) {
    if (!p) {
        work();
        exit(1);
    }
    if (other())
        return p->count;
    return 0;
}

/* Already dereferenced: that is the belief, and the test below is `reach`'s. */
int dereferenced_before_ok(struct item *p, struct item *q) {
    int n = p->count;
    if (q)
        n += q->count;
    if (other())
        n += p->count;
    return n;
}

/* Assertions say that it is there. */
int asserted_ok(struct item *p) {
    int n = 0;
    if (other())
        n = p->count;
    assert(p != NULL);
    return n + p->count;
}

/* Loops run until there is nothing left. */
int loop_ok(struct item *list) {
    int n = 0;
    while (list) {
        n += list->count;
        list = list->next;
    }
    return n;
}

int loop_sets_flag_ok(struct item *p, int many) {
    int is_there = 0, n = 0;
    for (int i = 0; i < many; i++)
        if (p && p->count == i)
            is_there = 1;
    if (p)
        n = p->count;
    if (is_there)
        n += p->count;
    return n;
}

int search_ok(struct item *list, int count) {
    struct item *p;
    for (p = list; p; p = p->next)
        if (p->count == count)
            break;
    return p->count;
}

/* Example 7 of the paper: a defensive callee. */
static int careful(struct item *y) {
    if (y)
        return y->count;
    return 0;
}

int defensive_callee_ok(struct item *x) {
    int n = careful(x);
    if (other())
        n += x->count;
    return n;
}

/* A macro is a callee. */
#define COUNT_OF(p) ((p) ? (p)->count : 0)
#define MAYBE(p) (other() ? (p) : NULL)

int null_in_macro_ok(struct item *x) {
    struct item *p = MAYBE(x);
    if (other())
        return p->count;
    return 0;
}

int macro_of_variable_ok(struct item *x) {
    int n = 0;
    for (int i = 0; i < x->count; i++)
        n += COUNT_OF(x);
    return n;
}

int macro_ok(struct item *x) {
    int n = COUNT_OF(x);
    if (other())
        n += x->count;
    return n;
}

/* Example 9: the callee fails only with another argument. */
static int sometimes(struct item *y, int deep) {
    if (deep)
        return y->count;
    return 0;
}

int cannot_fail_here_ok(struct item *x) {
    int n = 0;
    if (x)
        n = x->count;
    if (other())
        n += sometimes(x, 0);
    return n;
}

int correlated_call_ok(struct item *x) {
    int n = 0;
    if (x)
        n = x->count;
    if (other())
        n += sometimes(x, x != NULL);
    return n;
}

/* A length that is zero where there is nothing. */
static void put(char *to, const char *from, size_t length) {
    if (length != 0)
        memcpy(to, from, length);
}

static void put_text(char *to, const char *text) {
    put(to, text, text == NULL ? 0 : strlen(text));
}

void put_both_ok(char *to, const char *text) {
    if (text != NULL)
        to[0] = text[0];
    if (other())
        put_text(to, text);
}

/* The alias is broken by a write. */
int broken_alias_ok(struct owner *o, struct item *fresh) {
    struct item *old = o->item;
    int n = 0;
    if (old)
        n = old->count;
    if (!fresh)
        return n;
    o->item = fresh;
    if (other())
        n += o->item->count;
    return n;
}

int written_through_unknown_ok(struct owner *o, struct item **any) {
    int n = 0;
    if (o->item)
        n = o->item->count;
    *any = make();
    if (other())
        n += o->item->count;
    return n;
}

int changed_by_call_ok(struct owner *o) {
    int n = 0;
    if (o->item)
        n = o->item->count;
    work();
    if (other())
        n += o->item->count;
    return n;
}

/* Where NULL is found, something else decides as well. */
int compound_ok(const char *phrase, const char *how) {
    if ((phrase == NULL || strlen(phrase) == 0) && strcmp(how, "none") != 0)
        return -1;
    if (strcmp(how, "secret") == 0)
        return (int)strlen(phrase);
    return 0;
}

/* A flag that is set only where the pointer was given away says nothing of the pointer. */
int reference_is_good(const char *text);

int flag_of_call_ok(const char *text) {
    int is_good = 0;
    if (reference_is_good(text))
        is_good = text[0];
    if (is_good)
        return text[1];
    return 0;
}

/* NULL is given to a callee on purpose. */
static int compare(struct item *a, struct item *b) {
    if (a != b)
        return 0;
    return b->count;
}

int compare_with_none_ok(struct item *p, struct item *q) {
    return compare(p, q ? q->next : NULL);
}

/* A label that several ways lead to. */
int label_ok(struct item *p) {
    int n = 0;
    if (!p)
        goto out;
    n = p->count;
    if (other())
        goto more;
    goto out;
more:
    n += p->count;
out:
    return n;
}

int cleanup_ok(struct owner *o) {
    struct item *p = NULL;
    int n = -1;
    if (!o)
        goto done;
    p = make();
    if (!p)
        goto done;
    n = p->count;
done:
    if (p)
        free(p);
    return n;
}

/* Tested only to let it go. */
int release_ok(FILE *f) {
    int c = 0;
    if (other())
        c = fgetc(f);
    if (f)
        fclose(f);
    return c;
}

/* The condition of the assignment is the condition of the use. */
int same_condition_ok(int mode) {
    struct item *p = NULL;
    if (mode & 1)
        p = &(struct item){2};
    work();
    if (mode & 1)
        return p->count;
    return 0;
}

int correlated_source_ok(int a, int b) {
    struct item *p = NULL;
    if (a)
        p = make();
    if (b)
        return p->count;
    return 0;
}

int replaced_null_ok(struct item *p) {
    if (p == NULL)
        p = make();
    if (other())
        return p->count;
    return 0;
}

int conditional_ok(struct item *p, struct item *standard) {
    struct item *q = p ? p : standard;
    if (other())
        return q->count;
    return 0;
}

/* `n` is zero if `parts` is. */
int product_ok(unsigned total, unsigned parts) {
    unsigned n = total * parts;
    if (parts && n / parts != total)
        return -1;
    return n ? (int)(n / parts) : 0;
}

int divisor_replaced_ok(int total, int parts) {
    if (parts == 0)
        parts = 1;
    if (other())
        return total / parts;
    return 0;
}

/* No access happens. */
int *address_ok(struct item *p) {
    if (p && p->count)
        return NULL;
    return &p->count;
}

int size_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    if (other())
        n += (int)sizeof p->count;
    return n;
}

/* Both are tested, in other words. */
int both_ways_ok(struct item *p) {
    int n = 0;
    if (p != NULL && other())
        n = p->count;
    if (!p || other())
        return n;
    return n + p->count;
}

/* The caller of one habit is no habit. */
int unknown_habit_ok(void) {
    struct item *p = make();
    return p->count;
}

/* Asked twice: the second result is that of the first. */
int asked_twice_ok(const char *s) {
    if (strchr(s, ':'))
        return strchr(s, ':')[1];
    return 0;
}

/* A habit: nine calls whose result is tested. */
#define TESTED(name, params, call) int name params { struct item *p = call; return p ? p->count : 0; }
#define NINE_TESTED(name, params, call) \
    TESTED(name##1_ok, params, call) TESTED(name##2_ok, params, call) TESTED(name##3_ok, params, call) \
    TESTED(name##4_ok, params, call) TESTED(name##5_ok, params, call) TESTED(name##6_ok, params, call) \
    TESTED(name##7_ok, params, call) TESTED(name##8_ok, params, call) TESTED(name##9_ok, params, call)

/* bash, current_history: what a function without arguments gives depends on a state that was just set. */
static struct item *table[10];
static int position;

static struct item *at_position(void) {
    return position == 10 ? NULL : table[position];
}

NINE_TESTED(at, (void), at_position())

int state_was_set_ok(int found) {
    position = found;
    return at_position()->count;
}

/* bash, list_string: what is asked about was looked at before. */
static struct item *words_of(const char *text, int key) {
    if (!text || !*text)
        return NULL;
    return key ? make() : table[0];
}

NINE_TESTED(words, (const char *s), words_of(s, 1))
NINE_TESTED(more_words, (const char *s), words_of(s, 2))
NINE_TESTED(most_words, (const char *s), words_of(s, 3))

int looked_at_before_ok(const char *text) {
    if (*text == '\0')
        return 0;
    return words_of(text, 1)->count;
}

/* openssl, X509_NAME_get_entry: another function was asked about it. */
int length_of(const char *text);

int asked_about_before_ok(const char *text) {
    if (length_of(text) < 1)
        return 0;
    return words_of(text, 1)->count;
}

/* openssl, ca.c and dsa.c: what came back is given to a function that answers. */
int answered_ok(const char *text) {
    struct item *p = words_of(text, 1);
    if (is_good(p))
        return p->count;
    return 0;
}

/* sqlite3, mallocFailed: the object that the call was given says how it went. */
struct base { int failed; struct item *first; };

static struct item *new_item(struct base *b, int key) {
    if (key == b->failed) {
        b->failed = 1;
        return NULL;
    }
    return b->first;
}

NINE_TESTED(new, (struct base *b), new_item(b, 1))

int says_how_it_went_ok(struct base *b, int key) {
    struct item *p = new_item(b, key);
    if (b->failed)
        return -1;
    return p->count;
}

/* The same where NULL was assigned, and where the pointer is tested elsewhere. */
int source_says_how_it_went_ok(struct base *b, int key) {
    struct item *p = NULL, *q = new_item(b, key);
    if (q)
        p = q->next;
    if (b->failed)
        return -1;
    return p->count;
}

int prepare(struct base *b);

int another_call_knows_ok(struct base *b, int key) {
    struct item *p = new_item(b, key);
    int n = 0;
    if (p)
        n = p->count;
    if (prepare(b))
        n += p->count;
    return n;
}

/* sqlite3, zipfile: callers give one of the two. */
int one_of_two_ok(struct item *p, char *data) {
    int n = 0;
    if (data == NULL)
        n = p->count;
    if (p)
        n += p->count;
    else
        n += data[0];
    return n;
}

/* bash, command_substitute: the callee tests a copy that a loop moves on. */
static int first_word(const char *text, int key) {
    const char *s;
    for (s = text; s && *s == ' '; s++)
        ;
    if (s == NULL || *s == 0)
        return 0;
    return key ? text[0] : 1;
}

int callee_tests_copy_ok(const char *text) {
    int n = 0;
    if (text)
        n = text[0];
    if (other())
        n += first_word(text, 1);
    return n;
}

/* sqlite3, explainSimpleCount: the callee keeps the answer in a flag. */
static int count_flag(struct item *p, int key) {
    int use = p != NULL && (key || is_good(p));
    return use ? p->count : 0;
}

int callee_tests_by_flag_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    if (other())
        n += count_flag(p, 1);
    return n;
}

/* sqlite3, sqlite3_step: the callee asks another, which answers. */
static int is_missing(struct item *p) {
    if (p == NULL) {
        work();
        return 1;
    }
    return p->count < 0;
}

static int step(struct item *p, int key) {
    if (is_missing(p))
        return -1;
    return key ? p->count : 0;
}

int callee_asks_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    if (other())
        n += step(p, 1);
    return n;
}

/* openssl, ossl_assert: the comparison is an argument of a function. */
int checked_by(int holds);

static int add_to(struct item *p, int key) {
    if (!checked_by(p != NULL))
        return 0;
    return key ? p->count : 0;
}

int comparison_is_argument_ok(struct item *p) {
    int n = 0;
    if (p)
        n = p->count;
    if (other())
        n += add_to(p, 1);
    return n;
}

/* NULL in memory that is replaced, or stored under the condition of the use. */
int memory_replaced_ok(struct owner *o, struct item *fresh) {
    int drop = other(), look = other();
    if (!fresh)
        return 0;
    if (drop)
        o->item = NULL;
    if (!o->item)
        o->item = fresh;
    return look ? o->item->count : 0;
}

int memory_same_condition_ok(struct owner *o) {
    int drop = other();
    if (drop)
        o->item = NULL;
    if (!drop)
        return o->item->count;
    return 0;
}

int memory_related_ok(struct owner *o) {
    if (o->flags & 1)
        o->item = NULL;
    if (o->kind == 2)
        return o->item->count;
    return 0;
}

/* A callee that stores NULL on some ways only, or something else afterwards. */
static void forget_some(struct item **p, int all) {
    if (all)
        *p = NULL;
}

int callee_may_store_ok(struct item *x) {
    struct item *p = x;
    int look = other();
    forget_some(&p, other());
    return look ? p->count : 0;
}

static void begin(struct item **p) {
    *p = NULL;
    *p = make();
}

int callee_stores_later_ok(struct item *x) {
    struct item *p = x;
    int look = other();
    if (other())
        begin(&p);
    return look ? p->count : 0;
}

/* Freed, and not used. */
int freed_and_left_ok(struct item *p) {
    if (other()) {
        free(p);
        return 0;
    }
    return p->count;
}

int freed_and_replaced_ok(struct item *p, struct item *fresh) {
    if (other()) {
        free(p);
        p = fresh;
    }
    return p->count;
}

int freed_on_condition_ok(struct item *p, int how) {
    int done = is_good(p);
    if (done && how)
        free(p);
    if (!done)
        return p->count;
    return 0;
}

int freed_related_ok(struct item *p, struct owner *o) {
    if (o->flags & 1)
        free(p);
    if (o->kind == 2)
        return p->count;
    return 0;
}

char *grown_ok(char *text, size_t size) {
    char *more = realloc(text, size);
    if (more == NULL) {
        text[0] = 0;
        free(text);
    }
    return more;
}

int freed_in_loop_ok(struct item *list) {
    int n = 0;
    while (list) {
        struct item *next = list->next;
        n += list->count;
        free(list);
        list = next;
    }
    return n;
}

int freed_member_set_ok(struct owner *o) {
    if (other()) {
        free(o->item);
        o->item = NULL;
    }
    return o->item ? o->item->count : 0;
}

/* Tested only to say what there is. */
void report(const char *format, ...);

int said_ok(struct item *p) {
    if (p)
        printf("%d items of %s\n", p->count, p->name);
    if (other())
        return p->count;
    return 0;
}

int reported_ok(struct item *p) {
    if (p != NULL && p->name != NULL)
        report("%s", p->name);
    if (other())
        return p->count;
    return 0;
}

/* openssl, X509_get_pubkey_parameters: a second loop over what a first one has tested. */
static struct item *key_of(struct item *list, int index) {
    return index < 10 ? table[index] : list;
}

static struct item *maybe(struct item *list, int key) {
    if (list->count == key)
        return NULL;
    return list->next;
}

NINE_TESTED(maybe, (struct item *list), maybe(list, 1))

int second_loop_ok(struct item *list) {
    int i, n = 0;
    for (i = 0; i < 10; i++)
        if (maybe(key_of(list, i), 3) == NULL)
            return 0;
    for (i--; i >= 0; i--)
        n += maybe(key_of(list, i), 3)->count;
    return n;
}

/* Callees that set a member to something that is not NULL, directly, by a function that never fails, or after a test. */
static struct item nobody;

static struct item *make_surely(void) {
    struct item *p = malloc(sizeof *p);
    if (!p)
        abort();
    return p;
}

static void set_default(struct owner *o) {
    o->item = &nobody;
}

static void set_made(struct owner *o) {
    o->flags = 1;
    o->item = make_surely();
    o->kind = 2;
}

static void set_tested(struct owner *o) {
    o->item = malloc(sizeof *o->item);
    if (!o->item)
        abort();
}

int callee_sets_default_ok(struct owner *o) {
    int drop = other(), look = other();
    if (drop)
        o->item = NULL;
    set_default(o);
    return look ? o->item->count : 0;
}

int callee_sets_made_ok(struct owner *o) {
    int drop = other(), look = other();
    if (drop)
        o->item = NULL;
    set_made(o);
    return look ? o->item->count : 0;
}

int callee_sets_tested_ok(struct owner *o) {
    int drop = other(), look = other();
    if (drop)
        o->item = NULL;
    set_tested(o);
    return look ? o->item->count : 0;
}

/* A test of what the callee surely set is prudence. */
int prudent_ok(struct owner *o) {
    set_made(o);
    if (!o->item) {
        work();
        return -1;
    }
    return o->item->count;
}

/* NULL, and something else behind it: by another name, or by a callee. */
static void empty_and_fill(struct owner *o, struct owner *same) {
    o->item = NULL;
    same->item = &nobody;
}

int emptied_and_filled_ok(struct owner *o) {
    int look = other();
    empty_and_fill(o, o);
    return look ? o->item->count : 0;
}

static void empty_and_make(struct owner *o) {
    o->item = NULL;
    set_made(o);
}

int emptied_and_made_ok(struct owner *o) {
    int look = other();
    empty_and_make(o);
    return look ? o->item->count : 0;
}

/* The neighbour is set to NULL, not the member that is used. */
static void forget_name(struct item *p) {
    p->name = NULL;
}

int neighbour_is_forgotten_ok(struct item *p) {
    int look = other();
    forget_name(p);
    return look ? p->next->count : 0;
}

/* The same question, about the answer to another one: asked, tested, asked again. */
struct item *items_of(struct owner *o);
struct item *find_named(struct item *in, const char *name) {
    for (; in; in = in->next)
        if (strcmp(in->name, name) == 0)
            return in;
    return NULL;
}

int habit_1_ok(struct owner *o) {
    struct item *p = find_named(items_of(o), "a"), *q = find_named(items_of(o), "b");
    return (p ? p->count : 0) + (q ? q->count : 0);
}

int habit_2_ok(struct owner *o) {
    struct item *p = find_named(items_of(o), "c"), *q = find_named(items_of(o), "d");
    return (p ? p->count : 0) + (q ? q->count : 0);
}

int habit_3_ok(struct owner *o) {
    struct item *p = find_named(items_of(o), "e"), *q = find_named(items_of(o), "f");
    return (p ? p->count : 0) + (q ? q->count : 0);
}

int habit_4_ok(struct owner *o) {
    struct item *p = find_named(items_of(o), "g"), *q = find_named(items_of(o), "h");
    return (p ? p->count : 0) + (q ? q->count : 0);
}

int asked_about_answer_ok(struct owner *o) {
    if (find_named(items_of(o), "d") == NULL) {
        printf("no d\n");
        exit(1);
    }
    return find_named(items_of(o), "d")->count;
}
