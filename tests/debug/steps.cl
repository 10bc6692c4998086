__attribute__((noinline)) int twice(int v)
{
    int w = v * 2;
    return w + 1;
}

kernel void steps(global int *a)
{
    int i = get_global_id(0);
    int x = a[i];
    if (x & 1)
        x = twice(x);
    else
        x = x - 1;
    a[i] = x;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}
