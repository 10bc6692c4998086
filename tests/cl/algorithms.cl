// Small programs of the kind people write.
//! run crc32 global=16 local=16
//! arg out uint[16] -> {3523407757, 2768625435, 1007455905, 1259060791, 3580832660, 2724731650, 996231864, 1281784366,
//!     3705235391, 2883475241, 852952723, 1171273221, 3686048678, 2897449776, 901431946, 1119744540}
kernel void crc32(global uint *out)
{
    uint crc = 0xffffffffu ^ (uint)get_global_id(0);
    for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    out[get_global_id(0)] = ~crc;
}

//! run primes global=100 local=50/20/null
//! arg out int[100] -> i > 1 && sum(d, 2, i, i % d == 0) == 0
kernel void primes(global int *out)
{
    int n = get_global_id(0), prime = n > 1;
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0) {
            prime = 0;
            break;
        }
    out[n] = prime;
}

//! run gcd global=64 local=32
//! arg a uint[64] = random(i) & 0xffff
//! arg b uint[64] = (random(i + 64) & 0xffff) + 1
//! arg out uint[64] -> any
//! arg divides int[64] -> 1
kernel void gcd(global const uint *a, global const uint *b, global uint *out, global int *divides)
{
    int i = get_global_id(0);
    uint x = a[i], y = b[i];
    while (y) {
        uint r = x % y;
        x = y;
        y = r;
    }
    out[i] = x;
    divides[i] = a[i] % x == 0 && b[i] % x == 0;
}

// Heat in a rod: many steps over local memory.
//! run heat global=32 local=32
//! arg steps int = 10
//! arg out float[32] -> any
//! arg total float[32] -> 32 ~ 0.001
kernel void heat(int steps, global float *out, global float *total)
{
    local float rod[34];
    int l = get_local_id(0);
    rod[l + 1] = l == 16 ? 32 : 0;
    if (l < 2) rod[33 * l] = 0;
    for (int s = 0; s < steps; s++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float next = 0.25f * rod[l] + 0.5f * rod[l + 1] + 0.25f * rod[l + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
        rod[l + 1] = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 1; k < 33; k++) sum += rod[k];
    out[l] = rod[l + 1];
    total[l] = sum;
}

//! run life global=16,16 local=8,8/16,4/null
//! arg a uchar[256] = random(i) % 3 == 0
//! arg out uchar[256] ->
//!     sum(y, 15, 18, sum(x, 15, 18, a[(i / 16 + y) % 16 * 16 + (i + x) % 16])) - a[i] == 3 ||
//!     a[i] && sum(y, 15, 18, sum(x, 15, 18, a[(i / 16 + y) % 16 * 16 + (i + x) % 16])) == 3
kernel void life(global const uchar *a, global uchar *out)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += a[(y + dy & 15) * 16 + (x + dx & 15)];
    out[y * 16 + x] = n == 3 || (n == 2 && a[y * 16 + x]);
}
