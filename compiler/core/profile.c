/* What the instruction sets have, and what takes the place of what they lack.
 *
 * Everything that is no instruction of all of them stands in the tables below; the instruction table says which have
 * it. Where another instruction does the same, emit.c puts it in; where a function of the library does, lower.c calls
 * that. The rest of the compiler does not know profiles. */
#include "compiler/core/cc.h"

#include <string.h>

bool profile_has(const struct cc *cc, unsigned op) { return isa_table[op].revisions & cc->profile; }

/* Private memory: instructions of their own, or a flat access behind a prefix that names the space. */
static const struct {
    uint16_t op, family, flat;
} private_forms[] = {
    {OP_VLW_V, OP_VLW_PRIVATE_V, OP_VLW12_V},    {OP_VLH_V, OP_VLH_PRIVATE_V, OP_VLH12_V},
    {OP_VLHU_V, OP_VLHU_PRIVATE_V, OP_VLHU12_V}, {OP_VLB_V, OP_VLB_PRIVATE_V, OP_VLB12_V},
    {OP_VLBU_V, OP_VLBU_PRIVATE_V, OP_VLBU12_V}, {OP_VSW_V, OP_VSW_PRIVATE_V, OP_VSW12_V},
    {OP_VSH_V, OP_VSH_PRIVATE_V, OP_VSH12_V},    {OP_VSB_V, OP_VSB_PRIVATE_V, OP_VSB12_V},
};

void profile_adapt(const struct cc *cc, struct insn *in)
{
    if (profile_has(cc, in->op)) return;
    for (size_t i = 0; i < sizeof private_forms / sizeof *private_forms; i++) {
        if (private_forms[i].op != in->op) continue;
        bool family = profile_has(cc, private_forms[i].family);
        in->op = family ? private_forms[i].family : private_forms[i].flat;
        in->prefix = family ? OP_INVALID : OP_PRE_M_PRIVATE_32;
    }
    if (!profile_has(cc, in->op) || (in->prefix && !profile_has(cc, in->prefix)))
        cc_error((struct cc *)cc, CC_INTERNAL, NULL, "%s is no instruction of profile %s", isa_table[in->op].name,
                 isa_profile_name(cc->profile));
}

/* Functions of floats and of the lanes of a warp, and what a profile without them calls; operations of scalars, in code
 * that one lane runs. */
static const struct primitive primitives[] = {
    {"__ventus_exp", OP_VFEXP, PRIMITIVE_FLOAT, NULL},
    {"__ventus_ex2", OP_EX2_F32, PRIMITIVE_FLOAT, "_Z4exp2f"},
    {"__ventus_lg2", OP_LG2_F32, PRIMITIVE_FLOAT, "_Z4log2f"},
    {"__ventus_rcp", OP_RCP_F32, PRIMITIVE_FLOAT, "__ventus_divided_rcp"},
    {"__ventus_rsqrt", OP_RSQRT_F32, PRIMITIVE_FLOAT, "__ventus_divided_rsqrt"},
    {"__ventus_sin", OP_SIN_F32, PRIMITIVE_FLOAT, "_Z3sinf"},
    {"__ventus_cos", OP_COS_F32, PRIMITIVE_FLOAT, "_Z3cosf"},
    {"__ventus_nearest_int", OP_VFCVT_X_F_V, PRIMITIVE_FLOAT, NULL},
    {"__ventus_nearest_uint", OP_VFCVT_XU_F_V, PRIMITIVE_FLOAT, NULL},
    {"__ventus_cut_int", OP_VFCVT_RTZ_X_F_V, PRIMITIVE_FLOAT, NULL},
    {"__ventus_cut_uint", OP_VFCVT_RTZ_XU_F_V, PRIMITIVE_FLOAT, NULL},
    {"__ventus_add_f16x2", OP_VADD_F16X2, PRIMITIVE_PAIRS, NULL},
    {"__ventus_mul_f16x2", OP_VMUL_F16X2, PRIMITIVE_PAIRS, NULL},
    {"__ventus_fma_f16x2", OP_VFMA_F16X2, PRIMITIVE_PAIRS, NULL},
    {"__ventus_shuffle", OP_VSHUFFLE_DOWN_RAW, PRIMITIVE_LANES, "__ventus_shuffle_in_memory"},
    {"__ventus_vote", OP_AMOOR_W, PRIMITIVE_VOTE, "__ventus_vote_each"},
    {"__ventus_first", OP_VMV_X_S, PRIMITIVE_FIRST, NULL},
    {"__ventus_lr", OP_LR_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_sc", OP_SC_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amoswap", OP_AMOSWAP_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amoadd", OP_AMOADD_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amoand", OP_AMOAND_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amoor", OP_AMOOR_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amoxor", OP_AMOXOR_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amomax", OP_AMOMAX_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amomin", OP_AMOMIN_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amomaxu", OP_AMOMAXU_W_SCALAR, PRIMITIVE_SCALAR, NULL},
    {"__ventus_amominu", OP_AMOMINU_W_SCALAR, PRIMITIVE_SCALAR, NULL},
};

const struct primitive *primitive_find(const char *name)
{
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (!strcmp(primitives[i].name, name)) return &primitives[i];
    return NULL;
}

bool primitive_computes(const char *name)
{
    const struct primitive *p = primitive_find(name);
    return p && (p->kind == PRIMITIVE_FLOAT || p->kind == PRIMITIVE_PAIRS);
}
