// What the compiler decides, not the program: values that it knows, calls that it refuses to build, jumps out of assembly,
// labels that it folds.
extern void build_bug(void) __attribute__((error("BUILD_BUG failed")));
int combine(int, int);
void use(int);

#define LOG 15
#define ERROR 21
#define FATAL 22
int errstart(int, const char *);
int errstart_cold(int, const char *);
void errfinish(const char *, int, const char *);
int errmsg(const char *, ...);
#define ereport(elevel, ...) do { \
    if (__builtin_constant_p(elevel) && (elevel) >= ERROR ? errstart_cold(elevel, 0) : errstart(elevel, 0)) \
      __VA_ARGS__, errfinish(__FILE__, __LINE__, __func__); \
    if (__builtin_constant_p(elevel) && (elevel) >= ERROR) \
      __builtin_unreachable(); \
  } while (0)

// The level is not constant, so nothing behind is declared unreachable.
int report_ok(int start, void *p) {
  if (!p) {
    ereport(start ? FATAL : LOG, errmsg("could not load"));
    return -1;
  }
  return 0;
}

int report_by_variable_ok(int level, void *p) {
  if (!p) {
    ereport(level, errmsg("could not load"));
    if (level >= ERROR)
      return -1;
    return -2;
  }
  return 0;
}

int knows_ok(int x) {
  if (__builtin_constant_p(x ? 3 : 4))
    return 1;
  return 0;
}

static inline __attribute__((always_inline)) int is_known(int x) {
  if (__builtin_constant_p(x))
    return 1;
  return 0;
}

// Inlined, the function knows its argument.
int inlined_ok(int n) {
  if (is_known(3))
    return combine(1, 2);
  if (!is_known(n))
    return combine(n, 3);
  return 0;
}

int held_ok(int n) {
  int known = __builtin_constant_p(n);
  if (known)
    return combine(n, 1);
  return combine(n, 2);
}

// Where the value is known it is another one in each place.
int chosen_ok(unsigned n) {
  if (__builtin_constant_p(n)) {
    if (n > 8)
      return 0;
    int table[4] = { 1, 2, 3, 4 };
    if (n == 6)
      return table[n];
  }
  return combine((int)n, 1);
}

// Both ways of an ordinary function are analysed.
int at_run_time_bad(int *p, int n) {
  if (!__builtin_constant_p(n)) {
    int v = *p;
    if (!p) //~ checked-too-late
      return 1;
    return v;
  }
  return 0;
}

int beside_bad(int *p, int n) {
  int v = *p;
  if (__builtin_constant_p(n))
    v++;
  if (!p) //~ checked-too-late
    return 1;
  return v;
}

// Linux without huge pages: a value that nobody may use.
#define HPAGE_SHIFT ({ do { if (!(!(1))) build_bug(); } while (0); 0; })
static inline __attribute__((always_inline)) _Bool in_huge_pages(int i) {
  if (!(0))
    return 0;
  return i == 3 || i == 4;
}

unsigned long pages_ok(int i, unsigned long p) {
  if (in_huge_pages(i))
    p /= (1 << (HPAGE_SHIFT - 12));
  return p;
}

static int check_pfn_ok(unsigned long pfn) {
  if (pfn + (1 << (HPAGE_SHIFT - 12)) - 1 < 7)
    return 0;
  return 1;
}

int only_in_dead_code_ok(unsigned long p) {
  if (0 && check_pfn_ok(p))
    return 1;
  return 0;
}

int refused_at_once_ok(int i) {
  if (i > 3) {
    build_bug();
    return 1 / (i - i);
  }
  return i;
}

int one_of_sizes_ok(int size) {
  int v;
  switch (size) {
  case 1: v = 10; break;
  case 2: v = 20; break;
  default: build_bug();
  }
  return v;
}

int refused_before_ok(int a) {
  if (a)
    build_bug();
  if (a)
    return combine(a, 1);
  return 0;
}

int dead_refusal_ok(void) {
  int n = 3;
  if (n > 5)
    build_bug();
  return n;
}

int dead_refusal_with_words_ok(unsigned n) {
  switch (n & 3) {
  case 5:
    use(1);
    build_bug();
  }
  return 0;
}

static inline int huge_order(void) {
  build_bug();
  return 0;
}

int stub_ok(int c, int d) {
  if (c) {
    int n = huge_order();
    if (d)
      use(n);
    else
      use(1);
  }
  return 0;
}

int refusal_in_loop_ok(int n) {
  for (int i = 0; i < n; i++) {
    if (n < 0)
      build_bug();
    if (combine(i, n))
      return 1;
  }
  return 0;
}

int around_refusal_bad(int *p, int a) {
  int v = *p;
  if (a)
    build_bug();
  if (!p) //~ checked-too-late
    return 1;
  return v;
}

int after_case_bad(int size) {
  switch (size) {
  case 1:
    if (size == 2) //~ contradictory-condition
      return combine(1, 2);
    return 3;
  default:
    build_bug();
  }
  return 0;
}

// A jump out of assembly goes to any of its labels, or nowhere.
static inline __attribute__((always_inline)) int static_branch(void) {
  asm goto("jmp %l0" : : : : yes);
  return 0;
yes:
  return 1;
}

int jump_ok(int *p) {
  if (static_branch())
    return *p;
  return 0;
}

int only_by_jump_ok(int n) {
  asm goto("1: jmp %l1" : : "r"(n) : "memory" : out);
  return 0;
out:
  if (n)
    return 1;
  return 2;
}

int outputs_ok(int n) {
  int v = 0;
  asm goto("mov %1, %0; jz %l2" : "=r"(v) : "r"(n) : "cc" : zero);
  if (v)
    return 1;
  return 2;
zero:
  if (v)
    return 3;
  return 4;
}

int two_labels_ok(int n) {
  int way = 0;
  asm goto("" : : : : a, b);
  way = 1;
  goto end;
a:
  way = 2;
  goto end;
b:
  way = 3;
end:
  if (way == 1)
    return combine(n, 1);
  if (way == 2)
    return combine(n, 2);
  return combine(n, 3);
}

int written_in_assembly_ok(int *p) {
  *p = 0;
  asm goto("movl $1, (%0); jmp %l1" : : "r"(p) : "memory" : done);
  return 0;
done:
  if (*p)
    return 1;
  return 2;
}

int before_jump_bad(int *p) {
  int v = *p;
  asm goto("" : : : : out);
  v++;
out:
  if (!p) //~ checked-too-late
    return 1;
  return v;
}

int way_not_taken_bad(int n) {
  int way = 0;
  asm goto("" : : : : a);
  way = 1;
a:
  if (way > 1) //~ contradictory-condition
    return combine(n, 1);
  return way;
}

// Numbers of ioctl are folded, though a part of them is no constant.
extern unsigned int invalid_size;
#define SIZE(t) ((sizeof(t) == sizeof(t[1]) && sizeof(t) < (1 << 14)) ? sizeof(t) : invalid_size)
#define IOR(n, t) ((2U << 30) | (n) | (SIZE(t) << 16))

int ioctl_ok(unsigned cmd) {
  switch (cmd) {
  case IOR(1, int): return 1;
  case IOR(2, long): return 2;
  case (unsigned)(unsigned long)((void *)3): return 3;
  default: return 0;
  }
}

int ioctl_bad(unsigned cmd) {
  switch (cmd) {
  case IOR(1, int):
    if (cmd == 7) //~ contradictory-condition
      return combine(1, 1);
    return 1;
  case (unsigned long)((void *)8) ... (unsigned long)((void *)9):
    if (cmd > 9) //~ contradictory-condition
      return combine(1, 2);
    return 2;
  default: return 0;
  }
}

// Lists of the other calling convention are started by built-ins of their own.
static __attribute__((ms_abi)) int ms_sum_ok(int n, __builtin_ms_va_list list) {
    __builtin_ms_va_list copy;
    int sum = 0;

    if (!n)
        return -1;
    __builtin_ms_va_copy(copy, list);
    while (n--)
        sum += __builtin_va_arg(list, int);
    sum += __builtin_va_arg(copy, int);
    __builtin_ms_va_end(copy);
    return sum;
}

__attribute__((ms_abi)) int ms_list_ok(int n, ...) {
    __builtin_ms_va_list list;
    int result;

    __builtin_ms_va_start(list, n);
    result = ms_sum_ok(n, list);
    __builtin_ms_va_end(list);
    return result;
}
