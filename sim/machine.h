/* What the files of sim/ share: the machine, its decoded code and the functions between them.
 *
 * One launch at a time uses the machine (sim.h), so everything of the running launch lives in
 * struct gpu, and survives the long jump out of a faulting access. */
#ifndef VENTUS_SIM_MACHINE_H
#define VENTUS_SIM_MACHINE_H

#include <setjmp.h>
#include <signal.h>

#include "isa/abi.h"
#include "sim/warp.h"

/* ---- mem.c ---- */

enum {
    PAGE_BITS = 12,
    PAGES = 1 << (32 - PAGE_BITS),
    PAGE_WORDS = 1 << (PAGE_BITS - 2),
};
#define MEM_SPAN  (1ull << 32)
#define MEM_GUARD (1ull << 16) /* closed pages on both sides of the window */

/* Are all bytes of [addr, addr + size) open for `access`? */
bool mem_allows(const struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access);

/* ---- code.c: decoded instructions ---- */

struct decoded {
    struct insn in;
    uint16_t vregs; /* vector registers the instruction needs: highest number + 1 */
    uint16_t xregs;
};

struct code_page {
    struct code_page *next;
    uint32_t number;
    struct decoded insns[PAGE_WORDS];
};

/* Decoded page that holds pc; NULL if it is not executable or the host is out of memory. */
const struct code_page *code_page(struct gpu *gpu, uint32_t pc);
void code_drop(struct gpu *gpu);

/* ---- step.c, compiled per host instruction set, plain and traced ---- */

enum stop { STOP_QUANTUM, STOP_BARRIER, STOP_END, STOP_FAULT };
typedef enum stop step_fn(struct gpu *gpu, struct warp *w, uint64_t budget);
step_fn step_base, step_base_traced;
step_fn step_v3; /* x86-64 only */

/* The fastest one that this host can run. */
step_fn *step_choose(bool traced);

/* ---- the machine ---- */

/* The memory access in progress: enough to name the lane when it faults. */
struct access {
    uint32_t lanes;   /* lanes that take part; 0: a scalar access, address in addr[0] */
    uint32_t size;
    bool write;
    _Alignas(64) uint32_t addr[ISA_LANES];
};

struct gpu {
    struct gpu_config config;
    uint8_t *mem;                 /* guest address 0 */
    uint8_t *pages;               /* enum gpu_access bits of each page */
    struct code_page **code;      /* by page number */
    struct code_page *code_list;
    uint64_t lds_open;            /* bytes of local memory opened by the last launch */
    uint32_t (*rows)[ISA_LANES];  /* register file of the resident work-group */
    size_t nrows;
    struct warp *warps;           /* config.warps_per_sm of them */
    void *signal_stack;

    /* the running launch */
    struct launch launch;
    step_fn *engine;              /* NULL: the host's best; tests set another */
    const struct trace *trace;
    enum path_order order;
    const volatile bool *cancel;
    uint32_t group[3], wgid;
    struct warp *warp;            /* the warp that runs */
    uint32_t reservations;        /* lr.w reservations that may be valid, in all warps */
    struct access access;
    struct counters counters;
    struct fault fault;
    volatile sig_atomic_t guarded; /* a bad access may jump to `jump` */
    sigjmp_buf jump;
};

/* ---- recover.c: host signals of guest accesses ---- */

/* The handlers are there between the two; false: they cannot be had. */
bool recover_enter(struct gpu *gpu, stack_t *old);
void recover_leave(const stack_t *old);
enum { RECOVER_STACK = 64 * 1024 };

/* ---- simt.c ---- */

/* Sets the SIMT mask and what follows from it and vl. */
void warp_set_mask(struct warp *w, uint32_t mask);

/* A vector branch whose condition holds in `taken` (a subset of the mask). Returns false on
 * overflow of the stack, with nothing changed; else *pc is where to go on. */
bool simt_branch(struct warp *w, uint32_t taken, uint32_t target, uint32_t next, enum path_order order, uint32_t *pc);

/* A join at `at` whose successor is `next`: the pc to go on at. */
uint32_t simt_join(struct warp *w, uint32_t at, uint32_t next);

/* ---- csr.c ---- */

bool csr_read(const struct gpu *gpu, const struct warp *w, unsigned number, uint32_t *value);
bool csr_write(struct warp *w, unsigned number, uint32_t value);
uint32_t csr_set_vl(struct gpu *gpu, struct warp *w, const struct insn *in, uint32_t vtype);
bool csr_vtype_ok(uint32_t vtype);

/* ---- eval.c: one lane of one arithmetic row, out of line ---- */

struct operands { uint32_t vs2, vs1, vd, rs1, rs2, rs3, imm, pc, lane, mask_bit; };
uint32_t eval_host(enum isa_op op, const struct operands *o); /* in the host's rounding mode */
uint32_t eval_rmm(enum isa_op op, const struct operands *o);  /* ties away from zero */

/* Host rounding mode for frm 0..3. */
void round_set(uint32_t frm);

/* ---- fault.c ---- */

/* Fills in gpu->fault for warp w at w->pc. Returns STOP_FAULT. */
enum stop fault_raise(struct gpu *gpu, const struct warp *w, enum fault_kind kind, uint32_t lane, uint32_t addr, const char *detail);
/* The same for the access in progress, which the host refused at host address `at`. */
void fault_access(struct gpu *gpu, const struct warp *w);

#endif
