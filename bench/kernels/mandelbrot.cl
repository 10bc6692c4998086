#define LIMIT 256

kernel void mandelbrot(global int *steps, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    float cr = 3.0f * x / n - 2.2f, ci = 3.0f * y / n - 1.5f, zr = 0, zi = 0;
    int step = 0;
    while (step < LIMIT && zr * zr + zi * zi < 4) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        step++;
    }
    steps[y * n + x] = step;
}
