kernel void sums(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < n; j++)
        if (a[i + j] > 5)
            sum += a[i + j] * j;
        else
            sum -= 3;
    out[i] = sum;
}
