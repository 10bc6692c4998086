// Struct arguments that are copied as a whole, at once or member by member.
struct table {
    int n;
    int v[6];
};
struct bytes {
    char a;
    uchar b[6];
};

//! run to_global global=2 local=1
//! arg t struct = {int 6, int 1, int 2, int 3, int 4, int 5, int 9}
//! arg out int[14] -> i % 7 == 0 ? 6 : i % 7 == 6 ? 9 : i % 7
kernel void to_global(struct table t, global struct table *out) { out[get_global_id(0)] = t; }

//! run part_to_global global=1
//! arg t struct = {int 6, int 1, int 2, int 3, int 4, int 5, int 9}
//! arg out int[6] -> i == 5 ? 9 : i + 1
kernel void part_to_global(struct table t, global int *out)
{
    for (int i = 0; i < 6; i++)
        out[i] = t.v[i];
}

//! run odd_size global=3 local=1
//! arg s struct = {char 1, uchar 2, uchar 3, uchar 4, uchar 5, uchar 6, uchar 255}
//! arg out uchar[21] -> i % 7 == 6 ? 255 : i % 7 + 1
kernel void odd_size(struct bytes s, global struct bytes *out) { out[get_global_id(0)] = s; }

//! run to_local global=4 local=4
//! arg t struct = {int 6, int 1, int 2, int 3, int 4, int 5, int 9}
//! arg out int[4] -> 10 + i
kernel void to_local(struct table t, global int *out)
{
    local struct table shared;
    if (get_local_id(0) == 0) shared = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared.v[get_local_id(0)] + shared.v[5];
}
