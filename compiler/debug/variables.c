/* Variables as entries of DWARF, each in the scope that declares it. */
#include "compiler/debug/debug.h"

#include <stdlib.h>

enum { LOCAL_NAME = 1, GLOBAL_NAME = 1 };

static struct die *describe_variable(struct unit *u, struct die *parent, enum dwarf_tag tag, LLVMMetadataRef node)
{
    struct cc *cc = u->cc;
    struct die *d = die_new(cc, parent, tag);
    die_text(cc, d, DW_AT_name, node_text(cc, node, LOCAL_NAME));
    die_number(cc, d, DW_AT_decl_file, DW_FORM_udata, unit_file(u, LLVMDIVariableGetFile(node)));
    die_number(cc, d, DW_AT_decl_line, DW_FORM_udata, LLVMDIVariableGetLine(node));
    type_refer(&u->types, d, variable_type(cc, node));
    return d;
}

/* ---- of functions ---- */

static bool is_everywhere(const struct debug_variable *v, const struct scope *s)
{
    if (v->nspans != 1) return false;
    for (uint32_t i = 0; i < s->nspans; i++)
        if (s->spans[i].from < v->spans->from || s->spans[i].to > v->spans->to) return false;
    return true;
}

static void locate(struct unit *u, struct die *d, const struct kernel *k, const struct scope *s,
                   const struct debug_variable *v)
{
    if (!v->nspans) return; /* optimized out */
    if (is_everywhere(v, s)) {
        die_expression(u->cc, d, DW_AT_location, *v->expressions);
        return;
    }
    struct span *spans = unit_spans(u, k, v->spans, v->nspans);
    die_spans(u->cc, d, DW_AT_location, (struct spans){&u->locations, spans, v->expressions, v->nspans});
}

struct ordered {
    const struct debug_variable *variable;
    unsigned long argument; /* its number, from 1 on; of the others a larger one */
    uint32_t number;
};

static int by_argument(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->argument != y->argument) return x->argument < y->argument ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Parameters in the order of the call: that is how debuggers show it. */
static struct ordered *in_order(struct unit *u, const struct debug_code *d)
{
    struct ordered *list = cc_alloc(u->cc, (d->nvariables + 1) * sizeof *list);
    for (uint32_t i = 0; i < d->nvariables; i++) {
        unsigned long argument = strtoul(node_field(u->cc, d->variables[i].node, "arg: "), NULL, 10);
        list[i] = (struct ordered){&d->variables[i], argument ? argument : UINT32_MAX, i};
    }
    if (d->nvariables) qsort(list, d->nvariables, sizeof *list, by_argument);
    return list;
}

void add_variables(struct unit *u, const struct kernel *k, struct scopes *scopes)
{
    const struct debug_code *d = k->code.debug;
    const struct ordered *list = in_order(u, d);
    for (uint32_t i = 0; i < d->nvariables; i++) {
        const struct debug_variable *v = list[i].variable;
        const struct scope *s = scope_find(u->cc, scopes, LLVMDIVariableGetScope(v->node), v->inlined_at);
        if (!s) continue; /* no code is left of its scope */
        enum dwarf_tag tag = list[i].argument == UINT32_MAX ? DW_TAG_variable : DW_TAG_formal_parameter;
        locate(u, describe_variable(u, s->die, tag, v->node), k, s, v);
    }
}

/* ---- with an address ---- */

/* The variable that a global is; NULL: nothing is known of it. */
static LLVMMetadataRef variable_of(struct cc *cc, LLVMValueRef global)
{
    size_t n;
    LLVMMetadataRef found = NULL;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
    for (unsigned i = 0; i < n; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == LLVMGetMDKindIDInContext(cc->context, "dbg", 3))
            found = LLVMDIGlobalVariableExpressionGetVariable(LLVMValueMetadataEntriesGetMetadata(entries, i));
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

/* Local memory: behind the stacks of the group's warps (isa/abi.h). */
static struct bytes local_place(struct cc *cc, uint32_t offset)
{
    struct bytes b = {0};
    put_window(cc, &b, abi_window_csr(CSR_LDS));
    put_u8(cc, &b, DW_OP_deref);
    put_window(cc, &b, abi_window_csr(CSR_NUMW));
    put_u8(cc, &b, DW_OP_deref);
    put_u8(cc, &b, DW_OP_constu);
    put_uleb(cc, &b, ABI_WARP_STACK);
    put_u8(cc, &b, DW_OP_mul);
    put_u8(cc, &b, DW_OP_plus);
    put_u8(cc, &b, DW_OP_plus_uconst);
    put_uleb(cc, &b, offset);
    return b;
}

void add_locals(struct unit *u, const struct kernel *k, struct scopes *scopes)
{
    const struct debug_code *d = k->code.debug;
    for (uint32_t i = 0; i < d->nlocals; i++) {
        LLVMMetadataRef node = variable_of(u->cc, d->locals[i].global);
        const struct scope *s = node ? scope_find(u->cc, scopes, LLVMDIVariableGetScope(node), NULL) : NULL;
        if (!node) continue;
        struct die *die = describe_variable(u, (s ? s : scopes->list[0])->die, DW_TAG_variable, node);
        die_expression(u->cc, die, DW_AT_location, local_place(u->cc, d->locals[i].offset));
    }
}

static void add_global(struct unit *u, LLVMValueRef global, uint32_t address)
{
    LLVMMetadataRef node = variable_of(u->cc, global);
    struct bytes b = {0};
    if (!node) return;
    put_u8(u->cc, &b, DW_OP_addr);
    put_u32(u->cc, &b, address);
    die_expression(u->cc, describe_variable(u, u->root, DW_TAG_variable, node), DW_AT_location, b);
}

void add_globals(struct unit *u)
{
    const struct cc *cc = u->cc;
    for (uint32_t i = 0; i < cc->nconstants; i++)
        add_global(u, cc->constants[i].global, cc->rodata_addr + cc->constants[i].offset);
    for (uint32_t i = 0; i < cc->nvariables; i++)
        add_global(u, cc->variables[i].global, cc->data_addr + cc->variables[i].offset);
}
