// Particles to a grid: each adds its mass to the four cells around it. Floats are added by exchange.
#define SIDE 256

void add(volatile global uint *cell, float mass)
{
    uint old, found = *cell;
    do {
        old = found;
        found = atomic_cmpxchg(cell, old, as_uint(as_float(old) + mass));
    } while (found != old);
}

kernel void splat(global const float2 *where, global const float *masses, global uint *grid, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float2 at = (where[i] + 1.0f) * (SIDE / 2 - 1);
    int2 cell = convert_int2(at);
    float2 right = at - convert_float2(cell), left = 1.0f - right;
    grid += cell.y * SIDE + cell.x;
    add(grid, masses[i] * left.x * left.y);
    add(grid + 1, masses[i] * right.x * left.y);
    add(grid + SIDE, masses[i] * left.x * right.y);
    add(grid + SIDE + 1, masses[i] * right.x * right.y);
}
