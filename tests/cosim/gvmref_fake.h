/* The functions and structures of the public RTL simulation's reference, as far as the adaptor knows them, for tests.
 */
#pragma once

#include <array>
#include <cstdint>
#include <vector>

extern "C" {
struct gvmref_warp_xreg_t {
    std::vector<uint64_t> xreg;
};
struct gvmref_xreg_t {
    std::array<uint64_t, 256> xpr;
};
enum gvmref_insn_type { DONT_CARE, XREG, VREG };
struct gvmref_xreg_result_t {
    uint32_t rd, reg_idx;
};
struct gvmref_vreg_result_t {
    std::array<uint32_t, 32> rd;
    uint32_t reg_idx, mask;
};
struct gvmref_insn_result_t {
    gvmref_insn_type insn_type;
    gvmref_xreg_result_t xreg_result;
    gvmref_vreg_result_t vreg_result;
};
struct gvmref_step_return_info_t {
    int wg_done;
    uint64_t pc;
    uint32_t insn;
    gvmref_insn_result_t insn_result;
};
int gvmref_vt_dev_open();
int gvmref_vt_dev_close();
int gvmref_vt_buf_alloc(uint64_t size, uint64_t *vaddr, int type, uint64_t task, uint64_t kernel);
int gvmref_vt_buf_free(uint64_t size, uint64_t *vaddr, uint64_t task, uint64_t kernel);
int gvmref_vt_one_buf_free(uint64_t size, uint64_t *vaddr, uint64_t task, uint64_t kernel);
int gvmref_vt_copy_to_dev(uint64_t vaddr, const void *from, uint64_t size, uint64_t task, uint64_t kernel);
int gvmref_vt_start(void *metadata, uint64_t task);
int gvmref_vt_upload_kernel_file(const char *name, int task);
int gvmref_set_warp_xreg(uint32_t group, uint32_t warp, uint32_t count, gvmref_warp_xreg_t values);
uint32_t gvmref_get_next_pc(uint32_t group, uint32_t warp);
void gvmref_step(uint32_t group, uint32_t warp, gvmref_step_return_info_t *r);
void gvmref_get_xreg(gvmref_xreg_t *r, uint32_t group, uint32_t warp);
}

struct gvmref_meta_data {
    uint64_t kernel_id, kernel_size[3], wf_size, wg_size, metaDataBaseAddr, ldsSize, pdsSize, sgprUsage, vgprUsage,
        pdsBaseAddr;
};
