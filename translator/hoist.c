/* Words of the metadata block and of the arguments, which all warps of a launch share. Translated code loads them once
 * where it is entered, not in each warp, if they lie in memory whose stores are watched: a warp that writes there is
 * the last one to begin with these words (native/stretch.h), and a warp loads what it may have written itself
 * (fact_hoistable). If code changes the address of the arguments, they are hoisted only from an address that could have
 * been the first one. */
#include <stdlib.h>

#include "translator/translator.h"

struct hoisted {
    struct hoisted_word word;
    LLVMValueRef value;
};

static bool has_barriers(const struct flow *f)
{
    size_t i = 0;
    while (i < f->nnodes && f->nodes[i].effects.control != CONTROL_BARRIER) i++;
    return i < f->nnodes;
}

/* Does a warp stop only at its end, at barriers and at exits? Only then can groups form stretches. */
static bool may_stretch(const struct translator *t)
{
    const struct flow *f = t->flow;
    size_t i = 0;
    while (i < f->nnodes && f->nodes[i].how != HOW_HELP) i++;
    return i == f->nnodes && (!t->barriers || f->request->warps == 1 || f->request->late);
}

void hoist_begin(struct translator *t)
{
    t->other = LLVMConstNull(t->i1);
    t->barriers = has_barriers(t->flow);
    if (!may_stretch(t)) return;
    t->rounds = t->barriers && t->flow->request->warps != 1;
    t->hoisted = calloc((METADATA_ARGS + ABI_META_SIZE) / 4, sizeof *t->hoisted);
    t->failed |= !t->hoisted;
}

/* Where the arguments are loaded from. If the metadata block holds an address that cannot be read or whose stores are
 * not watched, that is a place of the translation's own, and the warp is refused. */
static LLVMValueRef arguments_at(struct translator *t, LLVMValueRef args)
{
    if (t->hoisted_args) return t->hoisted_args;
    LLVMValueRef values[] = {t->sm, args}, can = call_function(t, "are_watched_arguments", values, 2);
    LLVMValueRef bad = LLVMBuildICmp(t->b, LLVMIntEQ, can, ir_u32(t, 0), "");
    LLVMValueRef anything = ir_field(t, t->state, offsetof(struct native_state, turns));
    t->other = LLVMBuildOr(t->b, t->other, bad, "");
    return t->hoisted_args = LLVMBuildSelect(t->b, bad, anything, host_address(t, args), "");
}

/* At the end of `enter`. */
static LLVMValueRef load_hoisted(struct translator *t, struct hoisted_word word)
{
    static const struct hoisted_word args = {.at = ABI_META_ARGS};
    for (size_t i = 0; i < t->nhoisted; i++)
        if (t->hoisted[i].word.args == word.args && t->hoisted[i].word.at == word.at) return t->hoisted[i].value;
    LLVMValueRef base = word.args ? arguments_at(t, load_hoisted(t, args)) : host_address(t, t->knl);
    LLVMValueRef value = ir_load(t, t->i32, base, word.at);
    t->hoisted[t->nhoisted++] = (struct hoisted){word, value};
    return value;
}

bool hoist_can(const struct translator *t, const struct node *n)
{
    struct hoisted_word word;
    return t->hoisted && fact_hoistable(&t->holds, n, t->flow->request, &word);
}

LLVMValueRef hoist_value(struct translator *t, const struct node *n)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    struct hoisted_word word;
    uint32_t told;
    fact_hoistable(&t->holds, n, t->flow->request, &word);
    ir_at(t, t->enter);
    LLVMValueRef value = load_hoisted(t, word);
    if (fact_told(&t->holds, n, t->flow->request, &told)) {
        LLVMValueRef other = LLVMBuildICmp(t->b, LLVMIntNE, value, ir_u32(t, told), "");
        t->other = LLVMBuildOr(t->b, t->other, other, "");
        value = ir_u32(t, told);
    }
    ir_at(t, from);
    return value;
}

void hoist_end(struct translator *t)
{
    ir_at(t, t->enter);
    LLVMBuildCondBr(t->b, t->other, t->refuse, t->entered);
    free(t->hoisted);
}
