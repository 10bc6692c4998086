// Trap 18: unrolling a copy of a struct leaves ways that no lane takes and that end in `unreachable`. They are no ways to
// the end of the kernel: lanes that diverge around the copy reconverge behind it, and in front of the barrier.
typedef struct { float4 p[4]; int tag; } Big;
// run: copies global=64 local=64 args=b8192,b8192,b256,b256
kernel void copies(global const Big *in, global Big *out, global const int *first, global int *sum)
{
    local uint stack[64];
    int me = get_local_id(0);
    for (int r = 0; r < 4; r++) {
        if ((first[me] & 3) > r)
            for (int i = me; i < 64; i += 16 + (first[i] & 15)) {
                int from = first[i] & 63;
                if ((me & 15) == (i & 15)) out[i] = in[from];
            }
        stack[me] = (first[me] & 255) + r;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[me] += stack[me ^ 33];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#ifdef HOST
ARGS4(copies, global const Big *, global Big *, global const int *, global int *)
#endif
