// A work-item that changes a struct argument changes its own copy only (pocl 3.1 gets this wrong).
//! only Ventus
struct table {
    int n;
    int v[6];
};

//! run changed global=32 local=32
//! arg t struct = {int 6, int 1, int 2, int 3, int 4, int 5, int 6}
//! arg out int[32] -> 21 + i - (i % 6 + 1) + (i % 6) * 100
kernel void changed(struct table t, global int *out)
{
    int i = get_global_id(0), sum = 0;
    t.v[i % 6] = (i % 6) * 100;
    t.n += i;
    for (int k = 0; k < 6; k++)
        sum += t.v[k];
    out[i] = sum + t.n - 6;
}
