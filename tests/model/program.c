/* Builds the two sides of a program (program.h), and its operands. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NOP = 0x00000013, ECALL = 0x00000073, SYS_WRITE = 64, SYS_EXIT = 93, VTYPE_E32_M1 = 0x10 };

/* ---- operands ---- */

static uint64_t random64(void)
{
    static uint64_t state;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static uint32_t below(uint32_t n) { return (uint32_t)((random64() >> 32) * n >> 32); }

static uint32_t int_edge(void)
{
    static const uint32_t edges[] = {
        0,  1,  2,  0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x7ffffffe, 0x55555555, 30,    31,
        32, 33, 63, 64,         0xffff,     0x10000,    0xffff0000, 0x8000,     0x80,       0xff,       0x7fff};
    if (below(2)) return edges[below(sizeof edges / sizeof *edges)];
    return (1u << below(32)) + below(3) - 1; /* a power of two, or beside it */
}

static uint32_t float_edge(void)
{
    static const uint32_t edges[] = {0,          1,          2,          0x007fffff, 0x00400000, 0x00800000, 0x00800001,
                                     0x01000000, 0x0c800000, 0x1fffffff, 0x20000000, /* small */
                                     0x3f800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0x3f000001, 0x3effffff, 0x3fc00000,
                                     0x40200000, 0x40600000, /* halves */
                                     0x4affffff, 0x4b000001, 0x4b800001, 0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff,
                                     0x4f800000, 0x5f000000, 0x5f800000, 0x7f7fffff, 0x7f7ffffe, 0x7f000000, 0x7f800000,
                                     0x7fc00000, 0x7fc12345, 0x7f800001, 0x7fbfffff, 0x7fffffff, /* large */
                                     0x33800000, 0x33800001, 0x33000000, 0x34000000};
    return edges[below(sizeof edges / sizeof *edges)] | below(2) << 31;
}

/* Of moderate size, and with few bits in every other case, so that sums and products are exact or ties. */
static uint32_t float_near_one(void)
{
    uint32_t bits = (110 + below(35)) << 23 | below(2) << 31, fraction = below(1 << 23);
    return bits | (below(2) ? fraction : fraction & ~0u << below(23));
}

static uint32_t operand(enum pool pool)
{
    if (pool == POOL_INT) return below(2) ? int_edge() : (uint32_t)random64();
    switch (below(8)) {
    case 0: return (uint32_t)random64();
    case 1:
    case 2:
    case 3: return float_near_one();
    default: return float_edge();
    }
}

/* A binary64 on or beside a tie or the limits of binary32, beside an integer, or anything. */
static uint64_t double_operand(void)
{
    // clang-format off
    static const uint64_t limits[] = {0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0x47efffffe0000000,
                                      0x47effffff0000000,
                                      0x36a0000000000000, 0x3690000000000000, 0x3800000000000000, 0x380fffffffffffff, 1, 0,
                                      0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000};
    // clang-format on
    uint64_t sign = (uint64_t)below(2) << 63, beside = below(3) - 1ull;
    switch (below(4)) {
    case 0: return random64();
    case 1: return (limits[below(sizeof limits / sizeof *limits)] + beside) ^ sign;
    case 2:
        return (((uint64_t)(860 + below(320)) << 52 | (random64() & 0xfffffe0000000) | 0x10000000) + beside) |
               sign; /* ties */
    default: return (((uint64_t)(1020 + below(36)) << 52 | (random64() >> 12 & ~0ull << below(52))) + beside) | sign;
    }
}

static void fill_batch(struct batch *b, enum pool pool)
{
    enum pool narrow = pool == POOL_DOUBLE ? POOL_FLOAT : pool;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t wide = double_operand();
        b->vs1[i] = operand(narrow);
        b->vs2[i] = pool == POOL_DOUBLE ? (uint32_t)wide : operand(pool);
        b->vs2_high[i] = pool == POOL_DOUBLE ? (uint32_t)(wide >> 32) : operand(POOL_INT);
        b->vd[i] = operand(narrow);
        b->vd_high[i] = operand(POOL_INT);
        b->v0[i] = (uint32_t)random64();
        if (below(8) == 0) b->vs1[i] = b->vs2[i] ^ below(2) << 31 ^ below(2); /* cancels, or nearly */
    }
    b->scalar = operand(narrow);
    b->scalar2 = operand(narrow);
    b->avl = below(2) ? 32 : below(34);
    b->old = (uint32_t)random64();
}

/* c: often what cancels the product of a and b, nearly. */
static void fill_triple(struct triple *t, enum pool pool)
{
    t->a = operand(pool);
    t->b = below(8) ? operand(pool) : t->a ^ below(2) << 31 ^ below(2);
    t->c = operand(pool);
    t->old = (uint32_t)random64();
    float a, b, c;
    memcpy(&a, &t->a, 4), memcpy(&b, &t->b, 4);
    c = a * b;
    if (pool == POOL_FLOAT && below(4) == 0 && c == c) memcpy(&t->c, &c, 4), t->c ^= below(2) << 31 ^ below(3);
}

void input_fill(struct input *input)
{
    for (unsigned pool = 0; pool < POOLS; pool++) {
        enum pool scalars = pool == POOL_DOUBLE ? POOL_FLOAT : (enum pool)pool;
        for (unsigned i = 0; i < BATCHES; i++) fill_batch(&input->batches[pool][i], (enum pool)pool);
        for (unsigned i = 0; i < TRIPLES; i++) fill_triple(&input->triples[pool][i], scalars);
    }
    for (unsigned i = 0; i < LOAD_BYTES; i++) input->bytes[i] = (uint8_t)random64();
}

/* ---- code ---- */

void put_word(struct program *p, enum side side, uint32_t word)
{
    for (unsigned k = 0; k < 2; k++) {
        if (!(side >> k & 1)) continue;
        if (p->n[0] + 1 >= p->capacity || p->n[1] + 1 >= p->capacity) {
            p->capacity = p->capacity ? p->capacity * 2 : 1 << 16;
            for (unsigned j = 0; j < 2; j++) p->code[j] = realloc(p->code[j], p->capacity * 4);
            if (!p->code[0] || !p->code[1]) fail_msg("out of memory");
        }
        p->code[k][p->n[k]++] = word;
    }
}

void put(struct program *p, enum side side, struct insn in)
{
    uint32_t words[ISA_MAX_WORDS];
    const char *why = "prefix needed";
    if (isa_encode(&in, words, &why) != 1) fail_msg("%s: no single word: %s", isa_table[in.op].name, why);
    put_word(p, side, words[0]);
}

void put_constant(struct program *p, uint8_t rd, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    PUT(p, BOTH, LUI, .rd = rd, .imm = (int32_t)(value - (uint32_t)low));
    PUT(p, BOTH, ADDI, .rd = rd, .rs1 = rd, .imm = low);
}

size_t level(struct program *p)
{
    while (p->n[0] < p->n[1]) put_word(p, OURS, NOP);
    while (p->n[1] < p->n[0]) put_word(p, QEMU, NOP);
    return p->n[0];
}

static uint32_t operand_address(const struct section *s)
{
    size_t triples = offsetof(struct input, triples) + (s->pool * TRIPLES + s->first) * sizeof(struct triple);
    size_t batches = offsetof(struct input, batches) + (s->pool * BATCHES + s->first) * sizeof(struct batch);
    return MODEL_INPUT + (uint32_t)(s->operands == OPERANDS_TRIPLE ? triples : batches);
}

size_t section_begin(struct program *p, struct section s)
{
    static const uint32_t steps[] = {0, sizeof(struct batch), sizeof(struct triple)};
    if (!s.step) s.step = steps[s.operands];
    s.out = p->out_bytes;
    s.code = (uint32_t)level(p);
    p->out_bytes += s.record * s.count;
    p->sections = realloc(p->sections, (p->nsections + 1) * sizeof s);
    if (!p->sections) fail_msg("out of memory");
    p->sections[p->nsections++] = s;

    put_constant(p, X_IN, operand_address(&s));
    put_constant(p, X_OUT, MODEL_OUTPUT + s.out);
    put_constant(p, X_LEFT, s.count);
    put_constant(p, X_31BIT, 1u << 31);
    PUT(p, BOTH, ADDI, .rd = X_32, .imm = 32);
    PUT(p, BOTH, CSRRWI, .aux = 0x002, .imm = (int32_t)s.frm);
    return level(p);
}

void section_end(struct program *p, size_t loop)
{
    const struct section *s = &p->sections[p->nsections - 1];
    level(p);
    PUT(p, BOTH, ADDI, .rd = X_IN, .rs1 = X_IN, .imm = (int32_t)s->step);
    put_constant(p, X_TMP, s->record);
    PUT(p, BOTH, ADD, .rd = X_OUT, .rs1 = X_OUT, .rs2 = X_TMP);
    PUT(p, BOTH, ADDI, .rd = X_LEFT, .rs1 = X_LEFT, .imm = -1);
    PUT(p, BOTH, BEQ, .rs1 = X_LEFT, .imm = 8); /* loops may be longer than a branch reaches */
    size_t here = level(p);
    PUT(p, BOTH, JAL, .imm = (int32_t)(loop - here) * 4);
    put_constant(p, 10, 1);
    put_constant(p, 11, MODEL_OUTPUT + s->out);
    put_constant(p, 12, s->record * s->count);
    put_constant(p, 17, SYS_WRITE);
    put_word(p, QEMU, ECALL);
    level(p);
}

void program_end(struct program *p)
{
    put_constant(p, 10, 0);
    put_constant(p, 17, SYS_EXIT);
    put_word(p, QEMU, ECALL);
    PUT(p, OURS, ENDPRG, .rd = 0);
}

void program_free(struct program *p)
{
    free(p->code[0]);
    free(p->code[1]);
    free(p->sections);
    *p = (struct program){0};
}
