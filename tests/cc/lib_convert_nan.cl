// Saturating conversions of doubles that are NaNs give 0, also of those that were floats.
// run: k global=32,1 local=32,1 args=b1024,b128
kernel void k(global uint *out, global const uint *in)
{
    uint i = get_global_id(0);
    double x = as_float((i & 1) ? (in[i] & 0x803fffffu) | 0x7fc00000u : as_uint((float)i - 7.5f));
    out[i * 8] = convert_uint_sat_rtz(x);
    out[i * 8 + 1] = convert_uint4_sat_rtz((double4)(0.1, x, 3e9, -1)).s1;
    out[i * 8 + 2] = (uint)convert_int_sat(x);
    out[i * 8 + 3] = convert_uchar_sat(x);
    out[i * 8 + 4] = (uint)convert_ulong_sat(x);
    out[i * 8 + 5] = (uint)(convert_ulong_sat(x) >> 32);
    out[i * 8 + 6] = (uint)convert_short_sat(x);
    out[i * 8 + 7] = convert_uint_sat(x);
}
#ifdef HOST
ARGS2(k, global uint *, global const uint *)
#endif
