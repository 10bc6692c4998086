/* Which rows are standard instructions, and how each is tested (program.h). */
#include "rows.h"

/* By opcode; a funct3 of -1 is any. The first line that fits counts. */
static const struct family {
    uint8_t opcode;
    int8_t funct3;
    enum cpu cpu;
    bool control;
    void (*put)(struct program *p, enum isa_op op);
} families[] = {
    {0x37, -1, CPU_ZFINX, false, upper_rows},
    {0x17, -1, CPU_ZFINX, false, upper_rows},
    {0x6f, -1, CPU_ZFINX, false, jal_rows},
    {0x67, -1, CPU_ZFINX, false, jalr_rows},
    {0x63, -1, CPU_ZFINX, false, branch_rows},
    {0x03, -1, CPU_ZFINX, false, load_rows},
    {0x23, -1, CPU_ZFINX, false, store_rows},
    {0x13, -1, CPU_ZFINX, false, integer_rows},
    {0x33, -1, CPU_ZFINX, false, integer_rows},
    {0x0f, -1, CPU_ZFINX, false, fence_rows},
    {0x2f, -1, CPU_ZFINX, false, atomic_rows},
    {OP_FP, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x43, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x47, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x4b, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x4f, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x73, -1, CPU_VECTOR, true, csr_rows},
    {OP_V, 7, CPU_VECTOR, true, vset_rows},
    {OP_V, -1, CPU_VECTOR, false, vector_rows},
    {LOAD_FP, 2, CPU_VECTOR, true, load_rows},
    {STORE_FP, 2, CPU_VECTOR, true, store_rows},
    {LOAD_FP, -1, CPU_VECTOR, false, vector_memory_rows},
    {STORE_FP, -1, CPU_VECTOR, false, vector_memory_rows},
};
static const struct family moves = {OP_FP, 0, CPU_VECTOR, true, move_rows};

// clang-format off
static const struct { enum isa_op first, last; const char *why; } exceptions[] = {
    {OP_LD, OP_SD, "64-bit addresses, 32-bit data"},
    {OP_LR_D, OP_AMOMAXU_D, "64-bit addresses, 32-bit data"},
    {OP_VWADDU_WV, OP_VWADDU_WV, "both sources are 64 bits wide"},
    {OP_VWADD_WV, OP_VWADD_WV, "both sources are 64 bits wide"},
    {OP_VWSUBU_WV, OP_VWSUBU_WV, "both sources are 64 bits wide"},
    {OP_VWSUB_WV, OP_VWSUB_WV, "both sources are 64 bits wide"},
    {OP_VZEXT_VF8, OP_VSEXT_VF8, "reserved for elements of 32 bits"},
    {OP_VSHUFFLE_DOWN_RAW, OP_VSHUFFLE_DOWN_RAW, "a word of RVV's space with another meaning"},
};
// clang-format on

static const struct family *family(enum isa_op op)
{
    if (isa_bits(op) != 32) return NULL;
    if (starts(op, "fmv.")) return &moves;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].opcode == opcode(op) && (families[i].funct3 < 0 || families[i].funct3 == (int)funct3(op)))
            return &families[i];
    return NULL;
}

bool row_standard(enum isa_op op) { return family(op) != NULL; }
enum cpu row_cpu(enum isa_op op) { return family(op)->cpu; }
bool row_control(enum isa_op op) { return family(op)->control; }

const char *row_exception(enum isa_op op)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (op >= exceptions[i].first && op <= exceptions[i].last) return exceptions[i].why;
    return NULL;
}

bool row_put(struct program *p, enum isa_op op)
{
    size_t before = p->nsections;
    family(op)->put(p, op);
    return p->nsections > before;
}
