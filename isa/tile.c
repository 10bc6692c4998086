/* From the fields of a matrix instruction to its tile. Each function returns NULL or why there is none.
 *
 * Invariant: what codes name is at most TILE_MAX_INPUTS elements of A and of B, TILE_MAX_RESULTS of C.
 * Called by registers.c and by the machine. */
#include "tile.h"

struct shape {
    uint8_t m, n, k;
};

/* Shapes by code; m = 0: no such tile. The first table is the public one, the others the proposed codes. */
static const struct shape shapes_16[8] = {{8, 8, 16}, {16, 8, 16}, {8, 16, 16}, {16, 16, 16},
                                          {8, 8, 8},  {16, 8, 8},  {8, 16, 8},  {16, 16, 8}};
static const struct shape shapes_tf32[8] = {[1] = {16, 8, 16}, [4] = {8, 8, 8}, {16, 8, 8}, {8, 16, 8}, {16, 16, 8}};
static const struct shape shapes_8[8] = {[5] = {16, 8, 32}};
static const struct shape shapes_s8[8] = {[0] = {8, 8, 16}, [3] = {16, 16, 16}};
static const struct shape shapes_s4[8] = {[4] = {8, 8, 32}, {16, 8, 32}, {16, 8, 64}};
static const struct shape shapes_b1[8] = {[4] = {8, 8, 128}};

static const struct {
    uint8_t bits;
    bool is_float;
    const struct shape *shapes;
} elements[TILE_ELEMENTS] = {
    [TILE_TF32] = {32, true, shapes_tf32}, [TILE_F16] = {16, true, shapes_16}, [TILE_BF16] = {16, true, shapes_16},
    [TILE_E4M3] = {8, true, shapes_8},     [TILE_E5M2] = {8, true, shapes_8},  [TILE_S8] = {8, false, shapes_s8},
    [TILE_S4] = {4, false, shapes_s4},     [TILE_B1] = {1, false, shapes_b1},  [TILE_E3M2] = {8, true, shapes_8},
    [TILE_E2M3] = {8, true, shapes_8},     [TILE_E2M1] = {4, true, shapes_8},  [TILE_E3M0] = {4, true, shapes_8},
    [TILE_F32] = {32, true, NULL},
};

static void set_size(struct tile *t, enum tile_element element, struct shape size)
{
    t->element = (uint8_t)element;
    t->bits = elements[element].bits;
    t->m = size.m, t->n = size.n, t->k = size.k;
    t->block = size.n;
}

/* C and D as f16 exist for f16 inputs; the public code TF32 with f16 results also means f16 inputs. */
static const char *choose(struct tile *t, unsigned element, unsigned shape, bool half)
{
    if (element == TILE_TF32 && half) element = TILE_F16;
    if (element >= TILE_F32) return "reserved matrix element type";
    if (half && element != TILE_F16) return "only f16 matrices have f16 results";
    set_size(t, (enum tile_element)element, elements[element].shapes[shape]);
    t->half = half;
    return t->m ? NULL : "matrix shape that the element type does not have";
}

/* What the document says of elements and layouts: code 0 is FP32, and B with BL = 1 (row) is row-major. */
static const char *choose_by_document(struct tile *t, unsigned element, unsigned shape, bool half, bool b_row)
{
    t->b_col = !b_row;
    const char *why = choose(t, element, shape, half);
    if (t->element == TILE_TF32) t->element = TILE_F32;
    return why;
}

/* In the public simulator code 0 is TF32, and the B named row lies along k: in the document's words column-major. */
static const char *tile_of_mma(struct tile *t, enum isa_profile profile, uint32_t word)
{
    unsigned element = word >> 28, shape = word >> 25 & 7;
    bool b_row = word >> 13 & 1, half = !(word >> 12 & 1);
    t->a_col = word >> 14 & 1;
    if (isa_is_document(profile)) return choose_by_document(t, element, shape, half, b_row);
    t->b_col = b_row;
    return choose(t, element, shape, half);
}

/* The control field, from the top: dt[4] shape[3] al bl ct sp[2] rd[2] wg a. A warp group's matrices are our proposal
 * (docs/machine.md); what a sparse operand's registers would mean the document keeps for later. */
static const char *tile_of_mma64(struct tile *t, unsigned control)
{
    unsigned rd = control >> 2 & 3;
    if (control >> 4 & 3) return "mma64 with sp other than 0: sparse matrices are not defined";
    t->a_col = control >> 8 & 1;
    t->b_memory = control >> 1 & 1;
    t->a_memory = t->b_memory && !(control & 1);
    const char *why = choose_by_document(t, control >> 12, control >> 9 & 7, !(control >> 6 & 1), control >> 7 & 1);
    if (why) return why;
    if (elements[t->element].is_float) {
        t->round = (uint8_t)rd;
        return NULL;
    }
    t->saturate = rd == 0;
    return rd < 2 ? NULL : "mma64 with a rounding mode that integers do not have";
}

/* The test words of opcode 0x61, as the public RTL branch lays them out over 32 lanes: A and B contiguous
 * along k, C in f16 eight columns to a row, of which 8x4x8 uses four and clears the others, C in f32 four
 * columns to a row; the second half of an 8x8x8 in f32, which that branch gives to a second issue of the
 * same word, is the next register here. Fewer lanes take more registers by the general rule of tile.h;
 * that is our definition, as is the arithmetic, which is that of mma. */
static const char *tile_of_tc(struct tile *t, uint32_t word)
{
    bool narrow = word >> 26 & 1;
    set_size(t, TILE_F16, (struct shape){8, narrow ? 4 : 8, 8});
    t->b_col = true;
    t->half = !(word >> 12 & 1);
    t->block = t->half ? 8 : 4;
    t->relu = word >> 27 & 1;
    return NULL;
}

/* The RTL's tensor unit is 4x4x8 with 32 lanes, 2x2x4 with 8 and 2x2x2 otherwise. */
static const char *tile_of_vftta(struct tile *t)
{
    set_size(t, TILE_F32,
             t->lanes == 32  ? (struct shape){4, 4, 8}
             : t->lanes == 8 ? (struct shape){2, 2, 4}
                             : (struct shape){2, 2, 2});
    t->b_col = true;
    t->fused = true;
    return t->lanes < 4 ? "vftta.vv needs four lanes" : NULL;
}

static const char *tile_of(struct tile *t, enum isa_profile profile, const struct insn *in)
{
    uint32_t word = (uint32_t)isa_match((enum isa_op)in->op);
    if (in->op == OP_VFTTA_VV) return tile_of_vftta(t);
    if (in->op == OP_MMA64) return tile_of_mma64(t, in->aux);
    return (word & 0x7f) == 0x61 ? tile_of_tc(t, word) : tile_of_mma(t, profile, word);
}

/* ---- registers ---- */

static uint16_t words_of(unsigned elements_of_matrix, unsigned bits)
{
    return (uint16_t)((elements_of_matrix * bits + 31) / 32);
}

static void include(struct tile *t, unsigned base, unsigned words)
{
    unsigned end = base + (words + t->lanes - 1u) / t->lanes;
    if (end > t->registers) t->registers = (uint16_t)end;
}

/* C and D of mma64 are separate; all others accumulate in place. */
static void find_registers(struct tile *t, const struct insn *in)
{
    unsigned columns = (t->n + t->block - 1u) / t->block * t->block;
    t->words_a = t->a_memory ? TILE_DESCRIPTOR_WORDS : words_of(t->m * t->k, t->bits);
    t->words_b = t->b_memory ? TILE_DESCRIPTOR_WORDS : words_of(t->k * t->n, t->bits);
    t->words_c = words_of(t->m * columns, t->half ? 16 : 32);
    t->c = in->op == OP_MMA64 ? in->rs3 : in->rd;
    include(t, in->rs1, t->words_a);
    include(t, in->rs2, t->words_b);
    include(t, t->c, t->words_c);
    include(t, in->rd, t->words_c);
}

const char *isa_tile(const struct insn *in, enum isa_profile profile, unsigned lanes, struct tile *tile)
{
    *tile = (struct tile){.lanes = (uint8_t)lanes};
    const char *why = tile_of(tile, profile, in);
    if (!why) find_registers(tile, in);
    return why;
}
