// A scalar register holds one value for the whole warp.
//! only Ventus
//! build_fails <source>:8:5: error: kernel lanes: inline assembly: operand 1, constraint "r": a scalar register, but
kernel void lanes(global int *out)
{
    int i = get_global_id(0), r;
    out[i] = i;
    __asm__("addi %0, %1, 1" : "=r"(r) : "r"(i));
    out[i] = r;
}
