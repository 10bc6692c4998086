// So small that the launch is all that counts.
kernel void tiny(global uint *x, int n, int round)
{
    int i = get_global_id(0);
    x[i] = 3 * x[i] + round;
}
