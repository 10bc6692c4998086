#define TILE 16

// Rows are read and rows are written: the tile is turned in local memory. n is a multiple of the tile's side.
kernel void transpose(global const float *from, global float *to, int n)
{
    local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;
    tile[ly][lx] = from[(y + ly) * n + x + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[(x + ly) * n + y + lx] = tile[lx][ly];
}
