// Private arrays and variables whose address is taken.
//! run indexed global=64 local=64/16/null
//! arg a int[64] = random(i) % 1000
//! arg out int[64] -> a[(i + 3 * i + 1) % 8 + i / 8 * 8] - a[i / 8 * 8 + 7 - i % 8]
kernel void indexed(global const int *a, global int *out)
{
    int i = get_global_id(0), p[8];
    for (int k = 0; k < 8; k++) p[k] = a[i / 8 * 8 + k];
    out[i] = p[(i + 3 * i + 1) % 8] - p[7 - i % 8];
}

//! run bytes global=32 local=32
//! arg out uint[32] -> (i + 1) | (i + 2) * 256 | (i + 3) * 65536 | (i + 4) * 16777216
//! arg second short[32] -> i * 100 + i % 5
kernel void bytes(global uint *out, global short *second)
{
    int i = get_global_id(0);
    uchar b[12];
    short s[5];
    for (int k = 0; k < 12; k++) b[k] = i + k;
    for (int k = 0; k < 5; k++) s[k] = i * 100 + k;
    int at = 1 + i % 3;
    out[i] = b[at] - at + 1 | (b[at + 1] - at + 1) << 8 | (b[at + 2] - at + 1) << 16 | (b[at + 3] - at + 1) << 24;
    second[i] = s[i % 5];
}

//! run longs global=16 local=16
//! arg out long[16] -> (i % 4) * 10000000000 + i
//! arg f float[16] -> (3 - i % 4) * 0.5
kernel void longs(global long *out, global float *f)
{
    int i = get_global_id(0);
    long v[4];
    float4 w[2];
    for (int k = 0; k < 4; k++) v[k] = k * 10000000000L + i;
    w[0] = (float4)(1.5f, 1.0f, 0.5f, 0.0f);
    w[1] = w[0] * 2.0f;
    w[i % 2].x += 0.0f;
    out[i] = v[i % 4];
    f[i] = ((float *)w)[i % 4];
}

void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

//! run addresses global=32 local=32
//! arg out int[32] -> i % 2 ? 2 * i * 100 + i : i * 100 + 2 * i
kernel void addresses(global int *out)
{
    int a = get_global_id(0), b = 2 * a, g = a;
    int *low = &a;
    if (g % 2) swap(&a, &b);
    out[g] = *low * 100 + b;
}

// A sort of its own in every work-item.
//! run insertion_sort global=24 local=24/8
//! arg a int[240] = random(i) % 100
//! arg ok int[24] -> 1
kernel void insertion_sort(global const int *a, global int *ok)
{
    int i = get_global_id(0), v[10], before = 0, after = 0;
    for (int k = 0; k < 10; k++) before += v[k] = a[i * 10 + k];
    for (int k = 1; k < 10; k++) {
        int x = v[k], j = k;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
    }
    bool sorted = true;
    for (int k = 0; k < 10; k++) {
        after += v[k];
        if (k && v[k - 1] > v[k]) sorted = false;
    }
    ok[i] = sorted && before == after;
}

// A matrix on the private stack, larger than registers would hold.
//! run large global=16 local=8
//! arg out int[16] -> sum(a, 0, 20, a * 20 + (a * 7 + i) % 20) + 16 * 20 * 0
kernel void large(global int *out)
{
    int i = get_global_id(0), m[400], s = 0;
    for (int k = 0; k < 400; k++) m[k] = k;
    for (int k = 0; k < 20; k++) s += m[k * 20 + (k * 7 + i) % 20];
    out[i] = s;
}
