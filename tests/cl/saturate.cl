// Saturating conversions of floats: NaN gives 0, everything else the nearest value there is.
//! run saturate global=8 local=8
//! arg a float[8] = {nan, inf, -inf, 9223372036854775808.0, -9223372036854775808.0, 255.5, -128.5, 4294967296.0}
//! arg c char[8] -> {0, 127, -128, 127, -128, 127, -128, 127}
//! arg u uint[8] -> {0, 4294967295, 0, 4294967295, 0, 256, 0, 4294967295}
//! arg l long[8] -> {0, 9223372036854775807, -9223372036854775807 - 1, 9223372036854775807, -9223372036854775807 - 1, 255, -129, 4294967296}
kernel void saturate(global const float *a, global char *c, global uint *u, global long *l)
{
    int i = get_global_id(0);
    c[i] = convert_char_sat(a[i]);
    u[i] = convert_uint_sat_rte(a[i]);
    l[i] = convert_long_sat_rtn(a[i]);
}
