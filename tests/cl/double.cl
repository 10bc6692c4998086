// Doubles: arithmetic on all bit patterns, arguments, all memories, vectors. Functions: python/doubles.py.
//! run arithmetic global=2048 local=64
//! arg a double[2048] = i % 2 ? asdouble(random(i)) : unit(i) * 3 - 1
//! arg b double[2048] = i % 8 == 3 ? asdouble(random(i + 4000)) : unit(i + 9000) - 0.4
//! arg sums double[2048] -> a[i] + b[i]
//! arg differences double[2048] -> a[i] - b[i]
//! arg products double[2048] -> a[i] * b[i]
//! arg quotients double[2048] -> a[i] / b[i]
//! arg roots double[2048] -> sqrt(a[i])
//! arg floats float[2048] -> a[i]
kernel void arithmetic(global const double *a, global const double *b, global double *sums, global double *differences,
                       global double *products, global double *quotients, global double *roots, global float *floats)
{
    size_t i = get_global_id(0);
    sums[i] = a[i] + b[i];
    differences[i] = a[i] - b[i];
    products[i] = a[i] * b[i];
    quotients[i] = a[i] / b[i];
    roots[i] = sqrt(a[i]);
    floats[i] = (float)a[i];
}

//! run uniform global=64 local=64
//! arg x double = 2.25
//! arg v double4 = {1, -2, 0.5, 1e300}
//! arg n int = -7
//! arg out double[8] -> {1.5, 3.25, -4.5, 1.125, 2.25 * 1e300, -7, -2, 1}
kernel void uniform(double x, double4 v, int n, global double *out)
{
    vstore4(x * v, 0, out + 1);
    out[0] = sqrt(x);
    out[1] = v.x + x;
    out[5] = n;
    out[6] = (double)(int)(x * -1.0);
    out[7] = x > v.x;
}

//! run memories global=64 local=64
//! arg in double[64] = i * 0.1
//! arg scratch local 512
//! arg out double[64] -> (63 - i) * 0.1 * 3 + (i % 4 + 0.5) + i * 0.1
constant double table[] = {0.5, 1.5, 2.5, 3.5};
kernel void memories(global const double *in, local double *scratch, global double *out)
{
    local double turned[64];
    size_t i = get_local_id(0);
    double own[8];
    for (int k = 0; k < 8; k++) own[k] = in[i] * k;
    event_t e = async_work_group_copy(scratch, in, 64, 0);
    wait_group_events(1, &e);
    turned[63 - i] = scratch[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = turned[i] + table[i & 3] + own[(i & 0) + 1];
}

//! run branches global=64 local=32
//! arg out double[64] -> i < 20 ? i * 0.25 + 64 : i % 3 == 0 ? -1.5 : i / 8.0
kernel void branches(global double *out)
{
    int i = get_global_id(0);
    double x = i;
    if (x < 20.0) {
        for (int k = 0; k < i % 5; k++) x -= 1.0;
        x = (x + i % 5) * 0.25;
        x += 0x1p6;
    } else {
        x = i % 3 == 0 ? -1.5 : x / 8.0;
    }
    out[i] = x;
}

//! run vectors global=16 local=16
//! arg a double[64] = i * 1.25 - 20
//! arg out double[64] -> max(floor(a[i]), -3) + (i % 4 == 1 ? a[i] : 0)
//! arg narrow float[64] -> a[i]
//! arg whole int[64] -> a[i]
kernel void vectors(global const double *a, global double *out, global float *narrow, global int *whole)
{
    size_t i = get_global_id(0);
    double4 v = vload4(i, a), w = fmax(floor(v), -3.0);
    vstore4(w + select((double4)0, v, (long4)(0, -1, 0, 0)), i, out);
    vstore4(convert_float4(v), i, narrow);
    vstore4(convert_int4(v), i, whole);
}

//! run halves global=1 local=1
//! arg in double[4] = {1.0009765625, -65519.999, 3e-8, 1e9}
//! arg out ushort[20] -> {0x3c01, 0xfbff, 1, 0x7c00, 0x3c01, 0xfbff, 0, 0x7bff, 0x3c01, 0xfbff, 1, 0x7c00,
//!     0x3c01, 0xfc00, 0, 0x7bff, 0x3c01, 0xfbff, 1, 0x7c00}
kernel void halves(global const double *in, global half *out)
{
    double4 v = vload4(0, in);
    vstore_half4(v, 0, out);
    vstore_half4_rtz(v, 1, out);
    vstore_half4_rtp(v, 2, out);
    vstore_half4_rtn(v, 3, out);
    vstorea_half4_rte(v, 4, out);
}

// A float is not widened for a constant that it holds.
//! run literals global=64 local=64
//! arg out float[64] -> i * 0.5 + 1.25
kernel void literals(global float *out)
{
    float x = get_global_id(0);
    out[get_global_id(0)] = x * 0.5 + 1.25;
}

//! run edges global=1 local=1
//! arg low double = 1
//! arg high double = 3
//! arg x double[16] = i * 0.25
//! arg out double[16] -> x[i] < 1 ? 0 : x[i] > 3 ? 1 : (x[i] - 1) / 2 * ((x[i] - 1) / 2) * (3 - (x[i] - 1)) ~ 0.000001
//! arg same int[4] -> 1
kernel void edges(double low, double high, global const double *x, global double *out, global int *same)
{
    double16 v = vload16(0, x), whole = smoothstep(low, high, v);
    vstore16(whole, 0, out);
    same[0] = all(smoothstep(low, high, v.s01) == whole.s01);
    same[1] = all(smoothstep(low, high, v.s234) == whole.s234);
    same[2] = all(smoothstep(low, high, v.s5678) == whole.s5678);
    same[3] = all(smoothstep(low, high, v.hi) == whole.hi);
}
