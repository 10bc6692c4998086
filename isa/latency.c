/* Where an instruction is executed, by its row in the table; what the hardware does otherwise stands here. */
#include "latency.h"

#include <string.h>

#include "effects.h"

enum { PASSES = 4 /* of the special-function unit over the lanes of a warp */ };

static struct isa_effects effects_of(enum isa_op op)
{
    return isa_effects(&(struct insn){.op = (uint16_t)op, .vm = 1}, ISA_LANES);
}

static enum isa_execution float_execution(enum isa_op op)
{
    struct isa_effects e = effects_of(op);
    const char *name = isa_table[op].name;
    if ((e.reads >> ROLE_RS3 | e.reads >> ROLE_RD) & 1) return EXECUTION_FUSED;
    return strstr(name, "add") || strstr(name, "sub") || strstr(name, "mul") ? EXECUTION_FLOAT : EXECUTION_CONVERT;
}

enum isa_execution isa_execution(enum isa_op op)
{
    switch (op) { /* the multiplier and the special-function unit work on scalars, too, and moves need no float unit */
    case OP_MUL:
    case OP_MULH:
    case OP_MULHSU:
    case OP_MULHU: return EXECUTION_MUL;
    case OP_DIV:
    case OP_DIVU:
    case OP_REM:
    case OP_REMU:
    case OP_FDIV_S:
    case OP_FSQRT_S: return EXECUTION_SPECIAL;
    case OP_VFMV_V_F:
    case OP_VFMV_S_F:
    case OP_VFMV_F_S: return EXECUTION_ALU;
    default: break;
    }
    switch (isa_table[op].unit) {
    case UNIT_MUL: return EXECUTION_MUL;
    case UNIT_FPU: return float_execution(op);
    case UNIT_SFU: return EXECUTION_SPECIAL;
    case UNIT_LSU: return EXECUTION_MEMORY;
    case UNIT_TENSOR:
    case UNIT_DMA: return EXECUTION_TENSOR;
    default: return EXECUTION_ALU;
    }
}

unsigned isa_latency(enum isa_op op)
{
    static const uint8_t cycles[] = {
#define EXECUTION(id, cycles, text) [EXECUTION_##id] = (cycles),
#include "latency.def"
#undef EXECUTION
    };
    enum isa_execution execution = isa_execution(op);
    unsigned passes = execution == EXECUTION_SPECIAL && effects_of(op).vectors ? PASSES : 1;
    return CYCLES_COLLECT + passes * cycles[execution];
}
