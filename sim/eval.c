/* One lane of one arithmetic row of the table, out of line: for scalar instructions whose static
 * rounding mode is not the current one, and for rounding mode RMM.
 *
 * Compiled twice: EVAL_NAME is eval_host, or eval_rmm with LANE_RMM. Called by step.c. */
#include "sim/lane.h"
#include "sim/machine.h"

/* A row of a kind that is no arithmetic expands to nothing. */
#define EVAL_X(id, expr)   case OP_##id: return (uint32_t)(expr);
#define EVAL_V(id, expr)   EVAL_X(id, expr)
#define EVAL_VV(id, expr)  EVAL_X(id, expr)
#define EVAL_VX(id, expr)  EVAL_X(id, expr)
#define EVAL_VI(id, expr)  EVAL_X(id, expr)
#define EVAL_V1I(id, expr) EVAL_X(id, expr)
#define EVAL_V2X(id, expr)
#define EVAL_BRANCH(id, expr)
#define EVAL_VBRANCH(id, expr)
#define EVAL_JAL(id, expr)
#define EVAL_JALR(id, expr)
#define EVAL_XLOAD(id, expr)
#define EVAL_XSTORE(id, expr)
#define EVAL_VLOAD(id, expr)
#define EVAL_VSTORE(id, expr)
#define EVAL_PLOAD(id, expr)
#define EVAL_PSTORE(id, expr)
#define EVAL_ULOAD(id, expr)
#define EVAL_USTORE(id, expr)
#define EVAL_SLOAD(id, expr)
#define EVAL_SSTORE(id, expr)
#define EVAL_ILOAD(id, expr)
#define EVAL_ISTORE(id, expr)
#define EVAL_AMO(id, expr)
#define EVAL_LR(id, expr)
#define EVAL_SC(id, expr)
#define EVAL_CSR(id, expr)
#define EVAL_VSET(id, expr)
#define EVAL_NOP(id, expr)
#define EVAL_JOIN(id, expr)
#define EVAL_SETRPC(id, expr)
#define EVAL_PREFIX(id, expr)
#define EVAL_ENDPRG(id, expr)
#define EVAL_BARRIER(id, expr)
#define EVAL_BARRIERSUB(id, expr)
#define EVAL_MMA(id, expr)
#define EVAL_DMA(id, expr)
#define EVAL_MBARRIER(id, expr)
#define EVAL_ABSENT(id, expr)

uint32_t EVAL_NAME(enum isa_op op, const struct operands *o)
{
    const uint32_t vs2 = o->vs2, vs1 = o->vs1, vd = o->vd, rs1 = o->rs1, rs2 = o->rs2, rs3 = o->rs3;
    const uint32_t imm = o->imm, pc = o->pc, lane = o->lane, mask_bit = o->mask_bit;
    switch (op) {
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) EVAL_##kind(id, expr)
#include "isa/insn.def"
#undef INSN
    default: return 0;
    }
}
