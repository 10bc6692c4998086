/* Functions of the machine's precision, as shaders use them. */
kernel void shading(global const float *angles, global float *light, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float x = angles[i], sum = 0;
    for (int k = 1; k <= 4; k++) {
        float glow = native_exp(-x * k) * native_sin(x * k), distance = native_rsqrt(x * x + k);
        sum += native_divide(glow, x + k) + distance * native_cos(x + k) + native_log(x + k);
    }
    light[i] = sum;
}
