// Pointers: arithmetic, comparison, choice between buffers, sub-word and unaligned access.
//! run arithmetic global=32 local=32
//! arg a int[32] = i * i
//! arg out int[32] -> a[31 - i] + i
//! arg distance int[32] -> 31 - 2 * i
kernel void arithmetic(global const int *a, global int *out, global int *distance)
{
    int i = get_global_id(0);
    global const int *p = a + i, *q = a + 31 - i;
    out[i] = *q + (int)(p - a);
    distance[i] = q - p;
}

//! run choice global=32 local=32
//! arg a int[32] = i
//! arg b int[32] = i + 1000
//! arg which int = 1
//! arg out int[32] -> (i % 3 == 0 ? a[i] : b[i]) + b[i]
kernel void choice(global const int *a, global const int *b, int which, global int *out)
{
    int i = get_global_id(0);
    global const int *p = i % 3 ? b : a;
    global const int *q = which ? b : a;
    out[i] = p[i] + q[i];
}

//! run chase global=16 local=16
//! arg next int[16] = (i * 5 + 1) % 16
//! arg out int[16] -> next[next[next[i]]]
kernel void chase(global const int *next, global int *out)
{
    int i = get_global_id(0);
    global const int *p = next + i;
    for (int k = 0; k < 2; k++) p = next + *p;
    out[i] = *p;
}

//! run narrow global=16 local=16
//! arg words uint[16] = random(i)
//! arg bytes uchar[64] -> uint(words[i / 4]) >> (i % 4 * 8)
//! arg shorts ushort[32] -> words[i / 2] >> (i % 2 * 16)
kernel void narrow(global const uint *words, global uchar *bytes, global ushort *shorts)
{
    int i = get_global_id(0);
    global const uchar *b = (global const uchar *)(words + i);
    global const ushort *s = (global const ushort *)(words + i);
    for (int k = 0; k < 4; k++) bytes[4 * i + k] = b[k];
    for (int k = 0; k < 2; k++) shorts[2 * i + k] = s[k];
}

//! run nulls global=4 local=4
//! arg a int[4] = 5
//! arg out int[4] -> i % 2 ? 5 : -1
kernel void nulls(global const int *a, global int *out)
{
    int i = get_global_id(0);
    global const int *p = i % 2 ? a : 0;
    out[i] = p ? p[i] : -1;
}

