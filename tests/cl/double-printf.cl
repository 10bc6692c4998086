// printf of doubles beside floats, which the language makes doubles. pocl prints them as floats.
//! only Ventus
//! run print global=1 local=1
//! arg x double = 0.1
//! arg f float = 0.1
//! print 0.10000000000000001 1.000000e-01 0.100000001490116 0.5
//! print 0.10,0.20 1e+300 7 0x1.999999999999ap-4
kernel void print(double x, float f)
{
    printf("%.17g %le %.15f %g\n", x, x, f, 0.5);
    printf("%.2v2lf %g %d %a\n", (double2)(x, 2 * x), 1e300, 7, x);
}
