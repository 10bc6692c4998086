// Layouts of matrices, which machines name differently and <ventus.h> alike.
//! only Ventus
#include <ventus.h>

uint pair(float low, float high) { return as_uint((half2)(low, high)); }

// A picks the first eight rows of B, whose element in row k and column n is 8 k + n; B along n, then along k.
//! run layouts global=32 local=32
//! arg out float[128] -> i % 64
kernel void layouts(global float *out)
{
    uint lane = get_local_id(0), a[2], along_n[2], along_k[2];
    for (uint r = 0; r < 2; r++) {
        uint i = 64 * r + 2 * lane; // the first of two elements
        a[r] = pair(i / 16 == i % 16, i / 16 == i % 16 + 1);
        along_n[r] = pair(i, i + 1);
        along_k[r] = pair(i % 16 * 8 + i / 16, (i % 16 + 1) * 8 + i / 16);
    }
#ifdef cl_ventus_matrix
    uint2 rows = (uint2)(a[0], a[1]);
    float2 d = ventus_mma_m8n8k16_row_col_f32_f16(rows, (uint2)(along_n[0], along_n[1]), (float2)0);
    float2 e = ventus_mma_m8n8k16_row_row_f32_f16(rows, (uint2)(along_k[0], along_k[1]), (float2)0);
#else // no such instructions
    float2 d = (float2)(lane, 32 + lane), e = d;
#endif
    out[lane] = d.x, out[32 + lane] = d.y, out[64 + lane] = e.x, out[96 + lane] = e.y;
}
