// Arithmetic in double precision.
//! sizes 1024 32768

//! run d_nbody global=N/16 local=64
//! arg at double[N/4] = unit(i) * 2 - 1
//! arg to double[N/4] -> any ~ 1e-9
//! arg n int = N/16
kernel void d_nbody(global const double4 *at, global double4 *to, int n)
{
    int i = get_global_id(0);
    double4 me = at[i];
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k++) {
        double4 other = at[k];
        double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        double r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
        double s = other.w * r * r * r;
        x += dx * s;
        y += dy * s;
        z += dz * s;
    }
    to[i] = (double4)(x, y, z, me.w);
}

//! run d_nbody_division global=N/16 local=64
//! arg at double[N/4] = unit(i) * 2 - 1
//! arg to double[N/16] -> any ~ 1e-9
//! arg n int = N/16
kernel void d_nbody_division(global const double4 *at, global double *to, int n)
{
    int i = get_global_id(0);
    double4 me = at[i];
    double sum = 0;
    for (int k = 0; k < n; k++) {
        double4 other = at[k];
        double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        double d = dx * dx + dy * dy + dz * dz + 1e-3;
        sum += other.w / (d * sqrt(d));
    }
    to[i] = sum;
}

//! run d_stencil global=N local=64
//! arg in double[N+130] = unit(i)
//! arg out double[N] -> any
kernel void d_stencil(global const double *in, global double *out)
{
    int i = get_global_id(0);
    out[i] = 0.25 * (in[i] + in[i + 1] + in[i + 2] + in[i + 128]) - 0.5 * in[i + 65] * in[i + 64];
}

//! run d_polynomial global=N local=64
//! arg in double[N] = unit(i) - 0.5
//! arg out double[N] -> any
kernel void d_polynomial(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i], sum = 1;
    for (int k = 0; k < 64; k++) sum = fma(sum, x, 0.37 + k);
    out[i] = sum;
}

//! run d_mandelbrot global=N local=64
//! arg out int[N] -> any
//! arg n int = N
kernel void d_mandelbrot(global int *out, int n)
{
    int i = get_global_id(0), k = 0;
    double cx = -2 + 3.0 * (i % 64) / 64, cy = -1.5 + 3.0 * (i / 64) / (n / 64), x = 0, y = 0;
    for (; k < 200 && x * x + y * y < 4; k++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    out[i] = k;
}

//! run d_convert global=N local=64
//! arg in long[N] = random(i) >> 20
//! arg few int[N] = random(i)
//! arg out double[N] -> any
//! arg back long[N] -> any
kernel void d_convert(global const long *in, global const int *few, global double *out, global long *back)
{
    int i = get_global_id(0);
    double wide = (double)in[i] * 0.37, small = few[i] * 0.11;
    out[i] = wide + small + (double)(uint)few[i] + (double)(float)small;
    back[i] = (long)wide + (int)small + (long)(ulong)fabs(small);
}

//! run d_clamp global=N local=64
//! arg in double[N] = unit(i) * 8 - 4
//! arg out double[N] -> any
kernel void d_clamp(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i], sum = 0;
    for (int k = 0; k < 16; k++) {
        double y = fmin(fmax(x, -1.0 + k * 0.1), 1.5);
        sum += y > 0.5 ? y : -fabs(x);
        x = x * 0.9 + (x < y ? 0.1 : -0.1);
    }
    out[i] = clamp(sum, -100.0, 100.0);
}

//! run d_rounding global=N local=64
//! arg in double[N] = unit(i) * 2000 - 1000
//! arg out double[N] -> any
kernel void d_rounding(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i], sum = 0;
    for (int k = 0; k < 8; k++, x *= 1.37) sum += floor(x) - ceil(x * 0.3) + trunc(x * 0.7) + rint(x) - round(x * 0.5);
    out[i] = sum;
}

//! run d_waves global=N local=64
//! arg in double[N] = unit(i) * 20 - 10
//! arg out double[N] -> any
kernel void d_waves(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i];
    out[i] = sin(x) * cos(2 * x) + 0.25 * sin(5 * x);
}

//! run d_exponential global=N local=64
//! arg in double[N] = unit(i) * 4 + 0.1
//! arg out double[N] -> any
kernel void d_exponential(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i];
    out[i] = exp(-x) * log(x) + pow(x, 1.7);
}

//! run d_quadratic global=N local=64
//! arg in double[N*3] = unit(i) * 4 - 2
//! arg out double[N*2] -> any
kernel void d_quadratic(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], d = b * b - 4 * a * c;
    if (d < 0) {
        out[2 * i] = -b / (2 * a);
        out[2 * i + 1] = sqrt(-d) / (2 * a);
    } else {
        double q = -0.5 * (b + copysign(sqrt(d), b));
        out[2 * i] = q / a;
        out[2 * i + 1] = c / q;
    }
}

//! run d_gemv global=N/16 local=64
//! arg matrix double[N*16] = unit(i)
//! arg x double[256] = unit(i)
//! arg y double[N/16] -> any
kernel void d_gemv(global const double *matrix, global const double *x, global double *y)
{
    int row = get_global_id(0), rows = get_global_size(0);
    double sum = 0;
    for (int k = 0; k < 256; k++) sum += matrix[k * rows + row] * x[k];
    y[row] = sum;
}

//! run d_cholesky global=N/16 local=32
//! arg in double[N*4] = i % 64 % 9 == 0 ? 9 + unit(i) : 0.5
//! arg out double[N*4] -> any
kernel void d_cholesky(global const double *in, global double *out)
{
    int m = get_global_id(0);
    double l[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++) {
            double sum = in[m * 64 + i * 8 + j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) out[m * 64 + i * 8 + j] = j <= i ? l[i][j] : 0;
}

//! run d_heat global=256,N/256 local=16,4
//! arg a double[N] = unit(i)
//! arg b double[N] -> any
kernel void d_heat(global const double *a, global double *b)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { b[i] = a[i]; return; }
    b[i] = a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] - 4 * a[i]);
}
