/* Accuracy of the float functions: every row below runs on the device over random and special arguments
 * and is compared with double (for the pi functions long double) arithmetic of the host, within the
 * limit of the OpenCL full profile, subnormals included. The sign of a zero is tests/python/floats.py's to
 * look at. Called by the test runner. */
// clang-format off
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { COUNT = 4096, MESSAGE = 8192 };

enum domain { ALL, UNIT, MODEST, POSITIVE, GAMMA }; /* what most arguments look like */

struct row {
    const char *name, *call; /* call: an expression over a, b, c, n */
    double ulps;
    enum domain domain;
    long double (*reference)(double a, double b, double c, int n);
};

#define REF(name, expr) \
    static long double ref_##name(double a, double b, double c, int n) { (void)a, (void)b, (void)c, (void)n; return expr; }
#define PI 3.14159265358979323846264338327950288L
REF(acos, acos(a)) REF(acosh, acosh(a)) REF(acospi, acosl(a) / PI) REF(asin, asin(a)) REF(asinh, asinh(a)) REF(asinpi, asinl(a) / PI)
REF(atan, atan(a)) REF(atanh, atanh(a)) REF(atanpi, atanl(a) / PI) REF(atan2, atan2(a, b)) REF(atan2pi, atan2l(a, b) / PI)
REF(cbrt, cbrt(a)) REF(ceil, ceil(a)) REF(copysign, copysign(a, b)) REF(cos, cos(a)) REF(cosh, cosh(a))
REF(cospi, fabs(fmod(a, 1)) == 0.5 ? 0.0L : cosl(fmod(a, 2) * PI)) REF(erf, erf(a)) REF(erfc, erfc(a)) REF(exp, exp(a)) REF(exp2, exp2(a)) REF(exp10, exp10(a))
REF(expm1, expm1(a)) REF(fabs, fabs(a)) REF(fdim, fdimf((float)a, (float)b)) REF(floor, floor(a)) REF(fma, fmaf((float)a, (float)b, (float)c))
REF(fmax, fmax(a, b)) REF(fmin, fmin(a, b)) REF(fmod, fmod(a, b)) REF(hypot, hypotl(a, b)) REF(ldexp, (float)ldexp(a, n))
REF(log, log(a)) REF(log2, log2(a)) REF(log10, log10(a)) REF(log1p, log1p(a)) REF(logb, logb(a))
REF(nextafter, nextafterf((float)a, (float)b)) REF(pow, powl(a, b)) REF(pown, powl(a, n)) 
REF(remainder, remainder(a, b)) REF(rint, rint(a)) REF(round, round(a)) REF(rsqrt, 1 / sqrtl(a)) REF(sin, sin(a)) REF(sinh, sinh(a))
REF(sinpi, fmod(a, 1) == 0 ? 0.0L : sinl(fmod(a, 2) * PI)) REF(sqrt, sqrt(a)) REF(tan, tan(a)) REF(tanh, tanh(a)) REF(trunc, trunc(a)) REF(tgamma, tgammal(a))
REF(divide, (long double)a / b) REF(recip, 1.0L / a) REF(sum, (float)a + (float)b)
REF(degrees, a * 180.0L / PI) REF(radians, a * PI / 180.0L) REF(sincos, cos(a)) REF(modf, isinf(a) ? 0 : a - trunc(a)) REF(frexp, isfinite(a) ? frexp(a, &n) : a)
REF(fract, isnan(a) ? a : isinf(a) ? 0 : fminf((float)(a - floor(a)), 0x1.fffffep-1f)) REF(smoothstep, a < 0 ? 0.0L : a > 1 ? 1.0L : (long double)a * a * (3 - 2 * (long double)a))

static long double ref_tanpi(double a, double b, double c, int n)
{
    long double r = fmod(a, 1);
    (void)b, (void)c, (void)n;
    return fabsl(r) == 0.5L ? (long double)INFINITY : tanl(r * PI); /* the sign at half-integers is not checked */
}

static long double ref_powr(double a, double b, double c, int n)
{
    (void)c, (void)n;
    if (a < 0 || isnan(a) || isnan(b) || (b == 0 && (a == 0 || isinf(a))) || (a == 1 && isinf(b))) return (long double)NAN;
    return powl(fabs(a), b);
}

static long double ref_rootn(double a, double b, double c, int n)
{
    (void)b, (void)c;
    if (n == 0 || (a < 0 && n % 2 == 0)) return (long double)NAN;
    return copysignl(powl(fabs(a), 1.0L / n), n % 2 ? a : 1);
}

#define ROW1(f, ulps, domain) {#f, #f "(a)", ulps, domain, ref_##f}
#define ROW2(f, ulps, domain) {#f, #f "(a, b)", ulps, domain, ref_##f}
#define ROW(f, call, ulps, domain) {#f, call, ulps, domain, ref_##f}
static const struct row rows[] = {
    ROW1(acos, 4, UNIT), ROW1(acosh, 4, POSITIVE), ROW1(acospi, 5, UNIT), ROW1(asin, 4, UNIT), ROW1(asinh, 4, ALL), ROW1(asinpi, 5, UNIT),
    ROW1(atan, 5, ALL), ROW1(atanh, 5, UNIT), ROW1(atanpi, 5, ALL), ROW2(atan2, 6, ALL), ROW2(atan2pi, 6, ALL), ROW1(cbrt, 2, ALL),
    ROW1(ceil, 0, ALL), ROW2(copysign, 0, ALL), ROW1(cos, 4, ALL), ROW1(cosh, 4, MODEST), ROW1(cospi, 4, ALL), ROW1(erf, 16, MODEST),
    ROW1(erfc, 16, MODEST), ROW1(exp, 3, MODEST), ROW1(exp2, 3, MODEST), ROW1(exp10, 3, MODEST), ROW1(expm1, 3, MODEST), ROW1(fabs, 0, ALL),
    ROW2(fdim, 0, ALL), ROW1(floor, 0, ALL), ROW(fma, "fma(a, b, c)", 0, ALL), ROW2(fmax, 0, ALL), ROW2(fmin, 0, ALL), ROW2(fmod, 0, MODEST),
    ROW2(hypot, 4, ALL), ROW(ldexp, "ldexp(a, n)", 0, ALL), ROW1(log, 3, POSITIVE), ROW1(log2, 3, POSITIVE), ROW1(log10, 3, POSITIVE),
    ROW1(log1p, 2, POSITIVE), ROW1(logb, 0, ALL), ROW2(nextafter, 0, ALL), ROW2(pow, 16, MODEST), ROW(pown, "pown(a, n)", 16, ALL),
    ROW2(powr, 16, POSITIVE), ROW2(remainder, 0, MODEST), ROW1(rint, 0, ALL), ROW(rootn, "rootn(a, n)", 16, ALL), ROW1(round, 0, ALL),
    ROW1(rsqrt, 2, POSITIVE), ROW1(sin, 4, ALL), ROW1(sinh, 4, MODEST), ROW1(sinpi, 4, ALL), ROW1(sqrt, 3, POSITIVE), ROW1(tan, 5, ALL),
    ROW1(tanh, 5, MODEST), ROW1(tanpi, 6, MODEST), ROW1(trunc, 0, ALL), ROW1(tgamma, 16, GAMMA),
    ROW(divide, "a / b", 2.5, ALL), ROW(recip, "1.0f / a", 2.5, ALL), ROW(sum, "a + b", 0, ALL),
    ROW(degrees, "degrees(a)", 2, MODEST), ROW(radians, "radians(a)", 2, MODEST), ROW(sincos, "(sincos(a, &t), t)", 4, ALL),
    ROW(modf, "modf(a, &t)", 0, MODEST), ROW(frexp, "frexp(a, &i)", 0, ALL), ROW(fract, "fract(a, &t)", 0, MODEST),
    ROW(smoothstep, "smoothstep(0.0f, 1.0f, a)", 16, UNIT),
};
enum { ROWS = sizeof rows / sizeof *rows };

static float inputs[3][COUNT];
static int numbers[COUNT];
static uint64_t state = 42;

static uint32_t rng(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static float random_float(enum domain domain)
{
    uint32_t bits = rng();
    float f, unit = (float)(int32_t)bits * 0x1p-31f;
    memcpy(&f, &bits, 4);
    if (rng() % 8 == 0 || domain == ALL) return rng() % 2 || domain != ALL ? f : unit * (float)(1 << rng() % 20);
    switch (domain) {
    case UNIT: return unit;
    case POSITIVE: return rng() % 2 ? fabsf(f) : fabsf(unit) * 100;
    case GAMMA: return 1.0f + fabsf(unit) * 30;
    default: return rng() % 2 ? unit * 100 : unit;
    }
}

static void make_inputs(enum domain domain)
{
    static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -3.0f, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, FLT_MIN,
                                    0x1p-149f, -0x1p-130f, 0x1.fffffep-1f, 0x1.000002p0f, 16777216.0f, 2147483648.0f};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) inputs[k][i] = random_float(domain);
        numbers[i] = (int)(rng() % 41) - 20;
        if (domain == GAMMA || i >= SPECIALS * SPECIALS) continue;
        inputs[0][i] = special[i % SPECIALS];
        inputs[1][i] = special[i / SPECIALS];
    }
}

/* Distance from the reference in units in the last place of a float. */
static double distance(float got, long double want)
{
    int e;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if ((double)fabsl(want) >= 0x1.ffffffp127 && isinf(got) && (got > 0) == (want > 0)) return 0; /* rounds to infinity */
    if (isinf(want)) return got == (float)want ? 0 : INFINITY;
    long double value = isinf(got) ? copysignl(0x1p128L, got) : got;
    if (value == want || want == 0) return value == want ? 0 : INFINITY;
    frexpl(want, &e);
    return (double)(fabsl(value - want) / ldexpl(1, (e < -125 ? -125 : e) - 24));
}

static double error_of(const struct row *row, int i, float got)
{
    long double want = row->reference(inputs[0][i], inputs[1][i], inputs[2][i], numbers[i]);
    if (row->reference == ref_tanpi && isinf(want) && isinf(got)) return 0;
    return distance(got, want);
}

static char *source(void)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (int r = 0; r < ROWS; r++)
        fprintf(f, "kernel void t_%s(global float *o, global const float *pa, global const float *pb, global const float *pc,"
                "global const int *pn)\n{ int g = get_global_id(0), i, n = pn[g]; float a = pa[g], b = pb[g], c = pc[g], t; o[g] = %s; }\n",
                rows[r].name, rows[r].call);
    fclose(f);
    return text;
}

struct buffers { uint32_t addr[5]; }; /* result, a, b, c, n */

static bool run_row(ventus_device *device, const ventus_module *module, const struct row *row, const struct buffers *buf, float *out)
{
    char name[64], why[512] = "";
    struct ventus_result result;
    snprintf(name, sizeof name, "t_%s", row->name);
    const struct ventus_kernel *kernel = ventus_module_find(module, name);
    make_inputs(row->domain);
    for (int k = 0; k < 3; k++) ventus_write(device, buf->addr[1 + k], inputs[k], sizeof inputs[k]);
    ventus_write(device, buf->addr[4], numbers, sizeof numbers);
    if (!kernel || kernel->args_size != sizeof buf->addr) return printf("FAILED %s: no such kernel\n", name), false;
    struct ventus_launch launch = {.module = module, .kernel = kernel, .args = buf->addr,
                                   .range = {1, {COUNT, 1, 1}, {256, 1, 1}, {0}}};
    if (ventus_run(device, &launch, &result, why, sizeof why) == VENTUS_OK && ventus_read(device, out, buf->addr[0], COUNT * 4) == VENTUS_OK)
        return true;
    printf("FAILED %s: %s\n", row->name, why);
    return false;
}

static bool check_row(const struct row *row, const float *out)
{
    double worst = 0;
    int at = 0;
    for (int i = 0; i < COUNT; i++) {
        double error = error_of(row, i, out[i]);
        if (error > worst) worst = error, at = i;
    }
    bool ok = worst <= row->ulps;
    if (!ok)
        printf("FAILED %s: %g ulp, limit %g: a=%a b=%a c=%a n=%d gives %a, expected %La\n", row->name, worst, row->ulps, (double)inputs[0][at],
               (double)inputs[1][at], (double)inputs[2][at], numbers[at], (double)out[at],
               row->reference(inputs[0][at], inputs[1][at], inputs[2][at], numbers[at]));
    else if (getenv("VENTUS_VERBOSE")) printf("%-12s %.3f ulp of %g\n", row->name, worst, row->ulps);
    return ok;
}

int main(void)
{
    static char message[MESSAGE];
    static float out[COUNT];
    ventus_device *device;
    ventus_module *module;
    struct buffers buf;
    unsigned failed = 0;
    char *text = source();
    if (!text || ventus_open(0, &device) != VENTUS_OK) return printf("no device\n"), 1;
    bool built = build_device(text, NULL, NULL, &module, message, sizeof message);
    free(text);
    build_end();
    for (int i = 0; i < 5; i++)
        if (ventus_alloc(device, COUNT * 4, &buf.addr[i]) != VENTUS_OK) built = false;
    if (!built) {
        printf("FAILED: %s\n", message);
        ventus_close(device);
        return 1;
    }
    for (int r = 0; r < ROWS; r++)
        if (!run_row(device, module, &rows[r], &buf, out) || !check_row(&rows[r], out)) failed++;
    ventus_module_free(module);
    ventus_close(device);
    printf("%d functions, %u failed\n", ROWS, failed);
    return failed > 0;
}
