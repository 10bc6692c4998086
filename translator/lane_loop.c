/* What exchange_loop.c and load_loop.c share. Both run a loop of one block, which lanes leave by a divergent branch to
 * the join behind it, lane by lane: the words of the lane that runs are in `own`, those of all lanes in rows of the
 * state. The counters get what the iterations of all lanes together would have counted. */
#include "translator/translator.h"

/* ---- which blocks ---- */

const struct node *join_behind(const struct translator *t, const struct node *branch)
{
    const struct block *b = flow_block(t->flow, node_next(branch));
    const struct node *n = b && b->count == 1 && !b->leaves ? &t->flow->nodes[b->first] : NULL;
    return n && n->how == HOW_CONTROL && n->effects.control == CONTROL_JOIN ? n : NULL;
}

bool is_plain_row(const struct node *n)
{
    unsigned kind = isa_table[n->d.in.op].kind;
    return n->how == HOW_ROW && n->d.in.vm && !n->effects.mask && kind != KIND_X && kind != KIND_V2X;
}

unsigned count_registers(const struct isa_registers *set)
{
    unsigned n = 0;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) n += (unsigned)__builtin_popcountll(set->v[i]);
    return n;
}

/* ---- a lane's words ---- */

/* A row of the state holds a register's words. */
LLVMValueRef row_of(struct translator *t, unsigned row)
{
    return ir_field(t, t->state, offsetof(struct native_state, turns) + row * 4 * ISA_LANES);
}

static LLVMValueRef word_of(struct translator *t, unsigned row, LLVMValueRef index)
{
    return LLVMBuildGEP2(t->b, t->i32, row_of(t, row), &index, 1, "");
}

void save_rows(struct translator *t, const struct isa_registers *set)
{
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++) {
        if (!set_has(set->v, r)) continue;
        struct lanes value = get_values(t, r);
        for (unsigned p = 0; p < t->chunks; p++) ir_store(t, value.chunk[p], row_of(t, row), p * t->words * 4);
        row++;
    }
}

void load_words(struct translator *t, const struct isa_registers *set, LLVMValueRef index)
{
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++)
        if (set_has(set->v, r)) set_own(t, r, LLVMBuildLoad2(t->b, t->i32, word_of(t, row++, index), ""));
}

void save_words(struct translator *t, const struct isa_registers *set, LLVMValueRef index)
{
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++)
        if (set_has(set->v, r)) LLVMBuildStore(t->b, get_own(t, r), word_of(t, EXCHANGE_ROWS + row++, index));
}

/* ---- iterations ---- */

LLVMValueRef meet_at(struct translator *t, const struct node *join)
{
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildLoad2(t->b, t->i32, t->rpc, ""), ir_u32(t, join->pc), "");
}

unsigned counts_of_round(const struct translator *t, const struct node *join, enum native_count k)
{
    return t->counted[k] + 2u * join->counts[k];
}
