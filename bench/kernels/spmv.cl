// A sparse matrix in compressed rows, one row a work-item.
kernel void spmv(global const int *starts, global const int *columns, global const float *values,
                 global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    if (row >= n) return;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}
