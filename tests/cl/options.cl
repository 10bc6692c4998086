// Build options: definitions with and without a value, a standard, optimisation switches.
//! options -DFLAG -D VALUE=41 -DADD(x)=((x)+1) -cl-std=CL1.2 -cl-mad-enable -w
#ifndef FLAG
#error FLAG is not defined
#endif

//! run defined global=4 local=4
//! arg out int[4] -> 42 + i
//! arg version int[3] -> {120, 1, 1}
kernel void defined(global int *out, global int *version)
{
    int i = get_global_id(0);
    out[i] = ADD(VALUE) + i;
    version[0] = __OPENCL_C_VERSION__;
    version[1] = __OPENCL_VERSION__ >= 120;
    version[2] = __ENDIAN_LITTLE__;
}
