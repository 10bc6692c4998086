/* Pipes of a module: their instructions are calls of the functions that clang calls (library/pipe.cl), with operands in
 * the same order. */
#include "compiler/spirv/reader.h"

enum { READ, WRITE, EITHER };

/* One for each instruction, in the order of their numbers. Of operands: p pipe, r reservation, n number, d pointer to
 * data. The result is a number (n), a reservation (r) or nothing (-). */
static const struct {
    const char *name, *operands;
    char side, result;
} calls[] = {
    {"__read_pipe_2", "pdnn", READ, 'n'},
    {"__write_pipe_2", "pdnn", WRITE, 'n'},
    {"__read_pipe_4", "prndnn", READ, 'n'},
    {"__write_pipe_4", "prndnn", WRITE, 'n'},
    {"__reserve_read_pipe", "pnnn", READ, 'r'},
    {"__reserve_write_pipe", "pnnn", WRITE, 'r'},
    {"__commit_read_pipe", "prnn", READ, '-'},
    {"__commit_write_pipe", "prnn", WRITE, '-'},
    [9] = {"__get_pipe_num_packets", "pnn", EITHER, 'n'},
    {"__get_pipe_max_packets", "pnn", EITHER, 'n'},
    {"reserve_read_pipe", "pnnn", READ, 'r'},
    {"reserve_write_pipe", "pnnn", WRITE, 'r'},
    {"commit_read_pipe", "prnn", READ, '-'},
    {"commit_write_pipe", "prnn", WRITE, '-'},
};

static LLVMValueRef pipe_operand(struct reader *r, uint32_t i, char side)
{
    const struct type *t = operand_value_id(r, i)->type;
    if (t->op != OP_TypePipe || (side != EITHER && t->count != (uint32_t)side))
        spirv_error(r, "%%%u is no pipe that it may be done to", r->operands[i]);
    return operand_value(r, i);
}

static LLVMValueRef argument(struct reader *r, uint32_t i, char what, char side)
{
    LLVMValueRef v = what == 'p' ? pipe_operand(r, i, side) : operand_value(r, i);
    if (what == 'n') return operand_of(r, i, int_type(r, 32));
    if (what == 'r' && operand_value_id(r, i)->type->op != OP_TypeReserveId)
        spirv_error(r, "%%%u is no reservation", r->operands[i]);
    if (what == 'd' && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        spirv_error(r, "%%%u is no pointer", r->operands[i]);
    return what == 'd' ? generic(r, v) : v;
}

static LLVMTypeRef result_type(struct reader *r, char result)
{
    if (result == '-') return LLVMVoidTypeInContext(r->cc->context);
    if (result == 'r' ? r->type->op != OP_TypeReserveId : r->type->llvm != int_type(r, 32))
        spirv_error(r, "its type is not that of its result");
    return r->type->llvm;
}

/* Numbers of packets are asked of both kinds of pipes, by names of their own. */
static LLVMValueRef call(struct reader *r, unsigned which, const char *name, uint32_t first)
{
    struct arguments a = {.types = ""};
    LLVMTypeRef types[6], result = result_type(r, calls[which].result);
    for (uint32_t i = 0; calls[which].operands[i]; i++) {
        argument_add(r, &a, argument(r, first + i, calls[which].operands[i], calls[which].side), "");
        types[i] = LLVMTypeOf(a.value[i]);
    }
    if (calls[which].side == EITHER)
        name = cc_printf(r->cc, "%s_%s", name, operand_value_id(r, first)->type->count == READ ? "ro" : "wo");
    LLVMTypeRef type = LLVMFunctionType(result, types, a.n, false);
    LLVMValueRef value = LLVMBuildCall2(r->b, type, function_add(r, name, type), a.value, a.n, "");
    return calls[which].result == '-' ? NULL : value;
}

LLVMValueRef read_pipe(struct reader *r)
{
    const unsigned which = r->op->number - OP_ReadPipe;
    return call(r, which, calls[which].name, 0);
}

LLVMValueRef read_group_pipe(struct reader *r)
{
    const unsigned which = r->op->number - OP_ReadPipe;
    return call(r, which, cc_printf(r->cc, "__%s_%s", group_name(r, 0), calls[which].name), 1);
}

LLVMValueRef read_is_reservation(struct reader *r)
{
    struct arguments a = {.types = ""};
    if (r->type->op != OP_TypeBool) spirv_error(r, "its type is no truth value");
    argument_add(r, &a, argument(r, 0, 'r', EITHER), "13ocl_reserveid");
    return builtin_call(r, "is_valid_reserve_id", r->type->llvm, &a);
}
