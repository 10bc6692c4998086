// Heat flows: each point becomes the mean of its four neighbours; the border stays.
kernel void jacobi(global const float *from, global float *to, int n)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x >= n || y >= n) return;
    bool border = x == 0 || y == 0 || x == n - 1 || y == n - 1;
    to[i] = border ? from[i] : 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}
