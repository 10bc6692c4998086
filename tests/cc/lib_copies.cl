// Structs are copied by words, whatever their members are: what one held of doubles before the copy is gone.
int mod_int(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
long d2l(double f) { return fabs(f) < 9e18 ? (long)f : 0; }

struct given {
    char a0;
    int a1[2];
    int a2[2];
    double a3;
};

struct number {
    int a0;
    double a1[4];
    uint4 a2;
    ulong a3;
    int a4;
    uint a5;
};

__attribute__((noinline)) struct number same(struct number s, double4 x0, uint x3, float x4, uint x5, char x7, float x9,
                                             double x10, float x11, double x13, ulong x15, int x16)
{
    return s;
}

// run: k global=192,1 local=64,1 offset=6,0 args=b6144,b1024,r,37,r
kernel void k(global uint *out, global const uint *in, struct given p, int n, char w)
{
    uint size = (uint)(get_local_size(0) * get_local_size(1)), gid = size + (uint)get_local_id(0);
    uint gx = (uint)get_global_id(0);
    struct number q = {0};
    struct number r = {1, {p.a3 + p.a3, 1, p.a3, 1}, 1, (ulong)n << (ulong)d2l(p.a3), p.a1[0] ^ p.a2[0], 7};
    q.a1[0] = (double)q.a3 + p.a3;
    r.a0 = mod_int(in[((uint *)&r.a2)[gx & 3u] & 31u] != (long)in[p.a1[0] & 31u] ? p.a2[0] : p.a2[1], 32768);
    r = same(q, convert_double4(q.a2), r.a0 != p.a1[0], 1, 3, p.a0 - w, 1 / as_float(in[size & 31u]), p.a3 + p.a3, 0.1f,
             as_float(in[(uchar)q.a0 & 31u]), n, mod_int(in[size & 31u], r.a4));
    out[gid * 8u] = (uint)(as_ulong(r.a1[0]) >> 32);
}
#ifdef HOST
ARGS5(k, global uint *, global const uint *, struct given, int, char)
#endif
