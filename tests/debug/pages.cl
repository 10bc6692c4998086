kernel void pages(global int *a, global int *few)
{
    int i = get_global_id(0);
    volatile int mine[1000]; /* zeros, in memory that nobody has touched */
    few[i] += 5;
    a[i * 1024] += 1;
    mine[i] += 2;
    few[i] += mine[i];
}
