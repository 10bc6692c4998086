#define SIDE 8

// The cosine transform of each block of 8 x 8 pixels: first its rows, then its columns.
kernel void dct(constant float *basis, global const uchar *pixels, global float *out, int n)
{
    local float block[SIDE][SIDE], rows[SIDE][SIDE];
    int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * n + get_global_id(0);
    block[ly][lx] = (float)pixels[i] - 128;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < SIDE; k++) sum += basis[lx * SIDE + k] * block[ly][k];
    rows[ly][lx] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int k = 0; k < SIDE; k++) sum += basis[ly * SIDE + k] * rows[k][lx];
    out[i] = sum;
}
