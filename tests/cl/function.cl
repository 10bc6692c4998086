// Functions: several calls of one, results through pointers, loops and returns inside.
int clampsum(int a, int b, int limit)
{
    int s = a + b;
    if (s > limit) return limit;
    if (s < -limit) return -limit;
    return s;
}

//! run calls global=64 local=64/32
//! arg a int[64] = random(i) % 100
//! arg out int[64] -> min(max(min(max(a[i] + 30, -70), 70) + a[63 - i], -50), 50)
kernel void calls(global const int *a, global int *out)
{
    int i = get_global_id(0);
    out[i] = clampsum(clampsum(a[i], 30, 70), a[63 - i], 50);
}

int find(global const int *a, int n, int what, int *steps)
{
    for (int k = 0; k < n; k++) {
        ++*steps;
        if (a[k] == what) return k;
    }
    return -1;
}

//! run search global=32 local=32
//! arg a int[20] = (i * 7) % 20
//! arg out int[32] -> i < 20 ? sum(k, 0, 20, a[k] == i ? k : 0) : -1
//! arg steps int[32] -> i < 20 ? sum(k, 0, 20, a[k] == i ? k + 1 : 0) : 20
kernel void search(global const int *a, global int *out, global int *steps)
{
    int i = get_global_id(0), n = 0;
    out[i] = find(a, 20, i, &n);
    steps[i] = n;
}

float4 twice(float4 v) { return v * 2.0f; }
void put(global float4 *at, float4 v) { *at = v; }

//! run vectors global=8 local=8
//! arg a float[32] = i
//! arg out float[32] -> a[i] * 4
kernel void vectors(global const float4 *a, global float4 *out)
{
    int i = get_global_id(0);
    put(out + i, twice(twice(a[i])));
}

void fill(local int *buffer, int by)
{
    buffer[get_local_id(0)] = get_local_id(0) * by;
    barrier(CLK_LOCAL_MEM_FENCE);
}

//! run barrier_inside global=32 local=32/16
//! arg out int[32] -> any
//! arg ok int[32] -> 1
kernel void barrier_inside(global int *out, global int *ok)
{
    local int buffer[32];
    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    fill(buffer, 3);
    out[g] = buffer[(l + 1) % n];
    ok[g] = out[g] == (l + 1) % n * 3;
}

// A kernel may call a kernel.
kernel void inner(global int *out) { out[get_global_id(0)] += 1; }

//! run outer global=16 local=16
//! arg out int[16] = i -> i + 2
kernel void outer(global int *out)
{
    inner(out);
    inner(out);
}
