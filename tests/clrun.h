/* The OpenCL case runner: a .cl file with its own expectations (format: README.md).
 *
 *   expr.c    expressions over an element's index and the case's arguments
 *   clcase.c  the comments of a .cl file -> struct suite
 *   clrun.c   main: builds the file, launches each run, compares
 *
 * Plain OpenCL, so that one case can be judged on any device. */
#ifndef TESTS_CLRUN_H
#define TESTS_CLRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type { T_CHAR, T_UCHAR, T_SHORT, T_USHORT, T_INT, T_UINT, T_LONG, T_ULONG, T_HALF, T_FLOAT, T_DOUBLE, T_COUNT };
extern const char *const type_names[T_COUNT];
extern const uint8_t type_sizes[T_COUNT];

/* Reads a type name at *text, moves behind it; T_COUNT if there is none. */
enum type type_parse(const char **text);

enum arg_kind { ARG_BUFFER, ARG_VALUE, ARG_LOCAL };

struct arg {
    enum arg_kind kind;
    char name[32];
    unsigned line;
    enum type type;     /* of one element */
    size_t count;       /* elements; bytes of local memory */
    const char *value;  /* text of what is there at the start; NULL: nothing in particular */
    uint8_t *initial;   /* bytes at the start: NULL until run_fill; ... */
    size_t bytes;       /* ... this many */
    const char *expect; /* text of the expected value; NULL: unchanged */
    bool any, sorted;   /* do not compare; sort before comparing */
    double tolerance;   /* 0: exact */
    bool ulp;           /* tolerance counts units in the last place */
};

enum { MAX_ARGS = 24, MAX_RUNS = 64, MAX_LOCALS = 8, MAX_PRINTS = 128 };

struct run {
    char kernel[64];
    unsigned line;
    unsigned dims;
    size_t global[3], offset[3];
    bool has_offset;
    size_t locals[MAX_LOCALS][3]; /* alternatives; 0 in [0] is a NULL local size */
    unsigned nlocals;
    bool fault; /* the launch must fail */
    struct arg args[MAX_ARGS];
    unsigned nargs;
    char *prints[MAX_PRINTS]; /* expected output lines */
    unsigned nprints;
    bool prints_any; /* ... in any order */
};

struct suite {
    const char *path;
    char type[16]; /* that stands for T, or the number that stands for N, or "" */
    char *source;
    char *options;     /* build options, or NULL */
    char *build_fails; /* text the failed build must show, or NULL */
    char *only;        /* platform this case is for, or NULL */
    struct run *runs;
    unsigned nruns;
};

/* Reads a file with its type or size number `n` (line `types` or `sizes`); false when it has no more. Ends the program
 * with "file:line: what" when it is no proper case. */
bool suite_read(struct suite *suite, const char *path, unsigned n);
void suite_free(struct suite *suite);

/* Evaluates the values of a run's arguments, which may be many: only while it runs. Ends the program likewise when one
 * cannot be. */
void run_fill(const char *path, struct run *run);
void run_empty(struct run *run);

/* ---- expr.c ---- */

struct value {
    bool real, is_unsigned; /* the latter: i is a uint64_t, as elements of type ulong are */
    int64_t i;
    double d;
};

struct scope {
    const struct arg *args; /* their initial contents can be named */
    unsigned nargs;
    int64_t index;  /* the name i */
    char error[96]; /* "" while all is well */
};

/* Evaluates the expression at *text, moving behind it. */
struct value expr_eval(struct scope *scope, const char **text);
double value_real(struct value v);

/* Stores a value as an element of `type`, wrapping integers; and reads one. */
void element_store(void *to, enum type type, struct value v);
struct value element_load(const void *from, enum type type);

/* Fills `count` elements from "{a, b, c}" or from an expression over i. */
bool elements_fill(struct scope *scope, const char *text, enum type type, size_t count, void *to);

/* The expected value of element `index` without rounding to the type: expression or list. */
bool elements_expect(struct scope *scope, const char *text, size_t count, struct value *to);

#endif
