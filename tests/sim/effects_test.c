/* What isa_effects says is what the machine does: random instructions of every row are executed in random states.
 *
 * Nothing outside the written registers and state changes. When everything that is not read is something else, the
 * results are the same. And each operand that is said to be read, the rounding modes too, makes a difference at least
 * once. Decoded code and the assembler have the same counts of registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/used.h"
#include "guest.h"
#include "sim/machine.h"

enum { E32_M1 = 0x10, AGNOSTIC = 0xc0, ENDPRG = 0x0000400b };
#define POINTERS \
    0x90004000u /* what registers point to: 32 KiB in the middle of the data, which private memory is, too */

/* All that an instruction may depend on or change. */
struct state {
    uint32_t v[ISA_VREGS][ISA_LANES], x[ISA_XREGS];
    uint32_t fflags, frm, vxsat, vxrm, vl, vtype, rpc, mask, print, mtvec;
    uint32_t pc, depth;
    struct simt_entry stack[2];
    uint8_t data[GUEST_BYTES], local[ABI_PAGE];
};

struct fixture {
    struct guest g;
    bool executed;
    struct state before, after;
};

/* ---- one run ---- */

static void put_state(struct warp *w, const struct state *s)
{
    memcpy(w->v, s->v, sizeof s->v);
    memcpy(w->x, s->x, sizeof s->x);
    w->fflags = s->fflags, w->vxsat = s->vxsat, w->vxrm = s->vxrm;
    w->vl = s->vl, w->vtype = s->vtype, w->rpc = s->rpc, w->print = s->print, w->mtvec = s->mtvec;
    warp_set_csr(w, CSR_FRM, s->frm);
    warp_set_mask(w, s->mask);
}

static void get_state(const struct fixture *f, const struct warp *w, struct state *s)
{
    memcpy(s->v, w->v, sizeof s->v);
    memcpy(s->x, w->x, sizeof s->x);
    s->fflags = w->fflags, s->frm = w->frm, s->vxsat = w->vxsat, s->vxrm = w->vxrm;
    s->vl = w->vl, s->vtype = w->vtype, s->rpc = w->rpc, s->print = w->print, s->mtvec = w->mtvec;
    s->mask = w->mask, s->pc = w->pc, s->depth = w->depth;
    memcpy(s->stack, w->stack, sizeof s->stack);
    memcpy(s->data, f->g.data, sizeof s->data);
    memcpy(s->local, gpu_mem(f->g.gpu, w->group->lds_base, sizeof s->local), sizeof s->local);
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct fixture *f = user;
    (void)in;
    if (f->executed) return STOP;
    put_state(w, &f->before);
    return GO_ON;
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct fixture *f = user;
    (void)pc, (void)in;
    get_state(f, w, &f->after);
    f->executed = true;
}

static void open_machine(struct fixture *f, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    config.thread_csrs = 1;
    guest_open_config(&f->g, &config);
    f->g.launch.vgprs = ISA_VREGS, f->g.launch.sgprs = ISA_XREGS;
    f->g.launch.knl = GUEST_DATA;
    f->g.launch.pds_base = POINTERS;
    f->g.launch.lds_bytes = ABI_PAGE;
}

/* Executes the instruction at the start address in f->before. False if it faults. */
static bool run(struct fixture *f)
{
    struct observer observer = {.user = f, .before = before, .after = after, .flags = true};
    memset(f->g.data, 0x5a, GUEST_BYTES);
    memset(&f->after, 0, sizeof f->after);
    f->executed = false;
    f->g.options = (struct launch_options){.observers = &observer};
    guest_run(&f->g);
    return f->executed;
}

/* ---- contents ---- */

/* Addresses, some of them local; numbers small enough for offsets and sizes, zeros for upper halves of addresses, now
 * and then a vtype. */
static uint32_t pointer(uint32_t kind)
{
    if (kind % 16 == 1) return E32_M1;
    if (kind % 16 == 5) return ABI_LOCAL_BASE + guest_random() % 64 * 16;
    if (kind % 4 == 2) return guest_random() % 16 * 4;
    return kind % 4 ? POINTERS + guest_random() % 0x800 * 16 + (kind % 8 == 3 ? 0 : 4) : 0;
}

/* Anything, small numbers, floating-point numbers near 1 and near 0, the ends of the range. */
static uint32_t number(uint32_t kind)
{
    uint32_t r = guest_random();
    switch (kind % 5) {
    case 0: return r;
    case 1: return r % 64;
    case 2: return (r & 0x807fffff) | (124 + r / 1024 % 8) << 23;
    case 3: return r & 0x80ffffff;
    default: return 0x7fffffff + r % 2;
    }
}

static uint32_t content(uint32_t kind) { return kind % 2 ? pointer(kind / 2) : number(kind / 2); }

static bool has(const struct isa_registers *set, bool vector, unsigned reg)
{
    return (vector ? set->v[reg / 64] >> reg % 64 : set->x >> reg) & 1;
}

/* New contents for the registers in a set, or for all others. */
static void change_registers(struct state *s, const struct isa_registers *set, bool those)
{
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        uint32_t kind = guest_random();
        for (unsigned lane = 0; lane < ISA_LANES && has(set, true, r) == those; lane++) s->v[r][lane] = content(kind);
    }
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (has(set, false, r) == those) s->x[r] = content(guest_random());
}

/* New contents for the state in a set. */
static void change_state(struct state *s, unsigned set)
{
    if (set & STATE_FFLAGS) s->fflags = guest_random() % 32;
    if (set & STATE_FRM) s->frm = guest_random() % 5;
    if (set & STATE_VXSAT) s->vxsat = guest_random() % 2;
    if (set & STATE_VXRM) s->vxrm = guest_random() % 4;
    if (set & STATE_VL) s->vl = guest_random() % 2 ? ISA_LANES : guest_random() % ISA_LANES + 1;
    if (set & STATE_VTYPE) s->vtype = E32_M1 | (guest_random() & AGNOSTIC);
    if (set & STATE_RPC) s->rpc = guest_random();
    if (set & STATE_SIMT) s->mask = guest_random() % 2 ? UINT32_MAX : guest_random() | 1u << guest_random() % 32;
    if (set & STATE_OTHER) s->print = guest_random(), s->mtvec = guest_random();
}

/* ---- comparisons ---- */

#define UNCHANGED(f, field, bit, e, name) \
    do { \
        if (!((e)->state_writes & (bit)) && (f)->before.field != (f)->after.field) \
            fail_msg("%s changes " #field ": it is not among what it writes", name); \
    } while (0)

static void only_writes(const struct fixture *f, const struct insn *in, const struct isa_effects *e)
{
    const char *name = isa_table[in->op].name;
    struct isa_registers written = isa_registers_written(in, e);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (!has(&written, true, r) && memcmp(f->before.v[r], f->after.v[r], sizeof f->before.v[r]))
            fail_msg("%s changes v%u: it is not among what it writes", name, r);
    for (unsigned r = 0; r < ISA_XREGS; r++)
        if (!has(&written, false, r) && f->before.x[r] != f->after.x[r])
            fail_msg("%s changes x%u: it is not among what it writes", name, r);
    UNCHANGED(f, fflags, STATE_FFLAGS, e, name);
    UNCHANGED(f, frm, STATE_FRM, e, name);
    UNCHANGED(f, vxsat, STATE_VXSAT, e, name);
    UNCHANGED(f, vxrm, STATE_VXRM, e, name);
    UNCHANGED(f, vl, STATE_VL, e, name);
    UNCHANGED(f, vtype, STATE_VTYPE, e, name);
    UNCHANGED(f, rpc, STATE_RPC, e, name);
    UNCHANGED(f, mask, STATE_SIMT, e, name);
    UNCHANGED(f, print, STATE_OTHER, e, name);
    UNCHANGED(f, mtvec, STATE_OTHER, e, name);
}

/* Was the same written to a word, or nothing at all? */
static bool same_word(uint32_t a_before, uint32_t a, uint32_t b_before, uint32_t b)
{
    return a == b || (a == a_before && b == b_before);
}

static bool same_registers(const struct state *a0, const struct state *a, const struct state *b0, const struct state *b)
{
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            if (!same_word(a0->v[r][lane], a->v[r][lane], b0->v[r][lane], b->v[r][lane])) return false;
    for (unsigned r = 0; r < ISA_XREGS; r++)
        if (!same_word(a0->x[r], a->x[r], b0->x[r], b->x[r])) return false;
    return true;
}

/* Flags that accrue are the old and the new ones; the first run had no old ones. */
static bool same_flags(uint32_t a0, uint32_t a, uint32_t b0, uint32_t b, bool reads)
{
    return reads ? same_word(a0, a, b0, b) : b == (a | b0);
}

/* Did both runs have the same results, the first from a0 to a, the second from b0 to b? */
static bool same_results(const struct state *a0, const struct state *a, const struct state *b0, const struct state *b,
                         const struct isa_effects *e)
{
    return same_registers(a0, a, b0, b) &&
           same_flags(a0->fflags, a->fflags, b0->fflags, b->fflags, e->state_reads & STATE_FFLAGS) &&
           same_flags(a0->vxsat, a->vxsat, b0->vxsat, b->vxsat, e->state_reads & STATE_VXSAT) &&
           same_word(a0->frm, a->frm, b0->frm, b->frm) && same_word(a0->vxrm, a->vxrm, b0->vxrm, b->vxrm) &&
           same_word(a0->vl, a->vl, b0->vl, b->vl) && same_word(a0->vtype, a->vtype, b0->vtype, b->vtype) &&
           same_word(a0->rpc, a->rpc, b0->rpc, b->rpc) && same_word(a0->mask, a->mask, b0->mask, b->mask) &&
           same_word(a0->print, a->print, b0->print, b->print) && same_word(a0->mtvec, a->mtvec, b0->mtvec, b->mtvec) &&
           a->pc == b->pc && a->depth == b->depth && !memcmp(a->stack, b->stack, a->depth * sizeof *a->stack) &&
           !memcmp(a->data, b->data, sizeof a->data) && !memcmp(a->local, b->local, sizeof a->local);
}

/* ---- random instructions ---- */

/* Half of the instructions with a rounding mode take it from frm, which makes a difference rarely enough. */
static bool prefer_frm(uint32_t words[ISA_MAX_WORDS], struct insn *in)
{
    bool has_mode = isa_table[in->op].flags & ISA_ROUND && isa_bits((enum isa_op)in->op) == 64;
    if (!has_mode || guest_random() % 2) return true;
    in->rm = 7;
    return isa_encode(in, words, NULL) * 4 == in->size;
}

/* A random instruction of the row, perhaps behind a random prefix. False if that is none. */
static bool random_insn(enum isa_profile profile, unsigned op, uint32_t words[ISA_MAX_WORDS], struct insn *in)
{
    uint64_t word = guest_random() | (uint64_t)guest_random() << 32;
    unsigned n = 0, prefix = guest_random() % OP_COUNT;
    word = (word & ~isa_mask((enum isa_op)op)) | isa_match((enum isa_op)op);
    if (op == OP_VSETVLI || op == OP_VSETIVLI) word = (word & 0xc00fffff) | E32_M1 << 20;
    if (isa_table[op].kind == KIND_CSR)
        word = (word & 0xfffff) | (uint32_t)isa_csrs[guest_random() % isa_ncsrs].number << 20;
    while (guest_random() % 2 == 0 && n == 0) {
        do prefix = (prefix + 1) % OP_COUNT;
        while (isa_table[prefix].kind != KIND_PREFIX || !(isa_table[prefix].revisions & profile));
        words[n++] =
            (uint32_t)isa_match((enum isa_op)prefix) | (guest_random() & 0x000f8000) | (guest_random() & 0x24900000);
    }
    words[n++] = (uint32_t)word;
    if (isa_bits((enum isa_op)op) == 64) words[n++] = (uint32_t)(word >> 32);
    for (unsigned k = n; k < ISA_MAX_WORDS; k++) words[k] = 0x00000013; /* addi x0, x0, 0 */
    return isa_decode_in(profile, words, n, in) && in->op == op && prefer_frm(words, in);
}

static int64_t round_up(unsigned count, unsigned least, unsigned most)
{
    unsigned n = ((count > least ? count : least) + 3) & ~3u;
    return n < most ? n : most;
}

static void same_counts(const struct fixture *f, const uint32_t *words, const struct insn *in,
                        const struct isa_effects *e)
{
    enum isa_profile profile = (enum isa_profile)gpu_config_of(f->g.gpu)->profile;
    struct decoded d;
    uint32_t vgpr, sgpr;
    code_decode(f->g.gpu, words, in->size / 4, &d);
    assert_int_equal(d.vregs, e->v);
    assert_int_equal(d.xregs, e->x);
    asm_used_registers(profile, words, in->size / 4, &vgpr, &sgpr);
    assert_int_equal(vgpr, round_up(e->v, 1, ISA_VREGS));
    assert_int_equal(sgpr, round_up(e->x, 32, ISA_XREGS));
}

/* ---- the rows ---- */

/* What of a row's effects has been seen: operands that made a difference (bits of roles), destinations that changed,
 * the mask, the rounding modes, saturation. Bits of `wanted` are those that some instruction of the row has. */
enum { SEEN_WRITE = 1 << 4, SEEN_MASK = 1 << 5, SEEN_FRM = 1 << 6, SEEN_VXRM = 1 << 7, SEEN_VXSAT = 1 << 8 };
struct seen {
    unsigned wanted, seen;
    int runs;
};

static void start(struct fixture *f, const struct isa_effects *e)
{
    static const struct isa_registers none;
    change_registers(&f->before, &none, false);
    change_state(&f->before, ~0u);
    if (!(e->state_reads & STATE_FFLAGS)) f->before.fflags = 0;
    if (!(e->state_reads & STATE_VXSAT)) f->before.vxsat = 0;
}

/* Everything else than what is read is changed. */
static void others_do_not_matter(struct fixture *f, const struct state *a0, const struct state *a,
                                 const struct insn *in, const struct isa_effects *e)
{
    struct isa_registers read = isa_registers_read(in, e);
    const char *name = isa_table[in->op].name;
    f->before = *a0;
    change_registers(&f->before, &read, false);
    change_state(&f->before, ~(unsigned)e->state_reads);
    if (!run(f)) fail_msg("%s: whether it faults depends on what it does not read", name);
    only_writes(f, in, e);
    if (!same_results(a0, a, &f->before, &f->after, e)) fail_msg("%s depends on what it does not read", name);
}

static bool overlap(const struct isa_registers *a, const struct isa_registers *b)
{
    uint64_t both = a->x & b->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) both |= a->v[i] & b->v[i];
    return both;
}

/* The registers of some of the operands that are read, with or without the mask. */
static struct isa_registers part_read(const struct insn *in, const struct isa_effects *e, unsigned operands, bool mask)
{
    struct isa_effects part = *e;
    part.reads &= (uint8_t)operands;
    part.mask = e->mask && mask;
    return isa_registers_read(in, &part);
}

/* One of the things that are read is changed, if nothing else is in the same registers. True if that made a
 * difference. */
static bool matters(struct fixture *f, const struct state *a0, const struct state *a, const struct insn *in,
                    const struct isa_effects *e, unsigned what)
{
    struct isa_registers set = part_read(in, e, what, what & SEEN_MASK);
    struct isa_registers others = part_read(in, e, ~what, !(what & SEEN_MASK));
    if (overlap(&set, &others)) return false;
    f->before = *a0;
    change_registers(&f->before, &set, true);
    change_state(&f->before, (what & SEEN_FRM ? STATE_FRM : 0) | (what & SEEN_VXRM ? STATE_VXRM : 0));
    return !run(f) || !same_results(a0, a, &f->before, &f->after, e);
}

static unsigned wanted(const struct isa_effects *e)
{
    return e->reads | (e->writes ? SEEN_WRITE : 0) | (e->mask ? SEEN_MASK : 0) |
           (e->state_reads & STATE_FRM ? SEEN_FRM : 0) | (e->state_reads & STATE_VXRM ? SEEN_VXRM : 0) |
           (e->state_writes & STATE_VXSAT ? SEEN_VXSAT : 0);
}

/* A random instruction of the row; those on elements of registers are counted apart, as seen[1]. */
static void try_row(struct fixture *f, enum isa_profile profile, unsigned op, struct seen seen[2])
{
    static struct state a0, a;
    uint32_t code[ISA_MAX_WORDS + 1];
    struct insn in;
    if (!random_insn(profile, op, code, &in)) return;
    struct isa_effects e = isa_effects(&in, ISA_LANES);
    same_counts(f, code, &in, &e);
    code[ISA_MAX_WORDS] = ENDPRG;
    guest_code(&f->g, code, ISA_MAX_WORDS + 1);
    start(f, &e);
    a0 = f->before;
    if (!run(f)) return;
    a = f->after;
    struct seen *s = &seen[in.elem != 0];
    s->runs++;
    s->wanted |= wanted(&e);
    only_writes(f, &in, &e);
    if (memcmp(a0.v, a.v, sizeof a.v) || memcmp(a0.x, a.x, sizeof a.x)) s->seen |= SEEN_WRITE;
    if (a0.vxsat != a.vxsat) s->seen |= SEEN_VXSAT;
    others_do_not_matter(f, &a0, &a, &in, &e);
    for (unsigned left = wanted(&e) & ~s->seen & ~(unsigned)(SEEN_WRITE | SEEN_VXSAT); left; left &= left - 1)
        if (matters(f, &a0, &a, &in, &e, left & -left)) s->seen |= left & -left;
}

/* What one instruction alone does not show: a store-conditional stores behind a load-reserved, a row of the ray-tracing
 * table is seen by the next load of it. */
static unsigned invisible(unsigned op)
{
    unsigned kind = isa_table[op].kind;
    return kind == KIND_SC || kind == KIND_XSC || kind == KIND_RTSTORE ? 1u << ROLE_RS2 : 0;
}

static unsigned missing(const struct seen seen[2], unsigned op)
{
    return ((seen[0].wanted & ~seen[0].seen) | (seen[1].wanted & ~seen[1].seen)) & ~invisible(op);
}

static void test_row(struct fixture *f, enum isa_profile profile, unsigned op)
{
    enum { LEAST = 4, MOST = 2000 };
    struct seen seen[2] = {0};
    int runs = 0;
    for (int i = 0; i < 20000 && runs < MOST && (runs < LEAST || missing(seen, op)); i++) {
        try_row(f, profile, op, seen);
        runs = seen[0].runs + seen[1].runs;
    }
    if (!runs) fail_msg("%s was never executed", isa_table[op].name);
    if (missing(seen, op))
        fail_msg("%s: of what it reads and writes, set %x never makes a difference", isa_table[op].name,
                 missing(seen, op));
}

/* Every row is executed in some way, but for those that the machine has no meaning for and tensor copies, whose
 * descriptors are never found by chance. */
static void each_row(enum isa_profile profile, unsigned only)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    open_machine(f, profile);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct isa_desc *row = &isa_table[op];
        bool executed =
            row->kind != KIND_PREFIX && row->kind != KIND_ABSENT && op != OP_CP_DMA_TENSOR && op != OP_CP_DMA_TENSOR_X;
        if (row->revisions & only && executed) test_row(f, profile, op);
    }
    guest_close(&f->g);
    free(f);
}

static void test_default(void **state)
{
    (void)state;
    each_row(PROFILE_DEFAULT, ISA_IMPL | ISA_EXTRA);
}
static void test_r20(void **state)
{
    (void)state;
    each_row(PROFILE_R20, ISA_R20);
}
static void test_r21(void **state)
{
    (void)state;
    each_row(PROFILE_R21, ISA_R21);
}
static void test_r2025(void **state)
{
    (void)state;
    each_row(PROFILE_R2025, ISA_R2025);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default), cmocka_unit_test(test_r20), cmocka_unit_test(test_r21), cmocka_unit_test(test_r2025),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
