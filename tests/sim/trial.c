/* The helper of the row tests (trial.h). */
#include "trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { X_DATA = 5, X_VL = 22, X_FLAGS = 20, X_SAT = 21, V_AT = 8, E32_M1 = 0x10 };
enum { VS2 = 0, VS1 = 64, VD = 128, MASK = 192, SCALARS = 224, OUT = 256, OUT_X = 320 }; /* words of the data page */

struct code {
    uint32_t words[128];
    size_t n;
    enum isa_profile profile;
};

static void emit(struct code *c, struct insn in)
{
    const char *why = "";
    unsigned n = isa_encode_in(c->profile, &in, c->words + c->n, &why);
    if (!n) fail_msg("%s: %s", isa_table[in.op].name, why);
    c->n += n;
}
#define EMIT(c, id, ...) emit(c, (struct insn){.op = OP_##id, .vm = 1, __VA_ARGS__})

static void set_vl(struct code *c, uint32_t vl, uint32_t vtype)
{
    EMIT(c, ADDI, .rd = X_VL, .imm = (int32_t)vl);
    EMIT(c, VSETVLI, .rd = X_VL, .rs1 = X_VL, .aux = (uint16_t)vtype);
}

static void load_rows(struct code *c, unsigned reg, int word)
{
    for (int half = 0; half < 2; half++)
        EMIT(c, VLW12_V, .rd = (uint8_t)(reg + (unsigned)half), .rs1 = V_AT, .imm = (word + 32 * half) * 4);
}

static void prologue(struct code *c, const struct trial *t)
{
    EMIT(c, LUI, .rd = X_DATA, .imm = (int32_t)GUEST_DATA);
    EMIT(c, VID_V, .rd = V_AT);
    EMIT(c, VSLL_VI, .rd = V_AT, .rs2 = V_AT, .imm = 2);
    EMIT(c, VADD_VX, .rd = V_AT, .rs2 = V_AT, .rs1 = X_DATA);
    load_rows(c, TRIAL_VS2, VS2);
    load_rows(c, TRIAL_VS1, VS1);
    load_rows(c, TRIAL_VD, VD);
    EMIT(c, VLW12_V, .rd = 0, .rs1 = V_AT, .imm = MASK * 4);
    for (int i = 0; i < 8; i++) EMIT(c, LW, .rd = (uint8_t)(TRIAL_RS1 + i), .rs1 = X_DATA, .imm = (SCALARS + i) * 4);
    EMIT(c, ADDI, .rd = X_FLAGS, .imm = (int32_t)t->frm);
    EMIT(c, CSRRW, .rs1 = X_FLAGS, .aux = CSR_FRM);
    EMIT(c, CSRRWI, .aux = CSR_VXRM, .imm = (int32_t)t->vxrm);
    EMIT(c, CSRRWI, .aux = CSR_VXSAT);
    EMIT(c, CSRRWI, .aux = CSR_FFLAGS);
}

static void epilogue(struct code *c)
{
    EMIT(c, CSRRS, .rd = X_FLAGS, .aux = CSR_FFLAGS);
    EMIT(c, CSRRS, .rd = X_SAT, .aux = CSR_VXSAT);
    EMIT(c, SW, .rs1 = X_DATA, .rs2 = TRIAL_RD, .imm = OUT_X * 4);
    EMIT(c, SW, .rs1 = X_DATA, .rs2 = TRIAL_RD + 1, .imm = (OUT_X + 1) * 4);
    EMIT(c, SW, .rs1 = X_DATA, .rs2 = X_FLAGS, .imm = (OUT_X + 2) * 4);
    EMIT(c, SW, .rs1 = X_DATA, .rs2 = X_SAT, .imm = (OUT_X + 3) * 4);
    set_vl(c, 32, E32_M1);
    EMIT(c, VSW12_V, .rs2 = TRIAL_VD, .rs1 = V_AT, .imm = OUT * 4);
    EMIT(c, VSW12_V, .rs2 = TRIAL_VD + 1, .rs1 = V_AT, .imm = (OUT + 32) * 4);
    EMIT(c, ENDPRG, .rd = 0);
}

static void put(uint32_t *low, uint32_t *high, uint64_t v)
{
    *low = (uint32_t)v;
    *high = (uint32_t)(v >> 32);
}

static void fill(struct guest *g, const struct trial *t)
{
    uint32_t *d = g->data;
    memset(d, 0xee, 4096);
    for (int i = 0; i < 32; i++) {
        put(d + VS2 + i, d + VS2 + 32 + i, t->vs2[i]);
        put(d + VS1 + i, d + VS1 + 32 + i, t->vs1[i]);
        put(d + VD + i, d + VD + 32 + i, t->vd[i]);
    }
    for (int i = 0; i < 32; i++) d[MASK + i] = (d[MASK + i] & ~1u) | (t->v0 >> i & 1);
    d[MASK] = t->v0; /* as a mask of either kind */
    for (int i = 0; i < 3; i++) put(d + SCALARS + 2 * i, d + SCALARS + 2 * i + 1, t->x[i]);
    put(d + SCALARS + 6, d + SCALARS + 7, t->rd);
}

bool trial_run(struct guest *g, struct trial *t)
{
    struct code c = {.profile = (enum isa_profile)gpu_config_of(g->gpu)->profile};
    const uint32_t *d = g->data;
    prologue(&c, t);
    set_vl(&c, t->vl, t->vtype);
    emit(&c, t->in);
    epilogue(&c);
    fill(g, t);
    guest_code(g, c.words, c.n);
    g->launch.work_items = t->items;
    guest_run(g);
    for (int i = 0; i < 32; i++) t->out[i] = d[OUT + i] | (uint64_t)d[OUT + 32 + i] << 32;
    t->xout = d[OUT_X] | (uint64_t)d[OUT_X + 1] << 32;
    t->fflags = d[OUT_X + 2];
    t->vxsat = d[OUT_X + 3];
    return g->result.status == LAUNCH_DONE;
}

void trial_done(struct guest *g, struct trial *t)
{
    char text[300];
    if (trial_run(g, t)) return;
    fault_print(&g->result.fault, text, sizeof text);
    fail_msg("%s: %s", isa_table[t->in.op].name, text);
}

void trial_refused(struct guest *g, struct trial *t, const char *text)
{
    if (trial_run(g, t)) fail_msg("%s was executed", isa_table[t->in.op].name);
    assert_int_equal(g->result.fault.kind, FAULT_ILLEGAL);
    if (!strstr(g->result.fault.detail, text))
        fail_msg("%s: \"%s\" does not say \"%s\"", isa_table[t->in.op].name, g->result.fault.detail, text);
}

/* ---- operands ---- */

// clang-format off
static const uint64_t edges[] = {
    0, 1, 2, 3, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
    0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffff80000000, 0x5555555555555555,
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x7f7fffff, 0x4effffff,
    0x4f000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
    0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000001,
    0x41dfffffffc00000, 0xc1e0000000000000, 0x3fe0000000000000, 0x4008000000000000, 0x3800000000000000, 0x36a0000000000000,
    0x3c003c00, 0x7bff7bff, 0x04000400, 0x7c00fc00, 0x7e007c01, 0x3f803f80, 0x7f7f0080, 0x000100017f80ff80,
};
// clang-format on

uint64_t trial_value(void)
{
    uint64_t r = guest_random();
    uint64_t wide = (uint64_t)guest_random() << 32 | guest_random();
    switch (r % 5) {
    case 0: return wide;
    case 1:
        return ((wide >> 12) | (uint64_t)(1000 + r / 8 % 48) << 52) ^ (r & 1ull << 31)
                                                                          << 32; /* binary64 of moderate size */
    case 2:
        return (wide << 32) |
               (0x3e000000 + (uint32_t)wide % 0x04000000 + (uint32_t)(r & 1u << 31)); /* binary32, likewise */
    case 3: return wide & 0x8fff8fff8fff8fff;                                         /* halves of small numbers */
    default: return edges[r / 8 % (sizeof edges / sizeof *edges)];
    }
}

void trial_shuffle(struct trial *t)
{
    for (int i = 0; i < 32; i++) {
        t->vs2[i] = trial_value();
        t->vs1[i] = trial_value();
        t->vd[i] = trial_value();
    }
    for (int i = 0; i < 3; i++) t->x[i] = trial_value();
    t->rd = trial_value();
    t->v0 = guest_random();
}

static void name_register(struct insn *in, char letter)
{
    const struct isa_operand *o = isa_operand(letter);
    static const uint8_t vectors[] = {
        [ROLE_RD] = TRIAL_VD, [ROLE_RS1] = TRIAL_VS1, [ROLE_RS2] = TRIAL_VS2, [ROLE_RS3] = TRIAL_VD};
    static const uint8_t scalars[] = {
        [ROLE_RD] = TRIAL_RD, [ROLE_RS1] = TRIAL_RS1, [ROLE_RS2] = TRIAL_RS2, [ROLE_RS3] = TRIAL_RS3};
    if (o && o->kind == OPERAND_REG_V) isa_set(in, (enum operand_role)o->role, vectors[o->role]);
    if (o && o->kind == OPERAND_REG_X) isa_set(in, (enum operand_role)o->role, scalars[o->role]);
    if (o && o->role == ROLE_RM) in->rm = 7;
}

struct trial trial_of(enum isa_profile profile, const char *mnemonic)
{
    struct trial t = {
        .items = 32, .vl = 32, .vtype = E32_M1, .in = {.op = (uint16_t)isa_find_in(profile, mnemonic), .vm = 1}};
    if (t.in.op == OP_INVALID) fail_msg("no instruction %s", mnemonic);
    for (const char *p = isa_table[t.in.op].pattern; *p; p++) name_register(&t.in, *p);
    trial_shuffle(&t);
    return t;
}

void trial_open(struct guest *g, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    guest_open_config(g, &config);
}
