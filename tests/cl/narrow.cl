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

// Vectors of three take the place of four: the fourth element is undefined, and those beside it in its word are not.
//! run threes global=32 local=32
//! arg out int[192] -> i % 6 == 0 ? uchar(i / 6 + 300) + 7 * uchar(i / 6 * 3) : i % 6 == 1 ? uchar(7 * (i / 6 + 2)) : i % 6 == 2 ? ushort(i / 6 * 1001 + 300) : i % 6 == 3 ? i / 6 : i % 6 == 4 ? 7 : i / 6 * 2 + 300
//! arg n int = 300
kernel void threes(global int *out, int n)
{
    local uchar3 bytes[32];
    local ushort3 shorts[32];
    int i = get_local_id(0);
    bytes[i] = (uchar3)((uchar)(i + 2), (uchar)(i * 3), (uchar)(i + n));
    shorts[i] = (ushort3)((ushort)i, 7, (ushort)(i * 1001 + n));
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar3 sum = bytes[i] * (uchar)7;
    out[6 * i] = bytes[i].z + 7 * bytes[i].y;
    bytes[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[6 * i + 1] = bytes[i].x;
    out[6 * i + 2] = shorts[i].z;
    out[6 * i + 3] = shorts[i].x;
    out[6 * i + 4] = shorts[i].y;
    shorts[i] += (ushort3)(1, 2, (ushort)(i + n)) - (ushort3)(1, 2, (ushort)n);
    shorts[i].z -= (ushort)(i * 1000);
    out[6 * i + 5] = shorts[i].z;
}

// The fourth element of what comes from three has no value, until an operation gives it one.
//! run alpha global=32 local=32
//! arg a uchar[128] = i * 7
//! arg out uchar[128] -> i % 4 == 3 ? 255 : uchar((i - i % 4 + 2 - i % 4) * 7)
//! arg kept ushort[128] -> i % 4 == 3 ? 256 : ushort(uchar((i - i % 4 + 2 - i % 4) * 7))
kernel void alpha(global const uchar4 *a, global uchar4 *out, global ushort4 *kept)
{
    int i = get_global_id(0);
    uchar4 turned;
    turned.xyz = a[i].zyx;
    out[i] = turned | (uchar4)(0, 0, 0, 255);
    ushort4 wide;
    wide.xyz = convert_ushort3(turned.xyz);
    kept[i] = wide & (ushort4)(255, 255, 255, 0) | (ushort4)(0, 0, 0, 256);
}

// Two branches that store to one place have one store behind them, of a vector of four whose fourth element is undefined.
//! run branches global=32 local=32
//! arg a int[96] = i * 900
//! arg out int[192] -> i % 6 < 3 ? uchar(a[i / 6 < 20 ? i / 6 * 3 + i % 3 : i / 6 * 3 + 2 - i % 3]) : short(a[i / 6 < 20 ? i / 6 * 3 + i % 3 : i / 6 * 3 + 2 - i % 3])
kernel void branches(global const int *a, global int *out)
{
    local uchar3 bytes[32];
    local short3 shorts[32];
    int i = get_local_id(0), other = 31 - i;
    int3 x = vload3(i, a);
    if (i < 20) {
        bytes[i] = convert_uchar3(x & 255);
        shorts[i] = convert_short3(x);
    } else {
        bytes[i] = convert_uchar3(x & 255).zyx;
        shorts[i] = convert_short3(x).zyx;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(convert_int3(bytes[other]), 2 * other, out);
    vstore3(convert_int3(shorts[other]), 2 * other + 1, out);
}

// Of the two vectors one has a fourth element, which the other branch leaves undefined.
//! run mixed global=32 local=32
//! arg a int[128] = i * 900
//! arg out int[128] -> i < 80 && i % 4 == 3 ? 0 : uchar(a[i])
kernel void mixed(global const int *a, global int *out)
{
    local uchar4 bytes[32];
    int i = get_local_id(0);
    int4 x = vload4(i, a) & 255;
    if (i < 20) bytes[i] = as_uchar4(convert_uchar3(x.xyz));
    else bytes[i] = convert_uchar4(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(convert_int3(bytes[i].xyz), 0, out + 4 * i);
    out[4 * i + 3] = i < 20 ? 0 : bytes[i].w;
}

// Elements of one vector of which some are wanted with their signs, some without, some both ways, and one is stored.
//! run signs global=32 local=32
//! arg a char[130] = i * 37 + 5
//! arg s short[130] = i * 7919 - 30000
//! arg out int[128] -> i % 4 == 0 ? a[i + 1] + s[i + 1] : i % 4 == 1 ? uchar(a[i + 1]) + ushort(s[i + 1]) : i % 4 == 2 ? uchar(a[i + 1]) * (a[i + 1] < 3) + 2 * s[i + 1] * (ushort(s[i + 1]) > 40000) : a[i + 1] + s[i + 1]
//! arg kept char[32] -> a[4 * i + 2]
kernel void signs(global const char *a, global const short *s, global int *out, global char *kept)
{
    int i = get_global_id(0);
    char4 b = vload4(i, a + 1);
    short4 t = vload4(i, s + 1);
    out[4 * i] = b.x + t.x;
    out[4 * i + 1] = (uchar)b.y + (ushort)t.y;
    out[4 * i + 2] = (uchar)b.z * (b.z < 3) + 2 * t.z * ((ushort)t.z > 40000);
    out[4 * i + 3] = b.w + t.w;
    kept[i] = b.y;
}
