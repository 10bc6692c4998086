kernel void wild(global const int *order, global int *out, int n)
{
    int i = get_global_id(0);
    int to = order[i] * 3;
    if (i % 5 == 3)
        to += 0x8000000;
    out[to] = i;
    out[0] += n;
}
