// Parts of shifted words that are compared and divided as short and char: the upper bits must be gone.
//! run parts global=64
//! arg x int[64] = i * 51234567 + 0x80 * (i % 3)
//! arg y int[64] = i * -7654321
//! arg out int[64] -> (short(x[i] >> 8) < short(y[i])) + 2 * (char(x[i] >> 20) < char(y[i] >> 3)) + 4 * (short(x[i] >> 3) > short(y[i] >> 13)) + 8 * (char(x[i] >> 9) == char(y[i] >> 17))
kernel void parts(global const int *x, global const int *y, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((short)(x[i] >> 8) < (short)y[i]) + 2 * ((char)(x[i] >> 20) < (char)(y[i] >> 3)) +
             4 * ((short)(x[i] >> 3) > (short)(y[i] >> 13)) + 8 * ((char)(x[i] >> 9) == (char)(y[i] >> 17));
}

//! run unsigned_parts global=64
//! arg x uint[64] = i * 51234567 + 0x80 * (i % 3)
//! arg y uint[64] = i * 7654321
//! arg out int[64] -> (ushort(x[i] >> 8) < ushort(y[i])) + 2 * (uchar(x[i] >> 20) < uchar(y[i] >> 3)) + 4 * (ushort(x[i] << 3) > ushort(y[i] >> 13))
kernel void unsigned_parts(global const uint *x, global const uint *y, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((ushort)(x[i] >> 8) < (ushort)y[i]) + 2 * ((uchar)(x[i] >> 20) < (uchar)(y[i] >> 3)) +
             4 * ((ushort)(x[i] << 3) > (ushort)(y[i] >> 13));
}

// Vectors of bytes and shorts that fill words: loaded and stored whole, from all memories.
//! run words global=32 local=32
//! arg a uchar[128] = i * 37 + 5
//! arg b char[128] = i * 91 - 60
//! arg s short[128] = i * 7919 - 30000
//! arg bytes uchar[128] -> i % 4 == 3 ? 7 : uchar(a[i] + b[i])
//! arg shorts short[64] -> short(s[2 * i] - s[2 * i + 1])
//! arg sums int[32] -> a[4 * i] + 256 * b[4 * i + 1] + s[4 * i + 2] + ushort(s[4 * i + 3])
//! arg turned char[128] -> b[127 - i]
kernel void words(global const uchar4 *a, global const char4 *b, global const short4 *s, global uchar4 *bytes,
                  global short2 *shorts, global int *sums, global char4 *turned)
{
    local char4 place[32];
    private short2 own[4];
    int i = get_global_id(0);
    uchar4 sum = a[i] + as_uchar4(b[i]);
    sum.w = 7;
    bytes[i] = sum;
    for (int k = 0; k < 4; k++) own[k] = s[i].xz - s[i].yw;
    shorts[i] = own[i & 3];
    sums[i] = a[i].x + 256 * b[i].y + s[i].z + as_ushort(s[i].w);
    place[31 - i] = b[i].wzyx;
    barrier(CLK_LOCAL_MEM_FENCE);
    turned[i] = place[i];
}

// Parts of such vectors, and addresses that are no multiples of 4.
//! run edges global=32 local=32
//! arg a uchar[160] = i * 29 + 3
//! arg out uchar[128] -> i < 96 ? a[i + 2] : a[4 * (i - 96)]
//! arg kept char[128] = 9 -> i % 4 == 3 ? 9 : a[i]
kernel void edges(global const uchar *a, global uchar *out, global char *kept)
{
    int i = get_global_id(0);
    vstore3(vload4(0, a + 3 * i + 2).xyz, i, out);
    out[96 + i] = ((global const uchar4 *)a)[i].x;
    vstore3(as_char4(((global const uchar4 *)a)[i]).xyz, 0, kept + 4 * i);
}
