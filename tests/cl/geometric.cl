// Geometric functions.
//! run geometry global=16 local=16
//! arg a float[64] = float(unit(i) * 4 - 2)
//! arg b float[64] = float(unit(i + 64) * 4 - 2)
//! arg dots float[16] -> sum(k, 0, 4, a[4 * i + k] * b[4 * i + k]) ~ 1e-5
//! arg lengths float[16] -> sqrt(sum(k, 0, 4, a[4 * i + k] * a[4 * i + k])) ~ 4ulp
//! arg distances float[16] -> sqrt(sum(k, 0, 4, (a[4 * i + k] - b[4 * i + k]) * (a[4 * i + k] - b[4 * i + k]))) ~ 8ulp
//! arg units float[64] -> a[i] / sqrt(sum(k, 0, 4, a[i / 4 * 4 + k] * a[i / 4 * 4 + k])) ~ 8ulp
//! arg crosses float[64] -> i % 4 == 3 ? 0.0 :
//!     a[i / 4 * 4 + (i % 4 + 1) % 3] * b[i / 4 * 4 + (i % 4 + 2) % 3]
//!     - a[i / 4 * 4 + (i % 4 + 2) % 3] * b[i / 4 * 4 + (i % 4 + 1) % 3] ~ 1e-5
kernel void geometry(global const float4 *a, global const float4 *b, global float *dots, global float *lengths,
                     global float *distances, global float4 *units, global float4 *crosses)
{
    int i = get_global_id(0);
    dots[i] = dot(a[i], b[i]);
    lengths[i] = length(a[i]);
    distances[i] = distance(a[i], b[i]);
    units[i] = normalize(a[i]);
    crosses[i] = cross(a[i], b[i]);
}
