/* The assembler's inside: what its files share. In pipeline order:
 *
 *   macro.c      where text comes from: files, macros, repetitions; conditions
 *   lex.c        source text -> tokens of one statement
 *   expr.c       tokens -> expression trees -> values
 *   directive.c  .text .word .align ...
 *   pseudo.c     li, la, call ...: rewriting of tokens by the table pseudo.def
 *   insn.c       .insn: instructions by format and fields
 *   operand.c    operands of a table instruction -> struct insn and an expression
 *   layout.c     items -> addresses (growing far branches), bytes
 *   object.c     relocations, and the file that link.c links
 *   asm.c        the assembler as a whole: memory, errors, symbols, statements, the image
 *
 * A source is read once into items, each a few bytes of a section; addresses exist only after
 * layout, so every expression is kept as a tree until then. All memory of one run is the arena's. */
#ifndef VENTUS_ASM_PRIVATE_H
#define VENTUS_ASM_PRIVATE_H

#include <setjmp.h>

#include "asm/assemble.h"
#include "asm/kernel.h"
#include "asm/near.h"
#include "asm/owned.h"

/* ---- tokens ---- */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCT };
enum { PUNCT_SHL = 256, PUNCT_SHR };

struct token {
    enum token_kind kind;
    const char *at;   /* place in the source, for messages */
    const char *text; /* the token itself, `length` bytes; not the place when a table supplied it */
    uint32_t length;
    int64_t value; /* of a number; a PUNCT is its character or PUNCT_ constant */
};

/* ---- expressions ---- */

// clang-format off
enum expr_op {
    EXPR_NUMBER, EXPR_SYMBOL, EXPR_NEG, EXPR_NOT, EXPR_HI, EXPR_LO, EXPR_PCREL_HI, EXPR_PCREL_LO,
    EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_SHL, EXPR_SHR, EXPR_AND, EXPR_OR, EXPR_XOR,
    EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_ANDAND, EXPR_OROR,
};
// clang-format on

struct expr {
    enum expr_op op;
    uint16_t depth; /* of the tree below, bounded */
    const char *at;
    int64_t value;
    struct symbol *symbol;
    const struct expr *a, *b;
};

/* Where an expression points in an object: a number, or so many bytes from something. */
struct place {
    enum { PLACE_NUMBER, PLACE_SECTION, PLACE_SYMBOL, PLACE_ITEM } kind;
    int section;             /* enum section_id */
    struct symbol *symbol;   /* of another file */
    const struct item *item; /* an instruction */
    int64_t value;
};

struct relocation {
    struct relocation *next;
    int section; /* what is to be changed: section, offset */
    uint32_t offset, type, symbol;
    struct place place;
};

struct symbol {
    const char *name;
    uint32_t length;
    uint32_t uses;             /* numeric labels: definitions so far */
    const char *defined;       /* place of the definition, NULL: none */
    const struct item *item;   /* a label: stands before this item */
    const struct expr *expr;   /* .set: its value */
    const struct expr *size;   /* .size */
    const struct macro *macro; /* a macro has this name, too */
    bool function, hidden, global, weak, used;
    uint32_t index; /* in an object's symbol table, 0: not there */
    bool busy;      /* being evaluated: a cycle when met again */
    uint32_t pass;  /* evaluation pass of `value` */
    int64_t value;
    struct place place; /* the same in an object */
};

/* ---- items ---- */

enum section_id {
    SECTION_TEXT,
    SECTION_RODATA,
    SECTION_DATA,
    SECTION_BSS,
    SECTION_NOTE,
    SECTION_RESOURCE,
    SECTION_SUMMARY,
    SECTION_COUNT
};
enum item_kind { ITEM_LABEL, ITEM_INSN, ITEM_WORD, ITEM_VALUE, ITEM_BYTES, ITEM_ALIGN, ITEM_SPACE };

struct item {
    struct item *next;
    const char *at;
    uint8_t kind, section;
    bool far;      /* ITEM_INSN: a branch in its long form */
    uint8_t width; /* ITEM_VALUE: bytes */
    char letter;   /* ITEM_INSN, ITEM_WORD: operand that `expr` gives, 0: none */
    struct insn insn;
    uint32_t word; /* ITEM_WORD: all but the operand */
    uint32_t addr, size;
    const struct expr *expr; /* operand, value, or number of bytes */
    const uint8_t *bytes;    /* ITEM_BYTES */
    uint32_t alignment;      /* ITEM_ALIGN: power of two */
    uint8_t fill;
};

/* A record of .kernel, and of .arg behind it. */
struct kernel_arg {
    struct kernel_arg *next;
    struct ventus_arg arg;
};

struct kernel_record {
    struct kernel_record *next;
    struct symbol *symbol;
    const char *at;
    int64_t vgpr, sgpr; /* -1: as many as the text uses */
    int64_t lds, pds, args;
    struct kernel_arg *first, **last;
    uint32_t nargs;
};

/* From this item on, SECTION_RESOURCE holds records of a kernel (NULL: they do not say). */
struct resource_mark {
    struct resource_mark *next;
    const struct item *item;
    const char *kernel;
};

/* A text that is being read, or was: all stay for messages. */
struct source {
    struct source *outer, *all; /* where it was entered; the list of all */
    const char *name;           /* of the file or macro; NULL: the text is part of the outer one's */
    bool file;
    const char *text, *end, *cursor;
    const char *at;             /* the statement that entered it */
    uint64_t repeat;            /* how often more */
    unsigned conditions, depth; /* open conditions at its beginning */
};

struct condition {
    const char *at;
    bool taken, otherwise; /* a branch was taken; .else was there */
};
enum { AS_MAX_CONDITIONS = 64 };

struct as {
    const char *name;                  /* of the source, for messages */
    const char *first_text;            /* the source itself */
    const char *source, *end, *cursor; /* of the current text */
    struct source *in, *sources;
    struct condition conditions[AS_MAX_CONDITIONS];
    unsigned nconditions;
    uint64_t expanded; /* bytes of text entered so far */
    unsigned macro_count;
    bool includes; /* .include may read files */
    bool object;   /* places stay relative to their sections */
    FILE *log;
    enum isa_profile profile;
    unsigned errors;
    bool failed;  /* in this statement */
    jmp_buf stop; /* too many errors, or no memory */

    struct chunk *arena;
    struct token *tokens; /* of the current statement, ended by TOKEN_END */
    size_t ntokens, token_room;
    const struct token *t; /* the next token */

    struct symbol **symbols; /* hash table */
    size_t nsymbols, symbol_room;
    struct mnemonic *mnemonics; /* hash table of instructions and pseudo-instructions */

    struct item *first[SECTION_COUNT], **last[SECTION_COUNT];
    uint32_t base[SECTION_COUNT];
    bool placed[SECTION_COUNT];    /* by .org */
    uint64_t bytes[SECTION_COUNT]; /* sizes */
    enum section_id section;
    uint32_t anonymous; /* labels made up so far */
    uint32_t pass;
    bool quiet;       /* addresses are not final: errors are found later again */
    unsigned nesting; /* of expressions */
    bool expanding;   /* inside a pseudo-instruction */

    struct relocation *relocations, **last_relocation;
    size_t nrelocations;
    struct kernel_record *kernels, *kernel, **last_kernel; /* all, the last one, the end of the list */
    size_t nkernels;
    struct resource_mark *marks, *mark, **last_mark; /* all, the last one, the end of the list */
    int64_t filled;                                  /* bytes made by .fill */
};

enum { AS_MAX_ERRORS = 20, AS_MAX_BYTES = 64 << 20, AS_MAX_DEPTH = 500, AS_MAX_ALIGN = 1 << 16 };

/* What a first word can mean: operation `op` of the table (0: none), and the pseudo-instructions
 * from row pseudo - 1 on (0: none). */
struct mnemonic {
    const char *name;
    uint16_t op, pseudo;
};

/* ---- asm.c ---- */
void *as_alloc(struct as *as, size_t size);
char *as_strdup(struct as *as, const char *text, size_t length);
/* Reports an error at a place of the source; false, to be returned. */
bool as_error(struct as *as, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void as_hint(struct as *as, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct symbol *as_symbol(struct as *as, const char *name, size_t length);
struct symbol *as_find(struct as *as, const char *name, size_t length); /* NULL: never mentioned */
bool as_define(struct as *as, struct symbol *symbol, const char *at);
struct symbol *as_here(struct as *as); /* an anonymous label at this place */
struct item *as_item(struct as *as, enum item_kind kind, const char *at);
bool as_statement(struct as *as);                         /* the statement of as->t .. TOKEN_END */
void as_profile(struct as *as, enum isa_profile profile); /* of the instructions from here on */
/* A hint at the profiles that know this instruction; false, and none, if there are none or the present one does. */
bool as_hint_profiles(struct as *as, const struct token *t);
/* Is this the first word of a statement, or nearly? */
bool as_begins_statement(struct as *as, const char *word, size_t length);

/* ---- macro.c ---- */
bool source_begin(struct as *as, const char *name, const char *text, size_t size);
bool source_leave(struct as *as); /* false: the end of everything */
bool macro_run(struct as *as, const struct macro *macro, const struct token *name);
bool directive_if(struct as *as, const struct token *name, unsigned relation);
bool directive_ifdef(struct as *as, const struct token *name, unsigned defined);
bool directive_ifblank(struct as *as, const struct token *name, unsigned blank);
bool directive_ifequal(struct as *as, const struct token *name, unsigned equal);
bool directive_else(struct as *as, const struct token *name, unsigned with_condition);
bool directive_endif(struct as *as, const struct token *name, unsigned argument);
bool directive_macro(struct as *as, const struct token *name, unsigned argument);
bool directive_purgem(struct as *as, const struct token *name, unsigned argument);
bool directive_rept(struct as *as, const struct token *name, unsigned argument);
bool directive_irp(struct as *as, const struct token *name, unsigned characters);
bool directive_include(struct as *as, const struct token *name, unsigned argument);
bool directive_stray(struct as *as, const struct token *name, unsigned argument); /* .endm, .endr */

/* ---- lex.c ---- */
/* Reads the next statement into as->tokens; false at the end of the source. */
bool lex_statement(struct as *as);
/* Appends the tokens of `text`, placed at `at`; used for templates. */
bool lex_text(struct as *as, const char **text, const char *end, const char *at, bool template);
bool token_is(const struct token *t, int punct);
bool token_named(const struct token *t, const char *name);
bool lex_accept(struct as *as, int punct);
bool lex_expect(struct as *as, int punct, const char *what);
/* Value of a quoted string in the arena; its length in *length. */
bool lex_string(struct as *as, const struct token *t, uint8_t **bytes, size_t *length);

/* ---- expr.c ---- */
const struct expr *expr_parse(struct as *as); /* NULL after an error */
const struct expr *expr_number(struct as *as, int64_t value, const char *at);
bool expr_constant(const struct expr *e, int64_t *value);
/* Value under the addresses of the current pass. */
bool expr_value(struct as *as, const struct expr *e, int64_t *value);
bool symbol_value(struct as *as, struct symbol *s, const char *at, int64_t *value);
/* The same in an object, where it can be relative to something. */
bool expr_place(struct as *as, const struct expr *e, struct place *place);
/* The same for what is jumped to or taken the address of: a weak symbol may turn out to be another file's. */
bool expr_target(struct as *as, const struct expr *e, struct place *place);
bool symbol_place(struct as *as, struct symbol *s, const char *at, struct place *place);
/* The instruction with %pcrel_hi that %pcrel_lo of this expression belongs to; NULL after an error. */
const struct item *expr_pcrel_item(struct as *as, const struct expr *e);
/* Parses an expression that must be known here, in min..max. */
bool expr_parse_known(struct as *as, const char *what, int64_t min, int64_t max, int64_t *value);

/* ---- operand.c ---- */
bool operand_instruction(struct as *as, unsigned op, const struct token *mnemonic, bool aq, bool rl);

int operand_register(const struct token *t); /* number of a register of either bank, or -1 */

/* ---- insn.c ---- */
bool directive_insn(struct as *as, const struct token *name, unsigned argument);

/* ---- pseudo.c ---- */
const char *pseudo_name(size_t row); /* NULL behind the last */
/* Rewrites and assembles the statement by the rows that begin at `row`; *found says whether one is
 * meant, or the instruction of the same name (`instruction`: there is one). */
bool pseudo_instruction(struct as *as, size_t row, const struct token *mnemonic, bool instruction, bool *found);

/* ---- directive.c ---- */
bool directive_run(struct as *as, const struct token *name);
bool directive_set(struct as *as, const struct token *name);

/* ---- object.c ---- */
/* The value of an operand or .word; what the linker has to fill in becomes a relocation. */
bool object_operand(struct as *as, const struct item *i, int64_t *value, bool *relocated);
bool object_value(struct as *as, const struct item *i, int64_t *value);
bool object_half(struct as *as, const struct item *i, int64_t *distance);
bool object_jump(struct as *as, const struct item *i, uint32_t offset, bool call);
/* Writes the file; its note and resource records are those of `made`. */
bool object_write(struct as *as, uint8_t *sections[SECTION_COUNT], const struct owned *made, void **bytes,
                  size_t *size);

/* ---- layout.c ---- */
bool layout_place(struct as *as);
bool layout_emit(struct as *as, uint8_t *out[SECTION_COUNT]);

#endif
