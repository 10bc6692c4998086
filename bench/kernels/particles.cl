#define STEPS 16

// Sparks in a box: x, y and their speeds. They fall, slow down in the middle, bounce, and start anew when they are old.
kernel void particles(global const float4 *sparks, global float4 *out, global int *ages, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float4 p = sparks[i];
    int age = ages[i];
    for (int step = 0; step < STEPS; step++) {
        p.w -= 0.0625f;
        if (fabs(p.x) < 0.5f && fabs(p.y) < 0.5f) p.zw *= 0.5f;
        p.xy += 0.125f * p.zw;
        if (fabs(p.x) > 1) {
            p.x = p.x > 0 ? 2 - p.x : -2 - p.x;
            p.z = -p.z;
        }
        if (p.y < -1) {
            p.y = -2 - p.y;
            p.w *= -0.75f;
            age += 8;
        }
        if (++age > 64) {
            p = sparks[i];
            age = 0;
        }
    }
    out[i] = p;
    ages[i] = age;
}
