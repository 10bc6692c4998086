// What a store costs: 32 work-items write one line of memory, or 32 lines. README.md shows how to see the difference.

kernel void row(global int *a)
{
    a[get_global_id(0)] = 1;
}

kernel void column(global int *a)
{
    a[32 * get_global_id(0)] = 1;
}
