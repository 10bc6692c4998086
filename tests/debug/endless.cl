kernel void endless(volatile global int *flag, global int *out)
{
    int tries = 0;
    while (flag[0] == 0) tries++;
    out[get_global_id(0)] = tries;
}
