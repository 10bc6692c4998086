/* .insn: an instruction by its format and fields, as every RISC-V assembler has it, for instructions
 * that the table does not know. Fields are checked, registers are x or v 0..31 (a prefix can be
 * written in front). Formats whose names begin with c make halfwords, which this machine does not
 * execute; their registers with a quote are 8 to 15.
 *
 *   .insn r OPCODE, FUNCT3, FUNCT7, RD, RS1, RS2       .insn r/r4 OPCODE, FUNCT3, FUNCT2, RD, RS1, RS2, RS3
 *   .insn i OPCODE, FUNCT3, RD, RS1, IMM               .insn i OPCODE, FUNCT3, RD, IMM(RS1)
 *   .insn s OPCODE, FUNCT3, RS2, IMM(RS1)              .insn b/sb OPCODE, FUNCT3, RS1, RS2, TARGET
 *   .insn u OPCODE, RD, IMM                            .insn j/uj OPCODE, RD, TARGET
 *   .insn cr OPCODE, FUNCT4, RD, RS2                   .insn ci OPCODE, FUNCT3, RD, IMM
 *   .insn ciw OPCODE, FUNCT3, RD', IMM                 .insn css OPCODE, FUNCT3, RS2, IMM
 *   .insn cl OPCODE, FUNCT3, RD', IMM(RS1')            .insn cs OPCODE, FUNCT3, RS2', IMM(RS1')
 *   .insn ca OPCODE, FUNCT6, FUNCT2, RD', RS2'         .insn cb OPCODE, FUNCT3, RS1', TARGET
 *   .insn cj OPCODE, FUNCT3, TARGET                    .insn [LENGTH,] VALUE
 *
 * Called by directive.c. */
#include "asm/as.h"

#include <string.h>

// clang-format off
static const struct { const char *name; uint8_t value; } opcodes[] = {
    {"LOAD", 0x03}, {"LOAD_FP", 0x07}, {"CUSTOM_0", 0x0b}, {"MISC_MEM", 0x0f}, {"OP_IMM", 0x13}, {"AUIPC", 0x17},
    {"OP_IMM_32", 0x1b}, {"STORE", 0x23}, {"STORE_FP", 0x27}, {"CUSTOM_1", 0x2b}, {"AMO", 0x2f}, {"OP", 0x33},
    {"LUI", 0x37}, {"OP_32", 0x3b}, {"MADD", 0x43}, {"MSUB", 0x47}, {"NMADD", 0x4b}, {"NMSUB", 0x4f}, {"OP_FP", 0x53},
    {"OP_V", 0x57}, {"CUSTOM_2", 0x5b}, {"BRANCH", 0x63}, {"JALR", 0x67}, {"JAL", 0x6f}, {"SYSTEM", 0x73}, {"CUSTOM_3", 0x7b}};
// clang-format on

static bool opcode(struct as *as, uint32_t *word)
{
    int64_t v;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (token_named(as->t, opcodes[i].name)) {
            as->t++;
            *word = opcodes[i].value;
            return true;
        }
    const char *at = as->t->at;
    if (!expr_parse_known(as, "the opcode", 0, 127, &v)) return false;
    if ((v & 3) != 3)
        return as_error(as, at, "the two lowest bits of an opcode are 1: this one is for 16-bit instructions");
    *word = (uint32_t)v;
    return true;
}

/* ", VALUE" of so many bits to place `shift`. */
static bool field(struct as *as, const char *what, unsigned bits, unsigned shift, uint32_t *word)
{
    int64_t v;
    if (!lex_comma(as) || !expr_parse_known(as, what, 0, (1 << bits) - 1, &v)) return false;
    *word |= (uint32_t)v << shift;
    return true;
}

static bool reg(struct as *as, unsigned shift, uint32_t *word)
{
    int n = operand_register(as->t);
    if (n < 0 || n > 31)
        return as_error(as, as->t->at,
                        n < 0 ? "register expected" : "a register above 31 needs a prefix; write it in front");
    as->t++;
    *word |= (uint32_t)n << shift;
    return true;
}

static bool next_reg(struct as *as, unsigned shift, uint32_t *word) { return lex_comma(as) && reg(as, shift, word); }

/* The operand that is an expression, with its letter of operand.def. */
static bool immediate(struct as *as, char letter, struct item *out)
{
    out->at = as->t->at;
    out->letter = letter;
    return (out->expr = expr_parse(as)) != NULL;
}

/* "IMM(REG)" */
static bool memory(struct as *as, char letter, uint32_t *word, struct item *out)
{
    return immediate(as, letter, out) && lex_expect(as, '(', "before the base register") && reg(as, 15, word) &&
           lex_expect(as, ')', "behind the base register");
}

static bool format_r(struct as *as, uint32_t *word, struct item *out)
{
    const char *at = as->t->at;
    int64_t funct = 0;
    (void)out;
    if (!opcode(as, word) || !field(as, "funct3", 3, 12, word) || !lex_comma(as) ||
        !expr_parse_known(as, "funct7", 0, 127, &funct))
        return false;
    *word |= (uint32_t)funct << 25;
    if (!next_reg(as, 7, word) || !next_reg(as, 15, word) || !next_reg(as, 20, word)) return false;
    if (!token_is(as->t, ',')) return true;
    if (funct > 3) return as_error(as, at, "with four registers the third number is funct2, 0 to 3");
    return next_reg(as, 27, word);
}

static bool format_r4(struct as *as, uint32_t *word, struct item *out)
{
    (void)out;
    return opcode(as, word) && field(as, "funct3", 3, 12, word) && field(as, "funct2", 2, 25, word) &&
           next_reg(as, 7, word) && next_reg(as, 15, word) && next_reg(as, 20, word) && next_reg(as, 27, word);
}

static bool format_i(struct as *as, uint32_t *word, struct item *out)
{
    if (!opcode(as, word) || !field(as, "funct3", 3, 12, word) || !next_reg(as, 7, word) || !lex_comma(as))
        return false;
    if (operand_register(as->t) < 0) return memory(as, 'i', word, out);
    return reg(as, 15, word) && lex_comma(as) && immediate(as, 'i', out);
}

static bool format_s(struct as *as, uint32_t *word, struct item *out)
{
    return opcode(as, word) && field(as, "funct3", 3, 12, word) && next_reg(as, 20, word) && lex_comma(as) &&
           memory(as, 'g', word, out);
}

static bool format_b(struct as *as, uint32_t *word, struct item *out)
{
    return opcode(as, word) && field(as, "funct3", 3, 12, word) && next_reg(as, 15, word) && next_reg(as, 20, word) &&
           lex_comma(as) && immediate(as, 'b', out);
}

static bool format_u(struct as *as, uint32_t *word, struct item *out)
{
    return opcode(as, word) && next_reg(as, 7, word) && lex_comma(as) && immediate(as, 'U', out);
}

static bool format_j(struct as *as, uint32_t *word, struct item *out)
{
    return opcode(as, word) && next_reg(as, 7, word) && lex_comma(as) && immediate(as, 'j', out);
}

/* ---- halfwords ---- */

/* "C1," or "1,", and a field of so many bits to place `shift`. */
static bool half_opcode(struct as *as, const char *what, unsigned bits, unsigned shift, uint32_t *word)
{
    int64_t v;
    if (as->t->kind == TOKEN_NAME && as->t->length == 2 && as->t->text[0] == 'C' && as->t->text[1] >= '0' &&
        as->t->text[1] <= '2') {
        *word = (uint32_t)(as->t->text[1] - '0');
        as->t++;
    } else {
        if (!expr_parse_known(as, "the opcode of a 16-bit instruction", 0, 2, &v)) return false;
        *word = (uint32_t)v;
    }
    return field(as, what, bits, shift, word);
}

static bool half_start(struct as *as, uint32_t *word) { return half_opcode(as, "funct3", 3, 13, word); }

/* A register of 8 to 15. */
static bool near_reg(struct as *as, unsigned shift, uint32_t *word)
{
    int n = operand_register(as->t);
    if (n < 8 || n > 15)
        return as_error(as, as->t->at, n < 0 ? "register expected" : "this field holds registers 8 to 15 only");
    as->t++;
    *word |= (uint32_t)(n - 8) << shift;
    return true;
}

static bool next_near(struct as *as, unsigned shift, uint32_t *word)
{
    return lex_comma(as) && near_reg(as, shift, word);
}

static bool format_cr(struct as *as, uint32_t *word, struct item *out)
{
    (void)out;
    return half_opcode(as, "funct4", 4, 12, word) && next_reg(as, 7, word) && next_reg(as, 2, word);
}

static bool format_ci(struct as *as, uint32_t *word, struct item *out)
{
    int64_t v;
    (void)out;
    if (!half_start(as, word) || !next_reg(as, 7, word) || !lex_comma(as)) return false;
    if (!expr_parse_known(as, "the immediate", -32, 31, &v)) return false;
    *word |= ((uint32_t)v & 31) << 2 | ((uint32_t)v >> 5 & 1) << 12;
    return true;
}

static bool format_ciw(struct as *as, uint32_t *word, struct item *out)
{
    (void)out;
    return half_start(as, word) && next_near(as, 2, word) && field(as, "the immediate", 8, 5, word);
}

static bool format_css(struct as *as, uint32_t *word, struct item *out)
{
    (void)out;
    return half_start(as, word) && next_reg(as, 2, word) && field(as, "the immediate", 6, 7, word);
}

/* cl and cs: a register and "IMM(REG)", which differ in what the instruction makes of them. */
static bool format_memory(struct as *as, uint32_t *word, struct item *out)
{
    int64_t v;
    (void)out;
    if (!half_start(as, word) || !next_near(as, 2, word) || !lex_comma(as)) return false;
    if (!expr_parse_known(as, "the immediate", 0, 31, &v)) return false;
    *word |= ((uint32_t)v & 3) << 5 | ((uint32_t)v >> 2) << 10;
    return lex_expect(as, '(', "before the base register") && near_reg(as, 7, word) &&
           lex_expect(as, ')', "behind the base register");
}

static bool format_ca(struct as *as, uint32_t *word, struct item *out)
{
    (void)out;
    return half_opcode(as, "funct6", 6, 10, word) && field(as, "funct2", 2, 5, word) && next_near(as, 7, word) &&
           next_near(as, 2, word);
}

static bool format_cb(struct as *as, uint32_t *word, struct item *out)
{
    return half_start(as, word) && next_near(as, 7, word) && lex_comma(as) && immediate(as, 'b', out);
}

static bool format_cj(struct as *as, uint32_t *word, struct item *out)
{
    return half_start(as, word) && lex_comma(as) && immediate(as, 'j', out);
}

// clang-format off
static const struct { const char *name; bool (*parse)(struct as *, uint32_t *, struct item *); } formats[] = {
    {"r", format_r}, {"r4", format_r4}, {"i", format_i}, {"s", format_s}, {"b", format_b}, {"sb", format_b},
    {"u", format_u}, {"j", format_j}, {"uj", format_j}, {"cr", format_cr}, {"ci", format_ci}, {"ciw", format_ciw}, {"css", format_css},
    {"cl", format_memory}, {"cs", format_memory}, {"ca", format_ca}, {"cb", format_cb}, {"cj", format_cj}};
// clang-format on

/* How many bytes the lowest bits of an instruction announce. */
static int announced(int64_t v) { return (v & 3) != 3 ? 2 : (v & 0x1f) != 0x1f ? 4 : (v & 0x3f) == 0x1f ? 6 : 8; }

/* The length of a value by itself. Opcodes of the machine's own lie where others announce 6 bytes or more, and
 * where they announce 2. */
static int length_of(int64_t v)
{
    int n = announced(v);
    if (n == 2) return !(v >> 16) ? 2 : v >> 32 ? 8 : 4;
    return (v & 0x7f) == 0x3f ? 8 : 4;
}

/* ".insn [LENGTH,] VALUE" */
static bool number(struct as *as, const struct token *name)
{
    int64_t length = 0, v;
    const char *at = as->t->at;
    if (!expr_parse_known(as, "the word", 0, INT64_MAX, &v)) return false;
    if (lex_accept(as, ',')) {
        length = v;
        at = as->t->at;
        if (!expr_parse_known(as, "the word", INT64_MIN, INT64_MAX, &v)) return false;
    }
    if (!length) length = length_of(v);
    if (length != 2 && length != 4 && length != 6 && length != 8)
        return as_error(as, at, "instructions have 2, 4, 6 or 8 bytes");
    if (length % 4 && announced(v) != length)
        return as_error(as, at, "the lowest bits of this value announce %d bytes", announced(v));
    if (length < 8 && (v >> (8 * length)) && (v >> (8 * length - 1)) != -1)
        return as_error(as, at, "the value has more than %d bytes", (int)length);
    struct item *i = as_item(as, ITEM_VALUE, name->at);
    i->width = (uint8_t)length;
    i->size = (uint32_t)length;
    i->expr = expr_number(as, v, at);
    return true;
}

bool directive_insn(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    if (!section_has_text(as, name->at)) return false;
    if (as->t->kind != TOKEN_NAME || as_find(as, as->t->text, as->t->length)) return number(as, name);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!token_named(as->t, formats[i].name)) continue;
        uint32_t word = 0;
        struct item parsed = {0};
        as->t++;
        if (!formats[i].parse(as, &word, &parsed)) return false;
        struct item *item = as_item(as, ITEM_WORD, name->at);
        item->word = word;
        item->size = formats[i].name[0] == 'c' ? 2 : 4;
        item->letter = parsed.letter;
        item->expr = parsed.expr;
        return true;
    }
    return as_error(as, as->t->at,
                    "format expected: r r4 i s b u j, of halfwords cr ci ciw css cl cs ca cb cj, or a value");
}
