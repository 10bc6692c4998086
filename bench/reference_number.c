/* What workloads that compute much for each element must give; see workload.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

/* ---- integers ---- */

static uint32_t right(uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

/* The first 32 bits behind the point of the cube root of the k-th prime, as SHA-256 defines its constants. */
static void round_constants(uint32_t constants[64])
{
    unsigned found = 0;
    for (unsigned candidate = 2; found < 64; candidate++) {
        unsigned divisor = 2;
        while (divisor * divisor <= candidate && candidate % divisor) divisor++;
        if (divisor * divisor <= candidate) continue;
        constants[found++] = (uint32_t)fmod(cbrtl(candidate) * 0x1p32L, 0x1p32L);
    }
}

/* The block of a message of four bytes, continued to one word for each round. */
static void message_words(uint32_t message, uint32_t w[64])
{
    memset(w, 0, 16 * sizeof *w);
    w[0] = message, w[1] = 0x80000000, w[15] = 32;
    for (unsigned t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[t - 7] + (right(b, 17) ^ right(b, 19) ^ b >> 10);
    }
}

static void hash_message(uint32_t message, const uint32_t start[8], const uint32_t constants[64], uint32_t digest[8])
{
    uint32_t w[64], h[8];
    memcpy(h, start, sizeof h);
    message_words(message, w);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t a = h[0], e = h[4], choice = (e & h[5]) ^ (~e & h[6]), majority = (a & (h[1] ^ h[2])) ^ (h[1] & h[2]);
        uint32_t one = h[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + choice + constants[t] + w[t];
        memmove(h + 1, h, 7 * sizeof *h);
        h[4] += one;
        h[0] = one + (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + majority;
    }
    for (unsigned k = 0; k < 8; k++) digest[k] = start[k] + h[k];
}

void sha256_reference(void **at, size_t n)
{
    uint32_t *digests = at[1], constants[64];
    round_constants(constants);
    for (uint32_t i = 0; i < n; i++) hash_message(i, at[0], constants, digests + (size_t)8 * i);
}

void modpow_reference(void **at, size_t n)
{
    const uint32_t *bases = at[0], *exponents = at[1], *moduli = at[2];
    uint64_t *out = at[3];
    for (size_t i = 0; i < n; i++) {
        uint64_t modulus = moduli[i] | 1;
        out[i] = 1;
        for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
            out[i] = out[i] * out[i] % modulus;
            if (exponents[i] & bit) out[i] = out[i] * bases[i] % modulus;
        }
    }
}

void montecarlo_reference(void **at, size_t n)
{
    const uint32_t *seeds = at[0];
    uint32_t *hits = at[1];
    for (size_t i = 0; i < n; i++) {
        uint32_t random = seeds[i] | 1;
        for (unsigned k = 0; k < 256; k++) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            uint32_t x = random & 0x7fff, y = random >> 17;
            *hits += x * x + y * y < 1u << 30;
        }
    }
}

/* ---- floats ---- */

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }

void blackscholes_reference(void **at, size_t n)
{
    const float *price = at[0], *strike = at[1], *years = at[2];
    float *call = at[3], *put = at[4];
    const double rate = 0.03, volatility = 0.25;
    for (size_t i = 0; i < n; i++) {
        double s = 10 + 90.0 * price[i], k = 10 + 90.0 * strike[i], t = 0.25 + 5.0 * years[i];
        double deviation = volatility * sqrt(t);
        double d1 = (log(s / k) + (rate + volatility * volatility / 2) * t) / deviation, d2 = d1 - deviation;
        call[i] = (float)(s * normal(d1) - k * exp(-rate * t) * normal(d2));
        put[i] = (float)(k * exp(-rate * t) * normal(-d2) - s * normal(-d1));
    }
}

/* The transform of the n numbers from[0], from[stride] ...: of the even and of the odd ones first. */
static void transform(const float *from, double *to, size_t n, size_t stride)
{
    if (n == 1) {
        to[0] = from[0], to[1] = from[1];
        return;
    }
    transform(from, to, n / 2, 2 * stride);
    transform(from + 2 * stride, to + n, n / 2, 2 * stride);
    for (size_t k = 0; k < n / 2; k++) {
        double *even = to + 2 * k, *odd = to + n + 2 * k, angle = -2 * acos(-1) * (double)k / (double)n;
        double re = odd[0] * cos(angle) - odd[1] * sin(angle), im = odd[0] * sin(angle) + odd[1] * cos(angle);
        odd[0] = even[0] - re, odd[1] = even[1] - im;
        even[0] += re, even[1] += im;
    }
}

void fft_reference(void **at, size_t n)
{
    float *numbers = at[0];
    double *result = need(malloc(2 * n * sizeof *result));
    transform(numbers, result, n, 1);
    for (size_t i = 0; i < 2 * n; i++) numbers[i] = (float)result[i];
    free(result);
}

/* How n bodies pull at one place. */
static void pull_at(const float *bodies, size_t n, const float *place, double pull[3])
{
    for (const float *other = bodies; other < bodies + 4 * n; other += 4) {
        double way[3], squared = 0.01;
        for (unsigned k = 0; k < 3; k++) {
            way[k] = (double)other[k] - place[k];
            squared += way[k] * way[k];
        }
        double strength = other[3] / (squared * sqrt(squared));
        for (unsigned k = 0; k < 3; k++) pull[k] += strength * way[k];
    }
}

void nbody_reference(void **at, size_t n)
{
    const float *bodies = at[0], *speeds = at[1];
    float *next_bodies = at[2], *next_speeds = at[3];
    for (size_t i = 0; i < 4 * n; i += 4) {
        double pull[3] = {0};
        pull_at(bodies, n, bodies + i, pull);
        for (unsigned k = 0; k < 3; k++) {
            next_speeds[i + k] = (float)(speeds[i + k] + 0.01 * pull[k]);
            next_bodies[i + k] = bodies[i + k] + 0.01f * next_speeds[i + k];
        }
        next_speeds[i + 3] = speeds[i + 3];
        next_bodies[i + 3] = bodies[i + 3];
    }
}

/* One step of a spark: x, y and their speeds, and its age. */
static void spark_step(float p[4], int32_t *age)
{
    bool slow = fabsf(p[0]) < 0.5f && fabsf(p[1]) < 0.5f;
    p[3] -= 0.0625f;
    for (unsigned k = 0; k < 2; k++) {
        if (slow) p[2 + k] *= 0.5f;
        p[k] += 0.125f * p[2 + k];
    }
    if (fabsf(p[0]) > 1) {
        p[0] = copysignf(2, p[0]) - p[0];
        p[2] = -p[2];
    }
    if (p[1] < -1) {
        p[1] = -2 - p[1];
        p[3] *= -0.75f;
        *age += 8;
    }
    *age += 1;
}

void particles_reference(void **at, size_t n)
{
    const float *sparks = at[0];
    float *out = at[1];
    int32_t *ages = at[2];
    for (size_t i = 0; i < n; i++) {
        memcpy(out + 4 * i, sparks + 4 * i, 4 * sizeof *out);
        for (unsigned step = 0; step < 16; step++) {
            spark_step(out + 4 * i, ages + i);
            if (ages[i] <= 64) continue;
            memcpy(out + 4 * i, sparks + 4 * i, 4 * sizeof *out);
            ages[i] = 0;
        }
    }
}

static unsigned nearest(const float *point, const float *centres)
{
    float least = INFINITY;
    unsigned best = 0;
    for (unsigned c = 0; c < CLUSTERS; c++) {
        float x = point[0] - centres[2 * c], y = point[1] - centres[2 * c + 1], squared = x * x + y * y;
        if (squared < least) least = squared, best = c;
    }
    return best;
}

void kmeans_reference(void **at, size_t n)
{
    const float *points = at[0];
    float *centres = at[1];
    for (unsigned step = 0; step < KMEANS_STEPS; step++) {
        double sums[CLUSTERS][3] = {0};
        for (size_t i = 0; i < n; i++) {
            double *sum = sums[nearest(points + 2 * i, centres)];
            sum[0] += points[2 * i], sum[1] += points[2 * i + 1], sum[2]++;
        }
        for (unsigned c = 0; c < CLUSTERS; c++)
            for (unsigned k = 0; k < 2; k++)
                if (sums[c][2] > 0) centres[2 * c + k] = (float)(sums[c][k] / sums[c][2]);
    }
}

void shading_reference(void **at, size_t n)
{
    const float *angles = at[0];
    float *light = at[1];
    for (size_t i = 0; i < n; i++) {
        double x = angles[i], sum = 0;
        for (int k = 1; k <= 4; k++)
            sum += exp(-x * k) * sin(x * k) / (x + k) + cos(x + k) / sqrt(x * x + k) + log(x + k);
        light[i] = (float)sum;
    }
}
