/* The back end as a whole: one kernel through all stages, in their order. Called by output.c. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"
#include "compiler/ir/ir.h"
#include "compiler/select/select.h"

#include <stdlib.h>
#include <string.h>

/* Rounds of register allocation: those without spare registers, and all, which are never needed. */
enum { FREE_ROUNDS = 6, MAX_ROUNDS = 40 };

/* The test build can leave rules out and take registers away, to prove that tests would notice. */
#ifdef VENTUS_CC_MUTATION
static void read_mutation(struct func *f)
{
    const char *rules = secure_getenv("VENTUS_CC_DISABLE"), *s = secure_getenv("VENTUS_CC_SCALARS"),
               *v = secure_getenv("VENTUS_CC_VECTORS");
    for (unsigned r = 1; rules && r < 10; r++)
        if (strstr(rules, (char[]){'R', (char)('0' + r), 0})) f->disabled |= 1u << r;
    if (s && atoi(s) > 0) f->nregs_s = (uint32_t)atoi(s);
    if (v && atoi(v) > 0) f->nregs_v = (uint32_t)atoi(v);
}
#else
static void read_mutation(struct func *f) { (void)f; }
#endif

static struct func *func_of(struct cc *cc, struct kernel *kernel)
{
    struct func *f = cc_alloc(cc, sizeof *f);
    f->cc = cc;
    f->kernel = kernel;
    f->data = LLVMGetModuleDataLayout(cc->module);
    f->nregs_s = f->nregs_v = ISA_VREGS;
    if (!is_pure_routine(kernel->function)) read_mutation(f);
    return f;
}

/* Are stages checked? Not where a rule is left out on purpose: that is what they would find. */
static bool verifies(const struct func *f)
{
#ifdef NDEBUG
    (void)f;
    return false;
#else
    return !f->disabled;
#endif
}

static void verify(struct func *f, const char *stage)
{
    if (verifies(f)) verify_run(f, stage);
}

/* How many registers what is spilled leaves to temporaries: none at first, then twice as many in each round, in the end
 * all. */
static uint32_t spare_in(unsigned round)
{
    unsigned n = round < FREE_ROUNDS ? 0 : round - FREE_ROUNDS + 1;
    return n > 8 ? ISA_VREGS : (1u << n) / 2;
}

/* In rounds: what found no register is spilled, which makes new registers that live for shorter, in the end for one
 * instruction. These take registers from others, so a round may spill no more than the one before it has made room for:
 * what later rounds spill leaves more and more registers to them. When it leaves all, copies are not merged any more,
 * and what is spilled becomes temporaries at once, in three rounds all: registers, their homes in lanes, and the bases
 * of homes in memory. That ends for whatever code, since an instruction names but a few registers. Returns the code
 * before registers were merged, for verify_places, or NULL. */
static struct mblock *allocate_registers(struct func *f)
{
    uint32_t *unplaced, n;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        liveness_run(f);
        if (round == 0 && hoist_run(f)) {
            verify(f, "hoisting");
            liveness_run(f);
        }
        if (round == 0 && share_run(f)) {
            verify(f, "sharing");
            liveness_run(f);
        }
        if (round == 0 && fuse_run(f)) {
            verify(f, "fusing");
            liveness_run(f);
        }
        struct mblock *before = verifies(f) ? verify_copy(f) : NULL;
        uint32_t spare = spare_in(round);
        bool last_resort = spare == ISA_VREGS;
        if (!last_resort) coalesce_run(f);
        if (round == 0 && schedule_run(f, before)) liveness_run(f);
        n = regalloc_run(f, spare, &unplaced);
        if (!n) return before;
        spill_run(f, unplaced, n, last_resort);
        verify(f, "spilling");
    }
    cc_error(f->cc, CC_INTERNAL, NULL, "the registers of kernel %s do not settle", f->kernel->name);
}

void backend_kernel(struct cc *cc, struct kernel *kernel)
{
    struct func *f = func_of(cc, kernel);
    flow_run(f);
    divergence_run(f);
    select_run(f);
    if (cc->debug) track_begin(f);
    verify(f, "selection");
    peephole_run(f);
    indexed_run(f);
    if (f->track) track_mark(f);
    verify(f, "the peephole pass");
    pool_run(f);
    verify(f, "the table of constants");
    struct mblock *before = allocate_registers(f);
    reconverge_run(f);
    if (before) verify_places(f, before);
    struct places_state *places = places_solve(f);
    emit_run(f);
    if (verifies(f)) verify_words(f);
    if (cc->debug) debug_lines(f);
    if (places) locations_write(f, places);
    if (cc->debug) frames_write(f, places);
    if (cc_dumps(cc, "machine")) dump_machine(f);
}
