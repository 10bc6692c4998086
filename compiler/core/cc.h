/* The compiler: OpenCL C in, Ventus ELF out. What the files do, in the order of the pipeline: README.md.
 *
 * All memory of one compilation comes from the arena of `struct cc`; an error ends the compilation
 * through cc_error (longjmp), with its text in the build log. */
#ifndef VENTUS_CC_H
#define VENTUS_CC_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <llvm-c/Core.h>

#include "asm/note.h"
#include "isa/effects.h"
#include "isa/image.h"
#include "isa/isa.h"

/* Exit codes of ventus-cc; the log is on stderr. */
enum cc_exit {
    CC_OK = 0,
    CC_FAILED = 1,      /* the program does not compile; the log says why */
    CC_BAD_OPTION = 2,  /* an unknown build option, which the log names, or a wrong command line */
    CC_ENVIRONMENT = 3, /* no clang-19, no built-in library, a file that cannot be read or written */
    CC_INTERNAL = 4,    /* our own mistake */
};

struct arena; /* cc.c */

/* Machine code of one kernel, addresses relative to its first word. */
struct code {
    uint32_t *words;
    uint32_t nwords;
    uint32_t vgprs, sgprs; /* highest used + 1, rounded up to 4 */
    uint32_t lds_bytes;    /* static local memory */
    uint32_t pds_bytes;    /* private bytes of one work-item, from address 0 on: with those of the routines called */
    uint32_t spill_bytes;  /* its own of them that spilled registers are in */
    struct isa_registers written; /* by it and the routines that it calls: what a call of it changes */
    bool sets_rpc;                /* so does it with rpc: lanes diverge in it */
    struct line {
        uint32_t word, line;
    } * lines; /* source lines, ascending words; may be empty */
    uint32_t nlines;
    struct reference {
        uint32_t word, nwords; /* from this word on: a call, or the address of a variable, which the linker fills in */
        uint8_t rd;
        const char *symbol;
    } * references; /* of an object, ascending words */
    uint32_t nreferences;
    bool calls_others;        /* functions whose registers and private memory only the linker knows */
    struct debug_code *debug; /* with -g (debug.h), else NULL */
};

/* Registers of an SM, and how many lanes a warp and work-items the largest work-group of the machine have; all 0: as
 * many registers for each warp as it can name. */
struct pools {
    uint32_t scalars, vectors, lanes, group;
};

struct kernel {
    const char *name;
    LLVMValueRef function; /* NULL after the back end */
    struct ventus_arg *args;
    uint32_t nargs, args_size;
    uint32_t reqd[3], hint[3];
    uint8_t ungrouped; /* 1: nothing shows it how its work-items are grouped; 2: and it waits for none of them; 3: and
                        * long rows of them are best (passes/rows.c) */
    bool links;        /* it reads or writes pointers in global memory */
    const char *vec_hint;
    uint32_t address; /* final address of the first word */
    bool is_routine;  /* called by others; of what stands above it has name, function and address */
    bool external; /* a routine with the convention of docs/abi.md, which other objects define (has no body) or call */
    uint32_t limit_s, limit_v; /* registers that it may use (limits.c) */
    bool *uniform;             /* of a routine: by parameter, all lanes have the same (uniform.c); NULL: none of them */
    struct code code;
};

struct cc {
    struct arena *arena;
    jmp_buf on_error;
    enum cc_exit status;
    char *log; /* malloc'ed text, grows */
    size_t log_size;
    const char *tool_dir;     /* folder of the executable, ends without slash */
    enum isa_profile profile; /* of the machine that the program is for ... */
    struct pools pools;       /* ... and its registers */
    unsigned lacks;           /* what that machine cannot do: lacks.c */
    uint32_t avoids;          /* bits 1 << q of known faults of it that code must not meet: avoid.c */

    /* main.c: of the source, NULL when it has no name or is made of several */
    const char *source_name, *source; /* the text only when the program is to carry it */
    size_t source_size;

    bool object; /* main.c: the result is an ELF object, which other objects see functions of (object.c) */

    /* options.c */
    const char **clang_args; /* NULL-terminated extra arguments for clang */
    bool debug;              /* -g: the program carries debug information, and its source */
    const char *dump;        /* intermediate forms to print: VENTUS_CC_DUMP=ir,machine,asm */

    /* prepare.c, kernels.c */
    LLVMContextRef context;
    LLVMModuleRef module;
    bool for_draft;                    /* its kernels can be compiled one by one (draft.c) */
    LLVMModuleRef library;             /* opened and not linked yet, or NULL (link.c) */
    LLVMBuilderRef builder;            /* the passes' own; an error must not leak it */
    LLVMDIBuilderRef lines;            /* of a module of SPIR-V while it is read; the same */
    struct kernel *kernels, *routines; /* a routine stands behind those that it calls */
    uint32_t nkernels, nroutines;
    struct routine_place *routine_places; /* by function */
    bool has_generic;                     /* the program has generic pointers */

    /* debug/records.c: of all functions, in the order of their blocks and instructions */
    struct debug_record *records;
    uint32_t nrecords;

    /* print.c: what print records refer to by number */
    struct texts {
        struct note_string *list;
        uint32_t n, room;
    } formats, literals;

    /* output.c: what every warp runs first */
    const uint32_t *start;
    uint32_t start_words;
    bool start_sets_local; /* it leaves the base of the group's local memory in s0, ... */
    bool kernels_end;      /* ... or CSR_KNL in x1, and kernels end the warp */

    /* constants: address space 2 globals, placed by output.c behind the text */
    uint8_t *rodata;
    uint32_t rodata_size, rodata_addr, rodata_room;
    struct constant {
        LLVMValueRef global;
        uint32_t offset;
    } * constants;
    uint32_t nconstants, constants_room;

    /* of an object: variables that code and other variables name, by number, and where the latter do */
    LLVMValueRef *named;
    uint32_t nnamed, named_room;
    struct fixup {
        LLVMValueRef in, global; /* at byte `at` of variable `in`: the address of `global` */
        uint32_t at, addend;
    } * fixups;
    uint32_t nfixups, fixups_room;

    /* program-scope variables, variables.c */
    uint8_t *data;
    uint32_t data_size, data_addr;
    struct constant *variables;
    uint32_t nvariables;
};

/* ---- cc.c: memory, log, errors ---- */
void *cc_alloc(struct cc *cc, size_t size); /* zeroed, lives as long as the compilation */
/* Gives back what has been allocated since a mark. */
struct cc_mark {
    struct arena *arena;
    size_t used;
};
struct cc_mark cc_mark(const struct cc *cc);
void cc_release(struct cc *cc, struct cc_mark mark);
/* `array`, of *room elements of `size` bytes, with room for element `n`, at most one behind those in use: itself, or a
 * copy of twice the room; the old one stays in the arena. */
void *cc_grow(struct cc *cc, void *array, uint32_t n, uint32_t *room, size_t size);
char *cc_printf(struct cc *cc, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cc_log(struct cc *cc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The intermediate forms that VENTUS_CC_DUMP asks for, NULL: none. A name that is none of a form ends the compilation.
 */
void cc_choose_dumps(struct cc *cc, const char *list);
/* Was the form `what` asked for? */
bool cc_dumps(const struct cc *cc, const char *what);
/* Logs "<source>:LINE:COLUMN: error: ..." (of the instruction's debug location when `at` has one) and ends the
 * compilation. */
_Noreturn void cc_error(struct cc *cc, enum cc_exit status, LLVMValueRef at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cc_log_text(struct cc *cc, const char *text, size_t size);
void cc_free(struct cc *cc);

/* ---- profile.c ---- */
/* Is this an instruction of the machine that the program is for? */
bool profile_has(const struct cc *cc, unsigned op);
/* Puts what the machine has instead in the place of an instruction that it lacks: another operation, or a prefix. */
void profile_adapt(const struct cc *cc, struct insn *in);

/* A function of the library that is an instruction (docs/architecture.md, "Primitives"). */
struct primitive {
    const char *name;
    uint16_t op;
    enum {
        PRIMITIVE_FLOAT,  /* a function of a float in each lane, which may be merged and moved */
        PRIMITIVE_PAIRS,  /* an operation on words of two halves, which may be merged and moved */
        PRIMITIVE_FIRST,  /* from a word of each lane to that of an active one */
        PRIMITIVE_SCALAR, /* an atomic operation with one address */
        PRIMITIVE_LANES,  /* of a word in each lane and a distance: the word of the lane so much further on */
        PRIMITIVE_VOTE,   /* of an address and bits in each lane: the bits of all active lanes, or-ed in memory there */
    } kind;
    const char *instead; /* what machines without the instruction call, with the same arguments */
};
/* NULL: it is none. */
const struct primitive *primitive_find(const char *name);
/* Is it one, and does it compute a result of a lane's operands, and nothing else? */
bool primitive_computes(const char *name);

#endif
