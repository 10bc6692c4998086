// Trap 10: local sizes that are no multiple of the warp: excess lanes count nothing and store nothing.
// run: count global=240 local=8 args=z64,z1024
// run: count global=240 local=20 args=z64,z1024
// run: count global=240 local=40 args=z64,z1024
// run: count global=99 local=33 args=z64,z1024
// run: count global=6,10,4 local=3,5,2 args=z64,z1024
// run: count global=1 local=1 args=z64,z1024
kernel void count(global int *c, global int *o)
{
    int l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    int w = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    local int sum;
    if (l == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&sum);
    atomic_inc(&c[0]);
    atomic_add(&c[1 + (l & 7)], l);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[w * (int)(get_local_size(0) * get_local_size(1) * get_local_size(2)) + l] = sum * 1000 + l;
}
#ifdef HOST
ARGS2(count, global int *, global int *)
#endif
