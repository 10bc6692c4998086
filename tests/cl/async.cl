// Copies between global and local memory by the whole work-group.
//! run copies global=64 local=32/16
//! arg a int[64] = i * i
//! arg buffer local 128
//! arg out int[64] -> a[i] + 1
kernel void copies(global const int *a, local int *buffer, global int *out)
{
    int n = get_local_size(0), l = get_local_id(0), start = get_group_id(0) * n;
    event_t e = async_work_group_copy(buffer, a + start, n, 0);
    wait_group_events(1, &e);
    buffer[l] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + start, buffer, n, 0);
    wait_group_events(1, &e);
}

//! run strided global=16 local=16
//! arg a float[64] = i
//! arg buffer local 64
//! arg out float[16] -> a[i * 3]
kernel void strided(global const float *a, local float *buffer, global float *out)
{
    int l = get_local_id(0);
    prefetch(a, 16);
    event_t e = async_work_group_strided_copy(buffer, a, 16, 3, 0);
    wait_group_events(1, &e);
    out[l] = buffer[l];
}
