// Work-item functions in one, two and three dimensions, with offsets.
//! run one global=60 local=20/12/60 offset=7
//! arg out int[67] = -1 -> i < 7 ? -1 : i * 100 + 7
//! arg dims int[67] = 0 -> i < 7 ? 0 : 1
kernel void one(global int *out, global int *dims)
{
    int i = get_global_id(0);
    out[i] = i * 100 + get_global_offset(0);
    dims[i] = get_work_dim();
    if (get_local_id(0) != (i - 7) % get_local_size(0)) out[i] = -2;
    if (get_group_id(0) != (i - 7) / get_local_size(0)) out[i] = -3;
    if (get_num_groups(0) * get_local_size(0) != get_global_size(0)) out[i] = -4;
}

//! run two global=12,10 local=4,5/12,1/1,10/6,2 offset=3,2
//! arg out int[120] -> (i % 12 + 3) * 1000 + i / 12 + 2
kernel void two(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    int at = (y - 2) * 12 + x - 3;
    out[at] = x * 1000 + y;
    if (x != get_group_id(0) * get_local_size(0) + lx + 3) out[at] = -1;
    if (y != get_group_id(1) * get_local_size(1) + ly + 2) out[at] = -2;
    if (get_work_dim() != 2) out[at] = -3;
}

//! run three global=6,4,5 local=3,2,1/6,4,5/2,2,5/null
//! arg out int[120] -> i % 6 + i / 6 % 4 * 16 + i / 24 * 256
//! arg sizes int[4] -> {6, 4, 5, 3}
kernel void three(global int *out, global int *sizes)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * 4 + y) * 6 + x] = x + y * 16 + z * 256;
    sizes[0] = get_global_size(0);
    sizes[1] = get_global_size(1);
    sizes[2] = get_global_size(2);
    sizes[3] = get_work_dim();
}

// Dimensions that do not exist. (pocl 3.1 is wrong for numbers known only at run time.)
//! run outside global=8 local=4
//! arg out int[8] -> {0, 1, 0, 1, 0, 0, 1, 0}
kernel void outside(global int *out)
{
    int i = get_global_id(0);
    out[0] = get_global_id(1);
    out[1] = get_global_size(2);
    out[2] = get_local_id(1);
    out[3] = get_local_size(2);
    out[4] = get_group_id(1);
    out[5] = get_global_offset(1);
    out[6] = get_num_groups(2);
    out[7] = get_global_id(3);
}

//! run required global=32 local=8
//! arg out int[32] -> 8
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void required(global int *out)
{
    out[get_global_id(0)] = get_local_size(0);
}

//! run excess global=30,3 local=5,3/3,1/30,1/1,3
//! arg count int[1] = 0 -> 90
kernel void excess(volatile global int *count)
{
    atomic_inc(count);
}
