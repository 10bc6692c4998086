/* Debug information (build option -g): from LLVM's metadata and what the back end knows of its code to DWARF.
 *
 *   read.c   nodes of metadata, which LLVM's C interface shows only in part
 *   records.c  LLVM's records of which value a variable is
 *   track.c  the registers of these values, through the stages of the back end
 *   merge.c  which value a variable is where ways meet
 *   places.c where each variable is at each instruction
 *   location.c the same as expressions of DWARF
 *   frame.c  where routines have their return address
 *   lines.c  which place of the source the words of a kernel were made of
 *   scope.c  functions, blocks and inlined calls, by what code they have
 *   types.c  types
 *   unit.c   files and addresses of the unit
 *   variables.c entries of variables
 *   debug.c        the sections of the ELF
 *
 * docs/debugging.md says what comes out. */
#ifndef VENTUS_DEBUG_H
#define VENTUS_DEBUG_H

#include <llvm-c/DebugInfo.h>

#include "compiler/dwarf/dwarf.h"
#include "compiler/machine/machine.h"

/* Always 0: private memory is counted from there. */
enum { REG_TP = 4 };

struct elf_section;

/* ---- read.c ---- */

/* Numbers for pairs of nodes: for what belongs to a node as it stands at one inlined call. */
struct pairs {
    struct pair {
        LLVMMetadataRef a, b;
        uint32_t number;
    } * list; /* open addressing */
    uint32_t n, size;
};
/* The number of a pair, to be set by the caller when it is 0: the pair is new. Valid until the next call. */
uint32_t *pair_number(struct cc *cc, struct pairs *pairs, LLVMMetadataRef a, LLVMMetadataRef b);

/* Asks for debug information in the program that cc->module becomes a part of: linked objects remember it. */
void debug_request(struct cc *cc);
bool debug_requested(struct cc *cc);

/* Operand i of a node, NULL if there is none. */
LLVMMetadataRef node_operand(struct cc *cc, LLVMMetadataRef node, unsigned i);
uint32_t node_operands(struct cc *cc, LLVMMetadataRef node);
/* Operands that nodes of one kind all have. */
const char *node_text(struct cc *cc, LLVMMetadataRef node, unsigned i); /* "" if it is none */
const char *subprogram_name(struct cc *cc, LLVMMetadataRef subprogram);
LLVMMetadataRef subprogram_type(struct cc *cc, LLVMMetadataRef subprogram);
/* The scope around a function, a block or the like. */
LLVMMetadataRef scope_parent(struct cc *cc, LLVMMetadataRef scope);
/* Folder and name of a DIFile, which may be NULL. */
void file_text(struct cc *cc, LLVMMetadataRef file, const char **folder, const char **name);

/* A field of a node that is none of its operands: the word behind `field` ("encoding: ") in its text; "" if it is not
 * there. */
const char *node_field(struct cc *cc, LLVMMetadataRef node, const char *field);

/* ---- records.c: called by prepare.c ---- */

enum { DEBUG_OPS = 16 };
/* What is to be done with a value to get the variable. */
struct debug_expression {
    bool known; /* nothing is in it that we do not know */
    struct debug_op {
        uint8_t op; /* enum dwarf_op */
        uint64_t operand;
    } ops[DEBUG_OPS];
    uint32_t n;
    uint32_t first_bit, bits; /* the part of the variable that it is about; bits = 0: all of it */
};
/* From an instruction on, a variable is a value; or it is in memory, at an address. */
struct debug_record {
    LLVMValueRef function, before; /* that instruction */
    LLVMValueRef value;            /* NULL: lost */
    bool declares;                 /* the value is the address of the variable */
    LLVMMetadataRef variable, inlined_at;
    struct debug_expression expression;
};
/* Before all passes: makes records as LLVM handles them best. */
void debug_prepare(struct cc *cc);
/* Behind them: moves the records of all variables from the module to cc->records. */
void debug_collect(struct cc *cc);

/* ---- variables ---- */

/* A variable of a function, or of one inlined call of it. */
struct debug_variable {
    LLVMMetadataRef node, inlined_at;
    struct span *spans;        /* bytes from the kernel's first word, ascending ... */
    struct bytes *expressions; /* ... and where it is there */
    uint32_t nspans, spans_room, expressions_room;
};

/* ---- track.c: where values of variables are, while registers are renamed and spilled; with -g ---- */

/* A part of a value of a variable, by the register that selection gave it. */
struct tracked {
    int32_t name; /* what minsn.made calls it */
    int32_t reg;  /* the register it is in now; NOREG: it is in private memory, at `slot` */
    uint32_t slot;
    int32_t copies, next_copy; /* other values on this list that are copies of it, NOREG: none; the next of these */
};
struct piece {
    uint32_t bytes; /* of the variable */
    enum piece_kind {
        PIECE_LOST,
        PIECE_CONSTANT, /* `value` */
        PIECE_TRACKED,  /* track->list[value] */
        PIECE_ARGUMENT, /* the address of the argument buffer, and `value` */
    } kind;
    uint32_t value;
    uint32_t argument; /* where it is in the argument buffer as well, + 1; 0: nowhere */
};
/* From a place on, a variable or a part of it is ... */
struct event {
    uint32_t place; /* in front of the code that was made of it */
    uint32_t variable;
    const struct debug_record *record;
    struct piece *pieces;
    uint32_t npieces;
    bool memory;  /* the only piece is the address of the variable */
    bool frame;   /* ... of a private one, as a constant */
    bool merged;  /* found where ways meet: merge.c */
    int32_t next; /* of the same variable, NOREG: none */
};
struct debug_track {
    struct tracked *list;
    struct event *events; /* by place */
    struct debug_variable *variables;
    int32_t *first_event; /* by variable */
    uint32_t n, room, nevents, nvariables;
    uint32_t *number; /* by register at the beginning: its place in the list + 1, 0: none */
    int32_t link;     /* on the list: the return address of a routine, NOREG: none */
};
/* Behind selection; behind the peephole pass. */
void track_begin(struct func *f);
void track_mark(struct func *f);
/* Between these: calls add(user, record) for what variables are where ways meet. */
void track_merge(struct func *f, void (*add)(void *user, const struct debug_record *record), void *user);
/* Registers get other names, as visit_insn would tell it. */
void track_rename(struct func *f, visit_reg visit, void *user);
/* By register: not 0 if it is split and has its home from now on. */
void track_spill(struct func *f, const uint8_t *split);

/* ---- places.c ---- */
struct places_state;
/* Before emit_run, which changes the blocks: where the values are. NULL without -g. */
struct places_state *places_solve(struct func *f);
/* Behind it: calls at(user, word, facts) for each instruction, in the order of their words, with what is true when it
 * is about to be executed: fact i says that track->list[i] is in its place, fact track->n + e that event e holds. */
void places_walk(struct places_state *state, void (*at)(void *user, uint32_t word, const bits *facts), void *user);

/* ---- location.c ---- */

/* Where a register is to a debugger: a number of DWARF, or an address in the window. */
struct home {
    bool memory;
    uint32_t at;
};
struct home debug_home(const struct func *f, int32_t reg);
/* The type of a variable of a function. */
LLVMMetadataRef variable_type(struct cc *cc, LLVMMetadataRef node);
/* An address of the window, as the begin of an expression. */
void put_window(struct cc *cc, struct bytes *b, uint32_t address);
/* Where the variables are, to kernel->code.debug. */
void locations_write(struct func *f, struct places_state *state);

/* Where a routine's return address is, to kernel->code.debug; `state` may be NULL. */
void frames_write(struct func *f, struct places_state *state);

/* ---- lines.c: called by emit.c and backend.c ---- */

/* From a word of a kernel on: a DILocation. */
struct debug_row {
    uint32_t word;
    LLVMMetadataRef location;
};
/* What is kept of a kernel for its debug information. */
struct debug_code {
    LLVMMetadataRef subprogram; /* NULL: nothing is known of the source */
    struct debug_row *rows;     /* by word */
    uint32_t nrows, rows_room;
    struct debug_variable *variables;
    uint32_t nvariables;
    const struct local *locals; /* where the variables in local memory are */
    uint32_t nlocals;
    struct frame_place *links; /* of a routine */
    uint32_t nlinks, links_room;
};
/* Lists the rows of a kernel that has been emitted, in kernel->code.debug. */
void debug_lines(struct func *f);

/* ---- frame.c ---- */

/* The section of all frames. */
struct bytes frames_section(struct cc *cc);

/* ---- scope.c ---- */

/* A function, or a block in it, as it stands in a kernel: once for each call that was inlined. */
struct scope {
    LLVMMetadataRef node, inlined_at; /* inlined_at: the DILocation of the call, NULL in the kernel itself */
    struct scope *parent;
    struct span *spans; /* its code, in bytes from the kernel's first word; parents have all of it */
    uint32_t nspans, room;
    struct die *die;
};
struct scopes {
    struct scope **list; /* the kernel itself first, parents before children */
    uint32_t n, room;
    struct pairs numbers; /* place in the list + 1 */
};
/* The scopes of a kernel. */
struct scopes scopes_collect(struct cc *cc, const struct kernel *kernel);
/* The scope with this node and call; NULL: it has no code. */
const struct scope *scope_find(struct cc *cc, struct scopes *scopes, LLVMMetadataRef node, LLVMMetadataRef inlined_at);

/* ---- types.c ---- */

struct types {
    struct cc *cc;
    struct die *parent; /* of all entries */
    struct die **list;  /* those made so far */
    uint32_t n, room;
    struct pairs numbers; /* place in the list + 1, by node */
};
/* The entry of a type; NULL for void. */
const struct die *type_die(struct types *t, LLVMMetadataRef type);
/* Gives an entry its type; none for void. */
void type_refer(struct types *t, struct die *d, LLVMMetadataRef type);
/* Its size; 0: not known. */
uint32_t type_bytes(struct cc *cc, LLVMMetadataRef type);
/* Is something of it in its bytes from `from` to below `to`, or only what lies between members? */
bool type_uses(struct cc *cc, LLVMMetadataRef type, int64_t from, int64_t to);

/* ---- unit.c ---- */

/* The unit while it is being made. */
struct unit {
    struct cc *cc;
    struct die *root;
    struct types types;
    struct line_files files;
    struct bytes program, ranges, locations;
    struct die **abstracts; /* of functions that are inlined somewhere */
    uint32_t nabstracts, room;
    struct pairs abstract_numbers; /* place in the list + 1 */
};
/* Number of a DIFile in the table of lines. */
uint32_t unit_file(struct unit *u, LLVMMetadataRef file);
/* Code of a kernel as code of the unit. */
struct span *unit_spans(struct unit *u, const struct kernel *kernel, const struct span *spans, uint32_t n);

/* ---- variables.c ---- */

/* Entries for the variables of a kernel whose scopes have theirs, for those in local memory that it uses, and for those
 * of the program. */
void add_variables(struct unit *u, const struct kernel *k, struct scopes *scopes);
void add_locals(struct unit *u, const struct kernel *k, struct scopes *scopes);
void add_globals(struct unit *u);

/* ---- debug.c ---- */

/* The sections of debug information, to be called when all kernels have their addresses; NULL and *n = 0 if it was not
 * asked for, or nothing is known of the source. */
const struct elf_section *debug_sections(struct cc *cc, uint32_t text_end, size_t *n);

#endif
