#define TILE 16

// n is a multiple of the tile's side.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void sgemm_tiled(global const float *a, global const float *b, global float *c, int n)
{
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        tile_a[ly][lx] = a[y * n + tile + lx];
        tile_b[ly][lx] = b[(tile + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) sum += tile_a[ly][k] * tile_b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
