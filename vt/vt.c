/* The public driver interface over the device API (ventus_vt.h).
 *
 * The machine is made to look like the public simulator: one work-group at a time, local and code window open
 * and writable as a whole, buffers side by side. Under the lock of a handle there is one call at a time, but
 * for waits; `open_devices` tells handles from other pointers. */
#include "ventus_vt.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "driver/gpu.h"
#include "host/number.h"
#include "host/word.h"
#include "image.h"
#include "isa/abi.h"
#include "isa/isa.h"

#define EXPORT __attribute__((visibility("default")))

/* KEPT_IDS: 16 KiB; a client that asks for none of its launches forgets older ones. */
enum { OK = 0, FAILED = -1, KEPT_IDS = 4096, INTERFACE = 1, CACHE_LINE = 128, LOCAL_MEMORY = 64 << 10 };

/* A launch that has not been looked at since. */
struct pending {
    struct pending *next;
    ventus_event *event;
    int id;
};

struct vt {
    struct vt *next;
    ventus_device *device;
    uint32_t threads, warps; /* to report */
    pthread_mutex_t lock;
    struct image image; /* uploaded, not in the window yet; bytes NULL: none */
    bool has_program;
    size_t extent;      /* of the program in the window */
    uint32_t lds_bytes; /* the most a launch has had, so that local memory never gets smaller */
    struct pending *first, **last;
    bool failed;       /* a launch, since the last wait */
    int ids[KEPT_IDS]; /* of ended launches: `nids` from `first_id` on, around */
    unsigned first_id, nids;
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt *open_devices;

/* ---- handles ---- */

static struct vt *find(const void *handle)
{
    pthread_mutex_lock(&open_lock);
    struct vt *vt = open_devices;
    while (vt && vt != handle) vt = vt->next;
    pthread_mutex_unlock(&open_lock);
    return vt;
}

/* Does freed memory keep its addresses to itself (VENTUS_VT_NO_REUSE)? */
static bool keeps_freed(void)
{
    static struct host_word said = {"VENTUS_VT_NO_REUSE", {"0", "1"}, false};
    return host_word(&said) == 1;
}

/* The configured machine, but with one slot for groups, all registers for everybody and physical addresses. */
static bool machine(struct gpu_config *config)
{
    char why[300] = "";
    if (device_gpu_config(0, config, why, sizeof why) != VENTUS_OK) {
        fprintf(stderr, "ventus: %s\n", why);
        return false;
    }
    config->sms = config->groups_per_sm = 1;
    config->lds_bytes = ABI_LOCAL_LIMIT - ABI_LOCAL_BASE;
    config->vgpr_rows = config->warps_per_sm * ISA_VREGS;
    config->sgpr_rows = config->warps_per_sm * ISA_XREGS;
    config->translation = GPU_PHYSICAL;
    return true;
}

/* Local and code window as a whole. */
static bool open_windows(ventus_device *d)
{
    return gpu_mem_open(device_gpu(d), ABI_LOCAL_BASE, ABI_CODE_LIMIT - ABI_LOCAL_BASE, GPU_READ | GPU_WRITE);
}

/* Bytes that the host puts into the code window may be code; the rest of it stays data, so that the machine
 * has not the whole window to look through. */
static bool put_code(ventus_device *d, uint64_t addr, const void *bytes, uint64_t size)
{
    struct gpu *gpu = device_gpu(d);
    if (!gpu_mem_open(gpu, (uint32_t)addr, size, GPU_READ | GPU_WRITE | GPU_EXEC)) return false;
    memcpy(gpu_mem(gpu, (uint32_t)addr, size), bytes, size);
    gpu_mem_code_changed(gpu);
    return true;
}

static ventus_device *open_device(const struct gpu_config *config)
{
    ventus_device *d;
    unsigned flags = VENTUS_HEAP_PACKED | (keeps_freed() ? VENTUS_HEAP_ASCENDING : 0);
    if (device_open_gpu(config, &d) != VENTUS_OK) return NULL;
    if (ventus_heap(d, flags) == VENTUS_OK && open_windows(d)) return d;
    ventus_close(d);
    return NULL;
}

EXPORT int vt_dev_open(vt_device_h *hdevice)
{
    struct gpu_config config;
    if (!hdevice || !machine(&config)) return FAILED;
    struct vt *vt = calloc(1, sizeof *vt);
    if (!vt) return FAILED;
    vt->device = open_device(&config);
    if (!vt->device || pthread_mutex_init(&vt->lock, NULL)) {
        ventus_close(vt->device);
        free(vt);
        return FAILED;
    }
    static atomic_bool said;
    struct host_number threads = {"NUM_THREAD", "number of threads", 1, ISA_LANES, config.threads_per_warp, said};
    struct host_number warps = {"NUM_WARP", "number of warps", 1, config.warps_per_sm, config.warps_per_sm, said};
    vt->threads = (uint32_t)host_number(&threads);
    vt->warps = (uint32_t)host_number(&warps);
    said = true;
    vt->last = &vt->first;
    pthread_mutex_lock(&open_lock);
    vt->next = open_devices;
    open_devices = vt;
    pthread_mutex_unlock(&open_lock);
    *hdevice = vt;
    return OK;
}

EXPORT int vt_dev_close(vt_device_h hdevice)
{
    pthread_mutex_lock(&open_lock);
    struct vt **link = &open_devices, *vt;
    while (*link && *link != hdevice) link = &(*link)->next;
    vt = *link;
    if (vt) *link = vt->next;
    pthread_mutex_unlock(&open_lock);
    if (!vt) return FAILED;
    ventus_close(vt->device);
    for (struct pending *p = vt->first, *next; p; p = next) {
        next = p->next;
        ventus_event_release(p->event);
        free(p);
    }
    pthread_mutex_destroy(&vt->lock);
    free(vt->image.bytes);
    free(vt);
    return OK;
}

EXPORT int vt_dev_caps(vt_device_h *hdevice, uint64_t caps_id, uint64_t *value)
{
    struct vt *vt = find(hdevice);
    if (!vt && hdevice) vt = find(*hdevice);
    if (!vt || !value) return FAILED;
    switch (caps_id) {
    case VT_CAPS_VERSION: *value = INTERFACE; return OK;
    case VT_CAPS_MAX_CORES: *value = gpu_config_of(device_gpu(vt->device))->sms; return OK;
    case VT_CAPS_MAX_WARPS: *value = vt->warps; return OK;
    case VT_CAPS_MAX_THREADS: *value = vt->threads; return OK;
    case VT_CAPS_CACHE_LINE: *value = CACHE_LINE; return OK;
    case VT_CAPS_LOCAL_MEMORY: *value = LOCAL_MEMORY; return OK;
    case VT_CAPS_ALLOC_BASE: *value = ABI_HEAP_BASE; return OK;
    case VT_CAPS_KERNEL_BASE: *value = ABI_CODE_BASE; return OK;
    default: return FAILED;
    }
}

EXPORT int vt_root_mem_alloc(vt_device_h hdevice, int taskID) { return (void)taskID, find(hdevice) ? OK : FAILED; }

EXPORT int vt_root_mem_free(vt_device_h hdevice, int taskID) { return (void)taskID, find(hdevice) ? OK : FAILED; }

/* ---- launches that have ended ---- */

static void keep_id(struct vt *vt, int id)
{
    if (vt->nids == KEPT_IDS) {
        vt->first_id = (vt->first_id + 1) % KEPT_IDS;
        vt->nids--;
    }
    vt->ids[(vt->first_id + vt->nids++) % KEPT_IDS] = id;
}

/* Looks at launches that have ended since; they do so in order. With the lock held. */
static void collect_ended(struct vt *vt)
{
    for (struct pending *p; (p = vt->first) && ventus_event_state(p->event) == VENTUS_ENDED;) {
        const struct ventus_outcome *o = ventus_event_outcome(p->event);
        if (o->status != VENTUS_OK) vt->failed = true;
        if (*o->message) fprintf(stderr, "ventus: %s\n", o->message);
        keep_id(vt, p->id);
        vt->first = p->next;
        if (!vt->first) vt->last = &vt->first;
        ventus_event_release(p->event);
        free(p);
    }
}

/* The device for a call that touches memory: no launch is under way and the lock is held. NULL: a bad handle. */
static struct vt *begin(vt_device_h hdevice)
{
    struct vt *vt = find(hdevice);
    if (!vt) return NULL;
    pthread_mutex_lock(&vt->lock);
    ventus_finish(vt->device, VENTUS_FOREVER);
    return vt;
}

static int end(struct vt *vt, bool ok)
{
    pthread_mutex_unlock(&vt->lock);
    return ok ? OK : FAILED;
}

/* ---- memory ---- */

EXPORT int vt_buf_alloc(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, int BUF_TYPE, uint64_t taskID,
                        uint64_t kernelID)
{
    struct vt *vt = find(hdevice);
    uint32_t addr;
    (void)BUF_TYPE, (void)taskID, (void)kernelID;
    if (!vt || !vaddr || !size || size > UINT32_MAX) return FAILED;
    uint64_t rounded = (size + ABI_PAGE - 1) / ABI_PAGE * ABI_PAGE;
    if (ventus_alloc(vt->device, rounded, &addr) != VENTUS_OK) return FAILED;
    *vaddr = addr;
    return OK;
}

EXPORT int vt_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID, uint64_t kernelID)
{
    (void)size, (void)vaddr, (void)taskID, (void)kernelID;
    struct vt *vt = begin(hdevice);
    if (!vt) return FAILED;
    ventus_free_all(vt->device);
    return end(vt, true);
}

EXPORT int vt_one_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID, uint64_t kernelID)
{
    (void)size, (void)taskID, (void)kernelID;
    struct vt *vt = vaddr ? begin(hdevice) : NULL;
    if (!vt) return FAILED;
    return end(vt, *vaddr <= UINT32_MAX && ventus_free(vt->device, (uint32_t)*vaddr) == VENTUS_OK);
}

/* Host address of a range of the local or code window, which are open as a whole. */
static void *in_window(const struct vt *vt, uint64_t addr, uint64_t size)
{
    uint64_t limit = addr < ABI_LOCAL_LIMIT ? ABI_LOCAL_LIMIT : ABI_CODE_LIMIT;
    if (addr < ABI_LOCAL_BASE || addr >= limit || size > limit - addr) return NULL;
    return gpu_mem(device_gpu(vt->device), (uint32_t)addr, size);
}

EXPORT int vt_copy_to_dev(vt_device_h hdevice, uint64_t dev_vaddr, const void *src_addr, uint64_t size, uint64_t taskID,
                          uint64_t kernelID)
{
    (void)taskID, (void)kernelID;
    struct vt *vt = src_addr && dev_vaddr <= UINT32_MAX ? begin(hdevice) : NULL;
    if (!vt) return FAILED;
    void *window = in_window(vt, dev_vaddr, size);
    if (!window) return end(vt, ventus_write(vt->device, (uint32_t)dev_vaddr, src_addr, size) == VENTUS_OK);
    if (dev_vaddr >= ABI_CODE_BASE) return end(vt, put_code(vt->device, dev_vaddr, src_addr, size));
    memcpy(window, src_addr, size);
    return end(vt, true);
}

EXPORT int vt_copy_from_dev(vt_device_h hdevice, uint64_t dev_vaddr, void *dst_addr, uint64_t size, uint64_t taskID,
                            uint64_t kernelID)
{
    (void)taskID, (void)kernelID;
    struct vt *vt = dst_addr && dev_vaddr <= UINT32_MAX ? begin(hdevice) : NULL;
    if (!vt) return FAILED;
    void *window = in_window(vt, dev_vaddr, size);
    if (!window) return end(vt, ventus_read(vt->device, dst_addr, (uint32_t)dev_vaddr, size) == VENTUS_OK);
    memcpy(dst_addr, window, size);
    return end(vt, true);
}

/* ---- programs ---- */

/* Says so when the machine has another instruction set than the program. */
static bool runs_here(const struct vt *vt, const struct image *image)
{
    enum isa_profile machine = (enum isa_profile)gpu_config_of(device_gpu(vt->device))->profile;
    if (isa_profile_runs(machine, image->profile)) return true;
    fprintf(stderr, "ventus: the program is of profile %s, the machine of profile %s\n",
            isa_profile_name((enum isa_profile)image->profile), isa_profile_name(machine));
    return false;
}

/* The program waits here until a launch wants it: earlier launches may still run. */
static int keep_program(struct vt *vt, struct image image)
{
    if (!runs_here(vt, &image)) return free(image.bytes), FAILED;
    pthread_mutex_lock(&vt->lock);
    free(vt->image.bytes);
    vt->image = image;
    vt->has_program = true;
    return end(vt, true);
}

EXPORT int vt_upload_kernel_file(vt_device_h hdevice, const char *filename, int kernelID)
{
    struct vt *vt = find(hdevice);
    struct image image;
    const char *why = "";
    (void)kernelID;
    if (!vt || !filename) return FAILED;
    if (image_read(filename, &image, &why)) return keep_program(vt, image);
    fprintf(stderr, "ventus: %s: %s\n", filename, why);
    return FAILED;
}

EXPORT int vt_upload_kernel_bytes(vt_device_h hdevice, const void *content, uint64_t size, int taskID)
{
    struct vt *vt = find(hdevice);
    struct image image;
    const char *why = "";
    (void)taskID;
    if (!vt || !content || !image_parse(content, size, &image, &why)) return FAILED;
    return keep_program(vt, image);
}

/* Puts the uploaded program, if there is a new one, in the place of the old one. With the lock held. */
static bool load_program(struct vt *vt)
{
    struct image *image = &vt->image;
    if (!image->bytes) return vt->has_program;
    if (vt->extent < image->extent) vt->extent = image->extent;
    ventus_finish(vt->device, VENTUS_FOREVER);
    gpu_mem_close(device_gpu(vt->device), ABI_CODE_BASE, vt->extent);
    if (!open_windows(vt->device) || !put_code(vt->device, ABI_CODE_BASE, image->bytes, image->size)) return false;
    vt->extent = image->extent;
    free(image->bytes);
    image->bytes = NULL;
    return true;
}

/* ---- launches ---- */

static bool fits(uint64_t value, uint64_t least, uint64_t most) { return value >= least && value <= most; }

/* The machine's launch of public metadata; false for sizes that cannot be. */
static bool translate(const struct vt *vt, const struct meta_data *m, struct launch *l)
{
    uint64_t groups = 1;
    for (int d = 0; d < 3; d++) {
        if (!fits(m->kernel_size[d], 1, UINT32_MAX / groups)) return false;
        groups *= m->kernel_size[d];
        l->groups[d] = (uint32_t)m->kernel_size[d];
    }
    if (!fits(m->wf_size, 1, ISA_LANES) || !fits(m->wg_size, 1, gpu_config_of(device_gpu(vt->device))->warps_per_sm))
        return false;
    if (m->metaDataBaseAddr > UINT32_MAX || m->pdsBaseAddr > UINT32_MAX || m->pdsSize > UINT32_MAX) return false;
    uint64_t stacks = m->wg_size * ABI_WARP_STACK;
    if (m->ldsSize > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE - stacks) return false;
    l->start_pc = ABI_CODE_BASE;
    l->knl = (uint32_t)m->metaDataBaseAddr;
    l->warps = (uint32_t)m->wg_size;
    l->threads_per_warp = (uint32_t)m->wf_size;
    l->work_items = l->warps * l->threads_per_warp;
    l->sgprs = ISA_XREGS;
    l->vgprs = ISA_VREGS;
    l->lds_bytes = (uint32_t)(m->ldsSize + stacks); /* the public driver's constant holds four stacks only */
    l->pds_base = (uint32_t)m->pdsBaseAddr;
    l->pds_bytes = (uint32_t)m->pdsSize;
    return true;
}

static bool submit(struct vt *vt, struct launch *raw, int id)
{
    struct pending *p = calloc(1, sizeof *p);
    if (!p) return false;
    if (raw->lds_bytes < vt->lds_bytes) raw->lds_bytes = vt->lds_bytes;
    vt->lds_bytes = raw->lds_bytes;
    const struct ventus_launch launch = {.gpu =
                                             &(struct ventus_gpu_launch){.launch = raw, .options = {.serial = true}}};
    if (ventus_launch(vt->device, &launch, 0, NULL, &p->event) != VENTUS_OK) {
        free(p);
        return false;
    }
    p->id = id;
    *vt->last = p;
    vt->last = &p->next;
    return true;
}

EXPORT int vt_start(vt_device_h hdevice, void *meta_data, uint64_t taskID)
{
    struct vt *vt = find(hdevice);
    struct launch raw = {0};
    (void)taskID;
    if (!vt || !meta_data) return FAILED;
    struct meta_data m;
    memcpy(&m, meta_data, sizeof m);
    pthread_mutex_lock(&vt->lock);
    collect_ended(vt);
    return end(vt, translate(vt, &m, &raw) && load_program(vt) && submit(vt, &raw, (int)m.kernel_id));
}

EXPORT int vt_ready_wait(vt_device_h hdevice, uint64_t timeout)
{
    enum { MILLISECOND = 1000000 };
    struct vt *vt = find(hdevice);
    if (!vt) return FAILED;
    uint64_t ns = timeout > VENTUS_FOREVER / MILLISECOND ? VENTUS_FOREVER : timeout * MILLISECOND;
    bool ended = ventus_finish(vt->device, ns) == VENTUS_OK;
    pthread_mutex_lock(&vt->lock);
    collect_ended(vt);
    bool failed = vt->failed;
    vt->failed = false;
    return end(vt, ended && !failed);
}

EXPORT int vt_finish_all_kernel(vt_device_h hdevice, void *finished_kernel_queue)
{
    (void)finished_kernel_queue;
    return vt_ready_wait(hdevice, UINT64_MAX);
}

EXPORT int vt_finished_kernels(vt_device_h hdevice, int *ids, int max)
{
    struct vt *vt = find(hdevice);
    int n = 0;
    if (!vt || max < 0 || (max && !ids)) return FAILED;
    pthread_mutex_lock(&vt->lock);
    collect_ended(vt);
    for (; n < max && vt->nids; n++, vt->nids--) {
        ids[n] = vt->ids[vt->first_id];
        vt->first_id = (vt->first_id + 1) % KEPT_IDS;
    }
    end(vt, true);
    return n;
}

EXPORT int vt_dump_perf(vt_device_h hdevice, FILE *stream)
{
    struct vt *vt = find(hdevice);
    struct ventus_totals t;
    if (!vt || !stream) return FAILED;
    ventus_totals(vt->device, &t);
    const struct ventus_counters *c = &t.counters;
    // clang-format off
    const struct { const char *name; uint64_t value; } rows[] = {
        {"launches", t.launches}, {"failed", t.faults}, {"cancelled", t.cancelled}, {"nanoseconds", t.busy_ns},
        {"work-groups", c->groups}, {"warps", c->warps}, {"instructions", c->instructions},
        {"vector instructions", c->vector_instructions}, {"active lanes", c->lanes}, {"vector branches", c->branches},
        {"divergent branches", c->divergent}, {"loads", c->loads}, {"stores", c->stores}, {"atomics", c->atomics},
        {"barrier arrivals", c->barriers}, {"deepest SIMT stack", c->max_simt_depth},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(stream, "%-20s %llu\n", rows[i].name, (unsigned long long)rows[i].value);
    return OK;
}
