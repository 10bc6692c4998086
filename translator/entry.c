/* Guards for warps that arrive from `step`: do the facts hold that a block was translated under? They hold whenever
 * translated code could have taken the warp's path, and never for a version of a block that no path reaches. A table
 * and a call do that, not code: there are many entries, and few warps arrive. */
#include "native/entry.h"
#include "translator/translator.h"

enum { CHECKS_MOST = ISA_XREGS + ISA_VREGS + 2 };

struct checks {
    struct entry_check list[CHECKS_MOST];
    unsigned count;
};

static void check_scalar(struct checks *c, unsigned r, struct x_fact f)
{
    struct entry_check check = {.kind = CHECK_SCALAR, .reg = (uint8_t)r};
    check.mask = f.known ? ~0u : ((1u << f.align) - 1) | (uint32_t) ~(0xffffffffull >> f.zeros);
    if (f.known) check.value = f.value;
    else if (f.knl) check.kind = CHECK_KNL;
    else if (f.args) check.kind = CHECK_ARGS;
    if (check.mask || f.knl || f.args) c->list[c->count++] = check;
}

static void check_lanes(struct checks *c, unsigned r, struct v_fact f, uint32_t lanes)
{
    struct entry_check check = {.kind = CHECK_LANES, .reg = (uint8_t)r};
    check.period = f.period, check.number = f.number, check.repeat = f.repeat, check.zeros = f.zeros;
    check.lanes = lanes;
    if (f.period) check.value = f.step, check.mask = f.known ? ~0u : (1u << f.align) - 1, check.first = f.value;
    if (f.period || f.number || f.repeat || f.zeros) c->list[c->count++] = check;
}

static void find_checks(struct translator *t, size_t block, enum version version, struct checks *c)
{
    const struct facts *facts = &t->facts.in[block][version];
    const struct isa_registers *live = &t->liveness.in[block][version];
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (live->x >> r & t->used.x >> r & 1) check_scalar(c, r, facts->x[r]);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(live->v, r) && set_has(t->used.v, r)) check_lanes(c, r, facts->v[r], t->full);
    const struct native_request *r = t->flow->request;
    if (r->metadata & METADATA_READABLE)
        c->list[c->count++] = (struct entry_check){.kind = CHECK_ENTRY, .value = r->entry};
    c->list[c->count++] = (struct entry_check){.kind = CHECK_END};
}

/* The table for a version of a block. */
static LLVMValueRef table_of(struct translator *t, size_t block, enum version version)
{
    struct checks checks = {.count = 0};
    if (t->facts.reached[block][version]) find_checks(t, block, version, &checks);
    else checks.list[checks.count++] = (struct entry_check){.kind = CHECK_NEVER};
    unsigned size = checks.count * (unsigned)sizeof *checks.list;
    LLVMValueRef bytes = LLVMConstStringInContext(t->context, (const char *)checks.list, size, true);
    LLVMValueRef table = LLVMAddGlobal(t->out->module, LLVMTypeOf(bytes), "checks");
    LLVMSetInitializer(table, bytes);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, _Alignof(struct entry_check));
    return table;
}

void enter_checked(struct translator *t, const struct block *block, LLVMBasicBlockRef refuse)
{
    size_t i = (size_t)(block - t->flow->blocks);
    const bool *reached = t->facts.reached[i];
    LLVMBasicBlockRef in = ir_block(t, "reload");
    LLVMValueRef mask = LLVMBuildLoad2(t->b, t->i32, t->mask, ""), table;
    LLVMValueRef full = LLVMBuildICmp(t->b, LLVMIntEQ, mask, ir_u32(t, t->full), "");
    LLVMBasicBlockRef check = ir_block(t, "check");
    LLVMValueRef left = ir_load(t, t->i32, warp(t), offsetof(struct warp, left));
    LLVMValueRef number = ir_load(t, t->i32, t->state, offsetof(struct native_state, number));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, left, number, ""), in, check);
    ir_at(t, check);
    table = LLVMBuildSelect(t->b, full, table_of(t, i, FULL), table_of(t, i, MASKED), "");
    LLVMValueRef args[] = {warp(t), table};
    LLVMValueRef holds = call_machine(t, t->i32, offsetof(struct native_state, entry_holds), args, 2);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, holds, ir_u32(t, 0), ""), in, refuse);
    ir_at(t, in);
    struct isa_registers live = live_at(&t->liveness, block->pc);
    forget_registers(t);
    reload(t, &live);
    if (!reached[FULL]) LLVMBuildBr(t->b, version_of(t, block, MASKED));
    else if (!reached[MASKED]) LLVMBuildBr(t->b, version_of(t, block, FULL));
    else LLVMBuildCondBr(t->b, full, version_of(t, block, FULL), version_of(t, block, MASKED));
}
