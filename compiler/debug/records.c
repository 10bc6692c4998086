/* LLVM's records of variables: "from here on, this variable is that value". They are taken out of the module before the
 * back end sees it, so that it has the same instructions to compile with -g and without. */
#include "compiler/debug/debug.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_VALUE, CALL_VARIABLE, CALL_EXPRESSION };

struct collect {
    struct cc *cc;
    unsigned value_id, declare_id;
    LLVMMetadataRef parsed; /* the expression of the record before, most are the same */
    struct debug_expression expression;
    bool space; /* says_space of it */
    uint32_t room;
};

static unsigned intrinsic(const char *name) { return LLVMLookupIntrinsicID(name, strlen(name)); }

static bool is_record(const struct collect *c, LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    unsigned id = callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    return id && (id == c->value_id || id == c->declare_id);
}

/* ---- expressions: what is to be done with the value, in LLVM's form of DWARF ---- */

static const struct {
    const char *name;
    uint8_t op, operands;
} operations[] = {
    {"DW_OP_deref", DW_OP_deref, 0},   {"DW_OP_constu", DW_OP_constu, 1},
    {"DW_OP_consts", DW_OP_consts, 1}, {"DW_OP_plus_uconst", DW_OP_plus_uconst, 1},
    {"DW_OP_and", DW_OP_and, 0},       {"DW_OP_or", DW_OP_or, 0},
    {"DW_OP_xor", DW_OP_xor, 0},       {"DW_OP_not", DW_OP_not, 0},
    {"DW_OP_neg", DW_OP_neg, 0},       {"DW_OP_plus", DW_OP_plus, 0},
    {"DW_OP_minus", DW_OP_minus, 0},   {"DW_OP_mul", DW_OP_mul, 0},
    {"DW_OP_div", DW_OP_div, 0},       {"DW_OP_mod", DW_OP_mod, 0},
    {"DW_OP_shl", DW_OP_shl, 0},       {"DW_OP_shr", DW_OP_shr, 0},
    {"DW_OP_shra", DW_OP_shra, 0},     {"DW_OP_stack_value", DW_OP_stack_value, 0},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Does the word at p begin with this one? Steps over it, and over what separates it from the next. */
static bool word_is(const char **p, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(*p, name, n) || !strchr(", )", (*p)[n])) return false;
    *p += n;
    *p += strspn(*p, ", ");
    return true;
}

static uint64_t number_at(const char **p)
{
    char *end;
    uint64_t n = **p == '-' ? (uint64_t)strtoll(*p, &end, 10) : strtoull(*p, &end, 10);
    *p = end + strspn(end, ", ");
    return n;
}

static bool parse_operation(const char **p, struct debug_expression *e)
{
    if (e->n == DEBUG_OPS) return false;
    for (unsigned i = 0; i < OPERATIONS; i++) {
        if (!word_is(p, operations[i].name)) continue;
        e->ops[e->n++] = (struct debug_op){operations[i].op, operations[i].operands ? number_at(p) : 0};
        return true;
    }
    return false;
}

/* The text of an expression is the only way that LLVM's C interface has to its elements. */
static struct debug_expression parse(const char *text)
{
    struct debug_expression e = {.known = true};
    const char *p = strstr(text, "DIExpression(");
    if (!p) return (struct debug_expression){0};
    p += strlen("DIExpression(");
    while (*p && *p != ')') {
        if (word_is(&p, "DW_OP_LLVM_fragment")) {
            e.first_bit = (uint32_t)number_at(&p);
            e.bits = (uint32_t)number_at(&p);
        } else if (!parse_operation(&p, &e)) {
            e.known = false; /* a fragment may still follow: it is the last */
            p += strcspn(p, " )");
            p += strspn(p, " ");
        }
    }
    return e;
}

static struct debug_expression expression_of(struct collect *c, LLVMValueRef operand)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(operand);
    if (node == c->parsed) return c->expression;
    char *text = LLVMPrintValueToString(operand);
    c->expression = parse(text);
    c->parsed = node;
    LLVMDisposeMessage(text);
    return c->expression;
}

/* ---- records ---- */

/* NULL: none, or several. */
static LLVMValueRef value_of_operand(LLVMValueRef operand)
{
    LLVMMetadataKind kind = LLVMGetMetadataKind(LLVMValueAsMetadata(operand));
    LLVMValueRef value = NULL;
    if (kind != LLVMLocalAsMetadataMetadataKind && kind != LLVMConstantAsMetadataMetadataKind) return NULL;
    LLVMGetMDNodeOperands(operand, &value);
    return value;
}

static void add_record(struct collect *c, LLVMValueRef call, LLVMValueRef before)
{
    struct cc *cc = c->cc;
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);
    cc->records = cc_grow(cc, cc->records, cc->nrecords, &c->room, sizeof *cc->records);
    cc->records[cc->nrecords++] = (struct debug_record){
        .before = before,
        .function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)),
        .value = value_of_operand(LLVMGetOperand(call, CALL_VALUE)),
        .declares = LLVMGetIntrinsicID(LLVMGetCalledValue(call)) == c->declare_id,
        .variable = LLVMValueAsMetadata(LLVMGetOperand(call, CALL_VARIABLE)),
        .inlined_at = location ? LLVMDILocationGetInlinedAt(location) : NULL,
        .expression = expression_of(c, LLVMGetOperand(call, CALL_EXPRESSION)),
    };
}

static void collect_block(struct collect *c, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!is_record(c, i)) continue;
        LLVMValueRef before = next;
        while (is_record(c, before)) before = LLVMGetNextInstruction(before); /* a block does not end with one */
        add_record(c, i, before);
        LLVMInstructionEraseFromParent(i);
    }
}

/* Calls `visit` for all blocks, with the records as calls of intrinsics: LLVM's C interface cannot look at others. */
static void visit_blocks(struct cc *cc, void (*visit)(struct collect *c, LLVMBasicBlockRef block))
{
    struct collect c = {.cc = cc, .value_id = intrinsic("llvm.dbg.value"), .declare_id = intrinsic("llvm.dbg.declare")};
    LLVMSetIsNewDbgInfoFormat(cc->module, false);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) visit(&c, b);
}

void debug_collect(struct cc *cc) { visit_blocks(cc, collect_block); }

/* ---- what clang says of address spaces ---- */

/* Of every variable, clang says in an expression that it lies in address space 0. Addresses of ours say that
 * themselves, and LLVM takes no variable apart that has such an expression. */
static bool says_space(struct collect *c, LLVMValueRef operand)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(operand);
    if (node == c->parsed) return c->space;
    char *text = LLVMPrintValueToString(operand);
    c->space = strstr(text, "DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef)") != NULL;
    c->parsed = node;
    LLVMDisposeMessage(text);
    return c->space;
}

static void forget_spaces(struct collect *c, LLVMBasicBlockRef block)
{
    LLVMDIBuilderRef builder = LLVMCreateDIBuilder(c->cc->module);
    LLVMMetadataRef empty = LLVMDIBuilderCreateExpression(builder, NULL, 0);
    LLVMDisposeDIBuilder(builder);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (is_record(c, i) && says_space(c, LLVMGetOperand(i, CALL_EXPRESSION)))
            LLVMSetOperand(i, CALL_EXPRESSION, LLVMMetadataAsValue(c->cc->context, empty));
}

void debug_prepare(struct cc *cc)
{
    visit_blocks(cc, forget_spaces);
    LLVMSetIsNewDbgInfoFormat(cc->module, true); /* in which no pass takes them for code */
}
