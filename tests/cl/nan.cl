// nan() of every code is a quiet NaN, also of none.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
//! run scalars global=6 local=6
//! arg codes ulong[6] = {0, 1, 0x0008000000000000, 0x7ff0000000000000, 0x8000000000000000, 0xffffffffffffffff}
//! arg out int[18] -> 3
kernel void scalars(global const ulong *codes, global int *out)
{
    size_t i = get_global_id(0);
    ulong code = codes[i];
    double d = nan(code);
    float f = nan((uint)(code >> 32));
    half h = nan((ushort)(code >> 48));
    out[3 * i] = isnan(d) | (int)(as_ulong(d) >> 51 & 1) << 1;
    out[3 * i + 1] = isnan(f) | (int)(as_uint(f) >> 22 & 1) << 1;
    out[3 * i + 2] = isnan(h) | (as_ushort(h) >> 9 & 1) << 1;
}

//! run vectors global=1 local=1
//! arg zero ulong = 0
//! arg out int[5] -> -1
kernel void vectors(ulong zero, global int *out)
{
    out[0] = -all(isnan(nan((ulong2)zero)));
    out[1] = -all(isnan(nan((ulong3)zero)));
    out[2] = -all(isnan(nan((ulong16)zero)));
    out[3] = -all(isnan(nan((uint4)(uint)zero)));
    out[4] = -all(isnan(nan((ushort8)(ushort)zero)));
}
