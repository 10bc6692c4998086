kernel void devices(global int *a, int device)
{
    int i = get_global_id(0);
    a[i] += device;
}
