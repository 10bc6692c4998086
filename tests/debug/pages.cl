kernel void pages(global int *a, global int *few)
{
    int i = get_global_id(0);
    volatile int mine[1000]; /* zeros, in memory that nobody has touched */
    few[i] += 5;
    a[i * 1024] += 1;
    mine[i] += 2;
    few[i] += mine[i];
}

/* The only memory of more than some pages is private. */
kernel void lone(global int *few)
{
    int i = get_global_id(0);
    volatile int mine[1000];
    mine[i] += 2;
    few[i] += mine[i];
}
