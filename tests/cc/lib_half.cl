// vload_half and vstore_half with all roundings, scalars and vectors; vloada and vstorea of three
// components; global, local and private memory.
// run: stores global=256 local=32 args=z8192,b1024
// run: directed global=128 local=32 args=z8192,b1024
// run: loads global=128 local=32 args=z16384,b8192
float pick(int g, uint x)
{
    float f = as_float(x);
    switch (g & 7) {
    case 0: return as_float((x & 0x80000fffu) | 0x38000000u); /* around the smallest normal half */
    case 1: return as_float((x & 0x80ffffffu) | 0x47000000u); /* around the largest */
    case 2: return as_float((x & 0x81ffffffu) | 0x32000000u); /* subnormal halves and below */
    case 3: return isnan(f) ? 1.0f : f;
    default: return as_float((x & 0x87ffffffu) | 0x38000000u);
    }
}
kernel void stores(global half *o, global const uint *t)
{
    int g = get_global_id(0);
    float f = pick(g, t[g]);
    vstore_half(f, g * 16, o);
    vstore_half_rte(f, g * 16 + 1, o);
    vstore_half_rtz(f, g * 16 + 2, o);
    vstore_half_rtp(f, g * 16 + 3, o);
    vstore_half_rtn(f, g * 16 + 4, o);
    vstore_half4((float4)(f, -f, 1.0f, 65519.0f), g * 4 + 2, o);
    vstorea_half3((float3)(f, 2.0f, INFINITY), g * 4 + 3, o);
}
kernel void directed(global half *o, global const uint *t)
{
    int g = get_global_id(0);
    float f = pick(g, t[g]), tiny = as_float((t[g] & 0x80ffffffu) | 0x30000000u);
    vstore_half2_rtp((float2)(f, tiny), g * 16, o);
    vstore_half2_rtn((float2)(f, tiny), g * 16 + 1, o);
    vstorea_half3_rtp((float3)(tiny, -f, 70000.0f), g * 8 + 1, o);
    vstorea_half3_rtn((float3)(tiny, -70000.0f, 70000.0f), g * 8 + 2, o);
    vstore_half8_rtp((float8)(f, -f, tiny, -tiny, 0.1f, -0.1f, 0.0f, INFINITY), g * 4 + 2, o);
}
kernel void loads(global float *o, global const half *t)
{
    local ushort l[64];
    ushort p[4];
    int g = get_global_id(0), i = get_local_id(0);
    float f = vload_half(g, t), h = isnan(f) ? 0.25f : f; /* every half is a float: storing it rounds nothing */
    vstore_half_rtz(h, i, (local half *)l);
    vstore_half(0x1p-24f * (float)i, i + 32, (local half *)l);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore_half4((float4)(h, -h, 65504.0f, 0x1p-20f), 0, (half *)p);
    o += g * 16;
    float4 v = vload_half4(0, (const half *)p), x = vload_half4(g & 31, t + 1);
    float3 w = vloada_half3(i & 7, (local const half *)l);
    float2 u = vload_half2(i, (local const half *)l);
    o[0] = h; o[1] = v.x; o[2] = v.y; o[3] = v.z; o[4] = v.w; o[5] = w.x; o[6] = w.z; o[7] = u.x; o[8] = u.y;
    o[9] = isnan(x.y) ? 1.0f : x.y; o[10] = vload_half(3, (const half *)p); o[11] = isnan(x.w) ? 2.0f : x.w;
}
#ifdef HOST
ARGS2(directed, global half *, global const uint *)
ARGS2(stores, global half *, global const uint *)
ARGS2(loads, global float *, global const half *)
#endif
