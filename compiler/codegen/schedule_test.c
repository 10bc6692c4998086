/* The order of instructions: slow ones come early, each kind of dependence is kept, registers are not used up. Where
 * two instructions must keep their order, the second is one that the scheduler would like to have before the first.
 * Then code at random, which has to compute what it did before. */
#include "compiler/codegen/hand.h"

#include <string.h>

#include "tests/rng.h"

enum { FIRST = 1, SECOND, FILLERS = 8, CSR_WITH_FLAGS = 1 };

static int32_t p, q, value; /* registers with something in them */

static void begin_values(uint32_t nblocks)
{
    begin(nblocks);
    p = new_scalar();
    q = new_scalar();
    value = new_scalar();
}

static void prepare(void) { begin_values(1); }

static struct minsn *marked(struct minsn *m, uint32_t mark)
{
    m->place = mark;
    return m;
}

static struct minsn *load(int32_t rd, int32_t base, int32_t offset) { return emit(f, OP_LW, rd, base, 0, offset); }
static struct minsn *store(int32_t base, int32_t offset) { return emit(f, OP_SW, 0, base, value, offset); }

/* Something to do while others are waited for. */
static void fill(void)
{
    for (int i = 0; i < FILLERS; i++) emit(f, OP_ADDI, new_scalar(), 0, 0, i);
}

static uint32_t index_of(uint32_t mark)
{
    const struct mblock *b = &f->mblocks[0];
    uint32_t i = 0;
    while (i < b->n && b->code[i].place != mark) i++;
    assert_true(i < b->n);
    return i;
}

static bool scheduled(void)
{
    liveness_run(f);
    return schedule_run(f, NULL);
}

/* Is the first one still before the second? */
static bool keeps(void)
{
    fill();
    scheduled();
    return index_of(FIRST) < index_of(SECOND);
}

/* `second` is a load on which much depends, so that nothing but its dependence on `first` keeps it where it is. */
static bool keeps_load(struct minsn *second)
{
    int32_t r = marked(second, SECOND)->rd;
    compute(OP_DIV, compute(OP_MUL, r, r), r);
    return keeps();
}

/* The address of the first access, which takes long, so that the second one would be faster in front of it. */
static int32_t slow_address(void) { return compute(OP_DIV, p, q); }

/* ---- what is gained ---- */

static void loads_come_early(void **state)
{
    (void)state;
    fill();
    int32_t r = new_scalar();
    marked(load(r, p, 0), FIRST);
    marked(emit(f, OP_MUL, new_scalar(), r, r, 0), SECOND);
    assert_true(scheduled());
    assert_int_equal(index_of(FIRST), 0);
    assert_int_equal(index_of(SECOND), 4); /* as many as are issued meanwhile, and no more */
}

static void nothing_to_gain(void **state)
{
    (void)state;
    compute(OP_ADD, compute(OP_ADD, p, q), p);
    compute(OP_SUB, compute(OP_ADD, p, q), p);
    assert_false(scheduled());
}

/* ---- registers ---- */

static void read_after_write(void **state)
{
    (void)state;
    int32_t address = new_scalar();
    marked(emit(f, OP_ADD, address, p, q, 0), FIRST);
    assert_true(keeps_load(load(new_scalar(), address, 0)));
}

static void write_after_read(void **state)
{
    (void)state;
    int32_t r = new_scalar();
    marked(emit(f, OP_ADD, new_scalar(), r, p, 0), FIRST);
    assert_true(keeps_load(load(r, q, 0)));
}

static void write_after_write(void **state)
{
    (void)state;
    int32_t r = new_scalar();
    marked(emit(f, OP_ADDI, r, 0, 0, 1), FIRST);
    assert_true(keeps_load(load(r, q, 0)));
}

static void independent(void **state)
{
    (void)state;
    marked(emit(f, OP_ADD, new_scalar(), p, q, 0), FIRST);
    assert_false(keeps_load(load(new_scalar(), q, 0)));
}

/* ---- memory ---- */

static void load_after_store(void **state)
{
    (void)state;
    marked(store(p, 0), FIRST);
    assert_true(keeps_load(load(new_scalar(), q, 0)));
}

static void load_after_other_load(void **state)
{
    (void)state;
    marked(load(new_scalar(), p, 0), FIRST);
    assert_false(keeps_load(load(new_scalar(), q, 0)));
}

/* The same address in a register: distances are known, as long as it is the same. */
static void known_distance(void **state)
{
    (void)state;
    marked(store(p, 4), FIRST);
    assert_false(keeps_load(load(new_scalar(), p, 8)));
    begin_values(1);
    marked(store(p, 4), FIRST);
    assert_false(keeps_load(load(new_scalar(), p, 0)));
    begin_values(1);
    marked(store(p, 4), FIRST);
    assert_true(keeps_load(emit(f, OP_LBU, new_scalar(), p, 0, 7)));
    begin_values(1);
    marked(emit(f, OP_SB, 0, p, value, 3), FIRST);
    assert_true(keeps_load(load(new_scalar(), p, 0)));
    begin_values(1);
    marked(store(p, 4), FIRST);
    emit(f, OP_ADDI, p, p, 0, 4);
    assert_true(keeps_load(load(new_scalar(), p, 0)));
}

static void address_spaces(void **state)
{
    static const struct {
        uint8_t first, second;
        bool keeps;
    } cases[] = {{SPACE_GLOBAL, SPACE_GLOBAL, true}, {SPACE_GLOBAL, SPACE_LOCAL, false},
                 {SPACE_LOCAL, SPACE_GLOBAL, false}, {SPACE_ANY, SPACE_GLOBAL, true},
                 {SPACE_LOCAL, SPACE_ANY, true},     {SPACE_GLOBAL, SPACE_CONSTANT, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_values(1);
        marked(store(p, 0), FIRST)->space = cases[i].first;
        struct minsn *m = load(new_scalar(), q, 0);
        m->space = cases[i].second;
        assert_int_equal(keeps_load(m), cases[i].keeps);
    }
}

static void private_memory(void **state)
{
    (void)state;
    int32_t a = new_vector(), b = new_vector();
    marked(emit(f, OP_VSW_V, 0, a, b, 0), FIRST);
    assert_false(keeps_load(load(new_scalar(), p, 0)));
    begin_values(1);
    a = new_vector(), b = new_vector();
    int32_t r = new_vector();
    marked(emit(f, OP_VSW_V, 0, a, b, 0), FIRST);
    marked(emit(f, OP_VLW_V, r, b, 0, 0), SECOND);
    emit(f, OP_VDIV_VV, new_vector(), r, r, 0);
    assert_true(keeps());
}

static void store_after_load(void **state)
{
    (void)state;
    int32_t r = new_scalar();
    marked(load(r, slow_address(), 0), FIRST);
    marked(store(p, 0), SECOND);
    emit(f, OP_ADD, new_scalar(), r, r, 0);
    assert_true(keeps());
}

static void store_after_store(void **state)
{
    (void)state;
    marked(store(slow_address(), 0), FIRST)->space = SPACE_LOCAL;
    marked(store(p, 0), SECOND)->space = SPACE_GLOBAL; /* even so */
    assert_true(keeps());
}

/* ---- what keeps its place ---- */

static void effects(void **state)
{
    static const unsigned ops[] = {OP_BARRIER, OP_BARRIERSUB, OP_FENCE,  OP_AMOADD_W, OP_LR_W,   OP_SC_W,
                                   OP_CSRRW,   OP_JAL,        OP_SETRPC, OP_JOIN,     OP_VSETVLI};
    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        begin_values(1);
        const struct roles *r = insn_roles(ops[i]);
        int32_t a = r->rs1 == CLASS_V ? new_vector() : new_scalar(),
                b = r->rs2 == CLASS_V ? new_vector() : new_scalar();
        marked(emit(f, ops[i], r->rd == CLASS_V ? new_vector() : 0, a, b, 0), FIRST);
        assert_true(keeps_load(load(new_scalar(), q, 0)));
    }
}

static void volatile_accesses(void **state)
{
    (void)state;
    marked(load(new_scalar(), p, 0), FIRST)->keep = true;
    assert_true(keeps_load(load(new_scalar(), q, 0)));
    begin_values(1);
    marked(load(new_scalar(), p, 0), FIRST);
    struct minsn *m = load(new_scalar(), q, 0);
    m->keep = true;
    assert_true(keeps_load(m));
    begin_values(1);
    m = marked(store(p, 0), FIRST);
    m->keep = true;
    m->space = SPACE_LOCAL;
    m = load(new_scalar(), q, 0);
    m->space = SPACE_GLOBAL;
    assert_true(keeps_load(m));
}

static void inline_assembly(void **state)
{
    static struct asm_text text;
    (void)state;
    marked(emit(f, OP_ASM, 0, 0, 0, 0), FIRST)->text = &text;
    assert_true(keeps_load(load(new_scalar(), q, 0)));
}

static void flags_are_read(void **state)
{
    (void)state;
    marked(emit(f, OP_CSRRS, new_scalar(), 0, 0, 0), FIRST)->aux = CSR_WITH_FLAGS;
    assert_true(keeps_load(load(new_scalar(), q, 0)));
}

static void special_registers(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        begin_values(1);
        marked(emit(f, OP_ADD, new_scalar(), p, q, 0), FIRST);
        struct minsn *m = load(new_scalar(), q, 0);
        struct vreg *v = &f->vregs[m->rd];
        if (kind == 0) v->fixed = true;
        if (kind == 1) v->group = 1;
        if (kind == 2) v->direct = true;
        if (kind == 3) m->rs1 = REG_ARGS; /* has its value until something else gets the register */
        assert_true(keeps_load(m));
    }
}

/* ---- pressure ---- */

/* Registers that are live at once, at most. */
static uint32_t most_live(void)
{
    uint32_t most = 0;
    liveness_run(f);
    for (uint32_t position = 0; position < f->mblocks[0].end; position++) {
        uint32_t live = 0;
        for (uint32_t v = FIRST_VREG; v < f->nvregs; v++) live += is_live(f, (int32_t)v, position);
        if (live > most) most = live;
    }
    return most;
}

static void emit_sum(int32_t sum)
{
    for (int i = 0; i < FILLERS; i++) {
        int32_t r = new_scalar();
        load(r, p, 4 * i);
        emit(f, OP_ADD, sum, sum, r, 0);
    }
    emit(f, OP_SW, 0, p, sum, 0);
}

/* A block in front of one that reads three registers. */
static void begin_before_uses(void)
{
    begin_values(2);
    emit_to(f, f->exit, OP_SW, 0, p, q, 0);
    emit_to(f, f->exit, OP_SW, 0, p, value, 0);
}

enum { FEW = 9, LIMIT = FEW - 4 };

static void registers_are_left(void **state)
{
    (void)state;
    emit_sum(compute(OP_ADD, p, p));
    assert_true(scheduled());
    assert_true(most_live() > LIMIT);
    begin_values(1);
    f->nregs_s = FEW;
    emit_sum(compute(OP_ADD, p, p));
    fill(); /* whose results are not read */
    assert_true(scheduled());
    assert_int_equal(most_live(), LIMIT);
}

/* Vector registers are not to be used up just because there are some: the old order has two, the new one two more. */
static void few_vectors(void **state)
{
    int32_t address = new_vector(), sum = new_vector();
    (void)state;
    for (int i = 0; i < FILLERS; i++) {
        int32_t r = new_vector();
        emit(f, OP_VLW12_V, r, address, 0, 4 * i);
        emit(f, OP_VADD_VV, sum, sum, r, 0);
    }
    uint32_t before = most_live();
    assert_true(scheduled());
    assert_int_equal(most_live(), before + 2);
}

static void registers_are_short(void **state)
{
    (void)state;
    f->nregs_s = 6; /* the code as it is needs more than are to be used */
    emit_sum(compute(OP_ADD, p, p));
    assert_false(scheduled());
}

/* Registers that live on are not free behind their last use in the block, nor do those begin that live before it. */
static void live_outside(void **state)
{
    (void)state;
    begin_before_uses();
    f->nregs_s = FEW;
    emit_sum(compute(OP_DIV, q, value));
    scheduled();
    assert_int_equal(most_live(), LIMIT);
    begin_before_uses();
    f->nregs_s = FEW;
    emit(f, OP_DIV, value, value, q, 0);
    emit_sum(value);
    assert_true(scheduled());
    assert_int_equal(most_live(), LIMIT);
}

/* ---- the copy ---- */

static void copy_follows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        marked(load(new_scalar(), p, 4 * (int32_t)i), 1 + 2 * i);
        int32_t r = f->mblocks[0].code[f->mblocks[0].n - 1].rd;
        marked(emit(f, OP_MUL, new_scalar(), r, r, 0), 2 + 2 * i);
    }
    liveness_run(f);
    struct mblock *copy = verify_copy(f);
    assert_true(schedule_run(f, copy));
    for (uint32_t i = 0; i < copy[0].n; i++) assert_int_equal(copy[0].code[i].place, f->mblocks[0].code[i].place);
}

/* ---- code at random ---- */

enum { REGS = 8, MEMORY = 64, LENGTH = 40, ROUNDS = 2000 };

struct outcome {
    uint32_t regs[REGS], fences;
    uint8_t memory[MEMORY];
};

static void run_insn(struct outcome *o, const struct minsn *m, int32_t first)
{
    uint32_t a = o->regs[m->rs1 - first], b = o->regs[m->rs2 - first], at = (a + (uint32_t)m->imm) % MEMORY, sum = 0;
    uint32_t *d = &o->regs[m->rd - first];
    switch (m->op) {
    case OP_ADD: *d = a + b; break;
    case OP_MUL: *d = a * b; break;
    case OP_DIV: *d = b ? a / b : 1; break;
    case OP_ADDI: *d = a + (uint32_t)m->imm; break;
    case OP_LBU: *d = o->memory[at]; break;
    case OP_LW: memcpy(d, &o->memory[at & ~3u], 4); break;
    case OP_SB: o->memory[at] = (uint8_t)b; break;
    case OP_SW: memcpy(&o->memory[at & ~3u], &b, 4); break;
    default:
        for (int i = 0; i < MEMORY; i++) sum = sum * 31 + o->memory[i];
        o->fences = o->fences * 7 + sum;
    }
}

static struct outcome run_code(int32_t first)
{
    struct outcome o = {0};
    for (uint32_t i = 0; i < REGS; i++) o.regs[i] = 4 * i;
    for (uint32_t i = 0; i < f->mblocks[0].n; i++) run_insn(&o, &f->mblocks[0].code[i], first);
    return o;
}

static void emit_random(int32_t first)
{
    static const unsigned ops[] = {OP_ADD, OP_MUL, OP_DIV, OP_ADDI, OP_LBU, OP_LW, OP_LW, OP_SB, OP_SW, OP_FENCE};
    for (int i = 0; i < LENGTH; i++) {
        unsigned op = ops[rng() % (sizeof ops / sizeof *ops)];
        int32_t a = first + (int32_t)(rng() % REGS), b = first + (int32_t)(rng() % REGS);
        int32_t d = first + (int32_t)(rng() % REGS), offset = 4 * (int32_t)(rng() % 4);
        if (op == OP_FENCE && rng() % 4) op = OP_ADD;
        emit(f, op, d, a, b, offset);
    }
}

/* All registers are read at the end, some of the words are one in memory: addresses are multiples of four from one
 * another, or not known. */
static void same_results(void **state)
{
    uint32_t changed = 0;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        cc_free(&cc);
        begin_values(2);
        int32_t first = new_scalar();
        for (int i = 1; i < REGS; i++) new_scalar();
        emit_random(first);
        for (int i = 0; i < REGS; i++) emit_to(f, f->exit, OP_SW, 0, first + i, first + i, 0);
        struct outcome before = run_code(first);
        changed += scheduled();
        struct outcome after = run_code(first);
        assert_memory_equal(&before, &after, sizeof before);
    }
    assert_true(changed > ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(loads_come_early),  TEST(nothing_to_gain),   TEST(read_after_write),   TEST(write_after_read),
        TEST(write_after_write), TEST(independent),       TEST(load_after_store),   TEST(load_after_other_load),
        TEST(known_distance),    TEST(address_spaces),    TEST(private_memory),     TEST(store_after_load),
        TEST(store_after_store), TEST(effects),           TEST(volatile_accesses),  TEST(inline_assembly),
        TEST(flags_are_read),    TEST(special_registers), TEST(registers_are_left), TEST(registers_are_short),
        TEST(few_vectors),       TEST(live_outside),      TEST(copy_follows),       TEST(same_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
