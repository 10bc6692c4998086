/* An RTL simulation in name only: steps the warps of two launches, one instruction of each in turn, and prints what the
 * reference has said of the first. gvmref PROGRAM GROUPS WARPS LANES */
#include <cstdio>
#include <cstdlib>

#include "gvmref_fake.h"

static void print(uint32_t group, uint32_t warp, const gvmref_step_return_info_t &r)
{
    const auto &v = r.insn_result.vreg_result;
    const auto &x = r.insn_result.xreg_result;
    printf("%u.%u %08llx %08x", group, warp, (unsigned long long)r.pc, r.insn);
    if (r.insn_result.insn_type == XREG) printf(" x%u %u", x.reg_idx, x.rd);
    if (r.insn_result.insn_type == VREG) printf(" v%u %x %u %u", v.reg_idx, v.mask, v.rd[0], v.rd[1]);
    puts(r.wg_done ? " done" : "");
}

/* Steps all warps to their ends. */
static int run(uint32_t groups, uint32_t warps, bool prints)
{
    for (uint32_t g = 0; g < groups; g++)
        for (bool done = false; !done;)
            for (uint32_t w = 0; w < warps && !done; w++) {
                gvmref_step_return_info_t r;
                gvmref_xreg_t x;
                const uint32_t pc = gvmref_get_next_pc(g, w);
                gvmref_step(g, w, &r);
                if (r.pc != pc) return 5;
                if (prints) print(g, w, r);
                done = r.wg_done;
                if (done) continue;
                gvmref_get_xreg(&x, g, w);
                if (r.insn_result.insn_type == XREG &&
                    x.xpr[r.insn_result.xreg_result.reg_idx] != r.insn_result.xreg_result.rd)
                    return 6;
            }
    return 0;
}

int main(int argc, char **argv)
{
    const uint32_t groups = argc > 4 ? atoi(argv[2]) : 0, warps = argc > 4 ? atoi(argv[3]) : 0;
    gvmref_meta_data m = {};
    uint64_t data = 0, more = 0;
    const uint32_t words[2] = {7, 11};
    if (argc < 5 || gvmref_vt_dev_open() || gvmref_vt_buf_alloc(8, &data, 0, 0, 0) ||
        gvmref_vt_buf_alloc(5000, &more, 0, 0, 0))
        return 1;
    printf("buffers %llx %llx\n", (unsigned long long)data, (unsigned long long)more);
    if (gvmref_vt_copy_to_dev(data, words, sizeof words, 0, 0) || gvmref_vt_upload_kernel_file(argv[1], 0)) return 2;
    m.kernel_size[0] = groups, m.kernel_size[1] = m.kernel_size[2] = 1;
    m.wg_size = warps, m.wf_size = atoi(argv[4]), m.ldsSize = 4096, m.pdsSize = 64, m.pdsBaseAddr = 0xa0000000;
    if (gvmref_vt_start(&m, 0)) return 3;
    if (gvmref_set_warp_xreg(0, 0, 10, {{0, 0, 0, 0, 0, 0, 0, 0, 0, 77}})) return 4;
    const int failed = run(groups, warps, true);
    if (failed) return failed;

    /* Another kernel, in new buffers. */
    if (gvmref_vt_buf_free(0, &data, 0, 0) || gvmref_vt_buf_alloc(8, &data, 0, 0, 0)) return 7;
    if (gvmref_vt_copy_to_dev(data, words, sizeof words, 0, 0) || gvmref_vt_upload_kernel_file(argv[1], 0)) return 8;
    if (gvmref_vt_start(&m, 0)) return 9;
    const int again = run(groups, warps, false);
    return again ? again : gvmref_vt_one_buf_free(8, &data, 0, 0) || gvmref_vt_dev_close();
}
