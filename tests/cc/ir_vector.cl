// Vectors of 2, 3, 4, 8 and 16 through loads, stores, phis, selects, inserts and extracts with
// constant and with variable index.
// run: shuffles global=32 local=32 args=b4096,b4096
// run: dynamic global=48 local=24 args=b1024,b1024
// run: three global=20 local=10 args=b1024,b1024
// run: phis global=64 local=64 args=b1024,b1024
kernel void shuffles(global int8 *o, global const int16 *t)
{
    int g = get_global_id(0);
    int16 v = t[g];
    int8 a = v.lo + v.hi, b = v.even - v.odd, c = v.s02468ace;
    c.s37 = a.s12;
    c.lo = select(a.lo, b.hi, a.lo < b.hi);
    o[g] = (int8)(c.s76543210 ^ a) + convert_int8(convert_uchar8(b));
    o[g].s3 = v.sf;
}
kernel void dynamic(global int *o, global const int4 *t)
{
    int g = get_global_id(0);
    int4 v = t[g & 63];
    short8 s = (short8)((short)g, 1, 2, 3, 4, 5, 6, 7);
    ((int *)&v)[g & 3] = 77;
    ((short *)&s)[(g >> 2) & 7] += 100;
    o[g] = ((int *)&v)[(g + 1) & 3] + v.z;
    o[g + 64] = ((short *)&s)[g & 7] * 3 + s.s4;
}
kernel void three(global int *o, global const int *t)
{
    int g = get_global_id(0);
    int3 v = vload3(g, t), w = ((global const int3 *)t)[g];
    uchar3 c = vload3(g, (global const uchar *)t);
    vstore3(v.zyx + w, g, o);
    o[g + 100] = c.x + c.y * 256 + c.z * 65536;
    vstore3(convert_uchar3(v), g, (global uchar *)(o + 130));
}
kernel void phis(global int4 *o, global const int4 *t)
{
    int g = get_global_id(0);
    int4 v = (int4)(0), w = t[1];
    float2 f = (float2)(1.0f, 2.0f);
    for (int i = 0; i < 10; i++) {
        if ((g + i) & 1) { v += w; w = w.yzwx; } else if (v.x > w.y) { v = w; f = f.yx; } else v ^= t[i];
        if (v.w % 5 == 3) break;
        f.x += 0.5f;
    }
    o[g] = v + w + convert_int4(f.xyxy);
}
#ifdef HOST
ARGS2(shuffles, global int8 *, global const int16 *)
ARGS2(dynamic, global int *, global const int4 *)
ARGS2(three, global int *, global const int *)
ARGS2(phis, global int4 *, global const int4 *)
#endif
