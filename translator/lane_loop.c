/* What exchange_loop.c and load_loop.c share. Both run a loop of one block, which lanes leave by a divergent branch to
 * the join behind it, lane by lane: the words of the lane that runs are in `own`, those of all lanes in rows of the
 * state. The counters get what the iterations of all lanes together would have counted. */
#include "translator/translator.h"

#include <string.h>

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

bool registers_within(const struct isa_registers *a, const struct isa_registers *b)
{
    uint64_t beyond = 0;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) beyond |= a->v[i] & ~b->v[i];
    return !beyond;
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

/* ---- what is restored if an access fails ---- */

/* Are all registers that somebody may read the function's own? Others may be those of a blank warp, which save_warp
 * clears only where all of them are to be there. */
bool lanes_have_registers(const struct translator *t, const struct block *block)
{
    const struct isa_registers live = live_at(&t->liveness, block->pc);
    const struct isa_registers *own = &t->functions.list[function_of(&t->functions, block)].written;
    if (t->flow->request->registers == REGISTERS_ALL) return true;
    return !(live.x & ~own->x & ~1ull) && registers_within(&live, own);
}

/* The warp as `step` would have it here, should a load fail. Its registers are not looked at as long as it is blank. */
void lanes_save_warp(struct translator *t)
{
    const struct isa_registers live = live_in(&t->liveness, t->block->pc, t->version), *own = &t->current->written;
    struct v_fact stored[ISA_VREGS];
    LLVMValueRef rows = ir_load(t, t->ptr, warp(t), offsetof(struct warp, v));
    memcpy(stored, t->stored, sizeof stored);
    if (t->flow->request->registers == REGISTERS_ALL) fill_blank(t);
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (live.x >> r & own->x >> r & 1) ir_record(t, get_x(t, r), warp(t), offsetof(struct warp, x) + r * 4);
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        if (!set_has(live.v, r) || !set_has(own->v, r)) continue;
        make_exact(t, r);
        for (unsigned p = 0; p < t->chunks; p++)
            ir_record(t, LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], ""), rows,
                      (size_t)r * ISA_LANES * 4 + p * t->words * 4);
    }
    memcpy(t->stored, stored, sizeof stored);
    for (unsigned i = 0; i < CONTROLS; i++)
        ir_record(t, LLVMBuildLoad2(t->b, t->i32, control_register(t, i).variable, ""), t->state,
                  offsetof(struct native_state, run_controls) + i * 4);
    record_block(t);
    ir_record(t, active(t), t->state, offsetof(struct native_state, mask));
}

void lanes_set_pc(struct translator *t, uint32_t pc)
{
    if (pc) /* the machine subtracts what has been done */
        ir_record(t, LLVMBuildLoad2(t->b, t->i32, t->budget, ""), t->state, offsetof(struct native_state, budget));
    ir_record(t, ir_u32(t, pc), t->state, offsetof(struct native_state, run_pc));
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
