// Multiply-adds into registers with high numbers, which need a prefix: more sums are alive than there are low ones.
//! run sums global=32 local=32
//! arg x float[32] = i
//! arg y int[32] = i - 5
//! arg out float[32] -> 48 * (2 * i + 1) * (i + 2) + 48 * 47 / 2 * i
//! arg iout int[32] -> 48 * (2 * (i - 5) + 1) * (i - 5) + 48 * 47 / 2 * (i - 5)
kernel void sums(global const float *x, global const int *y, global float *out, global int *iout)
{
    const int16 steps = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint i = get_local_id(0);
    float a = x[i], c = a + 2;
    int b = y[i], d = b;
    float16 f0 = a * convert_float16(steps), f1 = f0 + a * 16, f2 = f1 + a * 16;
    int16 n0 = b * steps, n1 = n0 + b * 16, n2 = n1 + b * 16;
    for (int round = 0; round < 2; round++, a++, b++) {
        f0 = fma((float16)a, (float16)c, f0), f1 = fma((float16)a, (float16)c, f1), f2 = fma((float16)a, (float16)c, f2);
        n0 += b * d, n1 += b * d, n2 += b * d;
    }
    f0 += f1 + f2, n0 += n1 + n2;
    f0.lo += f0.hi, n0.lo += n0.hi;
    f0.s0123 += f0.s4567, n0.s0123 += n0.s4567;
    out[i] = f0.s0 + f0.s1 + f0.s2 + f0.s3, iout[i] = n0.s0 + n0.s1 + n0.s2 + n0.s3;
}
