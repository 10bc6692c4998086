// Three kernels for the design: a vector addition, a reduction by a tree in local memory, and a matrix product by tiles. Lines with
// `//!` are what the test gives them and expects (tests/README.md).

//! run add global=1024 local=64/256
//! arg a int[1024] = i
//! arg b int[1024] = i * i
//! arg c int[1024] -> i + i * i
kernel void add(global const int *a, global const int *b, global int *c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

//! run sum global=1024 local=256
//! arg in int[1024] = i + 1
//! arg out int[4] -> sum(k, 0, 256, 256 * i + k + 1)
kernel void sum(global const int *in, global int *out)
{
    local int part[256];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int n = get_local_size(0) / 2; n; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) part[l] += part[l + n];
    }
    if (!l) out[get_group_id(0)] = part[0];
}

//! run product global=32,32 local=16,16
//! arg a int[1024] = i % 7
//! arg b int[1024] = i % 5
//! arg c int[1024] -> sum(k, 0, 32, (i / 32 * 32 + k) % 7 * ((k * 32 + i % 32) % 5))
//! arg n int = 32
kernel void product(global const int *a, global const int *b, global int *c, int n)
{
    local int ta[16][16], tb[16][16];
    int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1), sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
