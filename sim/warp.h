/* The state of one warp and of the work-group it belongs to, as the engine keeps it.
 *
 * Public within the project for observers and tests. Only sim/ writes it; observers change it by the functions at
 * the end of this file. Invariants: x[0] is 0; `active`, `nactive` and `expand` follow `mask` and `vl`; `mask` stays
 * within `lanes`. */
#ifndef VENTUS_SIM_WARP_H
#define VENTUS_SIM_WARP_H

#include "isa/isa.h"
#include "sim/launch.h"

enum { SIMT_DEPTH = 64 };

struct simt_entry {
    uint32_t rpc; /* the join at this address pops the entry */
    uint32_t pc;  /* where the lanes of the entry go on */
    uint32_t mask;
};

enum warp_state { WARP_READY, WARP_WAITING /* at a barrier */, WARP_WAITING_DMA /* at cp_dma_mbarrier */, WARP_ENDED };

/* What warp_reset writes, for a single load and store where the host has such. */
typedef uint32_t reset_words __attribute__((vector_size(64), aligned(4)));

/* A work-group on an SM. */
struct group {
    const struct launch *launch;
    struct job *job;
    uint64_t launch_number; /* of the launch, in its machine, from 1 on */
    struct sm *sm;
    struct group *next;                      /* of the same SM, in order of arrival */
    struct warp *warps;                      /* launch->warps of them, adjacent */
    uint32_t index[3], wgid;                 /* its place in the grid, and linear number */
    uint32_t slot;                           /* of the SM */
    uint32_t lds_base, pds_base;             /* what CSR_LDS and CSR_PDS say */
    bool flags;                              /* fflags and vxsat of its warps accrue */
    bool mask_of_lanes;                      /* v0 as a mask is bit 0 of each lane, see warp_v0 */
    bool patient;                            /* its code has routines that stand for an operation */
    uint32_t local_from, local_end;          /* bytes of local memory in between may not be 0 (engine.h) */
    uint32_t ended;                          /* warps */
    uint32_t reservations;                   /* lr.w reservations that may be valid, in all its warps */
    reset_words start;                       /* of its warps */
    struct counters counters;                /* of this group alone */
    struct fault stray;                      /* the first access that was ignored; FAULT_NONE: none */
    const struct observer *const *observers; /* ended by NULL; NULL: none */
};

/* The memory access in progress, or the last one: enough to name the lane when it faults. */
struct access {
    uint32_t lanes; /* lanes that take part; 0: a scalar access, address in addr[0] */
    uint32_t size;  /* bytes of each */
    bool write, atomic;
    _Alignas(64) uint32_t addr[ISA_LANES]; /* guest addresses, bits 31 to 0 ... */
    const uint32_t *high;                  /* ... and 63 to 32 of 64-bit addresses, else NULL */
};

struct warp {
    uint32_t (*v)[ISA_LANES]; /* vector registers, launch->vgprs rows, 64-byte aligned */
    struct group *group;
    uint32_t wid, tid;
    uint32_t mask;         /* SIMT mask */
    uint32_t lanes;        /* lanes that exist; the mask never leaves them */
    uint32_t active;       /* mask & lanes below vl ... */
    uint32_t nactive;      /* ... and how many they are */
    struct copies *copies; /* of cp_dma, that are under way; NULL: none (dma.c) */
    uint32_t left;         /* translated code of this number has left it at a barrier, and no engine has run it since;
                            * 0: none has (native.h) */
    bool blank;            /* all registers are 0, whatever x and v hold (engine.h) */
    union {
        struct {
            uint32_t pc, vl, vtype, mstatus;
            enum warp_state state;
            uint32_t rpc;
            uint32_t depth;  /* entries on the SIMT stack */
            uint32_t raised; /* flags its last instruction raised, where flags accrue (struct observer) */
            uint32_t fflags, frm, vstart, vxsat, vxrm, mtvec, print;
            uint32_t reserved_lanes; /* lanes with a valid lr.w reservation */
        };
        _Alignas(64) reset_words words; /* all of these */
    };
    uint32_t x[ISA_XREGS];
    _Alignas(64) uint32_t expand[ISA_LANES]; /* all ones for an active lane, else 0 */
    struct simt_entry stack[SIMT_DEPTH];
    uint32_t reserved[ISA_LANES],
        reserved_value[ISA_LANES]; /* of reserved_lanes: the address, and the word read there */
};

/* v0 as a mask, bit k for lane k. In the documents it is bit 0 of each lane's own element, which is what compares
 * write; the public tools and hardware take the first lane's word. */
static inline uint32_t warp_v0(const struct warp *w)
{
    uint32_t mask = 0;
    if (!w->group->mask_of_lanes) return w->v[0][0];
    for (unsigned lane = 0; lane < ISA_LANES; lane++) mask |= (w->v[0][lane] & 1) << lane;
    return mask;
}

/* Returns the number of the SM that a work-group lives on. */
uint32_t group_sm(const struct group *group);

/* ---- warp.c, simt.c and dma.c: for observers, of the warps of a group whose hook is being called ---- */

/* Returns the access that the warp's last memory instruction made. */
const struct access *warp_access(const struct warp *w);

/* Returns the host address of a guest address of an access, translated if the launch's are, of `size` bytes within a
 * page; NULL if nothing is open there. */
const void *warp_memory(const struct warp *w, uint64_t addr, uint32_t size);

/* Is there something that can be executed? */
bool warp_memory_is_code(const struct warp *w, uint64_t addr);

/* Counts the bytes of asynchronous copies that the warp has issued and that are not yet in local memory. */
uint32_t warp_copies(const struct warp *w);

/* Reads the words at pc, as many as can be executed, and returns how many. */
size_t warp_code(const struct warp *w, uint32_t pc, uint32_t words[ISA_MAX_WORDS]);

/* Reads a control register. False: there is none of this number. */
bool warp_csr(const struct warp *w, unsigned number, uint32_t *value);

/* The following change a warp, in observer.before only. False: the launch has no such register, or it cannot be
 * written; nothing has changed. */

/* Sets a scalar register; x0 stays 0. */
bool warp_set_x(struct warp *w, unsigned number, uint32_t value);

/* Sets one lane of a vector register, whether it is active or not. */
bool warp_set_v(struct warp *w, unsigned number, unsigned lane, uint32_t value);

/* Sets a control register as csrrw would. */
bool warp_set_csr(struct warp *w, unsigned number, uint32_t value);

/* Sets the address at which the warp goes on. The SIMT stack stays: a join that is passed over leaves lanes waiting. */
void warp_set_pc(struct warp *w, uint32_t pc);

/* Sets the SIMT mask and what follows from it and vl; lanes that do not exist are left out. */
void warp_set_mask(struct warp *w, uint32_t mask);

/* Sets the fault of the warp's next instruction, with which observer.before ends the launch when it returns FAIL. */
void warp_fail(struct warp *w, enum fault_kind kind, const char *why);

/* Writes the registers of a blank warp (engine.h) and does nothing to others. Engines call it, too. */
void warp_clear(struct warp *w);

/* Writes memory as the warp sees it, also what it can only read or execute. It ends reservations there as a store
 * would, and the warp executes what is written to code. False: not all of it is open, or the host has no memory (some
 * may have been written). */
bool warp_set_memory(struct warp *w, uint64_t addr, const void *bytes, uint32_t size);

/* ---- vector types ---- */

/* Returns the bits of an element, of a type that a machine has. */
static inline unsigned vtype_sew(uint32_t vtype) { return 8u << (vtype >> 3 & 7); }
/* Are elements words, one register each? They are at a warp's start, and always on machines that follow no document. */
static inline bool vtype_is_words(uint32_t vtype) { return (vtype & ~0xc0u) == 2 << 3; }

#endif
