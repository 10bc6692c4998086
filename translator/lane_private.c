/* Addresses in private memory (lane_private.h). Word i of a lane is i * 4 * work-items of the group behind its first
 * one, so that words at a known distance are so on the host. */
#include "translator/lane_private.h"

#include "sim/machine.h"

/* ---- offsets ---- */

void lane_private_forget(struct lane_private *p)
{
    p->nrows = 0;
    p->nroots = ISA_VREGS;
    for (unsigned r = 0; r < ISA_VREGS; r++) p->registers[r] = (struct lane_offset){.root = (uint16_t)r};
}

/* What an instruction computes; false: nothing is known of it. A raw word may become another one. */
static bool offset_of_row(const struct translator *t, const struct lane_private *p, const struct node *n,
                          struct lane_offset *o)
{
    const struct insn *in = &n->d.in;
    switch (n->how == HOW_ROW ? in->op : OP_COUNT) {
    case OP_VADD_VI:
        *o = p->registers[in->rs2];
        o->add += (uint32_t)in->imm;
        return true;
    case OP_VSLL_VI:
        *o = p->registers[in->rs2];
        o->shift += in->imm & 31;
        o->add <<= in->imm & 31;
        return o->shift < 32;
    case OP_VMV_V_V: *o = p->registers[in->rs1]; return !t->holds.v[in->rs1].raw;
    default: return false;
    }
}

void lane_private_step(const struct translator *t, struct lane_private *p, const struct node *n)
{
    const struct isa_registers written = node_written(t->flow, n);
    struct lane_offset o;
    const bool known = offset_of_row(t, p, n, &o);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(written.v, r)) p->registers[r] = known ? o : (struct lane_offset){.root = p->nroots++};
}

static struct lane_offset offset_of(const struct lane_private *p, const struct node *n)
{
    struct lane_offset o = p->registers[n->d.in.rs1];
    o.add += (uint32_t)n->d.in.imm;
    return o;
}

/* Are they a known number of words from each other? As constants those should not be large. */
static bool is_near(struct lane_offset a, struct lane_offset b, int32_t *distance)
{
    enum { NEAR = 1 << 16 };
    *distance = (int32_t)(b.add - a.add);
    const bool same = a.root == b.root && a.shift == b.shift;
    return same && *distance % 4 == 0 && -NEAR < *distance && *distance < NEAR;
}

static bool is_private(const struct node *n)
{
    return (n->how == HOW_LOAD || n->how == HOW_STORE) && n->effects.memory.address == ADDRESS_PRIVATE;
}

/* Of accesses of the block from this one on, the least and the greatest distance from it. */
static void find_span(const struct translator *t, const struct lane_private *p, const struct node *n, int32_t *least,
                      int32_t *most)
{
    const struct node *end = &t->flow->nodes[t->block->first + t->block->count];
    const struct lane_offset first = offset_of(p, n);
    struct lane_private ahead = *p;
    *least = *most = 0;
    for (; n < end; n++) {
        int32_t distance;
        if (is_private(n) && is_near(first, offset_of(&ahead, n), &distance)) {
            if (distance < *least) *least = distance;
            if (distance > *most) *most = distance;
        }
        lane_private_step(t, &ahead, n);
    }
}

/* ---- addresses ---- */

void lane_private_begin(struct translator *t)
{
    LLVMValueRef lane = LLVMBuildShl(t->b, LLVMBuildLoad2(t->b, t->i32, t->lane, ""), ir_u32(t, 2), "");
    LLVMValueRef base = LLVMBuildAdd(t->b, private_base(t), lane, "");
    t->private_bytes = launch_field(t, offsetof(struct launch, pds_bytes));
    t->private_host = host_address(t, base);
    t->private_begin = LLVMGetInsertBlock(t->b);
}

/* Offsets in words of the host from one word to another of the same lane. */
static LLVMValueRef at_distance(struct translator *t, LLVMValueRef host, int32_t distance)
{
    const int64_t bytes = (int64_t)distance * private_items(t);
    return LLVMBuildGEP2(t->b, t->i8, host, (LLVMValueRef[]){ir_u64(t, (uint64_t)bytes)}, 1, "");
}

/* What offsets are below that have `span` bytes behind them: computed once for the lane. */
static LLVMValueRef bytes_without(struct translator *t, int32_t span)
{
    LLVMValueRef args[] = {t->private_bytes, ir_u32(t, (uint32_t)span)}, bytes;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->b);
    if (!span) return t->private_bytes;
    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(t->private_begin));
    bytes = ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, args, 2);
    ir_at(t, here);
    return bytes;
}

static void compare(struct translator *t, LLVMValueRef offset, int32_t span, LLVMBasicBlockRef bad)
{
    stop_if(t, LLVMBuildICmp(t->b, LLVMIntUGE, offset, bytes_without(t, span), ""), bad);
}

static LLVMValueRef sum(struct translator *t, LLVMValueRef offset, int32_t distance)
{
    return LLVMBuildAdd(t->b, offset, ir_u32(t, (uint32_t)distance), "");
}

static LLVMValueRef host_of(struct translator *t, LLVMValueRef offset)
{
    LLVMValueRef low = LLVMBuildAnd(t->b, offset, ir_u32(t, 3), ""), word = LLVMBuildXor(t->b, offset, low, ""), at;
    word = LLVMBuildMul(t->b, word, ir_u32(t, private_items(t)), "");
    at = LLVMBuildZExt(t->b, LLVMBuildAdd(t->b, word, low, ""), t->i64, "");
    return LLVMBuildGEP2(t->b, t->i8, t->private_host, &at, 1, "");
}

/* The word at an offset, and those that the block accesses at known distances. */
static LLVMValueRef new_row(struct translator *t, struct lane_private *p, const struct node *n, LLVMValueRef offset,
                            LLVMBasicBlockRef bad)
{
    struct lane_row *row = &p->rows[p->nrows < LANE_ROWS ? p->nrows++ : LANE_ROWS - 1];
    int32_t least, most;
    find_span(t, p, n, &least, &most);
    compare(t, sum(t, offset, least), most - least, bad);
    *row = (struct lane_row){.offset = offset_of(p, n), .most = most - least};
    row->offset.add += (uint32_t)least;
    row->host = host_of(t, sum(t, offset, least));
    return at_distance(t, row->host, -least);
}

/* The same where some have been compared. */
static LLVMValueRef in_row(struct translator *t, struct lane_private *p, struct lane_row *row, const struct node *n,
                           LLVMValueRef offset, LLVMBasicBlockRef bad)
{
    int32_t distance = (int32_t)(offset_of(p, n).add - row->offset.add), least, most;
    if (distance < row->least || distance > row->most) {
        find_span(t, p, n, &least, &most);
        if (distance + least < row->least) {
            compare(t, sum(t, offset, least), 0, bad);
            row->least = distance + least;
        }
        if (distance + most > row->most) {
            compare(t, sum(t, offset, most), 0, bad);
            row->most = distance + most;
        }
    }
    return at_distance(t, row->host, distance);
}

LLVMValueRef lane_private_address(struct translator *t, struct lane_private *p, const struct node *n,
                                  LLVMBasicBlockRef bad)
{
    LLVMValueRef offset = sum(t, get_own(t, n->d.in.rs1), n->d.in.imm);
    LLVMValueRef low = LLVMBuildAnd(t->b, offset, ir_u32(t, 3), "");
    int32_t distance;
    stop_if(t, LLVMBuildICmp(t->b, LLVMIntUGT, low, ir_u32(t, 4u - n->effects.memory.size), ""), bad);
    for (unsigned i = 0; i < p->nrows; i++)
        if (is_near(p->rows[i].offset, offset_of(p, n), &distance)) return in_row(t, p, &p->rows[i], n, offset, bad);
    return new_row(t, p, n, offset, bad);
}
