/* Where warps come from `step`: looks whether what a block takes for granted holds. It does whenever the warp has come
 * there in a way that translated code could have taken, and never in a version of a block to which no such way leads.
 */
#include "native/translator.h"

/* The first word of each period, in all its lanes. */
static LLVMValueRef first_words(struct translator *t, struct lanes value, unsigned piece, unsigned period)
{
    LLVMValueRef index[16];
    unsigned from = piece * t->words / period * period / t->words;
    bool within = period < t->words;
    for (unsigned i = 0; i < t->words; i++) index[i] = ir_u32(t, within ? i / period * period : 0);
    return LLVMBuildShuffleVector(t->b, value.piece[within ? piece : from], LLVMGetPoison(t->piece_type),
                                  LLVMConstVector(index, t->words), "");
}

/* Lanes in which a vector register is not what it should be; NULL: nothing is said of it. */
static LLVMValueRef wrong_lanes(struct translator *t, struct v_fact f, struct lanes value, unsigned piece)
{
    LLVMValueRef word = value.piece[piece], wrong = NULL;
    if (f.period) {
        LLVMValueRef first = first_words(t, value, piece, f.period);
        LLVMValueRef expected = LLVMBuildAdd(t->b, first, ir_ramp(t, piece, f.period, f.step), "");
        LLVMValueRef low = LLVMBuildAnd(t->b, first, ir_splat(t, ir_u32(t, (1u << f.align) - 1)), "");
        wrong = LLVMBuildOr(t->b, LLVMBuildXor(t->b, word, expected, ""), low, "");
    }
    if (f.number) {
        LLVMValueRef other = LLVMBuildXor(t->b, word, canonical(t, word), "");
        wrong = wrong ? LLVMBuildOr(t->b, wrong, other, "") : other;
    }
    return wrong;
}

static LLVMValueRef vectors_hold(struct translator *t, const struct facts *facts, const struct isa_registers *live)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef all = ir_zero_piece(t), differs;
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        struct lanes value;
        if (!set_has(live->v, r) || !set_has(t->used.v, r)) continue;
        for (unsigned p = 0; p < t->pieces; p++) value.piece[p] = LLVMBuildLoad2(t->b, t->piece_type, t->v[r][p], "");
        for (unsigned p = 0; p < t->pieces; p++) {
            LLVMValueRef wrong = wrong_lanes(t, facts->v[r], value, p);
            if (wrong) all = LLVMBuildOr(t->b, all, wrong, "");
        }
    }
    differs = LLVMBuildICmp(t->b, LLVMIntNE, all, ir_zero_piece(t), "");
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildBitCast(t->b, differs, narrow, ""), LLVMConstNull(narrow), "");
}

/* Bits that are not 0 when a scalar register is not what it should be. */
static LLVMValueRef wrong_scalar(struct translator *t, struct x_fact f, LLVMValueRef value)
{
    if (f.known) return LLVMBuildXor(t->b, value, ir_u32(t, f.value), "");
    if (f.knl) return LLVMBuildXor(t->b, value, launch_field(t, offsetof(struct launch, knl)), "");
    return LLVMBuildAnd(t->b, value, ir_u32(t, (1u << f.align) - 1), "");
}

static LLVMValueRef scalars_hold(struct translator *t, const struct facts *facts, const struct isa_registers *live)
{
    LLVMValueRef all = ir_u32(t, 0);
    for (unsigned r = 1; r < ISA_XREGS; r++) {
        if (!(live->x >> r & 1) || !(t->used.x >> r & 1)) continue;
        LLVMValueRef value = LLVMBuildLoad2(t->b, t->i32, t->x[r], "");
        all = LLVMBuildOr(t->b, all, wrong_scalar(t, facts->x[r], value), "");
    }
    return LLVMBuildICmp(t->b, LLVMIntEQ, all, ir_u32(t, 0), "");
}

LLVMBasicBlockRef checked_entry(struct translator *t, const struct block *block, enum version version)
{
    size_t i = (size_t)(block - t->flow->blocks);
    const struct facts *facts = &t->facts.in[i][version];
    const struct isa_registers *live = &t->liveness.in[i][version];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), entry = ir_block(t, "check"), out = ir_block(t, "strayed");
    ir_at(t, entry);
    if (t->facts.reached[i][version]) {
        LLVMValueRef vectors = vectors_hold(t, facts, live), scalars = scalars_hold(t, facts, live);
        ir_branch_likely(t, LLVMBuildAnd(t->b, vectors, scalars, ""), version_of(t, block, version), out);
    } else {
        LLVMBuildBr(t->b, out);
    }
    ir_at(t, out);
    t->version = version;
    leave(t, EXIT_STEP, ir_u32(t, block->pc), live_at(&t->liveness, block->pc));
    ir_at(t, from);
    return entry;
}
