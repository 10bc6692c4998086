/* Directives: data, symbols; the table of all.
 *
 * One function per directive, found by name in the table at the end. Sizes and alignments must be
 * known where they stand or settle during layout. Called by statement.c. */
#include "asm/as.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct directive {
    const char *name;
    bool (*run)(struct as *as, const struct token *name, unsigned argument);
    unsigned argument;
};

/* ---- data ---- */

static bool data(struct as *as, const struct token *name, unsigned width)
{
    do {
        const char *at = as->t->at;
        const struct expr *e = expr_parse(as);
        if (!e) return false;
        struct item *i = as_item(as, ITEM_VALUE, at);
        i->width = (uint8_t)width;
        i->size = width;
        i->expr = e;
    } while (lex_accept(as, ','));
    (void)name;
    return true;
}

static struct item *bytes(struct as *as, const char *at, const void *p, size_t n)
{
    struct item *i = as_item(as, ITEM_BYTES, at);
    i->bytes = p;
    i->size = (uint32_t)n;
    return i;
}

/* Numbers as strtof reads them; the tokens that it has eaten are skipped. */
static bool floats(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    do {
        const struct token *t = as->t;
        char *stop;
        float v = t->kind == TOKEN_END ? 0 : strtof(t->text, &stop);
        if (t->kind == TOKEN_END || stop == t->text) return as_error(as, t->at, "floating-point number expected");
        while (as->t->kind != TOKEN_END && as->t->text < stop) as->t++;
        if (as->t[-1].text + as->t[-1].length != stop) return as_error(as, t->at, "floating-point number expected");
        float *p = as_alloc(as, sizeof v);
        *p = v;
        bytes(as, t->at, p, sizeof v);
    } while (lex_accept(as, ','));
    return true;
}

static bool strings(struct as *as, const struct token *name, unsigned terminated)
{
    (void)name;
    do {
        const struct token *t = as->t;
        uint8_t *p;
        size_t n;
        if (t->kind != TOKEN_STRING) return as_error(as, t->at, "string expected");
        if (!lex_string(as, t, &p, &n)) return false;
        p[n] = 0; /* the quotes left room */
        bytes(as, t->at, p, n + terminated);
        as->t++;
    } while (lex_accept(as, ','));
    return true;
}

/* .zero, .space, .skip: SIZE[, FILL] */
static bool space(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    int64_t fill = 0;
    const struct expr *e = expr_parse(as);
    if (!e || (lex_accept(as, ',') && !expr_parse_known(as, "the fill byte", -128, 255, &fill))) return false;
    struct item *i = as_item(as, ITEM_SPACE, name->at);
    i->expr = e;
    i->fill = (uint8_t)fill;
    return true;
}

/* .fill COUNT[, SIZE[, VALUE]] */
static bool fill(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    int64_t count, width = 1, value = 0;
    if (!expr_parse_known(as, "the count", 0, AS_MAX_BYTES, &count)) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the size", 0, 8, &width)) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the value", INT32_MIN, UINT32_MAX, &value)) return false;
    as->filled += count * width;
    if (as->filled > AS_MAX_BYTES)
        return as_error(as, name->at, "the program is larger than %d MiB", AS_MAX_BYTES >> 20);
    uint8_t *p = as_alloc(as, (size_t)(count * width) + 1);
    for (int64_t i = 0; i < count * width; i++) p[i] = (uint8_t)((uint64_t)value >> (i % width * 8));
    bytes(as, name->at, p, (size_t)(count * width));
    return true;
}

/* .align and .p2align take the exponent, as for every RISC-V assembler; .balign the bytes: ALIGNMENT[, [FILL][, MOST]],
 * nothing if more than MOST bytes would be skipped. */
static bool align(struct as *as, const struct token *name, unsigned exponent)
{
    int64_t n, fill_byte = 0, most = AS_MAX_ALIGN;
    bool ok = exponent ? expr_parse_known(as, "the alignment", 0, 16, &n)
                       : expr_parse_known(as, "the alignment", 1, AS_MAX_ALIGN, &n);
    if (!ok) return false;
    if (exponent) n = (int64_t)1 << n;
    if (n & (n - 1)) return as_error(as, name->at, "the alignment must be a power of two");
    bool filled = lex_accept(as, ',') && !token_is(as->t, ',') && as->t->kind != TOKEN_END;
    if (filled && !expr_parse_known(as, "the fill byte", -128, 255, &fill_byte)) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the most bytes to skip", 0, AS_MAX_ALIGN, &most)) return false;
    struct item *i = as_item(as, ITEM_ALIGN, name->at);
    struct section *section = as_section(as, i->section);
    if (n > section->alignment) section->alignment = (uint32_t)n;
    i->alignment = (uint32_t)n;
    i->most = (uint32_t)most;
    i->fill = (uint8_t)fill_byte;
    i->width = filled; /* else text is filled with nop */
    return true;
}

/* ---- symbols ---- */

bool directive_set(struct as *as, const struct token *name)
{
    struct symbol *s = as_symbol(as, name->text, name->length);
    const struct expr *e = expr_parse(as);
    if (!e) return false;
    if (s->item) return as_error(as, name->at, "'%s' is a label already", s->name);
    s->expr = e;
    s->defined = name->at;
    return true;
}

static bool set(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    const struct token *t = as->t;
    return expr_symbol(as) && lex_comma(as) && directive_set(as, t);
}

/* .globl and its kin: matters for objects; a program has its kernels as global symbols. */
enum { VISIBLE_LOCAL, VISIBLE_GLOBAL, VISIBLE_WEAK, VISIBLE_SAME };
static void make_visible(struct symbol *s, unsigned how)
{
    if (how == VISIBLE_SAME) return;
    s->global = how != VISIBLE_LOCAL;
    s->local = how == VISIBLE_LOCAL;
    s->weak = how == VISIBLE_WEAK;
}

static bool visibility(struct as *as, const struct token *name, unsigned how)
{
    (void)name;
    do {
        struct symbol *s = expr_symbol(as);
        if (!s) return false;
        make_visible(s, how);
    } while (lex_accept(as, ','));
    return true;
}

/* .type NAME, @function */
static bool type(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    struct symbol *s = expr_symbol(as);
    if (!s || !lex_comma(as)) return false;
    if (!lex_accept(as, '@')) lex_accept(as, '%');
    const struct token *t = as->t;
    bool function = token_named(t, "function") || token_named(t, "STT_FUNC") ||
                    (t->kind == TOKEN_STRING && t->length == 10 && !memcmp(t->text, "\"function\"", 10));
    bool object = token_named(t, "object") || token_named(t, "notype") || token_named(t, "STT_OBJECT");
    if (!function && !object) return as_error(as, t->at, "type expected: @function or @object");
    s->function = function;
    as->t++;
    return true;
}

static bool size(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    struct symbol *s = expr_symbol(as);
    return s && lex_comma(as) && (s->size = expr_parse(as));
}

/* .option profile, NAME; the options of other assemblers for RISC-V have no meaning here. */
static bool option(struct as *as, const struct token *name, unsigned argument)
{
    char text[16];
    enum isa_profile profile;
    (void)name, (void)argument;
    if (!token_named(as->t, "profile")) {
        while (as->t->kind != TOKEN_END) as->t++;
        return true;
    }
    as->t++;
    lex_accept(as, ',');
    const char *at = as->t->at;
    if (as->t->kind != TOKEN_NAME) return as_error(as, at, "profile expected: " ISA_PROFILE_NAMES);
    snprintf(text, sizeof text, "%.*s", (int)(as->t->length < 15 ? as->t->length : 15), as->t->text);
    as->t++;
    if (!isa_profile_find(text, &profile)) return as_error(as, at, "unknown profile; there are " ISA_PROFILE_NAMES);
    as_profile(as, profile);
    return true;
}

/* What says how other tools should work, and does not concern this one. */
static bool ignored(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    while (as->t->kind != TOKEN_END) as->t++;
    return true;
}

// clang-format off
static const struct directive directives[] = {
    {".text", directive_usual, 0}, {".rodata", directive_usual, 0}, {".data", directive_usual, 0}, {".bss", directive_usual, 0},
    {".srodata", directive_usual, 0}, {".sdata", directive_usual, 0}, {".sbss", directive_usual, 0},
    {".init_array", directive_usual, 0}, {".fini_array", directive_usual, 0}, {".preinit_array", directive_usual, 0},
    {".section", directive_section, 0}, {".pushsection", directive_section, 1}, {".popsection", directive_popsection, 0},
    {".previous", directive_previous, 0}, {".org", directive_org, 0}, {".comm", directive_comm, 0}, {".lcomm", directive_comm, 1},
    {".word", data, 4}, {".long", data, 4}, {".int", data, 4}, {".4byte", data, 4}, {".half", data, 2}, {".short", data, 2},
    {".2byte", data, 2}, {".hword", data, 2}, {".byte", data, 1}, {".quad", data, 8}, {".dword", data, 8}, {".8byte", data, 8},
    {".float", floats, 0}, {".single", floats, 0},
    {".ascii", strings, 0}, {".asciz", strings, 1}, {".string", strings, 1},
    {".zero", space, 0}, {".space", space, 0}, {".skip", space, 0}, {".fill", fill, 0},
    {".align", align, 1}, {".p2align", align, 1}, {".balign", align, 0},
    {".set", set, 0}, {".equ", set, 0}, {".type", type, 0}, {".size", size, 0},
    {".globl", visibility, VISIBLE_GLOBAL}, {".global", visibility, VISIBLE_GLOBAL}, {".extern", visibility, VISIBLE_SAME},
    {".local", visibility, VISIBLE_LOCAL}, {".weak", visibility, VISIBLE_WEAK}, {".hidden", visibility, VISIBLE_SAME},
    {".kernel", directive_kernel, 0}, {".arg", directive_arg, 0},
    {".print_format", directive_print, 0}, {".print_string", directive_print, 1},
    {".option", option, 0}, {".include", directive_include, 0}, {".insn", directive_insn, 0},
    {".macro", directive_macro, 0}, {".endm", directive_stray, 0}, {".purgem", directive_purgem, 0},
    {".rept", directive_rept, 0}, {".irp", directive_irp, 0}, {".irpc", directive_irp, 1}, {".endr", directive_stray, 0},
    {".if", directive_if, 0}, {".ifne", directive_if, 0}, {".ifeq", directive_if, 1}, {".ifgt", directive_if, 2},
    {".ifge", directive_if, 3}, {".iflt", directive_if, 4}, {".ifle", directive_if, 5},
    {".ifdef", directive_ifdef, 1}, {".ifndef", directive_ifdef, 0}, {".ifb", directive_ifblank, 1}, {".ifnb", directive_ifblank, 0},
    {".ifc", directive_ifequal, 1}, {".ifnc", directive_ifequal, 0},
    {".elseif", directive_else, 1}, {".else", directive_else, 0}, {".endif", directive_endif, 0},
    {".attribute", ignored, 0}, {".file", ignored, 0}, {".ident", ignored, 0}, {".loc", ignored, 0},
    {".addrsig", ignored, 0}, {".addrsig_sym", ignored, 0},
};
// clang-format on
enum { NDIRECTIVES = sizeof directives / sizeof *directives };

/* Call frame information is for unwinders, of which this machine has none. */
static bool is_frame_information(const struct token *name)
{
    return name->length > 5 && !memcmp(name->text, ".cfi_", 5);
}

bool directive_run(struct as *as, const struct token *name)
{
    if (is_frame_information(name)) return ignored(as, name, 0);
    for (size_t i = 0; i < NDIRECTIVES; i++) {
        if (!token_named(name, directives[i].name)) continue;
        if (!directives[i].run(as, name, directives[i].argument)) return false;
        return as->t->kind == TOKEN_END || as_error(as, as->t->at, "unexpected text behind %s", directives[i].name);
    }
    struct nearest n = {name->text, name->length, 3, NULL};
    for (size_t i = 0; i < NDIRECTIVES; i++) near_offer(&n, directives[i].name);
    as_error(as, name->at, "unknown directive '%.*s'", name->length > 40 ? 40 : (int)name->length, name->text);
    if (n.best) as_hint(as, "did you mean '%s'?", n.best);
    return false;
}
