// Work-items that go different ways.
//! sizes 1024 32768

//! run quicksort global=N/16 local=32
//! arg data int[N*4] = random(i) -> any
kernel void quicksort(global int *data)
{
    global int *a = data + 64 * get_global_id(0);
    int low[16], high[16], depth = 1;
    low[0] = 0, high[0] = 63;
    while (depth) {
        int from = low[--depth], to = high[depth];
        while (from < to) {
            int i = from, j = to, pivot = a[(from + to) / 2];
            while (i <= j) {
                while (a[i] < pivot) i++;
                while (a[j] > pivot) j--;
                if (i > j) break;
                int t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
            if (j - from < to - i) {
                if (i < to) low[depth] = i, high[depth++] = to;
                to = j;
            } else {
                if (from < j) low[depth] = from, high[depth++] = j;
                from = i;
            }
        }
    }
}

//! run queens global=N/16 local=32
//! arg out int[N/16] -> any
kernel void queens(global int *out)
{
    int i = get_global_id(0), row = 2, count = 0;
    uint columns[9], left[9], right[9], open[9];
    uint a = 1u << i % 8, b = 1u << i / 8 % 8;
    columns[2] = a | b, left[2] = (a << 1 | b) << 1, right[2] = (a >> 1 | b) >> 1;
    open[2] = 255 & ~(columns[2] | left[2] | right[2]);
    if ((b & (a | a << 1 | a >> 1)) != 0) row = 1;
    while (row >= 2) {
        if (!open[row]) {
            row--;
            continue;
        }
        uint bit = open[row] & -open[row];
        open[row] ^= bit;
        if (row == 7) {
            count++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = 255 & ~(columns[row] | left[row] | right[row]);
    }
    out[i] = count;
}

//! run interpreter global=N local=64
//! arg code uchar[64] = (random(i) & 0x7fffffff) % 8
//! arg data uint[N] = random(i) -> any
kernel void interpreter(global const uchar *code, global uint *data)
{
    int i = get_global_id(0);
    uint a = data[i], b = i, pc = a & 63;
    for (int k = 0; k < 64; k++) {
        switch (code[pc]) {
        case 0: a += b; break;
        case 1: b ^= a >> 3; break;
        case 2: a = a * 5 + 1; break;
        case 3: b = (b << 7 | b >> 25) + a; break;
        case 4: if (a & 1) pc += 3; break;
        case 5: a = a > b ? a - b : b - a; break;
        case 6: b = popcount(a) + b; break;
        default: pc += b & 3;
        }
        pc = (pc + 1) & 63;
    }
    data[i] = a ^ b;
}

//! run hash_insert global=N local=64
//! arg keys uint[N] = (random(i) & 0xfffffff) + 1
//! arg table uint[N*4] = 0
//! arg found int[N] -> any
kernel void hash_insert(global const uint *keys, global uint *table, global int *found)
{
    int i = get_global_id(0), mask = 4 * get_global_size(0) - 1;
    uint key = keys[i], at = key * 2654435761u >> 8 & mask;
    while (true) {
        uint old = atomic_cmpxchg(&table[at], 0, key);
        if (!old || old == key) break;
        at = (at + 1) & mask;
    }
    found[i] = 1;
}

//! run hash_lookup global=N local=64
//! arg table uint[N*2] = (random(i) & 0x7fffffff) % 3 ? i * 7 : 0
//! arg keys uint[N] = random(i + 13)
//! arg out int[N] -> any
kernel void hash_lookup(global const uint *table, global const uint *keys, global int *out)
{
    int i = get_global_id(0), mask = 2 * get_global_size(0) - 1, steps = 0;
    uint key = keys[i] & mask, at = key;
    while (table[at] && table[at] != key * 7 + 7 && steps < 32) at = (at + 1) & mask, steps++;
    out[i] = steps;
}

//! run binary_search global=N local=64
//! arg sorted int[N*4] = i * 8 + (random(i) & 0x7fffffff) % 8
//! arg keys int[N] = (random(i) & 0x7fffffff) % (N * 32)
//! arg out int[N] -> any
kernel void binary_search(global const int *sorted, global const int *keys, global int *out)
{
    int i = get_global_id(0), low = 0, high = 4 * get_global_size(0), key = keys[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}

//! run collatz global=N local=64
//! arg out int[N] -> any
kernel void collatz(global int *out)
{
    int i = get_global_id(0), steps = 0;
    for (uint x = i + 1; x != 1; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
    out[i] = steps;
}

//! run spheres global=N local=64
//! arg balls float[64] = unit(i) * 4 - 2
//! arg out float[N] -> any ~ 0.01
float4 nearest_ball(global const float4 *balls, float3 from, float3 way)
{
    float nearest = 100;
    int hit = 0;
    for (int k = 0; k < 16; k++) {
        float3 to = balls[k].xyz - from;
        float b = dot(to, way), d = b * b - dot(to, to) + 0.3f;
        if (d < 0) continue;
        float t = b - sqrt(d);
        if (t > 0.01f && t < nearest) nearest = t, hit = k;
    }
    return (float4)(balls[hit].xyz, nearest);
}
kernel void spheres(global const float4 *balls, global float *out)
{
    int i = get_global_id(0);
    float3 from = (float3)(0, 0, -5), way = normalize((float3)((i % 64) / 32.0f - 1, (i / 64 % 64) / 32.0f - 1, 2));
    float4 hit = nearest_ball(balls, from, way);
    float light = 0.5f + 0.5f * way.y;
    if (hit.w < 99) {
        from += hit.w * way;
        float3 normal = normalize(from - hit.xyz), sun = normalize((float3)(1, 2, -1));
        light = nearest_ball(balls, from, sun).w < 99 ? 0.1f : 0.1f + 0.9f * fmax(dot(normal, sun), 0.0f);
    }
    out[i] = light;
}

//! run tree_walk global=N local=64
//! arg keys int[8192] = (random(i) & 0xffffff)
//! arg out int[N] -> any
kernel void tree_walk(global const int *keys, global int *out)
{
    int stack[16], depth = 1, count = 0, i = get_global_id(0), low = i * 97 & 0xffffff, high = low + 30000;
    stack[0] = 1;
    while (depth) {
        int node = stack[--depth];
        int key = keys[node];
        if (key >= low && key <= high) count += node;
        if (2 * node + 1 < 8192) {
            if (key > low) stack[depth++] = 2 * node;
            if (key < high && depth < 15) stack[depth++] = 2 * node + 1;
        }
    }
    out[i] = count;
}

//! run insertion_sort global=N/4 local=64
//! arg data int[N*4] = random(i) -> any
kernel void insertion_sort(global int *data)
{
    int a[16], id = get_global_id(0), n = get_global_size(0);
    for (int i = 0; i < 16; i++) a[i] = data[i * n + id];
    for (int i = 1; i < 16; i++) {
        int x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
    for (int i = 0; i < 16; i++) data[i * n + id] = a[i];
}

//! run early_exit global=N local=64
//! arg in uint[N] = random(i)
//! arg out int[N] -> any
kernel void early_exit(global const uint *in, global int *out)
{
    int i = get_global_id(0), k = 0;
    uint x = in[i];
    for (; k < 200; k++) {
        x = x * 1664525 + 1013904223;
        if (x >> 24 == (uint)(i & 255)) break;
        if (x < 1000) {
            k = -1;
            break;
        }
    }
    out[i] = k;
}

//! run permutations global=N/32 local=32
//! arg in uint[N/32] = random(i)
//! arg out int[N/32] -> any
kernel void permutations(global const uint *in, global int *out)
{
    int i = get_global_id(0), depth = 0, found = 0;
    uint banned = in[i];
    int pick[6];
    uint used = 0;
    pick[0] = -1;
    while (depth >= 0) {
        int v = ++pick[depth];
        if (v > 5) { if (--depth >= 0) used &= ~(1u << pick[depth]); continue; }
        if (used >> v & 1 || (banned >> ((depth * 6 + v) % 32) & 1 && (v ^ depth) & 1)) continue;
        if (depth == 5) { found++; continue; }
        used |= 1u << v;
        pick[++depth] = -1;
    }
    out[i] = found;
}
