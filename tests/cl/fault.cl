// Kernels that fail: the error arrives at the host, and the next launch works.
//! only Ventus
//! run outside global=32 local=32
//! fault
//! arg at uint = 0x3fffffff
//! arg out int[32] -> any
kernel void outside(uint at, global int *out)
{
    out[at + get_global_id(0)] = 1;
}

//! run fine global=32 local=32
//! arg out int[32] -> i
kernel void fine(global int *out)
{
    out[get_global_id(0)] = get_global_id(0);
}

//! run null_store global=32 local=32
//! fault
//! arg out int[1] -> any
kernel void null_store(global int *out)
{
    global int *p = 0;
    if (get_global_id(0) == 17) p[get_global_id(0) & 1] = out[0];
}

//! run again global=64 local=16
//! arg out int[64] -> 2 * i
kernel void again(global int *out)
{
    out[get_global_id(0)] = 2 * get_global_id(0);
}
