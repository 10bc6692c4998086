/* Instructions of sub-groups for any work-items (GroupNonUniform...): calls of the functions of cl_khr_subgroup_...,
 * whose names and overloads are these instructions'. */
#include <string.h>

#include "compiler/spirv/reader.h"

/* Begins the arguments; operand 0 is the scope, of which there is one. */
static void begin(struct reader *r, struct arguments *a)
{
    *a = (struct arguments){.types = ""};
    if (strcmp(group_name(r, 0), "sub_group")) spirv_error(r, "it is of no sub-group");
}

/* The functions take and return truth as int. */
static void add_truth(struct reader *r, struct arguments *a, uint32_t i)
{
    argument_add(r, a, LLVMBuildZExt(r->b, operand_of(r, i, int_type(r, 1)), int_type(r, 32), ""), "i");
}

static LLVMValueRef call_truth(struct reader *r, const char *name, const struct arguments *a)
{
    if (r->type->op != OP_TypeBool) spirv_error(r, "its result is no bool");
    return LLVMBuildICmp(r->b, LLVMIntNE, builtin_call(r, name, int_type(r, 32), a), int_value(r, 0), "");
}

static void add_word(struct reader *r, struct arguments *a, uint32_t i)
{
    argument_add(r, a, operand_of(r, i, int_type(r, 32)), "j");
}

static void add_mask(struct reader *r, struct arguments *a, uint32_t i)
{
    argument_add(r, a, operand_of(r, i, LLVMVectorType(int_type(r, 32), 4)), "Dv4_j");
}

/* A number, or where the function has these a vector of them, whose integers are signed or not as `sign` says. */
static void add_number(struct reader *r, struct arguments *a, uint32_t i, char sign, bool vectors)
{
    const struct type *type = operand_value_id(r, i)->type;
    const uint32_t op = vectors && type->op == OP_TypeVector ? type->element->op : type->op;
    if (op != OP_TypeInt && op != OP_TypeFloat) spirv_error(r, "%%%u is no number", r->operands[i]);
    argument_add(r, a, operand_value(r, i), type_name_of(r, type, sign, ""));
}

/* A function whose result is like its first argument. */
static LLVMValueRef call_number(struct reader *r, const char *name, const struct arguments *a)
{
    if (LLVMTypeOf(a->value[0]) != r->type->llvm) spirv_error(r, "its value is not of the result's type");
    return builtin_call(r, name, r->type->llvm, a);
}

/* ---- votes and masks ---- */

LLVMValueRef read_vote(struct reader *r)
{
    struct arguments a;
    begin(r, &a);
    switch (r->op->number) {
    case OP_GroupNonUniformElect: a.types = "v"; return call_truth(r, "sub_group_elect", &a);
    case OP_GroupNonUniformAll: add_truth(r, &a, 1); return call_truth(r, "sub_group_non_uniform_all", &a);
    case OP_GroupNonUniformAny: add_truth(r, &a, 1); return call_truth(r, "sub_group_non_uniform_any", &a);
    default: add_number(r, &a, 1, 's', false); return call_truth(r, "sub_group_non_uniform_all_equal", &a);
    }
}

static LLVMValueRef call_count(struct reader *r, const char *name, const struct arguments *a)
{
    if (r->type->llvm != int_type(r, 32)) spirv_error(r, "its result is no integer of 32 bits");
    return builtin_call(r, name, r->type->llvm, a);
}

static LLVMValueRef count_bits(struct reader *r, struct arguments *a)
{
    static const char *const names[] = {"sub_group_ballot_bit_count", "sub_group_ballot_inclusive_scan",
                                        "sub_group_ballot_exclusive_scan"};
    if (r->operands[1] > 2) spirv_error(r, "there is no group operation %u on bits", r->operands[1]);
    add_mask(r, a, 2);
    return call_count(r, names[r->operands[1]], a);
}

LLVMValueRef read_ballot(struct reader *r)
{
    const LLVMTypeRef mask = LLVMVectorType(int_type(r, 32), 4);
    struct arguments a;
    begin(r, &a);
    if (r->op->number == OP_GroupNonUniformBallot) {
        if (r->type->llvm != mask) spirv_error(r, "its result is no vector of 4 integers of 32 bits");
        add_truth(r, &a, 1);
        return builtin_call(r, "sub_group_ballot", mask, &a);
    }
    if (r->op->number == OP_GroupNonUniformBallotBitCount) return count_bits(r, &a);
    add_mask(r, &a, 1);
    switch (r->op->number) {
    case OP_GroupNonUniformBallotFindLSB: return call_count(r, "sub_group_ballot_find_lsb", &a);
    case OP_GroupNonUniformBallotFindMSB: return call_count(r, "sub_group_ballot_find_msb", &a);
    case OP_GroupNonUniformInverseBallot: return call_truth(r, "sub_group_inverse_ballot", &a);
    default: add_word(r, &a, 2); return call_truth(r, "sub_group_ballot_bit_extract", &a);
    }
}

/* ---- values of other work-items ---- */

static const char *lane_function(uint32_t op)
{
    switch (op) {
    case OP_GroupNonUniformBroadcast: return "sub_group_non_uniform_broadcast";
    case OP_GroupNonUniformBroadcastFirst: return "sub_group_broadcast_first";
    case OP_GroupNonUniformShuffle: return "sub_group_shuffle";
    case OP_GroupNonUniformShuffleXor: return "sub_group_shuffle_xor";
    case OP_GroupNonUniformShuffleUp: return "sub_group_shuffle_up";
    default: return "sub_group_shuffle_down";
    }
}

LLVMValueRef read_lane_value(struct reader *r)
{
    struct arguments a;
    begin(r, &a);
    add_number(r, &a, 1, 's', r->op->number == OP_GroupNonUniformBroadcast);
    if (r->op->number != OP_GroupNonUniformBroadcastFirst) add_word(r, &a, 2);
    return call_number(r, lane_function(r->op->number), &a);
}

static void add_cluster(struct reader *r, struct arguments *a, uint32_t i)
{
    const uint64_t size = operand_constant(r, i);
    if (!size || size & (size - 1)) spirv_error(r, "a cluster's size is no power of two");
    add_word(r, a, i);
}

/* The distance is signed in OpenCL C. */
LLVMValueRef read_rotate(struct reader *r)
{
    const bool clustered = r->noperands > 3;
    struct arguments a;
    begin(r, &a);
    add_number(r, &a, 1, 's', false);
    argument_add(r, &a, operand_of(r, 2, int_type(r, 32)), "i");
    if (clustered) add_cluster(r, &a, 3);
    return call_number(r, clustered ? "sub_group_clustered_rotate" : "sub_group_rotate", &a);
}

/* ---- reductions and scans ---- */

/* What the instruction does, and how it sees integers: `b` is on bools. */
static const struct reduction {
    const char *name;
    char sign;
} reductions[] = {{"add", 's'}, {"add", 's'},         {"mul", 's'},        {"mul", 's'},
                  {"min", 's'}, {"min", 'u'},         {"min", 's'},        {"max", 's'},
                  {"max", 'u'}, {"max", 's'},         {"and", 's'},        {"or", 's'},
                  {"xor", 's'}, {"logical_and", 'b'}, {"logical_or", 'b'}, {"logical_xor", 'b'}};

LLVMValueRef read_reduction(struct reader *r)
{
    static const char *const operations[] = {"non_uniform_reduce", "non_uniform_scan_inclusive",
                                             "non_uniform_scan_exclusive", "clustered_reduce"};
    enum { CLUSTERED = 3 };
    const struct reduction *f = &reductions[r->op->number - OP_GroupNonUniformIAdd];
    const uint32_t operation = r->operands[1];
    struct arguments a;
    begin(r, &a);
    if (operation > CLUSTERED) spirv_error(r, "there is no group operation %u", operation);
    if (f->sign == 'b') add_truth(r, &a, 2);
    else add_number(r, &a, 2, f->sign, false);
    const bool bits = r->op->number >= OP_GroupNonUniformBitwiseAnd;
    if (bits && LLVMGetTypeKind(LLVMTypeOf(a.value[0])) != LLVMIntegerTypeKind) spirv_error(r, "it is on integers");
    if (operation == CLUSTERED) add_cluster(r, &a, 3);
    const char *name = cc_printf(r->cc, "sub_group_%s_%s", operations[operation], f->name);
    return f->sign == 'b' ? call_truth(r, name, &a) : call_number(r, name, &a);
}
