// Trap 16: private arrays indexed at run time, of every width; nothing may cross a word.
// run: words global=64 local=32 args=b512,b256
// run: bytes global=64 local=32 args=b512,b256
// run: wide global=50 local=25 args=b512,b256
kernel void words(global int *o, global const int *t)
{
    int g = get_global_id(0), a[16];
    for (int i = 0; i < 16; i++) a[i] = t[(i + g) & 63];
    for (int i = 0; i < 20; i++) { int x = a[(g * 3 + i) & 15]; a[x & 15] = x + i; }
    o[2 * g] = a[g & 15];
    o[2 * g + 1] = a[5];
}
kernel void bytes(global int *o, global const int *t)
{
    int g = get_global_id(0);
    uchar a[24];
    short b[7];
    for (int i = 0; i < 24; i++) a[i] = (uchar)(t[i] + g);
    for (int i = 0; i < 7; i++) b[i] = (short)(t[i] >> 3);
    uchar4 v = vload4(g % 5, a), u = vload4(0, a + (g & 7) + 1);
    short2 w = vload2(0, b + (g % 5));
    vstore4(u, 0, a + (g & 3));
    vstore2((uchar2)((uchar)g, 7), 0, a + 8 + 2 * (g & 3));
    o[2 * g] = v.x * 3 + v.w + u.y + w.x + w.y;
    o[2 * g + 1] = a[g % 24] + a[g & 7] * 256 + a[9] * 65536;
}
kernel void wide(global int *o, global const int *t)
{
    int g = get_global_id(0);
    long a[4];
    int4 v[3];
    float3 f[2];
    for (int i = 0; i < 4; i++) a[i] = (long)t[i] * g;
    for (int i = 0; i < 3; i++) v[i] = (int4)(i, g, t[i], -i);
    f[0] = (float3)(1.0f, 2.0f, 3.0f);
    f[1] = (float3)((float)g, 5.0f, 6.0f);
    a[g & 3] ^= a[(g + 1) & 3];
    v[g % 3].z += v[(g + 1) % 3].y;
    o[2 * g] = (int)(a[0] ^ a[3] >> 20) + v[1].z + v[g % 3].w;
    o[2 * g + 1] = (int)(f[g & 1].x + f[1 - (g & 1)].z) + ((int *)&v[2])[g & 3];
}
#ifdef HOST
ARGS2(words, global int *, global const int *)
ARGS2(bytes, global int *, global const int *)
ARGS2(wide, global int *, global const int *)
#endif
