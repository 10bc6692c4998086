// i8 and i16: the upper bits of a register mean nothing until somebody compares, shifts right, divides,
// converts or indexes.
// run: narrow global=64 local=32 args=b2048,b256,200,-7,40000,-30000
// run: loops global=64 local=32 args=b256,b256
kernel void narrow(global int *o, global const int *t, uchar ua, char ca, ushort us, short ss)
{
    int g = get_global_id(0), x = t[g];
    uchar u = (uchar)x + ua;
    char c = (char)(x * 3) - ca;
    ushort h = (ushort)(x >> 3) * us;
    short s = (short)(x ^ 0x5555) + ss;
    uchar rot = (uchar)(u << 3 | u >> 5);
    o[8 * g] = u > 100 ? u / 7 : c / 3;
    o[8 * g + 1] = c >> 2;
    o[8 * g + 2] = (h >> 3) + (s >> 3);
    o[8 * g + 3] = s % 17 + h % 19 + (c < s) + (u < (uchar)h);
    o[8 * g + 4] = as_int((float)c * 2.0f) ^ as_int((float)h);
    o[8 * g + 5] = t[u & 63] + t[(uchar)c >> 2];
    o[8 * g + 6] = rot + abs(c) + max(s, (short)0) + min(u, (uchar)9);
    o[8 * g + 7] = (short)(s * s) + (char)(c * u);
}
kernel void loops(global int *o, global const int *t)
{
    int g = get_global_id(0), n = 0;
    for (uchar i = (uchar)g; i != (uchar)(g + 20) && n < 300; i += 3) n += i;
    for (short i = 32760; i > 0 && n < 100000; i += 3) n++;
    for (char c = 120; c > 0; c++) n += t[c & 63] & c;
    o[g] = n;
}
#ifdef HOST
ARGS6(narrow, global int *, global const int *, uchar, char, ushort, short)
ARGS2(loops, global int *, global const int *)
#endif
