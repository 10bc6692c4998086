// Graphs and sparse matrices; node i has up to 16 edges from 16 i on.
//! sizes 1024 32768

//! run pagerank global=N local=64
//! arg degree int[N] = (random(i) & 0x7fffffff) % 17
//! arg edges int[N*16] = (random(i) & 0x7fffffff) % N
//! arg rank float[N] = unit(i)
//! arg out float[N] -> any
kernel void pagerank(global const int *degree, global const int *edges, global const float *rank, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < degree[i]; k++) sum += rank[edges[16 * i + k]];
    out[i] = 0.15f + 0.85f * sum / 16;
}

//! run components global=N local=64
//! arg edges int[N*4] = (random(i) & 0x7fffffff) % N
//! arg label int[N] = i
//! arg out int[N] -> any
kernel void components(global const int *edges, global const int *label, global int *out)
{
    int i = get_global_id(0), least = label[i];
    for (int k = 0; k < 4; k++) least = min(least, label[edges[4 * i + k]]);
    out[i] = least;
}

//! run relax global=N local=64
//! arg edges int[N*4] = (random(i) & 0x7fffffff) % N
//! arg weight int[N*4] = random(i) & 255
//! arg distance int[N] = random(i) & 4095
//! arg out int[N] = 100000 -> any
kernel void relax(global const int *edges, global const int *weight, global const int *distance, global int *out)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++) atomic_min(&out[edges[4 * i + k]], distance[i] + weight[4 * i + k]);
}

//! run common_neighbours global=N local=64
//! arg edges int[N*16] = i % 16 * 64 + (random(i) & 0x7fffffff) % 64
//! arg pairs int[N*2] = (random(i) & 0x7fffffff) % N
//! arg out int[N] -> any
kernel void common_neighbours(global const int *edges, global const int *pairs, global int *out)
{
    int i = get_global_id(0), a = 16 * pairs[2 * i], b = 16 * pairs[2 * i + 1], ka = 0, kb = 0, count = 0;
    while (ka < 16 && kb < 16) {
        int x = edges[a + ka], y = edges[b + kb];
        count += x == y;
        ka += x <= y;
        kb += y <= x;
    }
    out[i] = count;
}

//! run ellpack global=N local=64
//! arg columns int[N*8] = (random(i) & 0x7fffffff) % N
//! arg values float[N*8] = unit(i)
//! arg x float[N] = unit(i)
//! arg y float[N] -> any
kernel void ellpack(global const int *columns, global const float *values, global const float *x, global float *y)
{
    int i = get_global_id(0), n = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += values[k * n + i] * x[columns[k * n + i]];
    y[i] = sum;
}

//! run list_rank global=N local=64
//! arg next int[N] = (random(i) & 0x7fffffff) % N
//! arg out int[N] -> any
kernel void list_rank(global const int *next, global int *out)
{
    int i = get_global_id(0), at = i;
    for (int k = 0; k < 32; k++) at = next[at];
    out[i] = at;
}

//! run triangular_solve global=N local=64
//! arg columns int[N*8] = (random(i) & 0x7fffffff) % N
//! arg values float[N*8] = unit(i)
//! arg x float[N] = unit(i)
//! arg out float[N] -> any
kernel void triangular_solve(global const int *columns, global const float *values, global const float *x, global float *out)
{
    int i = get_global_id(0);
    float sum = x[i];
    for (int k = 0; k < 8; k++) {
        int c = columns[8 * i + k];
        if (c >= i) continue;
        sum -= values[8 * i + k] * x[c];
    }
    out[i] = sum / (1 + values[8 * i]);
}

//! run d_csr global=N/16 local=64
//! arg rows int[N/16+1] = i * 16
//! arg col int[N] = (random(i) & 0x7fffffff) % (N / 16)
//! arg val double[N] = unit(i)
//! arg x double[N/16] = unit(i + 7)
//! arg y double[N/16] -> any
kernel void d_csr(global const int *rows, global const int *col, global const double *val, global const double *x, global double *y)
{
    int i = get_global_id(0);
    double s = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++) s += val[k] * x[col[k]];
    y[i] = s;
}
