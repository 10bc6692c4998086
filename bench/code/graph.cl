// Irregular access: sparse rows, graphs, clusters.
//! run spmv global=64 local=32
//! arg rows int[65] = i * (i + 3) / 4
//! arg cols int[1200] = random(i) % 64 & 63
//! arg values float[1200] = unit(i)
//! arg x float[64] = unit(i + 3000)
//! arg y float[64] -> any
kernel void spmv(global const int *rows, global const int *cols, global const float *values, global const float *x, global float *y)
{
    int r = get_global_id(0);
    float sum = 0;
    for (int k = rows[r]; k < rows[r + 1]; k++) sum += values[k] * x[cols[k]];
    y[r] = sum;
}

//! run bfs global=128 local=64
//! arg starts int[129] = i * 4
//! arg edges int[512] = random(i) & 127
//! arg mask uchar[128] = i % 3 == 0
//! arg visited uchar[128] = i % 5 == 0
//! arg cost int[128] = i -> any
//! arg next uchar[128] = 0 -> any
kernel void bfs(global const int *starts, global const int *edges, global const uchar *mask, global const uchar *visited,
                global int *cost, global uchar *next)
{
    int t = get_global_id(0);
    if (mask[t])
        for (int i = starts[t]; i < starts[t + 1]; i++) {
            int id = edges[i];
            if (!visited[id]) next[id] = 1;
        }
    cost[t] += mask[t];
}

//! run kmeans global=128 local=64
//! arg points float[1024] = unit(i)
//! arg centers float[40] = unit(i + 2000)
//! arg n int = 128
//! arg clusters int = 5
//! arg features int = 8
//! arg out int[128] -> any
kernel void kmeans(global const float *points, global const float *centers, int n, int clusters, int features, global int *out)
{
    int p = get_global_id(0), index = 0;
    float best = FLT_MAX;
    if (p >= n) return;
    for (int c = 0; c < clusters; c++) {
        float d = 0;
        for (int f = 0; f < features; f++) {
            float diff = points[f * n + p] - centers[c * features + f];
            d += diff * diff;
        }
        if (d < best) {
            best = d;
            index = c;
        }
    }
    out[p] = index;
}

//! run transpose global=64,16 local=16,16
//! arg in float[1024] = unit(i)
//! arg out float[1024] -> any
kernel void transpose(global const float *in, global float *out)
{
    local float tile[16][17];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    int w = get_global_size(0), h = get_global_size(1);
    tile[ly][lx] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + ly) * h + get_group_id(1) * 16 + lx] = tile[lx][ly];
}

//! run saxpy global=512 local=64
//! arg a float = 2.5
//! arg x float[512] = unit(i)
//! arg y float[512] = unit(i + 600) -> any
kernel void saxpy(float a, global const float *x, global float *y)
{
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
