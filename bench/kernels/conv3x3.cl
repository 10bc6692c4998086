constant int weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}; // they add up to 16

// Pixels beyond the border are as the border.
kernel void conv3x3(global const uchar *in, global uchar *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    int sum = 8;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += weights[dy + 1][dx + 1] * in[clamp(y + dy, 0, n - 1) * n + clamp(x + dx, 0, n - 1)];
    out[y * n + x] = sum / 16;
}
