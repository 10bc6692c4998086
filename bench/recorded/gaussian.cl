// Gaussian elimination of column t: the rows' multipliers, then the rows and the right side less their multiples of row t.
kernel void Fan1(global float *multiplier, global const float *matrix, global const float *right, int size, int t)
{
    int row = t + 1 + get_global_id(0);
    if (row < size) multiplier[row * size + t] = matrix[row * size + t] / matrix[t * size + t];
}

kernel void Fan2(global const float *multiplier, global float *matrix, global float *right, int size, int t)
{
    int row = t + 1 + get_global_id(0), column = t + get_global_id(1);
    if (row >= size || column >= size) return;
    float by = multiplier[row * size + t];
    matrix[row * size + column] -= by * matrix[t * size + column];
    if (column == t) right[row] -= by * right[t];
}
