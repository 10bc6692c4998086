// More live values than direct registers, scalar and vector, across divergent branches: prefixes, demotion
// and spilling.
// run: scalars global=64 local=32 args=b512,b512
// run: vectors global=64 local=32 args=b512,b512
// run: wide global=32 local=32 args=b4096,b4096
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) \
    M(20) M(21) M(22) M(23) M(24) M(25) M(26) M(27) M(28) M(29) M(30) M(31) M(32) M(33) M(34) M(35) M(36) M(37) M(38) M(39) \
    M(40) M(41) M(42) M(43) M(44) M(45) M(46) M(47) M(48) M(49) M(50) M(51) M(52) M(53) M(54) M(55) M(56) M(57) M(58) M(59) \
    M(60) M(61) M(62) M(63) M(64) M(65) M(66) M(67) M(68) M(69)
kernel void scalars(global uint *o, global const uint *t)
{
    int g = get_global_id(0);
#define LOAD(i) uint a##i = t[i] * 3u;
#define TURN(i) a##i = a##i * 5u + s;
#define SUM(i) s = s * 7u + a##i;
    EACH(LOAD)
    uint s = 1;
    for (int k = 0; k < 6; k++) {
        if ((g + k) % 5 == 3) { EACH(SUM) break; }
        EACH(TURN)
    }
    EACH(SUM)
    o[g] = s;
#undef LOAD
}
kernel void vectors(global uint *o, global const uint *t)
{
    int g = get_global_id(0);
#define LOAD(i) uint a##i = t[(g * 3 + i) & 127], b##i = a##i * i, c##i = a##i ^ (uint)(g + i), d##i = b##i + c##i;
#define MORE(i) s = s * 7u + (a##i ^ b##i) + c##i * d##i;
#define STEP(i) a##i += s; b##i ^= a##i; c##i -= s; d##i += i;
    EACH(LOAD)
    uint s = (uint)g;
    for (int k = 0; k < 3; k++) {
        if (s & 1) { EACH(STEP) } else { EACH(MORE) }
        if ((s & 63) == 5) break;
    }
    EACH(MORE)
    o[g] = s;
}
kernel void wide(global int16 *o, global const int16 *t)
{
    int g = get_global_id(0);
    int16 a = t[g], b = t[(g + 1) & 31], c = t[3], d = a * b, e = b ^ c, f = a - c;
    for (int k = 0; k < 3; k++) {
        d = d * 3 + e;
        if (any(d.s0123 == f.s4567) || (g + k) % 3 == 0) { e += f; f = select(a, b, d < e); } else { f = f.s123456789abcdef0; a += b; }
    }
    o[g] = a ^ b ^ c ^ d ^ e ^ f;
}
#ifdef HOST
ARGS2(scalars, global uint *, global const uint *)
ARGS2(vectors, global uint *, global const uint *)
ARGS2(wide, global int16 *, global const int16 *)
#endif
