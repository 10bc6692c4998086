kernel void vecadd(global const float *a, global const float *b, global float *sum, int n)
{
    int i = get_global_id(0);
    if (i < n) sum[i] = a[i] + b[i];
}
