// Trap 19 (rule R5): lanes that have left the inner loop come to what stands in front of it again, while others, which
// are to meet them at the end of the kernel alone, wait in it: they make the same constants there once more.
// run: again global=64 local=32 args=b256,b2048,6
kernel void again(global int *o, global const uint *in, int n)
{
    int me = get_global_id(0);
    uint s = in[me];
    for (int i = 0; i < n; i++) {
        /* values that all lanes have in common leave no register over in the outer loop */
        uint a = in[300], b = in[301], c = in[302], d = in[303], e = in[304], f = in[305], g = in[306], h = in[307];
        uint k = in[308], l = in[309], m = in[310], p = in[311], q = in[312], t = in[313], u = in[314], v = in[315];
        uint w = in[316], x = in[317], y = in[318], z = in[319];
        s += (a ^ b) * (c ^ d) + (e ^ f) * (g ^ h) + (k ^ l) * (m ^ p) + (q ^ t) * (u ^ v) + (w ^ x) * (y ^ z);
        s ^= (z + a) * (y + b) + (x + c) * (w + d) + (v + e) * (u + f) + (t + g) * (q + h) + (p + k) * (m + l);
        for (int j = 0; j < (int)(in[i + me] & 7); j++) {
            uint r = in[(j * 7 + s * 3000) & 511];
            if ((r & 31) == 5) return;
            s = (s ^ r * 80) * 700 + (s ^ r * 81) * 701 + (s ^ r * 82) * 702 + (s ^ r * 83) * 703;
            o[me] = s;
        }
    }
    o[me] = s;
}
#ifdef HOST
ARGS3(again, global int *, global const uint *, int)
#endif
