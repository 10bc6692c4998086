/* The assembler's inside: what its files share. In pipeline order:
 *
 *   lex.c        source text -> tokens of one statement
 *   expr.c       tokens -> expression trees -> values
 *   directive.c  .text .word .align ...
 *   pseudo.c     li, la, call ...: rewriting of tokens by the table pseudo.def
 *   operand.c    operands of a table instruction -> struct insn and an expression
 *   layout.c     items -> addresses (growing far branches), bytes
 *   asm.c        the assembler as a whole: memory, errors, symbols, statements, the image
 *
 * A source is read once into items, each a few bytes of a section; addresses exist only after
 * layout, so every expression is kept as a tree until then. All memory of one run is the arena's. */
#ifndef VENTUS_ASM_PRIVATE_H
#define VENTUS_ASM_PRIVATE_H

#include <setjmp.h>

#include "owned.h"

/* ---- tokens ---- */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCT };
enum { PUNCT_SHL = 256, PUNCT_SHR };

struct token {
    enum token_kind kind;
    const char *at;    /* place in the source, for messages */
    const char *text;  /* the token itself, `length` bytes; not the place when a table supplied it */
    uint32_t length;
    int64_t value;     /* of a number; a PUNCT is its character or PUNCT_ constant */
};

/* ---- expressions ---- */

enum expr_op {
    EXPR_NUMBER, EXPR_SYMBOL, EXPR_NEG, EXPR_NOT, EXPR_HI, EXPR_LO, EXPR_PCREL_HI, EXPR_PCREL_LO,
    EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_SHL, EXPR_SHR, EXPR_AND, EXPR_OR, EXPR_XOR,
};

struct expr {
    enum expr_op op;
    uint16_t depth;          /* of the tree below, bounded */
    const char *at;
    int64_t value;
    struct symbol *symbol;
    const struct expr *a, *b;
};

struct symbol {
    const char *name;
    uint32_t length;
    uint32_t uses;           /* numeric labels: definitions so far */
    const char *defined;     /* place of the definition, NULL: none */
    const struct item *item; /* a label: stands before this item */
    const struct expr *expr; /* .set: its value */
    const struct expr *size; /* .size */
    bool function, hidden;
    bool busy;               /* being evaluated: a cycle when met again */
    uint32_t pass;           /* evaluation pass of `value` */
    int64_t value;
};

/* ---- items ---- */

enum section_id { SECTION_TEXT, SECTION_RODATA, SECTION_NOTE, SECTION_RESOURCE, SECTION_COUNT };
enum item_kind { ITEM_LABEL, ITEM_INSN, ITEM_VALUE, ITEM_BYTES, ITEM_ALIGN, ITEM_SPACE };

struct item {
    struct item *next;
    const char *at;
    uint8_t kind, section;
    bool far;                /* ITEM_INSN: a branch in its long form */
    uint8_t width;           /* ITEM_VALUE: bytes */
    char letter;             /* ITEM_INSN: operand that `expr` gives, 0: none */
    struct insn insn;
    uint32_t addr, size;
    const struct expr *expr; /* operand, value, or number of bytes */
    const uint8_t *bytes;    /* ITEM_BYTES */
    uint32_t alignment;      /* ITEM_ALIGN: power of two */
    uint8_t fill;
};

/* A record of .kernel, and of .arg behind it. */
struct kernel_arg {
    struct kernel_arg *next;
    const char *kind, *name;
    uint32_t size, offset, alignment;
};

struct kernel_record {
    struct kernel_record *next;
    struct symbol *symbol;
    const char *at;
    int64_t vgpr, sgpr, lds, pds, args;
    struct kernel_arg *first, **last;
};

struct as {
    const char *name;        /* of the source, for messages */
    const char *source, *end, *cursor;
    FILE *log;
    enum isa_profile profile;
    unsigned errors;
    bool failed;             /* in this statement */
    jmp_buf stop;            /* too many errors, or no memory */

    struct chunk *arena;
    struct token *tokens;    /* of the current statement, ended by TOKEN_END */
    size_t ntokens, token_room;
    const struct token *t;   /* the next token */

    struct symbol **symbols; /* hash table */
    size_t nsymbols, symbol_room;
    struct mnemonic *mnemonics; /* hash table of instructions and pseudo-instructions */

    struct item *first[SECTION_COUNT], **last[SECTION_COUNT];
    uint32_t base[SECTION_COUNT];
    bool placed[SECTION_COUNT];    /* by .org */
    uint64_t bytes[SECTION_COUNT]; /* sizes */
    enum section_id section;
    uint32_t anonymous;      /* labels made up so far */
    uint32_t pass;
    bool quiet;              /* addresses are not final: errors are found later again */
    unsigned nesting;        /* of expressions */
    bool expanding;          /* inside a pseudo-instruction */

    struct kernel_record *kernels, *kernel, **last_kernel; /* all, the last one, the end of the list */
    int64_t filled;          /* bytes made by .fill */
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
bool as_define(struct as *as, struct symbol *symbol, const char *at);
struct symbol *as_here(struct as *as);  /* an anonymous label at this place */
struct item *as_item(struct as *as, enum item_kind kind, const char *at);
bool as_statement(struct as *as);       /* the statement of as->t .. TOKEN_END */
void as_profile(struct as *as, enum isa_profile profile); /* of the instructions from here on */
/* Is this the first word of a statement, or nearly? */
bool as_begins_statement(struct as *as, const char *word, size_t length);
/* "name" nearest to `word` among the candidates a caller offers one by one. */
struct nearest { const char *word; size_t length; unsigned distance; const char *best; };
void as_near(struct nearest *n, const char *candidate);

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
const struct expr *expr_parse(struct as *as);   /* NULL after an error */
const struct expr *expr_number(struct as *as, int64_t value, const char *at);
const struct expr *expr_unary(struct as *as, enum expr_op op, const struct expr *a, const char *at);
bool expr_constant(const struct expr *e, int64_t *value);
/* Value under the addresses of the current pass. */
bool expr_value(struct as *as, const struct expr *e, int64_t *value);
bool symbol_value(struct as *as, struct symbol *s, const char *at, int64_t *value);
/* Parses an expression that must be known here, in min..max. */
bool expr_parse_known(struct as *as, const char *what, int64_t min, int64_t max, int64_t *value);

/* ---- operand.c ---- */
bool operand_instruction(struct as *as, unsigned op, const struct token *mnemonic, bool aq, bool rl);

/* ---- pseudo.c ---- */
const char *pseudo_name(size_t row);    /* NULL behind the last */
/* Rewrites and assembles the statement by the rows that begin at `row`; *found says whether one is
 * meant, or the instruction of the same name (`instruction`: there is one). */
bool pseudo_instruction(struct as *as, size_t row, const struct token *mnemonic, bool instruction, bool *found);

/* ---- directive.c ---- */
const char *directive_name(size_t index);
bool directive_run(struct as *as, const struct token *name);
bool directive_set(struct as *as, const struct token *name);

/* ---- layout.c ---- */
bool layout_place(struct as *as);
bool layout_emit(struct as *as, uint8_t *out[SECTION_COUNT]);

#endif
