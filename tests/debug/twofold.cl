kernel void twofold(global int *out, local int *tile)
{
    int l = get_local_id(0);
    out[l & 1] = tile[l] + l;
}
