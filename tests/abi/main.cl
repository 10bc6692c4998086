#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "lib.h"
kernel void k(global long *o, global int *t, int u, local int *l)
{
    int g = get_global_id(0), n = get_global_size(0);
    global long *p = o + g * 32;
    int mine = g * 3;
    p[0] = mix(g, 5) + mix(u, u);
    p[1] = add64(g, (long)g << 33, -g, u);
    p[2] = as_long(scale(g, 0.5f, u));
    float4 f = mad4((float4)(g, 1, 2, 3), (float4)(u), (float4)(0.5f, g, 1, 2));
    p[3] = (long)(f.x * 2) + (long)(f.y * 3) + (long)(f.z * 5) + (long)(f.w * 7);
    ulong16 b = big16((ulong16)(g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, u), (ulong16)(g + 1));
    p[4] = b.s0 ^ b.s1 * 3 ^ b.s7 * 5 ^ b.sf * 7;
    char4 c = rev((char4)(g, 1, -2, u));
    p[5] = as_int(c);
    p[6] = bump((short)(g * 1000), (uchar)(g * 7));
    p[7] = odd(g, g & 2) + 2 * odd(u, true);
    struct point q = {g, u, 1.5f, (long)g << 40, 'a'};
    struct point r = step_(q, g & 3);
    p[8] = r.x + r.y * 1000 + (long)r.w * 77 + r.big + r.tag + q.x;
    struct wide w;
    for (int i = 0; i < 20; i++) w.v[i] = g * i + u;
    p[9] = sum_wide(w, g % 20) + w.v[3];
    int16 v = (int16)(g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    p[10] = many(g, v, v * 2, v * u, (long)g << 35, mine);
    int priv[4] = {1, 2, 3, 4};
    l[get_local_id(0)] = 0;
    if (g & 1) store(t + n + g, l + get_local_id(0), priv + (g & 3), g * 11);
    else store(t + n + g, l + get_local_id(0), priv + 2, -g);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[11] = t[n + g] + l[get_local_id(0)] * 3 + priv[0] + priv[1] * 2 + priv[2] * 3 + priv[3] * 5;
    p[12] = g % 3 == 0 ? walk(g, t) : g % 3 == 1 ? walk(n - g, t) + 1 : -1;
    p[13] = table_at(g & 7) + shared_table[g % 5];
    int s = 0;
    for (int i = 0; i < g % 7; i++) {
        if (i & 1) s += mix(s, i + u);
        else s ^= deep(i, v + s);
    }
    p[14] = s;
    p[15] = mine + counter;
    p[16] = deep(3, v) + v.s5 + v.sa * mine;
    p[17] = (long)((float)hh((half)g) * 8);
}
