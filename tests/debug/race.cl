kernel void race(global const int *in, global int *sum, local int *part)
{
    int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (i < step)
            part[i] += part[i + step];
    }
    if (i == 0)
        sum[get_group_id(0)] = part[0];
}
