/* Random OpenCL C kernels, the same for the same seed: structured control flow over all scalar types,
 * vectors, structs, private arrays, local memory and atomics, without undefined behaviour and with
 * one possible result, in the form tests/cc/case.h runs.
 *
 *   gen.c       source text as a whole: prelude, structs, helper functions, kernels, run lines
 *   stmt.c      statements
 *   maze.c      statements that need many registers
 *   expr.c      expressions
 *   gen_main.c  the command `gen SEED [KERNELS]`
 *
 * Every value and every place in the program has a tier: UNIFORM values are equal over a work-group
 * in every execution of a uniform place; a SCALARISH value is computed from uniform ones but under
 * any control flow (the compiler likes to keep it in a scalar register, and must not always); an ANY
 * value may be anything. Barriers stand at uniform places only. */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, BASES };
enum tier { UNIFORM, SCALARISH, ANY };

struct type {
    enum base base;
    unsigned width; /* 1: scalar */
};

struct var {
    char name[48];
    struct type type;
    enum tier tier;
    unsigned length; /* 0, or elements of a private array (a power of two) */
    bool constant;   /* a loop counter or a field of the argument: never assigned */
    bool memory;     /* a read-only pointer to 32 uints */
};

enum { MAX_VARS = 200, FIELDS = 6, MAX_PARAMS = 24 };

struct field {
    struct type type;
    unsigned length;
};

struct gen {
    FILE *out;
    uint64_t state;
    unsigned indent;
    struct var vars[MAX_VARS];
    unsigned nvars;
    unsigned serial;  /* of names */
    unsigned stores;  /* of group-invariant stores */
    int budget;       /* statements left in this function */
    unsigned index;   /* of the kernel */
    unsigned helpers; /* helper functions of this kernel */
    bool in_kernel;
    bool barriers;      /* this kernel may have them */
    bool returns;       /* ... or early returns from anywhere */
    const char *result; /* of a function in progress, as an expression */
    struct field fields[FIELDS];
    unsigned nfields;
    struct field members[FIELDS]; /* of the struct that is passed by value, none: there is none */
    unsigned nmembers;
    struct type params[MAX_PARAMS]; /* further parameters of the function that it is passed to */
    unsigned nparams;
    unsigned large; /* words of the large struct's array; 0: there is none */
    bool mazes;     /* this kernel has statements that need many registers */
};

/* Where a statement stands. */
struct place {
    bool uniform; /* all work-items of the group get here together */
    bool in_loop;
    bool divergent_exit; /* the innermost loop may be left by some work-items */
    bool in_switch;      /* `break` belongs to a switch */
    unsigned loops;      /* loops around */
    unsigned depth;      /* blocks around */
};

/* ---- gen.c ---- */
char *gen_source(uint64_t seed, unsigned kernels); /* malloc'ed */
uint32_t gen_below(struct gen *g, uint32_t n);     /* 0 .. n-1 */
bool gen_chance(struct gen *g, unsigned percent);
struct var *gen_declare(struct gen *g, struct type type, enum tier tier); /* names it; prints nothing */
void gen_type(struct gen *g, struct type type);
void gen_line(struct gen *g); /* indents */

/* ---- expr.c ---- */
extern const char *const base_names[BASES];
unsigned base_bits(enum base base);
bool base_signed(enum base base);
bool base_floating(enum base base);
enum base base_partner(enum base base, bool is_signed);
struct type any_scalar(struct gen *g);
struct type any_type(struct gen *g);
/* Print an expression of exactly this type, in parentheses. */
void gen_expr(struct gen *g, struct type type, unsigned depth, enum tier tier);
void gen_cond(struct gen *g, unsigned depth, enum tier tier);
/* A uint below n, a power of two. */
void gen_index(struct gen *g, unsigned n, unsigned depth, enum tier tier);
/* Prints a uint that depends on all of a variable. */
void gen_fold(struct gen *g, const struct var *var);

/* ---- maze.c ---- */
/* Print a statement that leaves an integer in a variable. */
void gen_maze(struct gen *g, const struct var *result);
void gen_copies(struct gen *g, const struct var *result);
void gen_large_struct(struct gen *g);

/* ---- stmt.c ---- */
void gen_block(struct gen *g, struct place place, unsigned statements);

#endif
