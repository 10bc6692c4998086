/* Rows that are executed out of line, against C written here: fixed point, widening and narrowing, pairs of
 * scalars, conversions, packed halves, special functions, shuffles, the ray-tracing table.
 *
 * Integer references use 128-bit integers, floating-point ones double or binary128 and one rounding written
 * here; neither uses the machine's helpers. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "trial.h"

#include "sim/machine.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static uint32_t mode;  /* of the reference: vxrm or frm */
static bool saturated; /* set by references */

/* ---- one row, many vectors ---- */

typedef uint64_t reference(uint64_t vs2, uint64_t src1, uint64_t vd);

static uint64_t cut(uint64_t v, char width) { return width == '8' ? v : (uint32_t)v; }

/* widths: of vd, vs2 and source 1 in bytes, '4' or '8'. */
static void compare_lanes(const struct trial *t, const char *widths, char source, reference *fn)
{
    saturated = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool active = t->in.vm || (t->v0 >> lane & 1);
        uint64_t s1 = source == 'v' ? t->vs1[lane] : source == 'i' ? (uint64_t)(int64_t)t->in.imm : t->x[0];
        uint64_t want = t->vd[lane], a = cut(t->vs2[lane], widths[1]), b = cut(s1, widths[2]),
                 c = cut(t->vd[lane], widths[0]);
        if (active) want = cut(fn(a, b, c), widths[0]) | (widths[0] == '4' ? want & ~0xffffffffull : 0);
        if (t->out[lane] != want)
            fail_msg("%s lane %u mode %u vm %d: %016llx, expected %016llx (%016llx, %016llx, %016llx)",
                     isa_table[t->in.op].name, lane, mode, t->in.vm, LLU(t->out[lane]), LLU(want), LLU(a), LLU(b),
                     LLU(c));
    }
    if (t->vxsat != saturated) fail_msg("%s: vxsat %u", isa_table[t->in.op].name, t->vxsat);
}

static bool has_mask(unsigned op) { return strchr(isa_table[op].pattern, 'm') != NULL; }

static void try_row(struct guest *g, enum isa_profile profile, const char *name, const char *widths, reference *fn,
                    unsigned modes, unsigned trials)
{
    char source = name[strlen(name) - 1];
    struct trial t = trial_of(profile, name);
    for (unsigned i = 0; i < trials; i++) {
        trial_shuffle(&t);
        t.in.vm = !has_mask(t.in.op) || i % 8;
        t.in.imm = source == 'i' ? (int32_t)(guest_random() % 32) : 0;
        mode = t.frm = t.vxrm = modes > 1 ? i % modes : 0;
        if (modes == 5) t.vxrm = 0;
        else t.frm = 0;
        trial_done(g, &t);
        compare_lanes(&t, widths, source, fn);
    }
}

struct row {
    const char *names, *widths;
    reference *fn;
};

/* All names of a line, separated by spaces. */
static void try_rows(enum isa_profile profile, const struct row *rows, size_t n, unsigned modes, unsigned trials)
{
    struct guest g;
    trial_open(&g, profile);
    for (size_t i = 0; i < n; i++) {
        char names[200];
        snprintf(names, sizeof names, "%s", rows[i].names);
        for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save))
            try_row(&g, profile, name, rows[i].widths, rows[i].fn, modes, trials);
    }
    guest_close(&g);
}
enum { TRIALS = 313 }; /* of 32 lanes each: ten thousand vectors */
#define TRY(profile, rows, modes, trials) try_rows(profile, rows, sizeof rows / sizeof *rows, modes, trials)

#define REF(name, expr) \
    static uint64_t r_##name(uint64_t a, uint64_t b, uint64_t c) \
    { \
        (void)a, (void)b, (void)c; \
        return (uint64_t)(expr); \
    }
#define SA ((int64_t)(int32_t)a)
#define SB ((int64_t)(int32_t)b)

/* ---- fixed point ---- */

/* floor(v / 2^n), corrected as vxrm says: by comparing the remainder with a half. */
static s128 rounded(s128 v, unsigned n)
{
    s128 unit = (s128)1 << n, down = v / unit - (v % unit < 0), rest = v - down * unit;
    bool odd = down % 2 != 0;
    switch (mode) {
    case 0: return down + (rest != 0 && 2 * rest >= unit);
    case 1: return down + (2 * rest > unit || (rest != 0 && 2 * rest == unit && odd));
    case 2: return down;
    default: return down + (rest && !odd);
    }
}

static uint64_t clipped(s128 v, s128 low, s128 high)
{
    saturated |= v < low || v > high;
    return (uint64_t)(v < low ? low : v > high ? high : v);
}
static uint64_t clip_s(s128 v) { return clipped(v, INT32_MIN, INT32_MAX); }
static uint64_t clip_u(s128 v) { return clipped(v, 0, UINT32_MAX); }

REF(aaddu, rounded((s128)a + b, 1))
REF(aadd, rounded((s128)SA + SB, 1))
REF(asubu, rounded((s128)a - b, 1))
REF(asub, rounded((s128)SA - SB, 1))
REF(smul, clip_s(rounded((s128)SA *SB, 31)))
REF(ssrl, rounded((s128)a, b & 31))
REF(ssra, rounded((s128)SA, b & 31))
REF(nclipu, clip_u(rounded((s128)a, b & 63)))
REF(nclip, clip_s(rounded((s128)(int64_t)a, b & 63)))
REF(saddu, clip_u((s128)a + b))
REF(sadd, clip_s((s128)SA + SB))
REF(ssubu, clip_u((s128)a - b))
REF(ssub, clip_s((s128)SA - SB))

static void test_fixed(void **state)
{
    // clang-format off
    static const struct row rows[] = {
        {"vaaddu.vv vaaddu.vx", "444", r_aaddu}, {"vaadd.vv vaadd.vx", "444", r_aadd},
        {"vasubu.vv vasubu.vx", "444", r_asubu}, {"vasub.vv vasub.vx", "444", r_asub},
        {"vsmul.vv vsmul.vx", "444", r_smul},
        {"vssrl.vv vssrl.vx vssrl.vi", "444", r_ssrl}, {"vssra.vv vssra.vx vssra.vi", "444", r_ssra},
        {"vnclipu.wv vnclipu.wx vnclipu.wi", "484", r_nclipu}, {"vnclip.wv vnclip.wx vnclip.wi", "484", r_nclip},
        {"vsaddu.vv vsaddu.vx vsaddu.vi", "444", r_saddu}, {"vsadd.vv vsadd.vx vsadd.vi", "444", r_sadd},
        {"vssubu.vv vssubu.vx", "444", r_ssubu}, {"vssub.vv vssub.vx", "444", r_ssub},
    };
    // clang-format on
    (void)state;
    TRY(PROFILE_DEFAULT, rows, 4, TRIALS);
}

/* ---- widening, narrowing ---- */

REF(waddu, a + b)
REF(wadd, SA + SB)
REF(wsubu, a - b)
REF(wsub, SA - SB)
REF(waddw, a + (uint64_t)SB)
REF(wsubw, a - (uint64_t)SB)
REF(wmulu, a *b)
REF(wmul, SA *SB)
REF(wmulsu, (s128)SA *(s128)b)
REF(wmaccu, c + a * b)
REF(wmacc, c + (uint64_t)(SA * SB))
REF(wmaccsu, (s128)c + (s128)SB * (s128)a)
REF(wmaccus, (s128)c + (s128)SA * (s128)b)
REF(nsrl, a >> (b & 63))
REF(nsra, (int64_t)a >> (b & 63))
REF(zext16, a % 65536)
REF(zext8, a % 256)
REF(sext16, (int16_t)a)
REF(sext8, (int8_t)a)

static void test_widening(void **state)
{
    // clang-format off
    static const struct row rows[] = {
        {"vwaddu.vv vwaddu.vx", "844", r_waddu}, {"vwadd.vv vwadd.vx", "844", r_wadd},
        {"vwsubu.vv vwsubu.vx", "844", r_wsubu}, {"vwsub.vv vwsub.vx", "844", r_wsub},
        {"vwaddu.wv vwadd.wv", "888", r_waddu}, {"vwsubu.wv vwsub.wv", "888", r_wsubu},
        {"vwaddu.wx", "884", r_waddu}, {"vwsubu.wx", "884", r_wsubu}, {"vwadd.wx", "884", r_waddw}, {"vwsub.wx", "884", r_wsubw},
        {"vwmulu.vv vwmulu.vx", "844", r_wmulu}, {"vwmul.vv vwmul.vx", "844", r_wmul}, {"vwmulsu.vv vwmulsu.vx", "844", r_wmulsu},
        {"vwmaccu.vv vwmaccu.vx", "844", r_wmaccu}, {"vwmacc.vv vwmacc.vx", "844", r_wmacc},
        {"vwmaccsu.vv vwmaccsu.vx", "844", r_wmaccsu}, {"vwmaccus.vx", "844", r_wmaccus},
    };
    static const struct row narrowing[] = {
        {"vnsrl.wv vnsrl.wx vnsrl.wi", "484", r_nsrl}, {"vnsra.wv vnsra.wx vnsra.wi", "484", r_nsra},
        {"vzext.vf2", "444", r_zext16}, {"vzext.vf4", "444", r_zext8}, {"vsext.vf2", "444", r_sext16},
        {"vsext.vf4", "444", r_sext8},
    };
    // clang-format on
    (void)state;
    TRY(PROFILE_R21, rows, 1, TRIALS);
    TRY(PROFILE_R2025, rows, 1, 10);
    TRY(PROFILE_DEFAULT, narrowing, 1, TRIALS);
}

/* ---- rounding to formats, from binary128 ---- */

/* The closest number of `precision` bits, exponent of the least normal one 2^least, below 2^above. */
static double to_format(__float128 v, int precision, int least, int above, uint32_t how)
{
    __float128 m = v < 0 ? -v : v, unit = 1, limit = 1;
    for (int k = 0; k < above; k++) limit *= 2;
    bool inward = how == 1 || (how == 2 && v > 0) || (how == 3 && v < 0);
    if (v != v || v == 0 || m / 2 == m) return (double)v;
    if (m >= limit) m = inward ? limit - limit * (__float128)0x1p-60 : limit; /* the same result */
    int e = least - precision + 1;                                            /* of the unit in the last place */
    for (int k = 0; k < -e; k++) unit /= 2;
    for (int k = 0; k < e; k++) unit *= 2;
    while (m / unit >= (__float128)(1ull << (precision - 1)) * 2) unit *= 2, e++;
    __float128 scaled = m / unit;
    uint64_t q = (uint64_t)scaled;
    __float128 rest = scaled - q;
    bool up = how == 0   ? rest > 0.5 || (rest == 0.5 && q % 2)
              : how == 1 ? false
              : how == 2 ? v < 0 && rest > 0
              : how == 3 ? v > 0 && rest > 0
                         : rest >= 0.5;
    __float128 r = (q + up) * unit;
    if (r >= limit) r = (__float128)INFINITY;
    return (double)(v < 0 ? -r : r);
}

static double of_f32(uint64_t u)
{
    uint32_t w = (uint32_t)u;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
static double of_f64(uint64_t u)
{
    double d;
    memcpy(&d, &u, 8);
    return d;
}
static double of_bf16(uint64_t u) { return of_f32((uint32_t)u << 16); }
static double of_f16(uint64_t u)
{
    int e = u >> 10 & 31, m = u & 1023;
    double d = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return u >> 15 & 1 ? -d : d;
}
static uint64_t f32_bits(double d)
{
    float f = (float)d;
    uint32_t u;
    memcpy(&u, &f, 4);
    return d != d ? 0x7fc00000 : u;
}
static uint64_t f64_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, 8);
    return d != d ? 0x7ff8000000000000 : u;
}
static uint64_t bf16_bits(double d) { return d != d ? 0x7fc0 : f32_bits(d) >> 16; } /* of a value that bf16 has */
static uint64_t f16_bits(double d)
{
    double m = fabs(d);
    int e;
    uint64_t sign = signbit(d) ? 0x8000 : 0;
    if (d != d) return 0x7e00;
    if (isinf(d)) return sign | 0x7c00;
    if (m < 0x1p-14) return sign | (uint64_t)ldexp(m, 24);
    m = frexp(m, &e);
    return sign | (uint64_t)(e + 14) << 10 | ((uint64_t)ldexp(m, 11) & 1023);
}

static uint64_t to_f32(__float128 v) { return f32_bits(to_format(v, 24, -126, 128, mode)); }
static uint64_t to_f16(__float128 v) { return f16_bits(to_format(v, 11, -14, 16, 0)); }
static uint64_t to_bf16(__float128 v) { return bf16_bits(to_format(v, 8, -126, 128, 0)); }

/* An integer from a double by the mode, saturated; NaN is the largest. */
static uint64_t to_integer(double d, uint32_t how, double low, double high, uint64_t least, uint64_t most)
{
    if (d != d) return most;
    double r = how == 0 ? rint(d) : how == 1 ? trunc(d) : how == 2 ? floor(d) : how == 3 ? ceil(d) : round(d);
    if (r >= high) return most; /* high is one more than the largest */
    if (r < low) return least;
    return low < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
}
static uint64_t to_s64(double d, uint32_t how) { return to_integer(d, how, -0x1p63, 0x1p63, 1ull << 63, INT64_MAX); }
static uint64_t to_u64(double d, uint32_t how) { return to_integer(d, how, 0, 0x1p64, 0, UINT64_MAX); }
static uint64_t to_s32(double d, uint32_t how) { return to_integer(d, how, -0x1p31, 0x1p31, 1u << 31, INT32_MAX); }
static uint64_t to_u32(double d, uint32_t how) { return to_integer(d, how, 0, 0x1p32, 0, UINT32_MAX); }

REF(wcvt_xu, to_u64(of_f32(a), mode))
REF(wcvt_x, to_s64(of_f32(a), mode))
REF(wcvt_rtz_xu, to_u64(of_f32(a), 1))
REF(wcvt_rtz_x, to_s64(of_f32(a), 1))
REF(wcvt_f_xu, f64_bits((double)(uint32_t)a))
REF(wcvt_f_x, f64_bits((double)(int32_t)a))
REF(wcvt_f, f64_bits(of_f32(a)))
REF(ncvt_xu, to_u32(of_f64(a), mode))
REF(ncvt_x, to_s32(of_f64(a), mode))
REF(ncvt_rtz_xu, to_u32(of_f64(a), 1))
REF(ncvt_rtz_x, to_s32(of_f64(a), 1))
REF(ncvt_f_xu, to_f32((__float128)a))
REF(ncvt_f_x, to_f32((__float128)(int64_t)a))
REF(ncvt_f, to_f32(of_f64(a)))

/* To odd: toward zero, with the last bit set if that was inexact. */
static uint64_t r_ncvt_rod(uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    mode = 1;
    uint64_t r = to_f32(of_f64(a));
    double d = of_f64(a);
    return d == d && of_f32(r) != d ? r | 1 : r;
}

static void test_conversions(void **state)
{
    static const struct row rows[] = {
        {"vfwcvt.xu.f.v", "844", r_wcvt_xu},         {"vfwcvt.x.f.v", "844", r_wcvt_x},
        {"vfwcvt.rtz.xu.f.v", "844", r_wcvt_rtz_xu}, {"vfwcvt.rtz.x.f.v", "844", r_wcvt_rtz_x},
        {"vfwcvt.f.xu.v", "844", r_wcvt_f_xu},       {"vfwcvt.f.x.v", "844", r_wcvt_f_x},
        {"vfwcvt.f.f.v", "844", r_wcvt_f},           {"vfncvt.xu.f.w", "484", r_ncvt_xu},
        {"vfncvt.x.f.w", "484", r_ncvt_x},           {"vfncvt.rtz.xu.f.w", "484", r_ncvt_rtz_xu},
        {"vfncvt.rtz.x.f.w", "484", r_ncvt_rtz_x},   {"vfncvt.f.xu.w", "484", r_ncvt_f_xu},
        {"vfncvt.f.x.w", "484", r_ncvt_f_x},         {"vfncvt.f.f.w", "484", r_ncvt_f},
        {"vfncvt.rod.f.f.w", "484", r_ncvt_rod},
    };
    (void)state;
    TRY(PROFILE_DEFAULT, rows, 5, TRIALS);
}

/* ---- 16-bit formats ---- */

REF(f32_f16, f32_bits(of_f16(a)))
REF(f16_f32, to_f16(of_f32(a)))
REF(f32_bf16, a << 16)
REF(bf16_f32, to_bf16(of_f32(a)))

/* Products have 22 and 16 bits, sums of 16-bit numbers fit binary128 except a large and a tiny bf16. */
#define HALVES(name, of, to, expr) \
    static uint64_t name##_half(uint64_t a, uint64_t b, uint64_t c) \
    { \
        __float128 x = of(a & 0xffff), y = of(b & 0xffff), z = of(c & 0xffff); \
        (void)z; \
        return to(expr); \
    } \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    { \
        return name##_half(a, b, c) | name##_half(a >> 16, b >> 16, c >> 16) << 16; \
    }

/* x * y + z; where binary128 cannot hold it, z or the product counts for its sign alone. */
static __float128 sum(__float128 p, __float128 z)
{
    __float128 s = p + z, mp = p < 0 ? -p : p, mz = z < 0 ? -z : z;
    if (s - p == z && s - z == p) return s;
    if (!(mp < (__float128)INFINITY && mz < (__float128)INFINITY)) return s;
    __float128 larger = mp > mz ? p : z, nudge = (__float128)0x1p-60;
    return larger * (1 + ((z < 0) == (p < 0) ? nudge : -nudge));
}
HALVES(r_f16_add, of_f16, to_f16, x + y)
HALVES(r_f16_mul, of_f16, to_f16, x *y)
HALVES(r_f16_fma, of_f16, to_f16, sum(x *y, z))
HALVES(r_bf16_add, of_bf16, to_bf16, sum(x, y))
HALVES(r_bf16_mul, of_bf16, to_bf16, x *y)
HALVES(r_bf16_fma, of_bf16, to_bf16, sum(x *y, z))

static void test_halves(void **state)
{
    static const struct row rows[] = {
        {"vcvt.fp32.fp16", "444", r_f32_f16},
        {"vcvt.fp16.fp32", "444", r_f16_f32},
        {"vcvt.fp32.bf16", "444", r_f32_bf16},
        {"vcvt.bf16.fp32", "444", r_bf16_f32},
    };
    /* operands are written vd, vs1, vs2 here; references take vs2 first all the same */
    // clang-format off
    static const struct { const char *name; reference *fn; } packed[] = {
        {"vadd.f16x2", r_f16_add}, {"vadd.bf16x2", r_bf16_add}, {"vmul.f16x2", r_f16_mul}, {"vmul.bf16x2", r_bf16_mul},
        {"vfma.f16x2", r_f16_fma}, {"vfma.bf16x2", r_bf16_fma},
    };
    // clang-format on
    struct guest g;
    (void)state;
    TRY(PROFILE_DEFAULT, rows, 5, TRIALS);
    trial_open(&g, PROFILE_DEFAULT);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        struct trial t = trial_of(PROFILE_DEFAULT, packed[i].name);
        for (unsigned k = 0; k < TRIALS; k++) {
            trial_shuffle(&t);
            t.frm = k % 5; /* without effect */
            trial_done(&g, &t);
            compare_lanes(&t, "444", 'v', packed[i].fn);
        }
    }
    guest_close(&g);
}

/* ---- special functions ---- */

static long double phi(long double x) { return x * 0.5L * erfcl(-x / sqrtl(2.0L)); }
static long double silu(long double x) { return x / (1 + expl(-x)); }
static long double rcp(long double x) { return 1 / x; }
static long double rsqrt(long double x) { return 1 / sqrtl(x); }

static const struct {
    const char *name;
    long double (*fn)(long double);
} functions[] = {
    {"vfexp", expl}, {"ex2", exp2l}, {"lg2", log2l},  {"rcp", rcp},  {"sqrt", sqrtl}, {"rsqrt", rsqrt},
    {"sin", sinl},   {"cos", cosl},  {"tanh", tanhl}, {"gelu", phi}, {"silu", silu},
};

/* Within two units in the last place of a format with this precision. */
static bool close_to(double have, long double want, int precision, int least)
{
    if (want != want) return have != have;
    double w = (double)want;
    int e;
    double largest = ldexp(1 - ldexp(1, -precision), precision == 11 ? 16 : 128);
    if (isinf(have) || isinf(w)) return isinf(have) && w * (have < 0 ? -1 : 1) >= largest;
    frexp(w, &e);
    if (e - 1 < least) e = least + 1;
    return fabs(have - w) <= 2 * ldexp(1, e - precision);
}

struct format {
    const char *suffix;
    double (*of)(uint64_t);
    int precision, least, width;
};

static void try_function(struct guest *g, const char *name, long double (*fn)(long double), const struct format *f)
{
    struct trial t = trial_of(PROFILE_DEFAULT, name);
    for (unsigned k = 0; k < 100; k++) {
        trial_shuffle(&t);
        trial_done(g, &t);
        assert_int_equal(t.fflags, 0);
        for (int lane = 0; lane < 32; lane++)
            for (int at = 0; at < 32; at += f->width) {
                uint64_t x = f->width == 32 ? (uint32_t)t.vs2[lane] : t.vs2[lane] >> at & 0xffff;
                uint64_t y = f->width == 32 ? (uint32_t)t.out[lane] : t.out[lane] >> at & 0xffff;
                long double want = fn(f->of(x));
                if (fn == silu && f->of(x) == -INFINITY) want = 0; /* the limit; the formula says inf/inf */
                if (fn == phi && f->of(x) == -INFINITY) want = 0;
                if (!close_to(f->of(y), want, f->precision, f->least))
                    fail_msg("%s(%#llx): %#llx, expected %.9Lg", name, LLU(x), LLU(y), want);
            }
    }
}

static void test_special(void **state)
{
    static const struct format formats[] = {
        {".f32", of_f32, 24, -126, 32},
        {".f16x2", of_f16, 11, -14, 16},
        {".bf16x2", of_bf16, 8, -126, 16},
    };
    struct guest g;
    unsigned rows = 0;
    (void)state;
    trial_open(&g, PROFILE_DEFAULT);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (size_t f = 0; f < 3; f++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s", functions[i].name, i ? formats[f].suffix : "");
            if (isa_find(name) == OP_INVALID || (!i && f)) continue;
            try_function(&g, name, functions[i].fn, &formats[f]);
            rows++;
        }
    assert_int_equal(rows, 25);
    guest_close(&g);
}

/* ---- pairs of scalars ---- */

REF(sll, a << (b & 63))
REF(srl, a >> (b & 63))
REF(sra, (int64_t)a >> (b & 63))
REF(add, a + b)
REF(sub, a - b)

enum { SCALARS = 2000 };

/* Runs the instruction over SCALARS operands in memory: rs1, rs2, then its result, eight bytes each. */
static void run_scalars(struct guest *g, const struct insn *in)
{
    char text[600];
    uint32_t word[ISA_MAX_WORDS];
    assert_int_equal(isa_encode(in, word, NULL), 1);
    snprintf(text, sizeof text,
             "lui x5, 0x90000\nli x6, %d\n1: lw x10, 0(x5)\nlw x11, 4(x5)\nlw x12, 8(x5)\nlw x13, 12(x5)\n"
             "lw x16, 16(x5)\nlw x17, 20(x5)\n.word 0x%08x\nsw x16, 16(x5)\nsw x17, 20(x5)\n"
             "addi x5, x5, 24\naddi x6, x6, -1\nbnez x6, 1b\nendprg\n",
             SCALARS, (unsigned)word[0]);
    guest_assemble(g, text);
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
}

static void try_scalar_pair(struct guest *g, enum isa_profile profile, const char *name, reference *fn,
                            int32_t immediates)
{
    struct trial t = trial_of(profile, name);
    for (unsigned i = 0; i < 8; i++) {
        struct {
            uint64_t a, b, d;
        } before[SCALARS], *after = (void *)g->data;
        for (int k = 0; k < SCALARS; k++)
            before[k].a = trial_value(), before[k].b = trial_value(), before[k].d = trial_value();
        memcpy(after, before, sizeof before);
        t.in.imm = immediates == 64 ? (int32_t)(guest_random() % 64)
                   : immediates     ? (int32_t)(guest_random() % 4096) - 2048
                                    : 0;
        t.in.rs1 = i == 7 ? 0 : TRIAL_RS1;
        t.in.rd = i == 6 ? 0 : TRIAL_RD;
        run_scalars(g, &t.in);
        for (int k = 0; k < SCALARS; k++) {
            uint64_t a = t.in.rs1 ? before[k].a : 0, b = immediates ? (uint64_t)(int64_t)t.in.imm : before[k].b;
            assert_int_equal(after[k].d, t.in.rd ? fn(a, b, 0) : before[k].d);
        }
    }
}

static void test_scalar_pairs(void **state)
{
    // clang-format off
    static const struct { const char *name; reference *fn; int32_t immediates; } rows[] = {
        {"sllw", r_sll, 0}, {"srlw", r_srl, 0}, {"sraw", r_sra, 0}, {"addw", r_add, 0}, {"subw", r_sub, 0},
        {"addiw", r_add, 1}, {"slliw", r_sll, 64}, {"srliw", r_srl, 64}, {"sraiw", r_sra, 64},
    };
    // clang-format on
    static const enum isa_profile profiles[] = {PROFILE_R21, PROFILE_R2025};
    struct guest g;
    (void)state;
    for (int p = 0; p < 2; p++) {
        trial_open(&g, profiles[p]);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            try_scalar_pair(&g, profiles[p], rows[i].name, rows[i].fn, rows[i].immediates);
        guest_close(&g);
    }
}

/* ---- shuffles ---- */

static int64_t from_lane(const char *name, int64_t lane, int64_t n, uint64_t vs1)
{
    if (!strcmp(name, "shuffle.idx")) return n;
    if (!strcmp(name, "shuffle.up")) return lane - n;
    if (!strcmp(name, "shuffle.down")) return lane + n;
    if (!strcmp(name, "shuffle.bfly")) return lane ^ n;
    return lane + (int32_t)vs1;
}

/* Lanes that the group does not have are out of range; lanes that exist but sleep give what they hold. */
static void test_shuffles(void **state)
{
    static const char *const names[] = {"shuffle.idx", "shuffle.up", "shuffle.down", "shuffle.bfly",
                                        "vshuffle_down.raw"};
    static const uint32_t items[] = {32, 19, 32, 1};
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_DEFAULT);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (unsigned i = 0; i < 400; i++) {
            struct trial t = trial_of(PROFILE_DEFAULT, names[k]);
            if (k < 4) t.in.imm = (int32_t)(i % 32);
            for (int lane = 0; lane < 32; lane++) t.vs1[lane] = guest_random() % 70 - 35;
            t.items = items[i / 32 % 4];
            t.vl = i % 3 ? 32 : 11;
            trial_done(&g, &t);
            for (uint32_t lane = 0; lane < t.items; lane++) {
                int64_t j = from_lane(names[k], lane, t.in.imm, t.vs1[lane]);
                uint32_t own = (uint32_t)t.vs2[lane], want = j >= 0 && j < t.items ? (uint32_t)t.vs2[j] : own;
                assert_int_equal((uint32_t)t.out[lane], lane < t.vl ? want : (uint32_t)t.vd[lane]);
            }
        }
    guest_close(&g);
}

/* vd and vs2 may be one register: all lanes are read first. */
static void test_shuffle_in_place(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_DEFAULT);
    struct trial t = trial_of(PROFILE_DEFAULT, "shuffle.up");
    t.in.rs2 = TRIAL_VD;
    t.in.imm = 1;
    trial_done(&g, &t);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal((uint32_t)t.out[lane], (uint32_t)t.vd[lane ? lane - 1 : 0]);
    guest_close(&g);
}

/* ---- ray tracing ---- */

static void test_ray_table(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (int launch = 0; launch < 2; launch++) { /* rows are zero when a group starts */
        guest_assemble(&g, "lui t0, 0x90000\nvid.v v1\nvsll.vi v2, v1, 2\nvadd.vx v2, v2, t0\n"
                           "vlrt.w v3, 63\nvsw12.v v3, 0(v2)\n"
                           "vsrt.w v1, 63\nvadd12.vi v4, v1, 100\nvsrt.w v4, 0\n"
                           "vlrt.w v3, 63\nvsw12.v v3, 128(v2)\nvlrt.w v3, 0\nvsw12.v v3, 256(v2)\nendprg\n");
        memset(g.data, 0xee, 512);
        g.launch.warps = 1;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        for (uint32_t lane = 0; lane < 32; lane++) {
            assert_int_equal(g.data[lane], 0);
            assert_int_equal(g.data[32 + lane], lane);
            assert_int_equal(g.data[64 + lane], lane + 100);
        }
    }
    guest_close(&g);
}

/* ---- refusals ---- */

static void test_refused(void **state)
{
    // clang-format off
    static const struct { enum isa_profile profile; const char *name; int rd, rs1, rs2; const char *text; } rows[] = {
        {PROFILE_R21, "addw", TRIAL_RD + 1, TRIAL_RS1, TRIAL_RS2, "pair"},
        {PROFILE_R21, "addw", TRIAL_RD, TRIAL_RS1 + 1, TRIAL_RS2, "pair"},
        {PROFILE_R21, "sllw", TRIAL_RD, TRIAL_RS1, TRIAL_RS2 + 1, "pair"},
        {PROFILE_R21, "vwadd.vv", TRIAL_VD + 1, TRIAL_VS1, TRIAL_VS2, "pair"},
        {PROFILE_R2025, "vwadd.wv", TRIAL_VD, TRIAL_VS1 + 1, TRIAL_VS2, "pair"},
        {PROFILE_DEFAULT, "vnsrl.wv", TRIAL_VD, 1, TRIAL_VS2 + 1, "pair"},
        {PROFILE_DEFAULT, "vzext.vf8", TRIAL_VD, 0, TRIAL_VS2, "reserved"},
        {PROFILE_DEFAULT, "vsext.vf8", TRIAL_VD, 0, TRIAL_VS2, "reserved"},
        {PROFILE_DEFAULT, "vt.rt.traverse", TRIAL_VD, 0, TRIAL_VS2, "rays"},
        {PROFILE_DEFAULT, "vt.rt.release", 0, 0, TRIAL_VS2, "rays"},
        {PROFILE_DEFAULT, "vt.rt.enqueue", 0, 0, TRIAL_VS2, "rays"},
    };
    // clang-format on
    struct guest g;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial t = trial_of(rows[i].profile, rows[i].name);
        t.in.rd = (uint8_t)rows[i].rd;
        if (rows[i].rs1) t.in.rs1 = (uint8_t)rows[i].rs1;
        t.in.rs2 = (uint8_t)rows[i].rs2;
        trial_open(&g, rows[i].profile);
        trial_refused(&g, &t, rows[i].text);
        guest_close(&g);
    }
}

/* The high half counts: a pair's second register must be among the launch's. */
static void test_pair_register_limit(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R21);
    struct trial t = trial_of(PROFILE_R21, "vwadd.vv");
    t.in.rd = 62;
    g.launch.vgprs = 63;
    trial_refused(&g, &t, "v63 is beyond the 63");
    guest_close(&g);
}

/* ---- engines and flags ---- */

/* Values that the engine computes inline: all but those of the kinds that name the helpers of eval.c. */
static bool is_inline(enum isa_op op)
{
    unsigned kind = isa_table[op].kind;
    return isa_kinds[kind].expression == EXPRESSION_VALUE && kind != KIND_EX && kind != KIND_EV && kind != KIND_EW;
}

/* An engine gives the results of `want` for the operands of `t`. The trial reads flags, and an engine without them is
 * asked all the same: they are not compared. */
static void compare_engines(struct guest *g, struct guest_engine *e, const struct trial *want, struct trial t)
{
    e->builds[0].offers |= NEEDS_FLAGS;
    assert_true(engine_use(g->gpu, &e->engine));
    trial_done(g, &t);
    assert_true(engine_use(g->gpu, NULL));
    if (t.xout != want->xout || memcmp(t.out, want->out, sizeof t.out))
        fail_msg("%s differs on %s %s", isa_table[t.in.op].name, e->engine.name, e->builds->name);
}

/* Every inline row gives the same bits out of line and on all engines, to nearest even. */
static void test_engines_agree(void **state)
{
    struct guest_engine e;
    struct guest g;
    unsigned rows = 0;
    (void)state;
    trial_open(&g, PROFILE_DEFAULT);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!is_inline((enum isa_op)op) || !(isa_table[op].revisions & PROFILE_DEFAULT)) continue;
        struct trial t = trial_of(PROFILE_DEFAULT, isa_table[op].name), u;
        rows++;
        for (unsigned i = 0; i < 10; i++) {
            trial_shuffle(&t);
            u = t;
            trial_done(&g, &t);
            for (unsigned n = 0; guest_engine(n, &e); n++) compare_engines(&g, &e, &t, u);
        }
    }
    assert_true(rows > 200);
    guest_close(&g);
}

static void test_flags(void **state)
{
    // clang-format off
    static const struct { const char *name; uint32_t a, b, flags; } cases[] = {
        {"fadd.s", 0x3f800000, 0x33000000, 1}, {"fadd.s", 0x3f800000, 0x3f800000, 0}, {"fmul.s", 0x00800001, 0x3f000001, 3},
        {"fmul.s", 0x7f7fffff, 0x40000000, 5}, {"fdiv.s", 0x3f800000, 0, 8}, {"fsub.s", 0x7f800000, 0x7f800000, 16},
        {"fmin.s", 0x7f800001, 0, 16}, {"fmin.s", 0x7fc00000, 0, 0}, {"flt.s", 0x7fc00000, 0, 16}, {"feq.s", 0x7fc00000, 0, 0},
    };
    // clang-format on
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_DEFAULT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t = trial_of(PROFILE_DEFAULT, cases[i].name);
        t.x[0] = cases[i].a, t.x[1] = cases[i].b;
        trial_done(&g, &t);
        assert_int_equal(t.fflags, cases[i].flags);
    }
    assert_true(code_reads_flags(g.gpu));
    guest_assemble(&g, "csrr t0, frm\nfadd.s t0, t0, t0\nendprg\n");
    assert_false(code_reads_flags(g.gpu));
    guest_assemble(&g, "csrr t0, fcsr\nendprg\n");
    assert_true(code_reads_flags(g.gpu));
    guest_close(&g);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed), cmocka_unit_test(test_widening), cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_special), cmocka_unit_test(test_scalar_pairs), cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_shuffle_in_place), cmocka_unit_test(test_ray_table), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pair_register_limit), cmocka_unit_test(test_engines_agree), cmocka_unit_test(test_flags),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
