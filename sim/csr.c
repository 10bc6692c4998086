/* Control and status registers: numbers and access from isa/csr.def, meaning here.
 *
 * While a warp runs, the host's rounding mode is its frm (0..3; otherwise the one before): an engine sets it when it
 * gets the warp, csr_write when the guest changes it. Between time slices it is to nearest (group.c). Called by
 * engines.
 */
#include <fenv.h>

#include "sim/layout.h"
#include "sim/machine.h"

enum { VTYPE_AGNOSTIC = 0xc0, LMUL_1 = 0, LMUL_2 = 1 };

/* The host's rounding mode in this thread while it runs warps: setting it again would cost as much as some
 * instructions. */
static _Thread_local uint32_t rounding __attribute__((tls_model("initial-exec")));

void round_begin(void)
{
    fesetenv(FE_DFL_ENV);
    rounding = FP_RNE;
}

void round_set(uint32_t frm)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (frm >= 4 || frm == rounding) return;
    fesetround(modes[frm]);
    rounding = frm;
}

/* The documents number the groups of an SM, the public tool chain's simulator those of the grid. */
static uint32_t group_id(const struct group *g) { return g->sm->gpu->config.profile & ISA_IMPL ? g->wgid : g->slot; }

bool csr_read(const struct warp *w, unsigned number, uint32_t *value)
{
    const struct group *g = w->group;
    switch (number) {
    case CSR_FFLAGS: *value = w->fflags; return true;
    case CSR_FRM: *value = w->frm; return true;
    case CSR_FCSR: *value = w->frm << 5 | w->fflags; return true;
    case CSR_VSTART: *value = w->vstart; return true;
    case CSR_VXSAT: *value = w->vxsat; return true;
    case CSR_VXRM: *value = w->vxrm; return true;
    case CSR_MSTATUS: *value = w->mstatus; return true;
    case CSR_MTVEC: *value = w->mtvec; return true;
    case CSR_TID: *value = w->tid; return true;
    case CSR_NUMW: *value = g->launch->warps; return true;
    case CSR_NUMT: *value = g->launch->threads_per_warp; return true;
    case CSR_KNL: *value = g->launch->knl; return true;
    case CSR_WGID: *value = group_id(g); return true;
    case CSR_WID: *value = w->wid; return true;
    case CSR_LDS: *value = g->lds_base; return true;
    case CSR_PDS: *value = private_base(w); return true;
    case CSR_GIDX: *value = g->index[0]; return true;
    case CSR_GIDY: *value = g->index[1]; return true;
    case CSR_GIDZ: *value = g->index[2]; return true;
    case CSR_PRINT: *value = w->print; return true;
    case CSR_RPC: *value = w->rpc; return true;
    case CSR_VL: *value = w->vl; return true;
    case CSR_VTYPE: *value = w->vtype; return true;
    case CSR_VLENB: *value = g->launch->threads_per_warp * 4; return true;
    case CSR_MHARTID: *value = w->wid; return true;
    case CSR_CYCLE:
    case CSR_TIME:
    case CSR_INSTRET: *value = (uint32_t)g->counters.instructions; return true;
    case CSR_CYCLEH:
    case CSR_TIMEH:
    case CSR_INSTRETH: *value = (uint32_t)(g->counters.instructions >> 32); return true;
    default: return false;
    }
}

static void set_frm(struct warp *w, uint32_t frm)
{
    w->frm = frm & 7;
    round_set(w->frm);
}

/* The host's code runs with its own floating-point environment. */
static void set_print(struct warp *w, uint32_t value)
{
    const struct launch_options *o = &w->group->job->options;
    fenv_t own;
    w->print = value;
    if (!value || !o->print) return;
    fegetenv(&own);
    fesetenv(FE_DFL_ENV);
    o->print(o->print_user, value);
    fesetenv(&own);
    w->print = 0;
}

bool csr_write(struct warp *w, unsigned number, uint32_t value)
{
    switch (number) {
    case CSR_FFLAGS: w->fflags = value & 31; return true;
    case CSR_FRM: set_frm(w, value); return true;
    case CSR_FCSR:
        w->fflags = value & 31;
        set_frm(w, value >> 5);
        return true;
    case CSR_VSTART: w->vstart = 0; return true; /* nothing ever stops half-way */
    case CSR_VXSAT: w->vxsat = value & 1; return true;
    case CSR_VXRM: w->vxrm = value & 3; return true;
    case CSR_MSTATUS: w->mstatus = csr_mstatus(value); return true;
    case CSR_MTVEC: w->mtvec = value; return true;
    case CSR_PRINT: set_print(w, value); return true;
    default: return false; /* read-only or unknown */
    }
}

/* A lane has one element of a register, so that a group of two is for elements of 64 bits (docs/documents.md). */
static bool is_document_type(uint32_t vtype)
{
    unsigned lmul = vtype & 7, sew = vtype_sew(vtype);
    return !(vtype & ~(uint32_t)VTYPE_AGNOSTIC & ~31u) && (lmul == LMUL_1 || (lmul == LMUL_2 && sew == 64));
}

bool csr_vtype_ok(const struct gpu *gpu, uint32_t vtype)
{
    bool document = isa_is_document((enum isa_profile)gpu->config.profile);
    return document ? is_document_type(vtype) : vtype_is_words(vtype);
}

/* The rules of vsetvli: AVL from rs1, or all lanes, or as before; from an immediate for vsetivli. */
uint32_t csr_set_vl(struct warp *w, const struct insn *in, uint32_t vtype)
{
    uint32_t most = w->group->launch->threads_per_warp, avl;
    if (in->op == OP_VSETIVLI) avl = (uint32_t)in->imm;
    else if (in->rs1) avl = w->x[in->rs1];
    else avl = in->rd ? most : w->vl;
    w->vtype = vtype;
    w->vl = avl < most ? avl : most;
    warp_set_mask(w, w->mask);
    return w->vl;
}

/* ---- ids of work-items ---- */

/* Position of a work-item, linear in its group, in three dimensions. */
static void local_id(uint32_t linear, const uint32_t size[3], uint32_t id[3])
{
    uint32_t x = size[0] ? size[0] : 1, y = size[1] ? size[1] : 1;
    id[0] = linear % x;
    id[1] = linear / x % y;
    id[2] = linear / x / y;
}

static void thread_ids(struct sm *sm, const struct warp *w, unsigned number, uint32_t out[ISA_LANES])
{
    struct {
        uint32_t global[3], local[3], offset[3];
    } meta; /* words 3 to 11 of the metadata block */
    const uint32_t *group = w->group->index;
    guest_read(sm, w->group->launch->knl + ABI_META_GLOBAL_SIZE, &meta, sizeof meta);
    for (uint32_t lane = 0; lane < ISA_LANES; lane++) {
        uint32_t l[3], g[3];
        local_id(w->tid + lane, meta.local, l);
        for (int d = 0; d < 3; d++) g[d] = group[d] * meta.local[d] + l[d];
        if (number >= CSR_LC_ID_X) out[lane] = l[number - CSR_LC_ID_X];
        else if (number == CSR_GLL_ID) out[lane] = (g[2] * meta.global[1] + g[1]) * meta.global[0] + g[0];
        else out[lane] = g[number - CSR_GL_ID_X] + meta.offset[number - CSR_GL_ID_X];
    }
}

void csr_read_lanes(struct sm *sm, struct warp *w, const struct insn *in)
{
    uint32_t ids[ISA_LANES];
    thread_ids(sm, w, in->aux, ids);
    for (uint32_t lanes = w->active; lanes; lanes &= lanes - 1)
        w->v[in->rd][__builtin_ctz(lanes)] = ids[__builtin_ctz(lanes)];
}
