/* Sums in double precision, as floats. */
kernel void dgemm(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (double)a[y * n + k] * b[k * n + x];
    c[y * n + x] = (float)sum;
}
