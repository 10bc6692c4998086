/* The registers that isa_registers counts are those that the machine reads and writes: every row of the table is
 * executed on two machines that differ in the registers beyond the counts, and must not show it, nor change one of
 * them. Decoded code and the assembler have the same counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/used.h"
#include "guest.h"
#include "sim/machine.h"

enum { BASE = 63, E32_M1 = 0x10 };
#define IMAGE 0xa0000000u /* the vector registers, then the scalar ones, where no random address is */
#define POINTERS \
    0x90004000u /* what registers point to: 32 KiB in the middle of the data, which private memory is, too */

struct state {
    uint32_t v[ISA_VREGS][ISA_LANES], x[ISA_XREGS];
    uint32_t mask, rpc, pc, fflags, vl, depth;
    uint8_t data[GUEST_BYTES];
};
enum { IMAGE_BYTES = offsetof(struct state, mask) };

struct fixture {
    struct guest g;
    uint32_t at; /* address of the instruction that is tried */
    bool executed;
    _Atomic bool stop;
    struct state before, after;
};

/* ---- one run ---- */

static void observe(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct fixture *f = user;
    struct state *s = &f->after;
    (void)in;
    if (pc != f->at || f->executed) return;
    f->executed = f->stop = true;
    memcpy(s->v, w->v, sizeof s->v);
    memcpy(s->x, w->x, sizeof s->x);
    memcpy(s->data, f->g.data, sizeof s->data);
    s->mask = w->mask, s->rpc = w->rpc, s->pc = w->pc, s->fflags = w->fflags, s->vl = w->vl, s->depth = w->depth;
}

static size_t emit(uint32_t *words, struct insn in)
{
    unsigned n = isa_encode(&in, words, NULL);
    assert_int_not_equal(n, 0);
    return n;
}

/* Loads all registers; the code of the tried instruction goes behind. Returns the number of words. */
static size_t prologue(uint32_t *w)
{
    size_t n = emit(w, (struct insn){.op = OP_LUI, .vm = 1, .rd = BASE, .imm = (int32_t)IMAGE});
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        n += emit(w + n, (struct insn){.op = OP_VLE32_V, .vm = 1, .rd = (uint8_t)r, .rs1 = BASE});
        n += emit(w + n, (struct insn){.op = OP_ADDI, .vm = 1, .rd = BASE, .rs1 = BASE, .imm = 128});
    }
    for (unsigned r = 1; r <= BASE; r++)
        n += emit(w + n, (struct insn){.op = OP_LW, .vm = 1, .rd = (uint8_t)r, .rs1 = BASE, .imm = (int32_t)r * 4});
    return n;
}

static void open_machine(struct fixture *f, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    config.thread_csrs = 1;
    config.quantum = 64;
    guest_open_config(&f->g, &config);
    f->g.launch.vgprs = ISA_VREGS, f->g.launch.sgprs = ISA_XREGS;
    f->g.launch.knl = GUEST_DATA;
    f->g.launch.pds_base = POINTERS;
}

static void run(struct fixture *f, const struct observer *observer)
{
    memset(f->g.data, 0x5a, GUEST_BYTES);
    assert_true(gpu_mem_open(f->g.gpu, IMAGE, IMAGE_BYTES, GPU_READ | GPU_WRITE));
    memcpy(gpu_mem(f->g.gpu, IMAGE, IMAGE_BYTES), &f->before, IMAGE_BYTES);
    assert_true(gpu_mem_open(f->g.gpu, IMAGE, IMAGE_BYTES, GPU_READ));
    f->executed = f->stop = false;
    f->g.options = (struct launch_options){.observers = observer, .cancel = &f->stop};
    guest_run(&f->g);
}

/* ---- contents ---- */

/* Addresses, some of them local; numbers small enough for offsets and sizes, zeros for upper halves of addresses, now
 * and then a vtype. */
static uint32_t content(uint32_t kind)
{
    if (kind % 16 == 1) return E32_M1;
    if (kind % 16 == 5) return ABI_LOCAL_BASE + guest_random() % 64 * 16;
    if (kind % 4 == 2) return guest_random() % 16 * 4;
    return kind % 4 ? POINTERS + guest_random() % 0x800 * 16 + (kind % 8 == 3 ? 0 : 4) : 0;
}

static void change_vectors(struct state *s, unsigned from)
{
    for (unsigned r = from; r < ISA_VREGS; r++) {
        uint32_t kind = guest_random();
        for (unsigned lane = 0; lane < ISA_LANES; lane++) s->v[r][lane] = content(kind);
    }
}

static void change_scalars(struct state *s, unsigned from)
{
    for (unsigned r = from ? from : 1; r < ISA_XREGS; r++) s->x[r] = content(guest_random());
}

static void same_above(const struct fixture *f, const struct isa_effects *r, const char *name)
{
    for (unsigned k = r->v; k < ISA_VREGS; k++)
        if (memcmp(f->before.v[k], f->after.v[k], sizeof f->before.v[k]))
            fail_msg("%s writes v%u, counted are %u", name, k, r->v);
    for (unsigned k = r->x; k < ISA_XREGS; k++)
        if (f->before.x[k] != f->after.x[k]) fail_msg("%s writes x%u, counted are %u", name, k, r->x);
}

static void same_result(const struct state *a, const struct state *b, const struct isa_effects *r, const char *name)
{
    bool same = !memcmp(a->v, b->v, r->v * sizeof *a->v) && !memcmp(a->x, b->x, r->x * sizeof *a->x) &&
                !memcmp(a->data, b->data, sizeof a->data) && a->mask == b->mask && a->rpc == b->rpc && a->pc == b->pc &&
                a->fflags == b->fflags && a->vl == b->vl && a->depth == b->depth;
    if (!same) fail_msg("%s reads registers beyond v%u, x%u", name, r->v, r->x);
}

/* ---- the rows ---- */

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
    return isa_decode_in(profile, words, n, in) && in->op == op;
}

static int64_t round_up(unsigned count, unsigned least, unsigned most)
{
    unsigned n = ((count > least ? count : least) + 3) & ~3u;
    return n < most ? n : most;
}

static void same_counts(const struct fixture *f, const uint32_t *words, const struct insn *in,
                        const struct isa_effects *r)
{
    enum isa_profile profile = (enum isa_profile)gpu_config_of(f->g.gpu)->profile;
    struct decoded d;
    uint32_t vgpr, sgpr;
    code_decode(f->g.gpu, words, in->size / 4, &d);
    assert_int_equal(d.vregs, r->v);
    assert_int_equal(d.xregs, r->x);
    asm_used_registers(profile, words, in->size / 4, &vgpr, &sgpr);
    assert_int_equal(vgpr, round_up(r->v, 1, ISA_VREGS));
    assert_int_equal(sgpr, round_up(r->x, 32, ISA_XREGS));
}

/* True if the machine executed it. */
static bool try_row(struct fixture *f, enum isa_profile profile, unsigned op, uint32_t *code, size_t n)
{
    static struct state first;
    struct observer observer = {.user = f, .after = observe};
    struct insn in;
    if (!random_insn(profile, op, code + n, &in)) return false;
    struct isa_effects r = isa_effects(&in, ISA_LANES);
    same_counts(f, code + n, &in, &r);
    code[n + ISA_MAX_WORDS] = 0x0000400b; /* endprg */
    guest_code(&f->g, code, n + ISA_MAX_WORDS + 1);
    f->at = ABI_CODE_BASE + (uint32_t)n * 4;
    change_vectors(&f->before, 0);
    change_scalars(&f->before, 0);
    run(f, &observer);
    if (!f->executed) return false;
    same_above(f, &r, isa_table[op].name);
    first = f->after;
    change_vectors(&f->before, r.v);
    change_scalars(&f->before, r.x);
    run(f, &observer);
    if (!f->executed) fail_msg("%s depends on registers beyond v%u, x%u", isa_table[op].name, r.v, r.x);
    same_above(f, &r, isa_table[op].name);
    same_result(&first, &f->after, &r, isa_table[op].name);
    return true;
}

/* Every row is executed in some way, but for those that the machine has no meaning for and tensor copies, whose
 * descriptors are never found by chance. */
static void each_row(enum isa_profile profile, unsigned only)
{
    static uint32_t code[2048];
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    size_t n = prologue(code);
    open_machine(f, profile);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct isa_desc *row = &isa_table[op];
        if (!(row->revisions & only) || row->kind == KIND_PREFIX || row->kind == KIND_ABSENT) continue;
        if (op == OP_CP_DMA_TENSOR) continue;
        int done = 0;
        for (int i = 0; i < 20000 && done < 5; i++) done += try_row(f, profile, op, code, n);
        if (!done) fail_msg("%s was never executed", row->name);
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
