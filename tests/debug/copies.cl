kernel void copies(global const int *in, global int *out)
{
    local int tile[64] __attribute__((aligned(16)));
    int i = get_local_id(0);
    tile[i] = -1;
    if (i < 32) {
        __asm__ volatile("cp_dma_bulk %0, %1, %2" : : "vr"(tile), "r"(in), "r"(128) : "memory");
        out[i] = tile[i];
        __asm__ volatile("cp_dma_mbarrier" : : : "memory");
        out[64 + i] = tile[i];
    } else {
        out[i] = i;
        __asm__ volatile("cp_dma_mbarrier" : : : "memory");
    }
}
