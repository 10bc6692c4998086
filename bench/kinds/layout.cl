// How data lies in memory.
//! sizes 4096 131072

//! run aos global=N local=64
//! arg bodies float[N*8] = unit(i) -> any
struct body {
    float x, y, z, vx, vy, vz, mass, age;
};
kernel void aos(global struct body *bodies)
{
    struct body b = bodies[get_global_id(0)];
    b.vy -= 0.01f * b.mass;
    b.x += b.vx * 0.1f;
    b.y += b.vy * 0.1f;
    b.z += b.vz * 0.1f;
    b.age += 1;
    bodies[get_global_id(0)] = b;
}

//! run aos_5 global=N local=64
//! arg in int[N*5] = random(i)
//! arg out int[N*3] -> any
kernel void aos_5(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[3 * i] = in[5 * i] + in[5 * i + 1];
    out[3 * i + 1] = in[5 * i + 2] ^ in[5 * i + 3];
    out[3 * i + 2] = max(in[5 * i + 4], in[5 * i]);
}

//! run soa global=N local=64
//! arg x float[N] = unit(i) -> any
//! arg y float[N] = unit(i) -> any
//! arg z float[N] = unit(i) -> any
//! arg vx float[N] = unit(i)
//! arg vy float[N] = unit(i) -> any
//! arg vz float[N] = unit(i)
kernel void soa(global float *x, global float *y, global float *z, global const float *vx, global float *vy,
                global const float *vz)
{
    int i = get_global_id(0);
    vy[i] -= 0.01f;
    x[i] += vx[i] * 0.1f;
    y[i] += vy[i] * 0.1f;
    z[i] += vz[i] * 0.1f;
}

//! run transpose_3d global=64,8,N/512 local=16,4,1
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void transpose_3d(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
    out[(x * h + y) * d + z] = in[(z * h + y) * w + x];
}

//! run stride_3 global=N local=64
//! arg in float[N*3] = unit(i)
//! arg out float[N] -> any
kernel void stride_3(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[3 * i] * 0.5f + in[3 * i + 1] * 0.3f + in[3 * i + 2] * 0.2f;
}

//! run stride_17 global=N/16 local=64
//! arg in float[N*17] = unit(i)
//! arg out float[N/16] -> any
kernel void stride_17(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += in[17 * (16 * i + k)];
    out[i] = sum;
}

//! run rows_in_lanes global=N/64 local=64
//! arg in float[N] = unit(i)
//! arg out float[N/64] -> any
kernel void rows_in_lanes(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float least = in[64 * i], sum = 0;
    for (int k = 0; k < 64; k++) {
        sum += in[64 * i + k];
        least = fmin(least, in[64 * i + k]);
    }
    out[i] = sum - least;
}

//! run reverse global=N local=64
//! arg in int[N] = random(i)
//! arg out int[N] -> any
kernel void reverse(global const int *in, global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    out[n - 1 - i] = in[i] + 1;
}

//! run cross3 global=N/4 local=64
//! arg in double[N] = unit(i)
//! arg out double[N] -> any
kernel void cross3(global const double3 *in, global double4 *out)
{
    int i = get_global_id(0);
    double3 v = in[i];
    out[i] = (double4)(cross(v, (double3)(1, 2, 3)), dot(v, v));
}

//! run shorts global=N local=64
//! arg in short[N*2] = random(i)
//! arg out short[N] -> any
kernel void shorts(global const short2 *in, global short *out)
{
    int i = get_global_id(0);
    short2 v = in[i];
    out[i] = add_sat(v.x, v.y) >> 1;
}

//! run vec3 global=N local=64
//! arg in float[N*3] = random(i) % 100
//! arg out float[N*3] -> any
kernel void vec3(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float3 v = vload3(i, in);
    vstore3(v * v.x + 1.0f, i, out);
}

//! run stereo global=N local=64
//! arg left short[N] = random(i)
//! arg right short[N] = random(i + 9)
//! arg out short[N*2] -> any
kernel void stereo(global const short *left, global const short *right, global short *out)
{
    int i = get_global_id(0);
    out[2 * i] = left[i] / 2 + right[i] / 4;
    out[2 * i + 1] = right[i] / 2 + left[i] / 4;
}

struct item { float weight; int id; short kind; uchar flag, level; };
//! run items global=N local=64
//! arg in uint[N*3] = random(i) % 1000
//! arg out uint[N*3] -> any
kernel void items(global const struct item *in, global struct item *out)
{
    int i = get_global_id(0);
    struct item it = in[i];
    it.id += 5; it.kind = it.kind * 3 + it.level; it.flag ^= 1; it.level++;
    out[i] = it;
}
