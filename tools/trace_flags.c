/* Which floating-point flags an instruction raises.
 *
 * The machine only keeps the sum of all flags so far (fflags), the public simulator's log names the flags
 * register each time an instruction raises one. So the log writer repeats the arithmetic here.
 * Called by trace.c before each instruction while a log is written. */
#include "sim/softfp.h"
#include "trace.h"

struct lane { uint32_t a, b, c; }; /* sources in the order of the operation: a - b, a / b, a * b + c */

enum { MINUS = 1u << 31 };

/* The operation of a row, whatever its operands are; false: it raises nothing. */
static bool raise(enum isa_op op, const struct lane *s, struct fp_env *env)
{
    uint32_t a = s->a, b = s->b, c = s->c;
    switch (op) {
    case OP_VFADD_VV: case OP_VFADD_VF: case OP_FADD_S: fp_add(FP_F32, a, b, env); return true;
    case OP_VFSUB_VV: case OP_VFSUB_VF: case OP_FSUB_S: fp_sub(FP_F32, a, b, env); return true;
    case OP_VFRSUB_VF: fp_sub(FP_F32, b, a, env); return true;
    case OP_VFMUL_VV: case OP_VFMUL_VF: case OP_FMUL_S: fp_mul(FP_F32, a, b, env); return true;
    case OP_VFDIV_VV: case OP_VFDIV_VF: case OP_FDIV_S: fp_div(FP_F32, a, b, env); return true;
    case OP_VFRDIV_VF: fp_div(FP_F32, b, a, env); return true;
    case OP_VFSQRT_V: case OP_FSQRT_S: fp_sqrt(FP_F32, a, env); return true;
    case OP_VFMIN_VV: case OP_VFMIN_VF: case OP_FMIN_S: fp_min(FP_F32, a, b, env); return true;
    case OP_VFMAX_VV: case OP_VFMAX_VF: case OP_FMAX_S: fp_max(FP_F32, a, b, env); return true;
    case OP_VMFEQ_VV: case OP_VMFEQ_VF: case OP_VMFNE_VV: case OP_VMFNE_VF: case OP_FEQ_S: fp_eq(FP_F32, a, b, env); return true;
    case OP_VMFLT_VV: case OP_VMFLT_VF: case OP_VMFGE_VF: case OP_FLT_S: fp_lt(FP_F32, a, b, env); return true;
    case OP_VMFLE_VV: case OP_VMFLE_VF: case OP_VMFGT_VF: case OP_FLE_S: fp_le(FP_F32, a, b, env); return true;
    case OP_VFMACC_VV: case OP_VFMACC_VF: fp_fma(FP_F32, b, a, c, env); return true;
    case OP_VFNMACC_VV: case OP_VFNMACC_VF: fp_fma(FP_F32, b ^ MINUS, a, c ^ MINUS, env); return true;
    case OP_VFMSAC_VV: case OP_VFMSAC_VF: fp_fma(FP_F32, b, a, c ^ MINUS, env); return true;
    case OP_VFNMSAC_VV: case OP_VFNMSAC_VF: fp_fma(FP_F32, b ^ MINUS, a, c, env); return true;
    case OP_VFMADD_VV: case OP_VFMADD_VF: fp_fma(FP_F32, b, c, a, env); return true;
    case OP_VFNMADD_VV: case OP_VFNMADD_VF: fp_fma(FP_F32, b ^ MINUS, c, a ^ MINUS, env); return true;
    case OP_VFMSUB_VV: case OP_VFMSUB_VF: fp_fma(FP_F32, b, c, a ^ MINUS, env); return true;
    case OP_VFNMSUB_VV: case OP_VFNMSUB_VF: fp_fma(FP_F32, b ^ MINUS, c, a, env); return true;
    case OP_FMADD_S: fp_fma(FP_F32, a, b, c, env); return true;
    case OP_FMSUB_S: fp_fma(FP_F32, a, b, c ^ MINUS, env); return true;
    case OP_FNMSUB_S: fp_fma(FP_F32, a ^ MINUS, b, c, env); return true;
    case OP_FNMADD_S: fp_fma(FP_F32, a ^ MINUS, b, c ^ MINUS, env); return true;
    case OP_VFCVT_RTZ_XU_F_V: env->round = FP_RTZ; /* fall through */
    case OP_VFCVT_XU_F_V: case OP_FCVT_WU_S: fp_to_int(FP_F32, a, 32, false, env); return true;
    case OP_VFCVT_RTZ_X_F_V: env->round = FP_RTZ; /* fall through */
    case OP_VFCVT_X_F_V: case OP_FCVT_W_S: fp_to_int(FP_F32, a, 32, true, env); return true;
    case OP_VFCVT_F_XU_V: case OP_FCVT_S_WU: fp_from_int(FP_F32, a, false, env); return true;
    case OP_VFCVT_F_X_V: case OP_FCVT_S_W: fp_from_int(FP_F32, (uint64_t)(int64_t)(int32_t)a, true, env); return true;
    default: return false;
    }
}

uint32_t trace_flags(const struct warp *w, const struct insn *in, uint32_t lanes)
{
    const struct isa_desc *d = &isa_table[in->op];
    struct fp_env env = {.round = (uint8_t)(in->rm == 7 ? w->frm : in->rm)};
    if (d->unit != UNIT_FPU && d->unit != UNIT_SFU) return 0;
    if (d->kind == KIND_X) {
        struct lane s = {w->x[in->rs1], w->x[in->rs2], w->x[in->rs3]};
        raise((enum isa_op)in->op, &s, &env);
        return env.flags;
    }
    bool scalar = d->kind == KIND_VX;
    if (d->kind != KIND_V && d->kind != KIND_VV && !scalar) return 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        struct lane s = {w->v[in->rs2][lane], scalar ? w->x[in->rs1] : w->v[in->rs1][lane], w->v[in->rd][lane]};
        if (!raise((enum isa_op)in->op, &s, &env)) break;
    }
    return env.flags;
}
