// The sum of two matrices.
kernel void matadd(global const float *a, global const float *b, global float *c)
{
    int x = get_global_id(0), y = get_global_id(1);
    int i = y * get_global_size(0) + x;
    c[i] = a[i] + b[i];
}
