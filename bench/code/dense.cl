// Matrix product, one element a work-item: the inner loop is two loads, a multiplication and the addresses.
//! run sgemm global=32,32 local=16,16
//! arg n int = 32
//! arg a float[1024] = unit(i)
//! arg b float[1024] = unit(i + 5000)
//! arg c float[1024] -> any
kernel void sgemm(int n, global const float *a, global const float *b, global float *c)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

#define TILE 16
//! run sgemm_tiled global=32,32 local=16,16
//! arg n int = 32
//! arg a float[1024] = unit(i)
//! arg b float[1024] = unit(i + 5000)
//! arg c float[1024] -> any
kernel void sgemm_tiled(int n, global const float *a, global const float *b, global float *c)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[ly][lx] = a[y * n + t + lx];
        bs[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) sum += as[ly][k] * bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

//! run convolve global=256 local=64
//! arg n int = 256
//! arg in float[272] = unit(i)
//! arg weights float[16] = unit(i + 300)
//! arg out float[256] -> any
kernel void convolve(int n, global const float *in, constant float *weights, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    if (i >= n) return;
    #pragma unroll 4
    for (int k = 0; k < 16; k++) sum += in[i + k] * weights[k];
    out[i] = sum;
}
