#define THROWS 256

// Throws points into a square; those inside the quarter of a circle are counted.
kernel void montecarlo(global const uint *seeds, global uint *hits, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    uint random = seeds[i] | 1, inside = 0;
    for (int k = 0; k < THROWS; k++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        uint x = random & 0x7fff, y = random >> 17;
        inside += x * x + y * y < 1u << 30;
    }
    atomic_add(hits, inside);
}
