kernel void sobel(global const uchar *in, global uchar *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    global const uchar *p = in + y * n + x;
    int dx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] - 2 * p[-1] - p[-1 + n];
    int dy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
    out[y * n + x] = min(abs(dx) + abs(dy), 255u);
}
