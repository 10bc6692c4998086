/* The samples. Lines are those of the strings. */
#include "samples.h"

// clang-format off
const struct sample samples[] = {
    {"store right behind a buffer",
     "kernel void k(global int *out) {\n"
     "    out[get_global_id(0) + WRONG] = 1;\n"
     "}\n",
     64, 32, {{'w', 64}}, CHECK_BOUNDS, 2, 0, 63, 1, 0, "right behind the 256 bytes of 'out' (argument 0)"},
    {"load before a buffer",
     "kernel void k(global int *out, global const int *in) {\n"
     "    int i = get_global_id(0);\n"
     "    out[i] = in[i - 2 * WRONG];\n"
     "}\n",
     32, 32, {{'w', 32}, {'w', 32}}, CHECK_BOUNDS, 3, 0, 0, 2, 0, "8 bytes before the 128 bytes of 'in' (argument 1)"},
    {"char behind a buffer whose end is inside a page and no word",
     "kernel void k(global char *out) {\n"
     "    out[get_global_id(0) + WRONG] = 1;\n"
     "}\n",
     36, 36, {{'w', 9}}, CHECK_BOUNDS, 2, 0, 35, 1, 0, "right behind the 36 bytes of 'out'"},
    {"behind a local argument",
     "kernel void k(global int *out, local int *a, local int *b) {\n"
     "    int l = get_local_id(0);\n"
     "    a[l + WRONG] = l; b[l] = l;\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[l] = a[l + WRONG] + b[l];\n"
     "}\n",
     32, 32, {{'w', 32}, {'l', 128}, {'l', 128}}, CHECK_BOUNDS, 3, 0, 31, 1, 0, "right behind the 128 bytes of local 'a' (argument 1)"},
    {"before a local argument",
     "kernel void k(global int *out, local int *a) {\n"
     "    int l = get_local_id(0);\n"
     "    a[l - WRONG] = l;\n"
     "    out[l] = l;\n"
     "}\n",
     32, 32, {{'w', 32}, {'l', 128}}, CHECK_BOUNDS, 3, 0, 0, 1, 0, "4 bytes before the 128 bytes of local 'a'"},
    {"private array",
     "kernel void k(global int *out, int n) {\n"
     "    int a[16], i = get_global_id(0);\n"
     "    for (int j = 0; j < 16; j++) a[(j * n) & 15] = i;\n"
     "    out[i] = a[(i & 15) * n + 4096 * WRONG];\n"
     "}\n",
     32, 32, {{'w', 32}, {'i', 1}}, CHECK_OVERFLOW, 4, 0, 0, 32, 0, ""},
    {"uninitialised local memory decides a branch",
     "kernel void k(global int *out) {\n"
     "    local volatile int flag[2];\n"
     "    int l = get_local_id(0);\n"
     "    if (l == 0) flag[WRONG] = 0;\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    if (flag[0]) out[l] = 1;\n"
     "}\n",
     32, 32, {{'w', 32}}, CHECK_UNINIT, 6, 6, 0, 32, 0, ""},
    {"uninitialised buffer as an index",
     "kernel void k(global int *out, global int *index) {\n"
     "    int i = get_global_id(0);\n"
     "    if (!WRONG) index[i] = 3;\n"
     "    out[index[i]] = 7;\n"
     "}\n",
     32, 32, {{'w', 32}, {'n', 32}}, CHECK_UNINIT, 4, 4, 0, 32, 0, ""},
    {"sum of an uninitialised buffer",
     "kernel void k(global int *out, global int *in) {\n"
     "    int i = get_global_id(0);\n"
     "    if (!WRONG) in[i] = i;\n"
     "    out[i] = in[i] + 1;\n"
     "}\n",
     32, 32, {{'w', 32}, {'n', 32}}, CHECK_UNINIT, 4, 4, 0, 32, 0, "'out' (argument 0)"},
    {"copy of an uninitialised buffer",
     "kernel void k(global int *out, global int *in) {\n"
     "    int i = get_global_id(0);\n"
     "    if (!WRONG) in[i] = i;\n"
     "    out[i] = in[i];\n"
     "}\n",
     32, 32, {{'w', 32}, {'n', 32}}, CHECK_UNINIT, 4, 4, 0, 32, 0, "'out' (argument 0)"},
    {"atomic on uninitialised local memory",
     "kernel void k(global int *out) {\n"
     "    local int sum;\n"
     "    if (!WRONG && get_local_id(0) == 0) sum = 0;\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    atomic_add(&sum, 1);\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[get_global_id(0)] = sum;\n"
     "}\n",
     32, 32, {{'w', 32}}, CHECK_UNINIT, 5, 5, 0, 1, 0, "the kernel's local variables"},
    {"missing barrier between two warps",
     "kernel void k(global int *out, local int *a) {\n"
     "    int l = get_local_id(0);\n"
     "    a[l] = l;\n"
     "    if (!WRONG) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[l] = a[l ^ 32];\n"
     "}\n",
     64, 64, {{'w', 64}, {'l', 256}}, CHECK_RACES, 3, 5, 32, 1, 0, "byte 128 of the 256 bytes of local 'a'"},
    {"missing barrier within a warp",
     "kernel void k(global int *out, local volatile int *a) {\n"
     "    int l = get_local_id(0);\n"
     "    a[l] = l;\n"
     "    if (!WRONG) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[l] = a[l ^ 1];\n"
     "}\n",
     32, 32, {{'w', 32}, {'l', 128}}, CHECK_RACES, 5, 3, 0, 1, 1, "byte 4 of"},
    {"missing barrier in a loop: a read before a write",
     "kernel void k(global int *out, local int *a) {\n"
     "    int l = get_local_id(0), sum = 0;\n"
     "    for (int i = 0; i < 3; i++) {\n"
     "        a[l] = i + l;\n"
     "        barrier(CLK_LOCAL_MEM_FENCE);\n"
     "        sum += a[63 - l];\n"
     "        if (!WRONG) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    }\n"
     "    out[l] = sum;\n"
     "}\n",
     64, 64, {{'w', 64}, {'l', 256}}, CHECK_RACES, 6, 4, 32, 1, 31, "byte 124 of the 256 bytes of local 'a'"},
    {"barrier that orders the other memory",
     "kernel void k(global int *out, global int *a) {\n"
     "    int l = get_local_id(0);\n"
     "    a[l] = l;\n"
     "    barrier(WRONG ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);\n"
     "    out[l] = a[l ^ 32];\n"
     "}\n",
     64, 64, {{'w', 64}, {'w', 64}}, CHECK_RACES, 5, 3, 0, 1, 32, "'a' (argument 1)"},
    {"two groups write one word",
     "kernel void k(global int *out) {\n"
     "    int i = get_global_id(0);\n"
     "    out[WRONG ? i & 31 : i] = i;\n"
     "}\n",
     64, 32, {{'w', 64}}, CHECK_RACES, 3, 3, 32, 1, 0, "byte 0 of the 256 bytes of 'out'"},
    {"two work-items of one instruction write different values",
     "kernel void k(global int *out) {\n"
     "    int i = get_global_id(0);\n"
     "    out[i / 2] = WRONG ? i : i / 2;\n"
     "}\n",
     32, 32, {{'w', 32}}, CHECK_RACES, 3, 3, 1, 1, 0, "byte 0 of the 128 bytes of 'out'"},
    {"counter without an atomic",
     "kernel void k(volatile global int *n) {\n"
     "    if (WRONG) n[0] = n[0] + 1;\n"
     "    else atomic_inc(n);\n"
     "}\n",
     64, 32, {{'w', 1}}, CHECK_RACES, 2, 2, 32, 32, 0, "byte 0 of the 4 bytes of 'n'"},
    {"sum without an atomic: not of a work-item with itself",
     "kernel void k(volatile global int *n) {\n"
     "    int i = get_global_id(0);\n"
     "    if (WRONG) n[0] += i;\n"
     "    else atomic_add(n, i);\n"
     "}\n",
     32, 32, {{'w', 1}}, CHECK_RACES, 3, 3, 0, 1, 1, "byte 0 of the 4 bytes of 'n'"},
    {"the same by some of the work-items",
     "kernel void k(volatile global int *n) {\n"
     "    int i = get_global_id(0);\n"
     "    if (i % 8 < 5) return;\n"
     "    if (WRONG) n[0] += i;\n"
     "    else atomic_add(n, i);\n"
     "}\n",
     32, 32, {{'w', 1}}, CHECK_RACES, 4, 4, 5, 1, 6, "byte 0 of the 4 bytes of 'n'"},
    {"all store what one has loaded",
     "kernel void k(volatile global int *n, global int *out) {\n"
     "    out[get_global_id(0)] = n[get_global_id(0)];\n"
     "    if (WRONG) n[0] = 7;\n"
     "}\n",
     32, 32, {{'w', 32}, {'w', 32}}, CHECK_RACES, 3, 2, 1, 31, 0, "byte 0 of the 128 bytes of 'n'"},
    {"atomics read without a barrier",
     "kernel void k(global int *out) {\n"
     "    local int bins[4];\n"
     "    int l = get_local_id(0);\n"
     "    if (l < 4) bins[l] = 0;\n"
     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    atomic_inc(&bins[l & 3]);\n"
     "    if (!WRONG) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    if (l < 4) out[l] = bins[3 - l];\n"
     "}\n",
     64, 64, {{'w', 64}}, CHECK_RACES, 8, 6, 0, 1, 31, "byte 12 of the 16 bytes of"},
    {"chars side by side are no race, the same char is one",
     "kernel void k(global char *out) {\n"
     "    int i = get_global_id(0);\n"
     "    out[i - (WRONG && i == 33)] = i;\n"
     "}\n",
     64, 32, {{'w', 16}}, CHECK_RACES, 3, 3, 33, 1, 32, "byte 32 of the 64 bytes of 'out'"},
    {"barrier that some work-items of a warp skip",
     "kernel void k(global int *out) {\n"
     "    int l = get_local_id(0);\n"
     "    if (!WRONG || l < 20) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[l] = l;\n"
     "}\n",
     32, 32, {{'w', 32}}, CHECK_BARRIERS, 3, 0, 0, 20, 0, "lanes 000fffff of ffffffff"},
    {"barrier that a whole warp skips",
     "kernel void k(global int *out) {\n"
     "    int l = get_local_id(0);\n"
     "    if (!WRONG || l < 32) barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    out[l] = l;\n"
     "}\n",
     64, 64, {{'w', 64}}, CHECK_BARRIERS, 3, 0, 0, 32, 0, "warp 1 has ended"},
    {"different barriers",
     "kernel void k(global int *out) {\n"
     "    int l = get_local_id(0);\n"
     "    if (WRONG && l < 32) {\n"
     "        out[l] = 1;\n"
     "        barrier(CLK_LOCAL_MEM_FENCE);\n"
     "    } else {\n"
     "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
     "    }\n"
     "}\n",
     64, 64, {{'w', 64}}, CHECK_BARRIERS, 5, 7, 0, 32, 0, "is elsewhere"},
    {"misaligned pointer",
     "kernel void k(global char *out) {\n"
     "    *(global int *)(out + 8 * get_global_id(0) + WRONG) = 5;\n"
     "}\n",
     32, 32, {{'w', 128}}, CHECK_ALIGN, 2, 0, 0, 32, 0, "byte 1 of the 512 bytes of 'out'"},
};
// clang-format on
const size_t nsamples = sizeof samples / sizeof *samples;
