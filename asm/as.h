/* The assembler's inside: what its files share. From the bottom up, each calling only those above it in this list:
 *
 *   as.c          memory and messages
 *   symbol.c      symbols, and the items of sections
 *   mnemonic.c    first words of statements, by profile
 *   source.c      the texts that are read
 *   lex.c         source text -> tokens of one statement
 *   expr.c        tokens -> expression trees -> values
 *   operand.c     operands of a table instruction -> struct insn and an expression
 *   insn.c        .insn: instructions by format and fields
 *   pseudo.c      li, la, call ...: rewriting of tokens by the table pseudo.def
 *   macro.c       macros, repetitions, conditions, included files
 *   kernels.c     .kernel .arg
 *   section.c     .section .text .comm ...
 *   directive.c   .word .align .globl ...
 *   statement.c   labels, and what stands behind them
 *   object.c      relocations, and the file that link.c links
 *   layout.c      items -> addresses (growing far branches), bytes
 *   asm.c         the run over one source, and what becomes of it: an image or an object
 *
 * A source is read once into items, each a few bytes of a section; addresses exist only after
 * layout, so every expression is kept as a tree until then. All memory of one run is the arena's. */
#ifndef VENTUS_ASM_AS_H
#define VENTUS_ASM_AS_H

#include <setjmp.h>
#include <string.h>

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

static inline bool token_is(const struct token *t, int punct) { return t->kind == TOKEN_PUNCT && t->value == punct; }

static inline bool token_named(const struct token *t, const char *name)
{
    return t->kind == TOKEN_NAME && t->length == strlen(name) && !memcmp(t->text, name, t->length);
}

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
    unsigned section;        /* its number */
    struct symbol *symbol;   /* of another file */
    const struct item *item; /* an instruction */
    int64_t value;
};

struct relocation {
    struct relocation *next;
    unsigned section; /* what is to be changed: section, offset */
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
    struct common *common;     /* .comm: space that it may share with other files */
    const struct macro *macro; /* a macro has this name, too */
    bool function, hidden, global, local, weak, used;
    uint32_t index; /* in an object's symbol table, 0: not there */
    bool busy;      /* being evaluated: a cycle when met again */
    uint32_t pass;  /* evaluation pass of `value` */
    int64_t value;
    struct place place; /* the same in an object */
};

/* Space for a symbol of .comm. */
struct common {
    struct common *next;
    struct symbol *symbol;
    const char *at;
    uint32_t size, alignment;
    bool here; /* of this file alone */
};

/* ---- items ---- */

/* Kinds of sections, and the numbers of the first section of each: .text, .rodata ... Sections with other names have
 * numbers from SECTION_COUNT on, and are of one of the kinds up to SECTION_BSS, or of none (SECTION_OTHER): those are
 * no part of a program. */
enum section_id {
    SECTION_TEXT,
    SECTION_RODATA,
    SECTION_DATA,
    SECTION_BSS,
    SECTION_NOTE,
    SECTION_RESOURCE,
    SECTION_SUMMARY,
    SECTION_COUNT,
    SECTION_OTHER = SECTION_COUNT
};
enum item_kind { ITEM_LABEL, ITEM_INSN, ITEM_WORD, ITEM_VALUE, ITEM_BYTES, ITEM_ALIGN, ITEM_SPACE };

struct item {
    struct item *next;
    const char *at;
    uint16_t section; /* its number */
    uint8_t kind;
    bool far;      /* ITEM_INSN: a branch in its long form */
    uint8_t width; /* ITEM_VALUE: bytes */
    char letter;   /* ITEM_INSN, ITEM_WORD: operand that `expr` gives, 0: none */
    struct insn insn;
    uint32_t word; /* ITEM_WORD: all but the operand */
    uint32_t addr, size;
    const struct expr *expr;  /* operand, value, or number of bytes */
    const uint8_t *bytes;     /* ITEM_BYTES */
    uint32_t alignment, most; /* ITEM_ALIGN: power of two; nothing is skipped if it would be more than `most` bytes */
    uint8_t fill;
};

/* A section, as a list of its items. */
struct section {
    const char *name;
    enum section_id kind;
    uint32_t type, flags, entry_size; /* of its header in an object */
    uint32_t alignment;               /* the largest of its items, at least 4 */
    struct item *first, **last;       /* its items, and where the next one goes */
    uint32_t base;                    /* its address */
    bool placed;                      /* by .org */
    uint64_t bytes;                   /* its size under the addresses of the last pass */
    uint8_t *out;                     /* where its bytes go */
    uint32_t header, symbol;          /* its numbers in an object's tables */
};

/* What sections of one kind are together in a program. */
struct part {
    uint32_t base;
    uint64_t bytes;
};

/* ---- kernels ---- */

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

/* A format of printf, or a literal that one prints. */
struct print_text {
    struct print_text *next;
    uint32_t id;
    const char *text;
};
struct print_texts {
    struct print_text *first, **last;
    size_t n;
};

/* From this item on, SECTION_RESOURCE holds records of a kernel (NULL: they do not say). */
struct resource_mark {
    struct resource_mark *next;
    const struct item *item;
    const char *kernel;
};

/* ---- sources ---- */

/* A text that is being read, or was: all stay for messages. */
struct source {
    struct source *outer, *all; /* where it was entered; the list of all */
    const char *name;           /* of the file or macro; NULL: the text is part of the outer one's */
    bool file;
    const char *text, *end, *cursor; /* all of it, and what is to be read next */
    const char *at;                  /* the statement that entered it */
    uint64_t repeat;                 /* how often more */
    unsigned conditions, depth;      /* open conditions at its beginning */
};

struct condition {
    const char *at;
    bool taken, otherwise; /* a branch was taken; .else was there */
};
enum { AS_MAX_CONDITIONS = 64, AS_MAX_SAVED = 64 };

struct sources {
    const char *name;   /* of the source that is assembled */
    struct source *all; /* the last one first */
    struct condition conditions[AS_MAX_CONDITIONS];
    unsigned nconditions;
    uint64_t expanded; /* bytes of text entered so far */
    unsigned macros;   /* expansions so far */
    bool includes;     /* .include may read files */
};

/* ---- the run ---- */

struct messages {
    FILE *log;       /* NULL: nowhere */
    unsigned errors; /* so far */
    bool quiet;      /* addresses are not final: errors are found later again */
};

/* Of the current statement, ended by TOKEN_END. */
struct tokens {
    struct token *list;
    size_t n, room;
};

/* A hash table by name. */
struct symbols {
    struct symbol **table;
    size_t n, room;
    uint32_t anonymous; /* labels made up so far */
};

/* What a first word can mean: operation `op` of the table (0: none), and the pseudo-instructions
 * from row pseudo - 1 on (0: none). */
struct mnemonic {
    const char *name;
    uint16_t op, pseudo;
};

/* A hash table of the instructions of a profile, and of pseudo-instructions. */
struct mnemonics {
    struct mnemonic *table;
    enum isa_profile profile;
};

/* Lists in the order of the source: the first one, the one that is added to, and where the next one goes. */
struct kernels {
    struct kernel_record *first, *current, **last;
    size_t n;
    struct print_texts formats, strings;
};
struct resource_marks {
    struct resource_mark *first, *current, **last;
};
struct relocations {
    struct relocation *first, **last;
    size_t n;
};
struct commons {
    struct common *first, **last;
};

struct sections {
    struct section **list; /* the one with number N at N */
    unsigned n, room;
    unsigned current, previous;       /* the one that is added to, and that before */
    unsigned saved[AS_MAX_SAVED * 2]; /* both, of each .pushsection that is open */
    unsigned nsaved;
    struct part parts[SECTION_BSS + 1]; /* by kind */
};

struct as {
    struct messages messages;
    struct chunk *arena;
    jmp_buf stop; /* too many errors, or no memory */
    struct sources sources;
    struct source *in; /* the text that is being read */
    struct tokens tokens;
    const struct token *t; /* the next token */
    struct symbols symbols;
    struct mnemonics mnemonics;
    struct sections sections;
    struct kernels kernels;
    struct resource_marks marks;
    struct relocations relocations;
    struct commons commons;
    int64_t filled;   /* bytes made by .fill */
    unsigned nesting; /* of expressions that are parsed or computed */
    uint32_t pass;    /* of layout; symbols are computed once in each */
    bool object;      /* the result is an object: places stay relative to their sections */
};

enum {
    AS_MAX_ERRORS = 20,
    AS_MAX_BYTES = 64 << 20,
    AS_MAX_DEPTH = 500,
    AS_MAX_ALIGN = 1 << 16,
    AS_MAX_SECTIONS = 4096
};

static inline struct section *as_section(const struct as *as, unsigned number) { return as->sections.list[number]; }
static inline bool is_loaded(const struct section *s) { return s->kind <= SECTION_BSS; }

/* ---- as.c ---- */

/* Zeroed memory of the run; ends the run when there is none. */
void *as_alloc(struct as *as, size_t size);
/* A copy of `length` bytes, and a zero. */
char *as_strdup(struct as *as, const char *text, size_t length);
/* Releases all of it. */
void as_free(struct as *as);
/* Reports an error at a place of the source (NULL: at its beginning); false, to be returned. */
bool as_error(struct as *as, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a line to the last error. */
void as_hint(struct as *as, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number of the line that a place is in; 0: in none. */
unsigned as_line(const struct as *as, const char *at);

/* ---- symbol.c ---- */

/* For hash tables of names. */
uint32_t as_hash(const char *name, size_t length);
/* The symbol of this name; made when it was never mentioned. */
struct symbol *as_symbol(struct as *as, const char *name, size_t length);
/* The same; NULL: it was never mentioned. */
struct symbol *as_find(struct as *as, const char *name, size_t length);
/* Makes a symbol a label at this place of the section; false, with a message, when it is defined already. */
bool as_define(struct as *as, struct symbol *symbol, const char *at);
/* A label without a name at this place. */
struct symbol *as_here(struct as *as);
/* The number of the section of this name; as->sections.n: there is none. */
unsigned as_find_section(const struct as *as, const char *name);
/* A new item at the end of the section. */
struct item *as_item(struct as *as, enum item_kind kind, const char *at);

/* ---- mnemonic.c ---- */

/* Chooses the instructions from here on. */
void as_profile(struct as *as, enum isa_profile profile);
/* What a word means, with the suffixes of atomics in *aq and *rl; NULL: it is no instruction. */
const struct mnemonic *as_mnemonic(const struct as *as, const struct token *t, bool *aq, bool *rl);
/* Reports a word that is no instruction; false. */
bool as_unknown(struct as *as, const struct token *t);
/* A hint at the profiles that know this instruction; false, and none, if there are none or the present one does. */
bool as_hint_profiles(struct as *as, const struct token *t);
/* Is this the first word of a statement, or nearly? */
bool as_begins_statement(struct as *as, const char *word, size_t length);

/* ---- source.c ---- */

/* Reads on in another text, and behind its end in the present one. `name` as in struct source, `at` is the statement
 * that does so. False, with a message, when texts are nested too deep. */
bool source_enter(struct as *as, const char *name, const char *text, size_t size, const char *at);
/* Goes on behind the end of a text; false: that was the end of everything. */
bool source_leave(struct as *as);

/* ---- lex.c ---- */

/* Reads the next statement into as->tokens; false at the end of the source. */
bool lex_statement(struct as *as);
/* Makes tokens of the statement at *text, which moves behind it. `at` is their place for messages (NULL: where they
 * stand); a template is a text without comments. */
bool lex_text(struct as *as, const char **text, const char *end, const char *at, bool template);
/* Skips the next token if it is this one. */
bool lex_accept(struct as *as, int punct);
/* The same; it is an error if it is not. `what` says where it belongs. */
bool lex_expect(struct as *as, int punct, const char *what);
/* The comma between two operands. */
bool lex_comma(struct as *as);
/* Value of a quoted string in the arena; its length in *length. */
bool lex_string(struct as *as, const struct token *t, uint8_t **bytes, size_t *length);

/* ---- expr.c ---- */

/* Parses the expression at the next token; NULL after an error. */
const struct expr *expr_parse(struct as *as);
/* Parses one that must be known here, in min..max; `what` names it in messages. */
bool expr_parse_known(struct as *as, const char *what, int64_t min, int64_t max, int64_t *value);
/* The symbol that the next token names; NULL after an error. */
struct symbol *expr_symbol(struct as *as);
const struct expr *expr_number(struct as *as, int64_t value, const char *at);
/* Is it a number that is known without addresses? */
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

/* ---- operand.c ---- */

/* Number of a register of either bank, or -1. */
int operand_register(const struct token *t);
/* Assembles the operands that follow, to the end of the statement, as operation `op` of the table. */
bool operand_instruction(struct as *as, unsigned op, const struct token *mnemonic, bool aq, bool rl);

/* ---- pseudo.c ---- */

/* Rewrites and assembles the rest of the statement by the rows that begin at `row`; *found says whether one is
 * meant, or the instruction of the same name (`instruction`: there is one). */
bool pseudo_instruction(struct as *as, size_t row, const struct token *mnemonic, bool instruction, bool *found);

/* ---- directives: `argument` is what the table in directive.c has for the name ---- */

/* section.c */
bool directive_section(struct as *as, const struct token *name, unsigned push);
bool directive_popsection(struct as *as, const struct token *name, unsigned argument);
bool directive_previous(struct as *as, const struct token *name, unsigned argument);
bool directive_usual(struct as *as, const struct token *name, unsigned argument); /* .text and its kin */
bool directive_org(struct as *as, const struct token *name, unsigned argument);
bool directive_comm(struct as *as, const struct token *name, unsigned here);
/* directive.c */
bool directive_run(struct as *as, const struct token *name);
bool directive_set(struct as *as, const struct token *name);
/* insn.c */
bool directive_insn(struct as *as, const struct token *name, unsigned argument);
/* kernels.c */
bool directive_kernel(struct as *as, const struct token *name, unsigned argument);
bool directive_arg(struct as *as, const struct token *name, unsigned argument);
bool directive_print(struct as *as, const struct token *name, unsigned string);
/* macro.c */
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

/* ---- macro.c ---- */

/* Expands a macro with the arguments that follow, and reads on there. */
bool macro_run(struct as *as, const struct macro *macro, const struct token *name);

/* ---- kernels.c ---- */

void kernels_begin(struct as *as);
/* Has the source said anything for the module note? */
bool kernels_said(const struct as *as);
/* The module note of the kernels, malloc'ed; in an object with NOTE_AUTO for registers that nobody gave. */
bool kernels_note(struct as *as, const struct elf_image *image, char **text);

/* ---- section.c ---- */

/* Makes the sections that every source has; .text is the current one. */
void section_begin(struct as *as, uint32_t text_base);
/* Reports an instruction outside text; true if it may stand here. */
bool section_has_text(struct as *as, const char *at);
/* Puts the space of .comm that no linker is to share into .bss. */
void section_commons(struct as *as);

/* ---- statement.c ---- */

/* Assembles the statement from as->t on. */
bool statement_run(struct as *as);

/* ---- object.c ---- */

/* The value of an operand or .word; what the linker has to fill in becomes a relocation. */
bool object_operand(struct as *as, const struct item *i, int64_t *value, bool *relocated);
bool object_value(struct as *as, const struct item *i, int64_t *value);
/* The distance to the target of a halfword; 0 when the linker will know it. */
bool object_half(struct as *as, const struct item *i, int64_t *distance);
/* A jump to what is not in this section, `offset` bytes into the item. */
bool object_jump(struct as *as, const struct item *i, uint32_t offset, bool call);
/* Writes the file (malloc'ed); its note and resource records are those of `made`. */
bool object_write(struct as *as, const struct owned *made, void **bytes, size_t *size);

/* ---- layout.c ---- */

/* Gives all items their addresses and sizes. */
bool layout_place(struct as *as);
/* Writes the bytes of each section to its `out`. */
bool layout_emit(struct as *as);

#endif
