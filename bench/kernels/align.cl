/* The table of Needleman and Wunsch, without its borders, which are 0: tiles along a diagonal from lower left to upper
 * right at a time, each by a group, which goes through its tile in the same way. */
#define TILE 16
#define GAP 2

kernel void align(global const int *letters, global int *table, int n, int diagonal, int first)
{
    local int t[TILE + 1][TILE + 1];
    int bx = first + get_group_id(0), by = diagonal - bx, i = get_local_id(0), x = bx * TILE + i, top = by * TILE;
    t[0][i + 1] = by ? table[(top - 1) * n + x] : 0;
    t[i + 1][0] = bx ? table[(top + i) * n + bx * TILE - 1] : 0;
    if (i == 0) t[0][0] = bx && by ? table[(top - 1) * n + bx * TILE - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < 2 * TILE - 1; step++) {
        int y = step - i;
        if (y >= 0 && y < TILE) {
            int pair = t[y][i] + (letters[(top + y) * n + x] & 7) - 3;
            t[y + 1][i + 1] = max(pair, max(t[y][i + 1], t[y + 1][i]) - GAP);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < TILE; y++) table[(top + y) * n + x] = t[y + 1][i + 1];
}
