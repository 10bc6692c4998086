// Linear algebra and layers of networks.
//! sizes 2048 65536

//! run gemm_int8 global=64,N/64 local=16,8
//! arg a char[N] = random(i)
//! arg b char[4096] = random(i + 5)
//! arg c int[N] -> any
kernel void gemm_int8(global const char *a, global const char *b, global int *c)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int k = 0; k < 64; k++) sum += a[y * 64 + k] * b[k * 64 + x];
    c[y * 64 + x] = sum;
}

//! run dot_int8 global=N local=64
//! arg a char[N*16] = random(i)
//! arg b char[16] = random(i + 5)
//! arg c int[N] -> any
kernel void dot_int8(global const char4 *a, global const char4 *b, global int *c)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        int4 p = convert_int4(a[4 * i + k]) * convert_int4(b[k]);
        sum += p.x + p.y + p.z + p.w;
    }
    c[i] = sum;
}

//! run dgemm_double global=64,N/256 local=16,8
//! arg a double[N/4] = unit(i)
//! arg b double[4096] = unit(i + 5)
//! arg c double[N/4] -> any
kernel void dgemm_double(global const double *a, global const double *b, global double *c)
{
    int x = get_global_id(0), y = get_global_id(1);
    double sum = 0;
    for (int k = 0; k < 64; k++) sum += a[y * 64 + k] * b[k * 64 + x];
    c[y * 64 + x] = sum;
}

//! run gemv_rows global=N/16 local=64
//! arg matrix float[N*4] = unit(i)
//! arg x float[64] = unit(i)
//! arg y float[N/16] -> any
kernel void gemv_rows(global const float *matrix, global const float *x, global float *y)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += matrix[64 * row + k] * x[k];
    y[row] = sum;
}

//! run lu_4x4 global=N/4 local=64
//! arg in float[N*4] = i % 16 % 5 == 0 ? 5 + unit(i) : unit(i)
//! arg out float[N*4] -> any ~ 0.001
kernel void lu_4x4(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float a[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) a[r][c] = in[16 * i + 4 * r + c];
    for (int k = 0; k < 3; k++)
        for (int r = k + 1; r < 4; r++) {
            a[r][k] /= a[k][k];
            for (int c = k + 1; c < 4; c++) a[r][c] -= a[r][k] * a[k][c];
        }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) out[16 * i + 4 * r + c] = a[r][c];
}

//! run softmax global=N local=64
//! arg in float[N] = unit(i) * 8
//! arg out float[N] -> any ~ 0.001
kernel void softmax(global const float *in, global float *out)
{
    local float part[64];
    int i = get_global_id(0), l = get_local_id(0);
    float x = in[i];
    part[l] = x;
    for (int step = 32; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) part[l] = fmax(part[l], part[l + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float most = part[0], e = exp(x - most);
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l] = e;
    for (int step = 32; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) part[l] += part[l + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = e / part[0];
}

//! run layer_norm global=N/64 local=32
//! arg in float[N] = unit(i)
//! arg out float[N] -> any ~ 0.001
kernel void layer_norm(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float sum = 0, squares = 0;
    for (int k = 0; k < 64; k++) sum += in[64 * i + k], squares += in[64 * i + k] * in[64 * i + k];
    float mean = sum / 64, scale = rsqrt(squares / 64 - mean * mean + 1e-5f);
    for (int k = 0; k < 64; k++) out[64 * i + k] = (in[64 * i + k] - mean) * scale;
}

//! run gelu global=N local=64
//! arg in float[N] = unit(i) * 4 - 2
//! arg out float[N] -> any ~ 0.001
kernel void gelu(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float x = in[i];
    out[i] = 0.5f * x * (1 + tanh(0.79788f * (x + 0.044715f * x * x * x)));
}

//! run conv_relu global=N/8 local=64
//! arg in float[N*2] = unit(i) - 0.5
//! arg weights float[72] = unit(i) - 0.5
//! arg out float[N/8] -> any ~ 0.001
kernel void conv_relu(global const float *in, constant float *weights, global float *out)
{
    int i = get_global_id(0), plane = get_global_size(0);
    float sum = 0.1f;
    for (int c = 0; c < 8; c++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++) sum += in[c * plane + i + y * 32 + x] * weights[c * 9 + y * 3 + x];
    out[i] = fmax(sum, 0.0f);
}

//! run max_pool global=N/4 local=64
//! arg in float[N] = unit(i)
//! arg out float[N/4] -> any
kernel void max_pool(global const float *in, global float *out)
{
    int i = get_global_id(0), x = i % 32, y = i / 32;
    global const float *at = in + 128 * y + 2 * x;
    out[i] = fmax(fmax(at[0], at[1]), fmax(at[64], at[65]));
}

//! run attention_row global=N/32 local=64
//! arg q float[N/4] = unit(i) - 0.5
//! arg keys float[1024] = unit(i) - 0.5
//! arg out float[N/4] -> any ~ 0.001
kernel void attention_row(global const float *q, global const float *keys, global float *out)
{
    int i = get_global_id(0);
    float mine[8], result[8], sum = 0;
    for (int d = 0; d < 8; d++) mine[d] = q[8 * i + d], result[d] = 0;
    for (int k = 0; k < 128; k++) {
        float score = 0;
        for (int d = 0; d < 8; d++) score += mine[d] * keys[8 * k + d];
        score = exp(score);
        sum += score;
        for (int d = 0; d < 8; d++) result[d] += score * keys[8 * k + d];
    }
    for (int d = 0; d < 8; d++) out[8 * i + d] = result[d] / sum;
}

//! run embedding global=32,N/32 local=32,2
//! arg tokens int[N/32] = (random(i) & 0x7fffffff) % 1000
//! arg table float[32000] = unit(i)
//! arg out float[N] -> any
kernel void embedding(global const int *tokens, global const float *table, global float *out)
{
    int d = get_global_id(0), i = get_global_id(1);
    out[32 * i + d] = table[32 * tokens[i] + d] * 5.65f;
}
