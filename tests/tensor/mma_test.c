/* Every matrix instruction against C written here: the tile is read out of the mnemonic, elements are
 * decoded from the definition of their format, sums are made in double and rounded once each. Layouts are the text's:
 * row-major or column-major as the document says, and of B the transpose of that in the profiles of the public tools.
 *
 * Instructions run on a warp made here, one mma_execute each; machine_test.c runs some on the machine. The
 * whole register file is compared, so that nothing but D may change. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/machine.h"
#include "sim/mma.h"

enum { ROWS = 64 };
static _Alignas(64) uint32_t rows[ROWS][ISA_LANES], expected[ROWS][ISA_LANES];

static uint32_t rnd(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

/* ---- formats, from their definition ---- */

struct format {
    const char *name;
    int bits, exp, man, bias;
    bool ieee, e4m3, integer;
};
static const struct format formats[] = {
    {"tf32", 32, 8, 23, 127, true, false, false}, {"f16", 16, 5, 10, 15, true, false, false},
    {"bf16", 16, 8, 7, 127, true, false, false},  {"e4m3", 8, 4, 3, 7, false, true, false},
    {"e5m2", 8, 5, 2, 15, true, false, false},    {"s8", 8, 0, 0, 0, false, false, true},
    {"s4", 4, 0, 0, 0, false, false, true},       {"b1", 1, 0, 0, 0, false, false, true},
    {"e3m2", 8, 3, 2, 3, false, false, false},    {"e2m3", 8, 2, 3, 1, false, false, false},
    {"e2m1", 4, 2, 1, 1, false, false, false},    {"e3m0", 4, 3, 0, 3, false, false, false},
    {"f32", 32, 8, 23, 127, true, false, false},
};
static const struct format *const tf32 = &formats[0], *const f32 = &formats[12];

static double value(const struct format *f, uint32_t u)
{
    if (f->integer && f->bits == 1) return u;
    if (f->integer) return u >> (f->bits - 1) ? (double)u - (1 << f->bits) : u;
    if (f == tf32) u &= 0xffffe000;
    int exp = (int)(u >> f->man & ((1u << f->exp) - 1)), top = (1 << f->exp) - 1;
    uint32_t man = u & ((1u << f->man) - 1);
    double sign = u >> (f->exp + f->man) & 1 ? -1 : 1;
    if (f->ieee && exp == top) return man ? NAN : sign * INFINITY;
    if (f->e4m3 && exp == 15 && man == 7) return NAN;
    if (exp == 0) return f->man ? sign * ldexp(man, 1 - f->bias - f->man) : sign * 0;
    return sign * ldexp((1u << f->man) + man, exp - f->bias - f->man);
}

static float fl(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static uint32_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fc00000 : u;
}

static int mode; /* of the host, of the reference: FE_TONEAREST ... */
static float rounded(double d)
{
    volatile double x = d;
    volatile float f = (float)x;
    return f;
}

/* One multiplication or addition of floats: the double's error is too small to move the second rounding. */
static float times(float a, float b)
{
    volatile double x = a, y = b, p = x * y;
    return rounded(p);
}
static float plus(float a, float b)
{
    volatile double x = a, y = b, s = x + y;
    return rounded(s);
}

static uint32_t to_half(float x)
{
    if (x != x) return 0x7e00;
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    if (isinf(x)) return sign | 0x7c00;
    int exp;
    frexp(x, &exp);
    int step = exp - 11 < -24 ? -24 : exp - 11;
    volatile double q = ldexp(x, -step);
    double r = fabs(ldexp(nearbyint(q), step));
    if (r > 65504) {
        bool inf = mode == FE_TONEAREST || (mode == FE_UPWARD && !sign) || (mode == FE_DOWNWARD && sign);
        return sign | (inf ? 0x7c00 : 0x7bff);
    }
    if (r < ldexp(1, -14)) return sign | (uint32_t)ldexp(r, 24);
    frexp(r, &exp);
    return sign | (uint32_t)(exp + 14) << 10 | ((uint32_t)ldexp(r, 11 - exp) & 0x3ff);
}

/* ---- the reference ---- */

struct spec {
    int m, n, k;
    bool a_row, b_row; /* row-major, else column-major */
    bool half, relu, saturate, fused;
    const struct format *type;
    int lanes;
    int block;      /* columns of C side by side */
    int a, b, c, d; /* registers */
};

static uint32_t get(const struct spec *s, int base, int width, int index)
{
    int per = 32 / width, word = index / per;
    uint32_t u = rows[base + word / s->lanes][word % s->lanes] >> (index % per * width);
    return width == 32 ? u : u & ((1u << width) - 1);
}

static int c_index(const struct spec *s, int m, int n)
{
    return n / s->block * s->m * s->block + m * s->block + n % s->block;
}

static uint32_t reference(const struct spec *s, int m, int n)
{
    int width = s->type->bits, ci = c_index(s, m, n);
    uint32_t c = get(s, s->c, s->half ? 16 : 32, ci);
    float acc = s->half ? (float)value(&formats[1], c) : fl(c);
    double sum = (int32_t)c;
    for (int k = 0; k < s->k; k++) {
        double a = value(s->type, get(s, s->a, width, s->a_row ? m * s->k + k : k * s->m + m));
        double b = value(s->type, get(s, s->b, width, s->b_row ? k * s->n + n : n * s->k + k));
        sum += a * b;
        if (!s->type->integer) acc = s->fused ? fmaf((float)a, (float)b, acc) : plus(acc, times((float)a, (float)b));
    }
    if (s->type->integer) {
        if (s->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        return (uint32_t)(int64_t)sum;
    }
    if (s->relu && !(acc > 0)) acc = 0;
    return s->half ? to_half(acc) : bits(acc);
}

/* expected[] from rows[]; words of D without an element become 0. */
static void expect(const struct spec *s, uint32_t active)
{
    uint32_t out[512] = {0};
    int words = s->m * ((s->n + s->block - 1) / s->block * s->block);
    if (s->half) words /= 2;
    fesetround(mode);
    for (int m = 0; m < s->m; m++)
        for (int n = 0; n < s->n; n++) {
            int i = c_index(s, m, n);
            if (s->half) out[i / 2] |= reference(s, m, n) << (i % 2 * 16);
            else out[i] = reference(s, m, n);
        }
    fesetround(FE_TONEAREST);
    memcpy(expected, rows, sizeof rows);
    for (int i = 0; i < words; i++)
        if (active >> i % s->lanes & 1) expected[s->d + i / s->lanes][i % s->lanes] = out[i];
}

/* ---- the warp ---- */

static struct launch launch;
static struct gpu gpu;
static struct sm sm = {.gpu = &gpu};
static struct group group;
static struct warp warp;

static void make_warp(enum isa_profile profile, unsigned lanes)
{
    gpu.config.profile = profile;
    launch = (struct launch){.threads_per_warp = lanes, .vgprs = ROWS, .sgprs = 64, .warps = 1};
    group = (struct group){.launch = &launch, .sm = &sm};
    warp = (struct warp){.v = rows, .group = &group, .vl = lanes, .lanes = ~0u >> (32 - lanes)};
    warp.mask = warp.active = warp.lanes;
    warp.nactive = lanes;
}

/* Registers: numbers near one, edges of the format, any bits. A word is made of elements of `width` bits. */
static uint32_t element(int kind, int width, bool is_float)
{
    static const uint32_t half[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01};
    static const uint32_t word[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
                                    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x7fffffff};
    uint32_t r = rnd(), mask = width == 32 ? ~0u : (1u << width) - 1;
    if (kind == 2 || !is_float || width < 16) return r & mask;
    if (kind == 1 && r % 61 == 0) return width == 16 ? half[r / 61 % 12] : word[r / 61 % 12];
    if (width == 16) return 0x3800 + (r & 0x8fff);
    return 0x3e800000 + (r & 0x83ffffff);
}

static void fill(int kind, int base, int count, int width, bool is_float)
{
    for (int i = 0; i < count && base + i < ROWS; i++)
        for (int lane = 0; lane < ISA_LANES; lane++) {
            uint32_t word = 0;
            for (int p = 0; p < 32; p += width) word |= element(kind, width, is_float) << p;
            rows[base + i][lane] = word;
        }
}

static void compare(const char *name)
{
    for (int r = 0; r < ROWS; r++)
        for (int lane = 0; lane < ISA_LANES; lane++)
            if (rows[r][lane] != expected[r][lane])
                fail_msg("%s: v%d lane %d is %08x, not %08x", name, r, lane, rows[r][lane], expected[r][lane]);
}

/* Random operands, then the instruction and the reference. */
static void run(const char *name, const struct spec *s, const struct insn *in, int kind)
{
    fill(2, 0, ROWS, 32, false);
    fill(kind, s->c, 32, s->half ? 16 : 32, !s->type->integer);
    fill(kind, s->a, 16, s->type->bits, !s->type->integer);
    fill(kind, s->b, 16, s->type->bits, !s->type->integer);
    expect(s, in->vm ? warp.active : warp.active & rows[0][0]);
    const char *why = mma_execute(&warp, in);
    if (why) fail_msg("%s: %s", name, why);
    compare(name);
}

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name)) return &formats[i];
    fail_msg("no format %s", name);
    return NULL;
}

static int registers(int elements, int width) { return (elements * width + 1023) / 1024; }

/* Random, perhaps overlapping groups; returns the highest register + 1. */
static int place(struct spec *s, struct insn *in, bool separate)
{
    int na = registers(s->m * s->k, s->type->bits), nb = registers(s->n * s->k, s->type->bits);
    int nc = registers(s->m * s->n, s->half ? 16 : 32), need = 0;
    s->a = (int)(rnd() % (unsigned)(ROWS - na + 1));
    s->b = (int)(rnd() % (unsigned)(ROWS - nb + 1));
    s->d = s->c = (int)(rnd() % (unsigned)(ROWS - nc + 1));
    if (separate) s->c = (int)(rnd() % (unsigned)(ROWS - nc + 1));
    in->rs1 = (uint8_t)s->a, in->rs2 = (uint8_t)s->b, in->rd = (uint8_t)s->d;
    if (separate) in->rs3 = (uint8_t)s->c;
    int ends[] = {s->a + na, s->b + nb, s->c + nc, s->d + nc};
    for (int i = 0; i < 4; i++) need = ends[i] > need ? ends[i] : need;
    return need;
}

/* All mma of a profile; returns their number. */
static int each_mma(enum isa_profile profile)
{
    int count = 0;
    make_warp(profile, 32);
    mode = FE_TONEAREST;
    for (int op = 1; op < OP_COUNT; op++) {
        const char *name = isa_table[op].name;
        char al[8], bl[8], d[8], a[8], b[8], c[8];
        struct spec s = {.lanes = 32};
        if (!(isa_table[op].revisions & profile)) continue;
        if (sscanf(name, "mma.m%dn%dk%d.%7[^.].%7[^.].%7[^.].%7[^.].%7[^.].%7s", &s.m, &s.n, &s.k, al, bl, d, a, b,
                   c) != 9)
            continue;
        struct insn in = {.op = (uint16_t)op, .vm = 1};
        s.type = format_named(a);
        s.a_row = !strcmp(al, "row");
        s.b_row = !strcmp(bl, profile == PROFILE_R2025 ? "row" : "col");
        s.half = !strcmp(c, "f16");
        s.block = s.n;
        assert_int_equal(isa_table[op].kind, KIND_MMA);
        for (int round = 0; round < 9; round++) {
            unsigned need = (unsigned)place(&s, &in, false);
            assert_int_equal(isa_effects(&in, ISA_LANES).v, need);
            run(name, &s, &in, round % 3);
        }
        count++;
    }
    return count;
}

static void test_mma(void **state)
{
    (void)state;
    assert_int_equal(each_mma(PROFILE_R2025), 124);
    assert_int_equal(each_mma(PROFILE_TOOLCHAIN), 64);
}

/* The control field of mma64. */
static unsigned control(unsigned dt, unsigned shape, bool a_col, bool b_row, bool wide, unsigned rd)
{
    return dt << 12 | shape << 9 | (unsigned)a_col << 8 | (unsigned)b_row << 7 | (unsigned)wide << 6 | rd << 2;
}

/* The document's words for B, in the smallest example: A is the first eight rows of the unit matrix, so that D is the
 * first eight rows of B, whose element in row k and column n is 8 k + n. */
static void test_rows_and_columns(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 4; flags++) {
        bool a_col = flags & 1, b_row = flags & 2;
        uint8_t *a = (uint8_t *)rows[0], *b = (uint8_t *)rows[4];
        struct insn in = {.op = OP_MMA64, .vm = 1, .rd = 8, .rs1 = 0, .rs2 = 4, .rs3 = 12};
        in.aux = (uint16_t)control(5, 0, a_col, b_row, true, 1);
        make_warp(PROFILE_R2025, 32);
        memset(rows, 0, sizeof rows);
        for (int m = 0; m < 8; m++) a[a_col ? m * 8 + m : m * 16 + m] = 1;
        for (int k = 0; k < 16; k++)
            for (int n = 0; n < 8; n++) b[b_row ? k * 8 + n : n * 16 + k] = (uint8_t)(8 * k + n);
        assert_null(mma_execute(&warp, &in));
        for (uint32_t i = 0; i < 64; i++) assert_int_equal(rows[8 + i / 32][i % 32], i);
    }
}

/* What stands in the notes: the words of two instructions. */
static void test_check_words(void **state)
{
    (void)state;
    // clang-format off
    static const struct { uint32_t word; const char *name; unsigned d, a, b; } words[] = {
        {0x10c2340a, "mma.m8n8k16.row.row.f32.f16.f16.f32", 8, 4, 12},
        {0x26d2d48a, "mma.m16n16k16.col.col.f32.bf16.bf16.f32", 9, 5, 13},
    };
    // clang-format on
    for (int i = 0; i < 2; i++) {
        struct insn in;
        assert_true(isa_decode_in(PROFILE_R2025, &words[i].word, 1, &in));
        assert_string_equal(isa_table[in.op].name, words[i].name);
        assert_int_equal(in.rd, words[i].d);
        assert_int_equal(in.rs1, words[i].a);
        assert_int_equal(in.rs2, words[i].b);
    }
}

/* ---- mma64 ---- */

/* The tiles that a type has, by shape code, as text. */
// clang-format off
static const char *const tiles[12][8] = {
    {[1] = "16 8 16", [4] = "8 8 8", "16 8 8", "8 16 8", "16 16 8"}, /* code 0 is FP32 */
    {"8 8 16", "16 8 16", "8 16 16", "16 16 16", "8 8 8", "16 8 8", "8 16 8", "16 16 8"},
    {"8 8 16", "16 8 16", "8 16 16", "16 16 16", "8 8 8", "16 8 8", "8 16 8", "16 16 8"},
    {[5] = "16 8 32"}, {[5] = "16 8 32"},
    {[0] = "8 8 16", [3] = "16 16 16"}, {[4] = "8 8 32", "16 8 32", "16 8 64"}, {[4] = "8 8 128"},
    {[5] = "16 8 32"}, {[5] = "16 8 32"}, {[5] = "16 8 32"}, {[5] = "16 8 32"},
};
// clang-format on

static void mma64_once(unsigned dt, unsigned shape, bool wide, unsigned rd)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    struct spec s = {.lanes = 32, .type = dt ? &formats[dt] : f32, .half = !wide};
    struct insn in = {.op = OP_MMA64, .vm = 1};
    s.a_row = rnd() & 1;
    s.b_row = rnd() & 1;
    in.aux = (uint16_t)control(dt, shape, !s.a_row, s.b_row, wide, rd);
    if (dt == 0 && !wide) dt = 1, s.type = &formats[1]; /* 0 with f16 results means f16 */
    bool legal = dt < 12 && tiles[dt][shape] && (wide || dt == 1) && (!s.type->integer || rd < 2);
    if (!legal) {
        assert_non_null(mma_execute(&warp, &in));
        return;
    }
    sscanf(tiles[dt][shape], "%d %d %d", &s.m, &s.n, &s.k);
    s.block = s.n;
    s.saturate = s.type->integer && rd == 0;
    mode = s.type->integer ? FE_TONEAREST : modes[rd];
    for (int kind = 0; kind < 3; kind++) {
        unsigned need = (unsigned)place(&s, &in, true);
        assert_int_equal(isa_effects(&in, ISA_LANES).v, need);
        run("mma64", &s, &in, kind);
    }
}

static void test_mma64(void **state)
{
    (void)state;
    make_warp(PROFILE_R2025, 32);
    for (unsigned dt = 0; dt < 12; dt++)
        for (unsigned shape = 0; shape < 8; shape++)
            for (unsigned wide = 0; wide < 2; wide++)
                for (unsigned rd = 0; rd < 4; rd++) mma64_once(dt, shape, wide, rd);
}

/* Sums at the ends of the 32-bit range: they wrap in mma and saturate in mma64. */
static void test_integer_overflow(void **state)
{
    (void)state;
    make_warp(PROFILE_R2025, 32);
    struct insn wrap = {.op = OP_MMA_M8N8K16_ROW_ROW_S32_S8_S8_S32, .vm = 1, .rd = 8, .rs1 = 0, .rs2 = 4};
    struct insn saturate = {.op = OP_MMA64, .vm = 1, .rd = 8, .rs1 = 0, .rs2 = 4, .rs3 = 8};
    saturate.aux = (uint16_t)control(5, 0, false, true, true, 0);
    for (int sign = 0; sign < 2; sign++) {
        uint32_t b = sign ? 0x7f7f7f7f : 0x80808080, c = sign ? 0x80000005 : 0x7ffffffb;
        uint32_t sum = sign ? 16u * (uint32_t)(-128 * 127) : 16u * 128 * 128;
        for (int again = 0; again < 2; again++) {
            for (int lane = 0; lane < 32; lane++)
                rows[0][lane] = 0x80808080, rows[4][lane] = b, rows[8][lane] = rows[9][lane] = c;
            assert_null(mma_execute(&warp, again ? &saturate : &wrap));
            assert_int_equal(rows[8][3], again ? (sign ? 0x80000000 : 0x7fffffff) : c + sum);
        }
    }
}

/* ---- tc.* and vftta.vv, in warps of any width ---- */

static void test_tc(void **state)
{
    (void)state;
    static const unsigned widths[] = {4, 8, 16, 32, 5};
    int count = 0;
    mode = FE_TONEAREST;
    for (int op = 1; op < OP_COUNT; op++) {
        const char *name = isa_table[op].name;
        struct spec s = {.type = &formats[1], .a_row = true};
        if (sscanf(name, "tc.%dx%dx%d.", &s.m, &s.n, &s.k) != 3) continue;
        s.half = strstr(name, "fp16") != NULL;
        s.relu = strstr(name, "relu") != NULL;
        s.block = s.half ? 8 : 4;
        count++;
        for (int i = 0; i < 5; i++) {
            make_warp(PROFILE_DEFAULT, widths[i]);
            s.lanes = (int)widths[i];
            for (int kind = 0; kind < 6; kind++) {
                struct insn in = {
                    .op = (uint16_t)op, .vm = 1, .rs1 = 1, .rs2 = 20, .rd = (uint8_t)(kind < 3 ? 40 : 20)};
                s.a = 1, s.b = 20, s.c = s.d = in.rd;
                run(name, &s, &in, kind % 3);
            }
        }
    }
    assert_int_equal(count, 8);
}

static void test_vftta(void **state)
{
    (void)state;
    static const struct {
        int lanes, m, n, k;
    } sizes[] = {{32, 4, 4, 8}, {16, 2, 2, 2}, {8, 2, 2, 4}, {4, 2, 2, 2}};
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (int i = 0; i < 4; i++)
        for (int round = 0; round < 48; round++) {
            // clang-format off
            struct spec s = {.lanes = sizes[i].lanes, .m = sizes[i].m, .n = sizes[i].n, .k = sizes[i].k, .fused = true,
                             .a_row = true, .type = f32, .a = 1, .b = 2, .c = 3, .d = 3};
            // clang-format on
            struct insn in = {.op = OP_VFTTA_VV, .vm = round % 5 != 0, .rs1 = 1, .rs2 = 2, .rd = 3};
            s.block = s.n;
            make_warp(PROFILE_DEFAULT, (unsigned)s.lanes);
            warp.frm = (uint32_t)round % 4;
            mode = modes[round % 4];
            if (round % 7 == 0) warp.active &= rnd();
            fill(2, 0, 1, 32, false);
            fill(round % 3, 1, 3, 32, true);
            expect(&s, in.vm ? warp.active : warp.active & rows[0][0]);
            assert_null(mma_execute(&warp, &in));
            compare("vftta.vv");
        }
}

/* vftta.vv is a vector instruction: its operands keep all 24 bits, and it raises flags. */
static void test_vftta_exact(void **state)
{
    (void)state;
    struct insn in = {.op = OP_VFTTA_VV, .vm = 1, .rs1 = 1, .rs2 = 2, .rd = 3};
    make_warp(PROFILE_DEFAULT, 32);
    memset(rows, 0, sizeof rows);
    rows[1][8] = 0x3f800001, rows[2][16] = 0x3f800001; /* (1 + u)^2 for lane 4 + 2 */
    rows[3][6] = 0xbf800002; /* - (1 + 2u): what is left is u^2, which only one rounding shows */
    assert_null(mma_execute(&warp, &in));
    assert_int_equal(rows[3][6], 0x28800000);
    assert_int_equal(warp.fflags, 0);
    rows[1][8] = 0x7f800000, rows[2][16] = 0;
    assert_null(mma_execute(&warp, &in));
    assert_int_equal(rows[3][6], 0x7fc00000);
    assert_int_equal(warp.fflags, 16);
}

/* ---- what is illegal ---- */

static void refused(struct insn in, const char *text)
{
    memcpy(expected, rows, sizeof rows);
    const char *why = mma_execute(&warp, &in);
    assert_non_null(why);
    if (!strstr(why, text)) fail_msg("\"%s\" does not say \"%s\"", why, text);
    compare(text);
}

static void test_illegal(void **state)
{
    (void)state;
    struct insn mma = {.op = OP_MMA_M8N8K16_ROW_ROW_F32_F16_F16_F32, .vm = 1, .rd = 8};
    struct insn wide = {.op = OP_MMA64, .vm = 1, .aux = (uint16_t)control(1, 0, false, true, true, 0)};
    struct insn in = wide;
    make_warp(PROFILE_DEFAULT, 32);
    assert_null(mma_execute(&warp, &mma));
    assert_null(mma_execute(&warp, &wide));

    warp.vl = 31;
    refused(mma, "vl");
    warp.vl = 32, warp.vstart = 1;
    refused(mma, "vstart");
    refused(wide, "vstart");
    warp.vstart = 0, warp.active = 0x7fffffff;
    refused(mma, "inactive");
    warp.active = ~0u;
    in = mma, in.rd = ROWS - 1; /* C takes two */
    refused(in, "registers");
    make_warp(PROFILE_DEFAULT, 16);
    refused(mma, "32 lanes");
    make_warp(PROFILE_DEFAULT, 3);
    refused((struct insn){.op = OP_VFTTA_VV, .vm = 1}, "four lanes");
    make_warp(PROFILE_DEFAULT, 4);
    refused((struct insn){.op = OP_TC_8X8X8_MIX, .vm = 1, .rd = ROWS - 15}, "registers");

    make_warp(PROFILE_DEFAULT, 32);
    warp.frm = 5;
    refused((struct insn){.op = OP_VFTTA_VV, .vm = 1}, "rounding");
    warp.frm = 0;
    in = wide, in.aux |= 0x10;
    refused(in, "sparse");
    in = wide, in.aux = (uint16_t)control(12, 0, false, false, true, 0);
    refused(in, "type");
    in.aux = (uint16_t)control(3, 0, false, false, true, 0);
    refused(in, "shape");
    assert_int_equal(isa_effects(&in, ISA_LANES).v, 1); /* of no tile, the operands alone */
    in.aux = (uint16_t)control(2, 0, false, false, false, 0);
    refused(in, "f16 results");
    in.aux = (uint16_t)control(5, 0, false, false, true, 2);
    refused(in, "rounding");
}

/* The host rounds as the warp says afterwards, whatever the instruction needed. */
static void test_rounding_mode_restored(void **state)
{
    (void)state;
    struct insn in = {.op = OP_MMA_M8N8K16_ROW_ROW_F32_F16_F16_F32, .vm = 1, .rd = 8};
    make_warp(PROFILE_DEFAULT, 32);
    warp.frm = 3;
    assert_null(mma_execute(&warp, &in));
    assert_int_equal(fegetround(), FE_UPWARD);
    warp.frm = 4;
    assert_null(mma_execute(&warp, &in));
    assert_int_equal(fegetround(), FE_TONEAREST);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mma), cmocka_unit_test(test_rows_and_columns), cmocka_unit_test(test_check_words), cmocka_unit_test(test_mma64),
        cmocka_unit_test(test_integer_overflow), cmocka_unit_test(test_tc), cmocka_unit_test(test_vftta),
        cmocka_unit_test(test_vftta_exact), cmocka_unit_test(test_illegal), cmocka_unit_test(test_rounding_mode_restored),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
