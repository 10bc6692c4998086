// printf of halves, which the language makes doubles where they stand alone. pocl has none.
//! only Ventus
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
//! run print global=1 local=1
//! arg x half = 0.1
//! arg v half3 = {1, -0.5, 65504}
//! print 0.0999756 0x1.998p-4 2.5 7
//! print 1,-0.5,65504 1.0,-0.5 0.3
kernel void print(half x, half3 v)
{
    printf("%g %a %g %d\n", x, x, 2.5h, 7);
    printf("%v3hg %.1v2hf %.1f\n", v, v.xy, 3 * x);
}
