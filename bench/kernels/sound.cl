// Two tracks of sound, each with a gain of its own for every sample.
kernel void sound(global const short *left, global const short *right, global const char *gain_left,
                  global const char *gain_right, global short *out, global char *level, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    short l = (left[i] * gain_left[i]) >> 7, r = (right[i] * gain_right[i]) >> 7;
    short sum = add_sat(l, r);
    out[i] = sum;
    level[i] = sum >> 8;
}
