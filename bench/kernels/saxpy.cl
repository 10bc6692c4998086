kernel void saxpy(float factor, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    if (i < n) y[i] = factor * x[i] + y[i];
}
