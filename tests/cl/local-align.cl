// __local arguments are aligned as what they point to, whatever is in front of them. The compiler believes so, too:
// addresses go through volatile memory, or it would answer by itself.
//! run vectors global=2 local=2
//! arg a local 5
//! arg b local 20
//! arg c local 128
//! arg d local 1
//! arg e local 48
//! arg at ulong[4] = 0 -> any
//! arg odd ulong[4] = 1 -> 0
//! arg bytes int[5] -> i
//! arg values int[4] -> {4, 5, 99, 2}
kernel void vectors(local char *a, local float4 *b, local long16 *c, local uchar *d, local float3 *e,
                    global volatile ulong *at, global ulong *odd, global int *bytes, global int *values)
{
    if (get_local_id(0) == 0) {
        for (int i = 0; i < 5; i++) a[i] = i;
        b[0] = (float4)(1, 2, 3, 4);
        c[0] = (long16)(5);
        *d = 99;
        for (int i = 0; i < 3; i++) e[i] = (float3)(i, 2, 4);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 1) {
        at[0] = (ulong)b, at[1] = (ulong)c, at[2] = (ulong)e, at[3] = (ulong)(e + 1);
        odd[0] = at[0] % 16, odd[1] = at[1] % 128, odd[2] = at[2] % 16, odd[3] = at[3] % 16;
        for (int i = 0; i < 5; i++) bytes[i] = a[i];
        values[0] = b[0].w, values[1] = c[0].sf, values[2] = *d, values[3] = e[2].x;
    }
}

typedef struct { char c; long l; } mixed;
typedef struct { int a; char b; } __attribute__((aligned(64))) padded;
typedef union { char c[3]; short16 s; } either;
typedef uint4 words;
typedef float2 pair[3];

//! run types global=1 local=1
//! arg g0 local 1
//! arg a local 16
//! arg g1 local 3
//! arg b local 64
//! arg g2 local 1
//! arg c local 32
//! arg g3 local 5
//! arg d local 16
//! arg g4 local 7
//! arg e local 24
//! arg g5 local 1
//! arg f local 8
//! arg g6 local 9
//! arg g local 128
//! arg at ulong[7] = 0 -> any
//! arg odd ulong[7] = 1 -> 0
kernel void types(local char *g0, local mixed *a, local char *g1, local padded *b, local char *g2, local either *c,
                  local char *g3, local words *d, local char *g4, local pair *e, local char *g5, local ulong *f,
                  local char *g6, local void *g, global volatile ulong *at, global ulong *odd)
{
    at[0] = (ulong)a, at[1] = (ulong)b, at[2] = (ulong)c, at[3] = (ulong)d, at[4] = (ulong)e, at[5] = (ulong)f;
    at[6] = (ulong)g;
    odd[0] = at[0] % 8, odd[1] = at[1] % 64, odd[2] = at[2] % 32, odd[3] = at[3] % 16, odd[4] = at[4] % 8;
    odd[5] = at[5] % 8, odd[6] = at[6] % 128; /* void may be anything */
    *g0 = *g1 = *g2 = *g3 = *g4 = *g5 = *g6 = 0;
}
