// Functions that stay calls, with many values needed behind each call: few registers make all of them move to memory.
// run: across global=64 local=32 args=b512,b256
// run: rounds global=64 local=64 args=b512,b256,5
#define CALLED __attribute__((noinline))
CALLED uint leaf(uint x, uint y, int up)
{
    uint list[5] = {x, y, x ^ y, x + y, 3};
    for (int i = 0; i < (int)(x & 7u); i++) list[(i + up) % 5] += list[(x + (uint)i) % 5u] * 7u;
    if (up > 2) return list[y % 5u];
    return list[x % 5u] ^ y;
}
CALLED uint middle(uint a, uint b, uint c, uint d, uint e, uint f, uint g, uint h, int up)
{
    uint own[4] = {a, b, c, d}, s = a * 3u + b * 5u + c * 7u + d * 11u;
    for (int i = 0; i < up; i++) {
        if (s & 1u) s = leaf(s, own[s & 3u], i) + e;
        else own[i & 3] = leaf(h + (uint)i, s, up) - f;
    }
    return s + leaf(g, own[0] + own[1] * 2u + own[2] * 3u + own[3] * 4u, up) + a * b + c * d + e * f + g * h;
}
kernel void across(global uint *o, global const uint *t)
{
    uint g = (uint)get_global_id(0), a = t[g], b = a * 3u, c = a >> 3, d = a ^ 77u, e = b + c, f = c * d, n = t[63u - g];
    uint r = middle(a, b, c, d, e, f, g, n, 3);
    if (n & 4u) r += middle(b, c, d, e, f, g, n, r, 3) * e + leaf(a, b, 3);
    o[2 * g] = r + a + b * 2u + c * 3u + d * 4u + e * 5u + f * 6u + n * 7u;
    o[2 * g + 1] = leaf(r, a, 3) + leaf(leaf(d, e, 3), f, 3);
}
kernel void rounds(global uint *o, global const uint *t, int n)
{
    uint g = (uint)get_global_id(0), r = t[g], s = g;
    for (int i = 0; i < n; i++) {
        s += middle(r, s, t[i], g, r ^ s, (uint)i, 1, 2, n);
        if (s & 64u) continue;
        if (leaf(s, r, i) % 11u == 3u) break;
        r = r * 5u + s + (uint)(n * i);
    }
    o[2 * g] = r;
    o[2 * g + 1] = s;
}
#ifdef HOST
ARGS2(across, global uint *, global const uint *)
ARGS3(rounds, global uint *, global const uint *, int)
#endif
