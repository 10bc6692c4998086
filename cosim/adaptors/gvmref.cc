/* The reference functions `gvmref_*` of the public RTL simulation, by libventus-cosim: a library that takes the place
 * of the one made of Spike (docs/cosim.md). `ventus backend build --gvmref HEADER` compiles it on the user's machine,
 * with the user's header included first: its structures differ between versions, and some are C++.
 *
 * The simulation says for each retired instruction which warp of which work-group it was; the warp is stepped, and what
 * it has written is returned. A work-group begins when the simulation first asks for one of its warps. Each is on an SM
 * of its own, so that all have local memory at the same address, as in Spike. Errors go to standard error. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "ventus_cosim.h"

namespace
{

enum { DONE = 0, FAILED = -1 };
enum { GROUPS = 64 /* at a time */, WARPS = 64 /* of each, at most */ };
const uint32_t CODE = 0x80000000u, BUFFERS = 0x90000000u, LOCAL = 0x70000000u, PAGE = 4096;

struct reference {
    ventus_cosim *cosim = nullptr;
    ventus_cosim_launch launch = {};
    bool launched = false;
    uint64_t next = BUFFERS;             /* where the next buffer lies */
    uint64_t left = 0;                   /* work-groups that have not ended */
    std::map<uint32_t, uint32_t> places; /* of work-groups that run: the SM */
    std::vector<bool> taken = std::vector<bool>(GROUPS);
};

reference *ref;

/* The library's reason, or ours. */
int fail(const char *what, const char *why = nullptr)
{
    fprintf(stderr, "ventus gvmref: %s: %s\n", what, why ? why : ventus_cosim_error(ref ? ref->cosim : nullptr));
    return FAILED;
}

/* The default machine with an SM for each work-group; VENTUS_CONFIG names another one. */
ventus_cosim *open_machine()
{
    const char *config = getenv("VENTUS_CONFIG");
    if (config && *config) return ventus_cosim_ref_init(config, 0);
    char path[] = "/tmp/ventus-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0) return nullptr;
    dprintf(fd, "sms = %d\nwarps_per_sm = %d\n", GROUPS, WARPS);
    close(fd);
    ventus_cosim *cosim = ventus_cosim_ref_init(path, 0);
    unlink(path);
    return cosim;
}

/* The SM of a work-group, which begins if it has not; -1: it cannot. */
int place_of(uint32_t group)
{
    const auto found = ref->places.find(group);
    if (found != ref->places.end()) return (int)found->second;
    uint32_t sm = 0;
    while (sm < GROUPS && ref->taken[sm]) sm++;
    if (sm == GROUPS) return fail("a work-group begins", "too many run at the same time");
    const ventus_cosim_launch &l = ref->launch;
    const uint64_t size = (uint64_t)l.threads_per_warp * l.warps * l.pds_bytes;
    if (!ventus_cosim_dut_group_begin(ref->cosim, sm, 0, group, LOCAL, (uint32_t)(l.pds_base + group * size)))
        return fail("a work-group begins");
    for (uint32_t w = 0; w < l.warps; w++)
        if (!ventus_cosim_dut_warp_begin(ref->cosim, sm * WARPS + w, sm, 0, w)) return fail("a warp begins");
    ref->taken[sm] = true;
    ref->places[group] = sm;
    return (int)sm;
}

/* The number of a warp for the library; -1: there is no such warp. */
int hart_of(uint32_t group, uint32_t warp)
{
    if (!ref || !ref->launched) return fail("a warp", "no kernel has been started");
    if (warp >= ref->launch.warps) return fail("a warp", "its number is too large");
    const int sm = place_of(group);
    return sm < 0 ? sm : sm * WARPS + (int)warp;
}

/* Between launches the host writes memory, which the reference does not allow in one. */
void end_launch()
{
    if (ref->launched) ventus_cosim_ref_launch_end(ref->cosim);
    ref->launched = false;
}

/* Have all warps of the work-group ended? Then it is over; with the last one, the launch is. */
bool group_over(uint32_t group, uint32_t sm)
{
    for (uint32_t w = 0; w < ref->launch.warps; w++)
        if (!ventus_cosim_ref_ended(ref->cosim, sm * WARPS + w)) return false;
    if (!ventus_cosim_dut_group_end(ref->cosim, sm, 0)) fail("a work-group ends");
    ref->places.erase(group);
    ref->taken[sm] = false;
    if (!--ref->left) end_launch();
    return true;
}

/* The loadable parts of a 32-bit ELF file. */
int load(const std::vector<char> &file)
{
    Elf32_Ehdr h;
    if (file.size() < sizeof h) return fail("the kernel file", "it is no executable");
    memcpy(&h, file.data(), sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_phentsize != sizeof(Elf32_Phdr))
        return fail("the kernel file", "it is no executable");
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf32_Phdr p;
        const uint64_t at = h.e_phoff + (uint64_t)i * sizeof p;
        if (at + sizeof p > file.size()) return fail("the kernel file", "it is cut off");
        memcpy(&p, file.data() + at, sizeof p);
        if (p.p_type != PT_LOAD || !p.p_memsz) continue;
        if ((uint64_t)p.p_offset + p.p_filesz > file.size()) return fail("the kernel file", "it is cut off");
        if (!ventus_cosim_ref_memory_open(ref->cosim, p.p_vaddr, p.p_memsz) ||
            (p.p_filesz && !ventus_cosim_ref_memory_write(ref->cosim, p.p_vaddr, file.data() + p.p_offset, p.p_filesz)))
            return fail("the kernel file");
    }
    return DONE;
}

void put_values(gvmref_step_return_info_t *r, uint32_t hart, uint32_t kind, uint32_t reg, uint32_t mask)
{
    gvmref_insn_result_t &to = r->insn_result;
    to.insn_type = kind == VENTUS_COSIM_V ? VREG : kind == VENTUS_COSIM_X ? XREG : DONT_CARE;
    if (kind == VENTUS_COSIM_X) {
        to.xreg_result.reg_idx = reg;
        to.xreg_result.rd = ventus_cosim_ref_x(ref->cosim, hart, reg);
    }
    if (kind != VENTUS_COSIM_V) return;
    to.vreg_result.reg_idx = reg;
    to.vreg_result.mask = mask;
    for (uint32_t lane = 0; lane < to.vreg_result.rd.size(); lane++)
        to.vreg_result.rd[lane] = ventus_cosim_ref_v(ref->cosim, hart, reg, lane);
}

} /* namespace */

#pragma GCC visibility push(default)
extern "C" {

int gvmref_vt_dev_close()
{
    if (ref) ventus_cosim_ref_shutdown(ref->cosim);
    delete ref;
    ref = nullptr;
    return DONE;
}

int gvmref_vt_dev_open()
{
    gvmref_vt_dev_close();
    ref = new reference;
    ref->cosim = open_machine();
    if (ref->cosim) return DONE;
    fail("the machine");
    gvmref_vt_dev_close();
    return FAILED;
}

/* Buffers lie one behind the other from the beginning of the window on, in whole pages. */
int gvmref_vt_buf_alloc(uint64_t size, uint64_t *vaddr, int, uint64_t, uint64_t)
{
    if (!ref || !vaddr || !size || size > UINT32_MAX) return FAILED;
    const uint64_t whole = (size + PAGE - 1) / PAGE * PAGE;
    if (ref->next + whole > UINT32_MAX) return fail("a buffer", "there is no room left");
    if (!ventus_cosim_ref_memory_open(ref->cosim, (uint32_t)ref->next, whole)) return fail("a buffer");
    *vaddr = ref->next;
    ref->next += whole;
    return DONE;
}

int gvmref_vt_buf_free(uint64_t, uint64_t *, uint64_t, uint64_t)
{
    if (!ref) return FAILED;
    ref->next = BUFFERS;
    return DONE;
}

/* Its place is not used again before all are free. */
int gvmref_vt_one_buf_free(uint64_t, uint64_t *, uint64_t, uint64_t) { return ref ? DONE : FAILED; }

int gvmref_vt_copy_to_dev(uint64_t to, const void *from, uint64_t size, uint64_t, uint64_t)
{
    if (!ref || !from || to > UINT32_MAX) return FAILED;
    return ventus_cosim_ref_memory_write(ref->cosim, (uint32_t)to, from, size) ? DONE : fail("a copy");
}

int gvmref_vt_upload_kernel_file(const char *name, int)
{
    std::vector<char> file;
    FILE *f = ref && name ? fopen(name, "rb") : nullptr;
    if (!f) return ref ? fail("the kernel file", "it cannot be read") : FAILED;
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) file.insert(file.end(), part, part + n);
    fclose(f);
    ventus_cosim_ref_program_load(ref->cosim, name); /* names and lines, if it has any */
    return load(file);
}

int gvmref_vt_start(void *metadata, uint64_t)
{
    const gvmref_meta_data *m = (const gvmref_meta_data *)metadata;
    if (!ref || !m) return FAILED;
    end_launch();
    ref->places.clear();
    ref->taken.assign(GROUPS, false);
    ventus_cosim_launch &l = ref->launch = {};
    l.start_pc = CODE;
    l.knl = (uint32_t)m->metaDataBaseAddr;
    for (int i = 0; i < 3; i++) l.groups[i] = (uint32_t)m->kernel_size[i];
    l.warps = (uint32_t)m->wg_size;
    l.threads_per_warp = (uint32_t)m->wf_size;
    l.lds_bytes = (uint32_t)m->ldsSize;
    l.pds_base = (uint32_t)m->pdsBaseAddr;
    l.pds_bytes = (uint32_t)m->pdsSize;
    ref->left = (uint64_t)l.groups[0] * l.groups[1] * l.groups[2];
    ref->launched = ventus_cosim_ref_launch(ref->cosim, &l);
    return ref->launched ? DONE : fail("the launch");
}

int gvmref_set_warp_xreg(uint32_t group, uint32_t warp, uint32_t count, gvmref_warp_xreg_t values)
{
    const int hart = hart_of(group, warp);
    for (uint32_t i = 1; hart >= 0 && i < count && i < values.xreg.size(); i++)
        ventus_cosim_ref_x_set(ref->cosim, (uint32_t)hart, i, (uint32_t)values.xreg[i]);
    return hart < 0 ? FAILED : DONE;
}

uint32_t gvmref_get_next_pc(uint32_t group, uint32_t warp)
{
    const int hart = hart_of(group, warp);
    return hart < 0 ? 0 : ventus_cosim_ref_pc(ref->cosim, (uint32_t)hart);
}

void gvmref_step(uint32_t group, uint32_t warp, gvmref_step_return_info_t *r)
{
    const int hart = r ? hart_of(group, warp) : -1;
    uint32_t reg = 0, mask = 0;
    if (!r) return;
    *r = gvmref_step_return_info_t();
    if (hart < 0) return;
    r->pc = ventus_cosim_ref_pc(ref->cosim, (uint32_t)hart);
    r->insn = ventus_cosim_ref_word(ref->cosim, (uint32_t)r->pc);
    if (!ventus_cosim_ref_step(ref->cosim, (uint32_t)hart)) fail("a step");
    const uint32_t kind = ventus_cosim_ref_written(ref->cosim, &reg, &mask);
    put_values(r, (uint32_t)hart, kind, reg, mask);
    r->wg_done = group_over(group, (uint32_t)hart / WARPS);
}

void gvmref_get_xreg(gvmref_xreg_t *r, uint32_t group, uint32_t warp)
{
    const int hart = r ? hart_of(group, warp) : -1;
    for (uint32_t i = 0; r && i < r->xpr.size(); i++)
        r->xpr[i] = hart < 0 ? 0 : ventus_cosim_ref_x(ref->cosim, (uint32_t)hart, i);
}

} /* extern "C" */
#pragma GCC visibility pop
