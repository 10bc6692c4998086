// Trap 1: calling conventions and prototypes of library functions: no call, and no kernel, disappears.
// run: library global=64 local=32 args=b512,f256
// run: overloaded global=64 local=32 args=b512,f256
kernel void library(global float *o, global const float *t)
{
    int g = get_global_id(0);
    float a = t[g & 63], b = t[(g + 1) & 63];
    int e;
    float m = frexp(4096.0f, &e);
    o[2 * g] = fmax(a, b) + floor(a) + fabs(b) + (float)e + m + clamp(a, -1.0f, 1.0f);
    o[2 * g + 1] = sqrt(fabs(a)) + select(a, b, g & 1) + trunc(b) + (isnan(a) ? 1.0f : 2.0f);
}
float twice(float x) { return x + x; }
float compose(float x, int n) { for (int i = 0; i < n; i++) x = twice(x) - 1.0f; return x; }
kernel void overloaded(global float *o, global const float *t)
{
    int g = get_global_id(0);
    o[g] = compose(t[g & 63], g & 3) + as_float(as_int(compose(1.5f, 2)));
}
#ifdef HOST
ARGS2(library, global float *, global const float *)
ARGS2(overloaded, global float *, global const float *)
#endif
