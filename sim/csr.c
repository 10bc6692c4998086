/* Control and status registers: numbers and access from isa/csr.def, meaning here.
 *
 * The host's rounding mode always equals w->frm of the running warp (frm 0..3): step.c sets it when a
 * warp gets its turn, csr_write when the guest changes it. fflags keeps what was written: flags do
 * not accrue. Called by step.c. */
#include <fenv.h>

#include "sim/machine.h"

enum { VTYPE_AGNOSTIC = 0xc0, VTYPE_E32_M1 = 2 << 3 };

void round_set(uint32_t frm)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (frm < 4) fesetround(modes[frm]);
}

bool csr_read(const struct gpu *gpu, const struct warp *w, unsigned number, uint32_t *value)
{
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
    case CSR_NUMW: *value = gpu->launch.warps; return true;
    case CSR_NUMT: *value = gpu->launch.threads_per_warp; return true;
    case CSR_KNL: *value = gpu->launch.knl; return true;
    case CSR_WGID: *value = gpu->wgid; return true;
    case CSR_WID: *value = w->wid; return true;
    case CSR_LDS: *value = ABI_LOCAL_BASE; return true;
    case CSR_PDS: *value = gpu->launch.pds_base; return true;
    case CSR_GIDX: *value = gpu->group[0]; return true;
    case CSR_GIDY: *value = gpu->group[1]; return true;
    case CSR_GIDZ: *value = gpu->group[2]; return true;
    case CSR_PRINT: *value = w->print; return true;
    case CSR_RPC: *value = w->rpc; return true;
    case CSR_VL: *value = w->vl; return true;
    case CSR_VTYPE: *value = w->vtype; return true;
    case CSR_VLENB: *value = gpu->launch.threads_per_warp * 4; return true;
    case CSR_MHARTID: *value = w->wid; return true;
    default: return false;
    }
}

static void set_frm(struct warp *w, uint32_t frm)
{
    w->frm = frm & 7;
    round_set(w->frm);
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
    case CSR_MSTATUS: w->mstatus = value; return true;
    case CSR_MTVEC: w->mtvec = value; return true;
    case CSR_PRINT: w->print = value; return true;
    default: return false; /* read-only or unknown */
    }
}

bool csr_vtype_ok(uint32_t vtype) { return (vtype & ~(uint32_t)VTYPE_AGNOSTIC) == VTYPE_E32_M1; }

/* The rules of vsetvli: AVL from rs1, or all lanes, or as before; from an immediate for vsetivli. */
uint32_t csr_set_vl(struct gpu *gpu, struct warp *w, const struct insn *in, uint32_t vtype)
{
    uint32_t most = gpu->launch.threads_per_warp, avl;
    if (in->op == OP_VSETIVLI) avl = (uint32_t)in->imm;
    else if (in->rs1) avl = w->x[in->rs1];
    else avl = in->rd ? most : w->vl;
    w->vtype = vtype;
    w->vl = avl < most ? avl : most;
    warp_set_mask(w, w->mask);
    return w->vl;
}
