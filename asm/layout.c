/* Items to addresses and bytes.
 *
 * Addresses are computed in passes until nothing moves: a branch whose target is too far is made
 * long and stays so, which moves what follows. A long conditional branch is the opposite one over a
 * jump; for a vector branch that is the same decision per lane, as a jump moves all lanes that are
 * active. A long jump with link is auipc and jalr through the link register. Called by asm.c. */
#include "asm/as.h"

#include <elf.h>
#include <string.h>

enum { MAX_PASSES = 200 }; /* after which the addresses are said not to settle */

static const uint16_t opposites[][2] = {{OP_BEQ, OP_BNE},   {OP_BLT, OP_BGE},   {OP_BLTU, OP_BGEU},
                                        {OP_VBEQ, OP_VBNE}, {OP_VBLT, OP_VBGE}, {OP_VBLTU, OP_VBGEU}};

static uint16_t opposite(uint16_t op)
{
    for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++)
        for (int k = 0; k < 2; k++)
            if (opposites[i][k] == op) return opposites[i][!k];
    return OP_INVALID;
}

static uint32_t place_of(const struct item *i) { return i->addr + i->size - 4; } /* behind a prefix */

static bool can_grow(const struct item *i)
{
    if (i->insn.prefix) return false; /* of the writer's own choice: it belongs to one instruction */
    return opposite(i->insn.op) != OP_INVALID || (i->insn.op == OP_JAL && i->insn.rd);
}

static uint32_t far_size(const struct item *i)
{
    return opposite(i->insn.op) != OP_INVALID ? i->size + 4 : 2 * i->size;
}

/* Where a branch goes, and whether that is elsewhere than in its section. */
static bool find_target(struct as *as, const struct item *i, int64_t *target, bool *outside)
{
    struct place p;
    *outside = false;
    if (!as->object) return expr_value(as, i->expr, target);
    if (!expr_target(as, i->expr, &p)) return false;
    *outside = p.kind != PLACE_SECTION || p.section != i->section;
    *target = p.value;
    return true;
}

/* How far a branch or jump can go, in either direction. */
static int64_t reach_of(const struct isa_operand *target) { return 1 << (target->width + target->shift - 1); }

/* Makes a branch long if its target is out of reach under the addresses of the last pass, or in
 * another file. */
static void grow(struct as *as, struct item *i)
{
    const struct isa_operand *o = isa_operand(i->letter);
    int64_t target;
    bool outside;
    if (i->far || !o || o->kind != OPERAND_TARGET || !can_grow(i) || !find_target(as, i, &target, &outside)) return;
    int64_t distance = target - place_of(i), reach = reach_of(o);
    if (!outside && distance >= -reach && distance < reach) return;
    if (outside && i->insn.op == OP_JAL && i->size != 4) return; /* the relocation of a call knows no prefixes */
    i->size = far_size(i);
    i->far = true;
}

static uint32_t padding(const struct item *i, uint64_t addr)
{
    uint32_t n = (uint32_t)((i->alignment - addr % i->alignment) % i->alignment);
    return n <= i->most ? n : 0;
}

static uint32_t space_size(struct as *as, const struct item *i, uint32_t fallback)
{
    int64_t n;
    return expr_value(as, i->expr, &n) && n >= 0 && n <= AS_MAX_BYTES ? (uint32_t)n : fallback;
}

/* One pass over a section; true when something moved. */
static bool pass_section(struct as *as, struct section *section, bool first)
{
    bool moved = false;
    uint64_t addr = section->base;
    for (struct item *i = section->first; i; i = i->next) {
        uint32_t old = i->size;
        if (i->kind == ITEM_INSN && !first) grow(as, i);
        if (i->kind == ITEM_ALIGN) i->size = padding(i, addr);
        if (i->kind == ITEM_SPACE) i->size = space_size(as, i, first ? 0 : i->size);
        moved |= i->size != old || i->addr != (uint32_t)addr;
        i->addr = (uint32_t)addr;
        addr += i->size;
        if (addr - section->base > AS_MAX_BYTES) break;
    }
    section->bytes = addr - section->base;
    return moved;
}

static uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* The kinds of sections follow each other, each on a new page; .bss directly behind .data. */
static uint32_t next_base(const struct as *as, unsigned kind)
{
    const struct part *all = as->sections.parts;
    uint64_t unit = kind == SECTION_BSS ? 16 : ABI_PAGE, end = all[SECTION_TEXT].base + all[SECTION_TEXT].bytes;
    for (unsigned k = SECTION_RODATA; k < kind; k++)
        if (all[k].bytes || kind == SECTION_BSS) end = all[k].base + all[k].bytes;
    return (uint32_t)round_up(end, unit);
}

/* One pass over the sections of a kind, of which the first one has the kind's number: in a program the others follow
 * it. */
static bool pass_kind(struct as *as, unsigned kind, bool first)
{
    struct section *own = as_section(as, kind);
    bool moved = false;
    if (!as->object && kind > SECTION_TEXT && is_loaded(own) && !own->placed) own->base = next_base(as, kind);
    uint64_t end = own->base;
    for (unsigned s = kind; s < as->sections.n && end - own->base <= AS_MAX_BYTES; s++) {
        struct section *section = as_section(as, s);
        if (section->kind != kind) continue;
        if (!as->object && s != kind) section->base = (uint32_t)round_up(end, section->alignment);
        moved |= pass_section(as, section, first);
        if (section->bytes) end = section->base + section->bytes;
    }
    if (is_loaded(own)) as->sections.parts[kind] = (struct part){own->base, end - own->base};
    return moved;
}

static bool pass_all(struct as *as, bool first)
{
    bool moved = false;
    as->pass++;
    for (unsigned kind = 0; kind < SECTION_COUNT; kind++) moved |= pass_kind(as, kind, first);
    for (unsigned s = SECTION_COUNT; s < as->sections.n; s++)
        if (as_section(as, s)->kind == SECTION_OTHER) moved |= pass_section(as, as_section(as, s), first);
    return moved;
}

/* Do the sections have sizes and places that are possible? */
static bool check_sections(struct as *as)
{
    for (unsigned s = 0; s < as->sections.n; s++) {
        const struct section *section = as_section(as, s);
        const struct part *part = is_loaded(section) ? &as->sections.parts[section->kind] : NULL;
        if (section->bytes > AS_MAX_BYTES || (part && part->bytes > AS_MAX_BYTES))
            return as_error(as, section->first ? section->first->at : NULL, "the program is larger than %d MiB",
                            AS_MAX_BYTES >> 20);
        if (!as->object && part && section->bytes && part->base + part->bytes > (uint64_t)UINT32_MAX - ABI_PAGE)
            return as_error(as, section->first->at, "the section leaves the address space");
    }
    return true;
}

bool layout_place(struct as *as)
{
    bool moved = true;
    as->messages.quiet = true;
    for (int pass = 0; moved && pass < MAX_PASSES; pass++) moved = pass_all(as, pass == 0) || pass == 0;
    as->messages.quiet = false;
    as->pass++;
    return check_sections(as) &&
           (!moved || as_error(as, NULL, "the addresses do not settle: a size depends on itself"));
}

/* ---- bytes ---- */

static bool put(struct as *as, const struct item *i, uint8_t *out, const struct insn *in, uint32_t *offset)
{
    uint32_t words[ISA_MAX_WORDS];
    const char *why = "operand";
    unsigned n = isa_encode_in(as->mnemonics.profile, in, words, &why);
    if (!n) return as_error(as, i->expr ? i->expr->at : i->at, "%s is out of range", why);
    if (*offset + 4 * n > i->size)
        return as_error(as, i->expr->at, "this value needs a prefix; it must be known where it stands");
    memcpy(out + *offset, words, 4 * n);
    *offset += 4 * n;
    return true;
}

/* A long branch to another file: the linker knows the distance. */
static bool put_outside(struct as *as, const struct item *i, uint8_t *out)
{
    struct insn in = i->insn;
    uint32_t offset = 0;
    if (in.op == OP_JAL) {
        struct insn auipc = {.op = OP_AUIPC, .rd = in.rd, .vm = 1},
                    jalr = {.op = OP_JALR, .rd = in.rd, .rs1 = in.rd, .vm = 1};
        return put(as, i, out, &auipc, &offset) && put(as, i, out, &jalr, &offset) && object_jump(as, i, 0, true);
    }
    struct insn jump = {.op = OP_JAL, .vm = 1};
    in.op = opposite(in.op);
    in.imm = 8;
    return put(as, i, out, &in, &offset) && put(as, i, out, &jump, &offset) && object_jump(as, i, i->size - 4, false);
}

static bool put_far(struct as *as, const struct item *i, uint8_t *out)
{
    struct insn in = i->insn;
    uint32_t offset = 0;
    int64_t target;
    bool outside;
    if (!find_target(as, i, &target, &outside)) return false;
    if (outside) return put_outside(as, i, out);
    if (in.op == OP_JAL) {
        uint32_t half = i->size / 2;
        int64_t distance = (int32_t)(uint32_t)(target - (int64_t)(i->addr + half - 4));
        uint32_t high = ((uint32_t)distance + 0x800) & 0xfffff000;
        struct insn auipc = {.op = OP_AUIPC, .rd = in.rd, .imm = (int32_t)high, .vm = 1};
        struct insn jalr = {
            .op = OP_JALR, .rd = in.rd, .rs1 = in.rd, .imm = (int32_t)((uint32_t)distance - high), .vm = 1};
        return put(as, i, out, &auipc, &offset) && put(as, i, out, &jalr, &offset);
    }
    struct insn jump = {.op = OP_JAL, .imm = (int32_t)(target - (int64_t)place_of(i)), .vm = 1};
    in.op = opposite(in.op);
    in.imm = 8;
    if (target - (int64_t)place_of(i) != jump.imm || jump.imm < -(1 << 20) || jump.imm >= 1 << 20)
        return as_error(as, i->expr->at, "the target is out of reach, even of a jump");
    return put(as, i, out, &in, &offset) && put(as, i, out, &jump, &offset);
}

/* The value of an item's expression, as its operand wants it. */
static bool operand_final(struct as *as, const struct item *i, int32_t *value)
{
    const struct isa_operand *o = isa_operand(i->letter);
    const struct expr *e = i->expr;
    bool relative = o->form == FORM_UPPER && e->op == EXPR_PCREL_HI;
    bool relocated = false;
    int64_t v;
    if (as->object ? !object_operand(as, i, &v, &relocated) : !expr_value(as, relative ? e->a : e, &v)) return false;
    if (relocated) {
        *value = 0;
        return true;
    }
    if (relative) {
        v = (int64_t)(((uint64_t)(v - (int64_t)place_of(i)) + 0x800) >> 12 & 0xfffff);
    } else if (o->kind == OPERAND_TARGET) {
        v -= place_of(i);
        if (v & 1) return as_error(as, e->at, "the target is at an odd address");
        int64_t reach = reach_of(o);
        if (v < -reach || v >= reach)
            return as_error(as, e->at, "the target is %lld bytes away; %lld are possible", (long long)v,
                            (long long)reach);
    }
    if (o->form == FORM_UPPER) {
        if (v < -(1 << (o->width - 1)) || v >= 1 << o->width) return as_error(as, e->at, "%s is out of range", o->name);
        v = (int32_t)((uint32_t)v << o->shift);
    }
    if (v < INT32_MIN || v > UINT32_MAX || (o->role == ROLE_AUX && (v < 0 || v > 0xffff)))
        return as_error(as, e->at, "%s is out of range", o->name);
    *value = (int32_t)(uint32_t)v;
    return true;
}

/* A halfword of .insn, with its target, if it has one. */
static bool emit_half(struct as *as, const struct item *i, uint8_t *out)
{
    uint16_t word = (uint16_t)i->word;
    const struct half *half = asm_half(i->letter);
    int64_t distance = 0, reach = half ? half->reach : 1;
    if (i->addr & 1) return as_error(as, i->at, "the instruction is at an odd address");
    if (i->letter && !(as->object ? object_half(as, i, &distance) : expr_value(as, i->expr, &distance))) return false;
    if (i->letter && !as->object) distance -= i->addr;
    if (distance & 1) return as_error(as, i->expr->at, "the target is at an odd address");
    if (distance < -reach || distance >= reach)
        return as_error(as, i->expr->at, "the target is %lld bytes away; %lld are possible", (long long)distance,
                        (long long)reach);
    if (half) word |= asm_half_bits(half, (int32_t)distance);
    memcpy(out, &word, 2);
    return true;
}

/* An instruction of .insn: the operand's bits go where operand.def says. */
static bool emit_word(struct as *as, const struct item *i, uint8_t *out)
{
    uint32_t word = i->word;
    int32_t v;
    if (i->size == 2) return emit_half(as, i, out);
    if (i->addr & 3) return as_error(as, i->at, "the instruction is not on a word boundary; .balign 4 helps");
    if (i->letter) {
        const struct isa_operand *o = isa_operand(i->letter);
        if (!operand_final(as, i, &v)) return false;
        if (o->width == 12 && o->kind == OPERAND_SIMM && (v < -2048 || v > 2047))
            return as_error(as, i->expr->at, "%s is out of range", o->name);
        word |= isa_scatter(v, o);
    }
    memcpy(out, &word, 4);
    return true;
}

static bool emit_insn(struct as *as, const struct item *i, uint8_t *out)
{
    struct insn in = i->insn;
    uint32_t offset = 0;
    if (i->addr & 3) return as_error(as, i->at, "the instruction is not on a word boundary; .balign 4 helps");
    if (i->far) return put_far(as, i, out);
    int32_t value;
    if (i->letter && !operand_final(as, i, &value)) return false;
    if (i->letter) isa_set(&in, (enum operand_role)isa_operand(i->letter)->role, value);
    if (!put(as, i, out, &in, &offset)) return false;
    return offset == i->size || as_error(as, i->at, "internal: size of the instruction");
}

static bool emit_value(struct as *as, const struct item *i, uint8_t *out)
{
    int64_t v;
    if (as->object ? !object_value(as, i, &v) : !expr_value(as, i->expr, &v)) return false;
    int64_t span = i->width < 8 ? (int64_t)1 << (8 * i->width) : 0;
    if (span && (v >= span || v < -span / 2))
        return as_error(as, i->expr->at, "the value does not fit into %d byte%s", i->width, i->width == 1 ? "" : "s");
    memcpy(out, &v, i->width);
    return true;
}

static void emit_padding(const struct as *as, const struct item *i, uint8_t *out)
{
    memset(out, i->fill, i->size);
    if (as_section(as, i->section)->kind != SECTION_TEXT || i->width) return;
    static const uint8_t nop[4] = {0x13, 0, 0, 0};
    for (uint32_t k = -i->addr & 3; k + 4 <= i->size; k += 4) memcpy(out + k, nop, 4);
}

static bool emit_space(struct as *as, const struct item *i, uint8_t *out)
{
    int64_t n;
    if (!expr_value(as, i->expr, &n)) return false;
    if (n < 0 || n > AS_MAX_BYTES) return as_error(as, i->expr->at, "the size must be 0 to %d", AS_MAX_BYTES);
    if (n != i->size) return as_error(as, i->expr->at, "the size does not settle");
    memset(out, i->fill, i->size);
    return true;
}

/* .bss: labels and space, which has no bytes in the file. */
static bool emit_nothing(struct as *as, const struct item *i)
{
    bool zeros = i->kind == ITEM_LABEL || ((i->kind == ITEM_SPACE || i->kind == ITEM_ALIGN) && !i->fill);
    return zeros || as_error(as, i->at, "%s holds zeros only: .zero, .space, .align and labels",
                             as_section(as, i->section)->name);
}

static bool emit(struct as *as, const struct item *i, uint8_t *out)
{
    switch ((enum item_kind)i->kind) {
    case ITEM_LABEL: break;
    case ITEM_INSN: return emit_insn(as, i, out);
    case ITEM_WORD: return emit_word(as, i, out);
    case ITEM_VALUE: return emit_value(as, i, out);
    case ITEM_BYTES: memcpy(out, i->bytes, i->size); break;
    case ITEM_ALIGN: emit_padding(as, i, out); break;
    case ITEM_SPACE: return emit_space(as, i, out);
    }
    return true;
}

bool layout_emit(struct as *as)
{
    bool ok = true;
    for (unsigned s = 0; s < as->sections.n; s++) {
        const struct section *section = as_section(as, s);
        for (const struct item *i = section->first; i; i = i->next)
            ok &= section->type == SHT_NOBITS ? emit_nothing(as, i)
                                              : emit(as, i, section->out + (i->addr - section->base));
    }
    return ok;
}
