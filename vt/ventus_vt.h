/* The driver interface of the public Ventus stack, over the device API of driver/: a program made for the
 * public simulator's driver library also runs with this one, libventus-driver.so.
 *
 * Every function returns 0, or -1: a handle that is not open, a NULL pointer, an address range outside
 * device memory, a file that is no program. Sizes are in bytes. taskID and kernelID may be anything: all tasks
 * share one address space. Functions may be called from any thread.
 *
 * Launches run behind vt_start, in order, their work-groups one after another. Everything that touches
 * device memory waits for them first, so a program that gives up waiting still sees finished results.
 * docs/driver.md has the differences from the public library. */
#ifndef VENTUS_VT_H
#define VENTUS_VT_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#include <queue>
extern "C" {
#endif

typedef void *vt_device_h;

/* ---- the device ---- */

/* Opens a new device. Environment: with VENTUS_VT_NO_REUSE=1 no address is assigned twice, as recorded launches
 * require; NUM_THREAD and NUM_WARP set what vt_dev_caps reports; VENTUS_CONFIG names a machine file. */
int vt_dev_open(vt_device_h *hdevice);

/* Cancels running launches and frees everything. */
int vt_dev_close(vt_device_h hdevice);

enum vt_caps {
    VT_CAPS_VERSION, /* of this interface */
    VT_CAPS_MAX_CORES,
    VT_CAPS_MAX_WARPS,    /* of a work-group */
    VT_CAPS_MAX_THREADS,  /* of a warp */
    VT_CAPS_CACHE_LINE,   /* bytes */
    VT_CAPS_LOCAL_MEMORY, /* bytes of a work-group */
    VT_CAPS_ALLOC_BASE,   /* first address of buffers */
    VT_CAPS_KERNEL_BASE,  /* address of the program */
};

/* *value = the capability. `hdevice` points to the handle; the handle itself is accepted as well. */
int vt_dev_caps(vt_device_h *hdevice, uint64_t caps_id, uint64_t *value);

/* Address spaces of tasks: all tasks share one, which always exists. */
int vt_root_mem_alloc(vt_device_h hdevice, int taskID);
int vt_root_mem_free(vt_device_h hdevice, int taskID);

/* ---- memory ---- */

/* Allocates `size` bytes (> 0), rounded up to 4 KiB, at the lowest free address from 0x90000000 on; they read
 * as zero. BUF_TYPE (0 read and write, 1 read-only, 2 kernel) has no effect. */
int vt_buf_alloc(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, int BUF_TYPE, uint64_t taskID, uint64_t kernelID);

/* Frees all buffers, whatever the arguments. */
int vt_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID, uint64_t kernelID);

/* Frees the buffer at *vaddr; `size` is ignored. */
int vt_one_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID, uint64_t kernelID);

/* Copies to or from a range of one buffer, of the program from 0x80000000 on, or of local memory from
 * 0x70000000 on. In local memory, the stacks and static variables of a group, at the bottom, are cleared when it
 * starts; the rest keeps its contents: all groups share one local memory. */
int vt_copy_to_dev(vt_device_h hdevice, uint64_t dev_vaddr, const void *src_addr, uint64_t size, uint64_t taskID,
                   uint64_t kernelID);
int vt_copy_from_dev(vt_device_h hdevice, uint64_t dev_vaddr, void *dst_addr, uint64_t size, uint64_t taskID,
                     uint64_t kernelID);

/* ---- programs and launches ---- */

/* The program of the following launches: an ELF executable, or text of 32-bit words from 0x80000000 on
 * (.vmem). If the file does not exist, one of the same name ending in .vmem is used. */
int vt_upload_kernel_file(vt_device_h hdevice, const char *filename, int kernelID);

/* The same from memory: an ELF executable, else the bytes from 0x80000000 on. */
int vt_upload_kernel_bytes(vt_device_h hdevice, const void *content, uint64_t size, int taskID);

/* The argument of vt_start. */
struct meta_data {
    uint64_t kernel_id;
    uint64_t kernel_size[3];   /* work-groups */
    uint64_t wf_size;          /* threads of a warp, 1 to 32 */
    uint64_t wg_size;          /* warps of a work-group */
    uint64_t metaDataBaseAddr; /* of the kernel's metadata block, CSR_KNL */
    uint64_t ldsSize;          /* local memory of a group, without stacks: they are added */
    uint64_t pdsSize;          /* private memory of a thread */
    uint64_t sgprUsage;        /* these two are ignored: a program may use all registers */
    uint64_t vgprUsage;
    uint64_t pdsBaseAddr; /* of private memory, the same for every group */
};

/* Queues a launch that starts at 0x80000000. -1 for impossible sizes; later failures are reported on
 * standard error and by the next vt_ready_wait. */
int vt_start(vt_device_h hdevice, void *meta_data, uint64_t taskID);

/* Waits for all launches, at most `timeout` milliseconds. -1 if they have not ended, or if one that has ended
 * since the last wait failed. */
int vt_ready_wait(vt_device_h hdevice, uint64_t timeout);

/* Takes at most `max` kernel ids of ended launches, in order; returns how many, or -1. (Not in the public
 * library. Only the last 4096 are kept.) */
int vt_finished_kernels(vt_device_h hdevice, int *ids, int max);

/* Writes counters of all launches so far. */
int vt_dump_perf(vt_device_h hdevice, FILE *stream);

/* Waits for all launches. In the public header the second argument is a std::queue<int> * for their ids. A C
 * library cannot fill a C++ object whose layout it does not know, so this function leaves it alone; C++
 * programs compiled with this header have the queue filled by the function below. */
int vt_finish_all_kernel(vt_device_h hdevice, void *finished_kernel_queue);

#ifdef __cplusplus
}

inline int vt_finish_all_kernel(vt_device_h hdevice, std::queue<int> *finished_kernel_queue)
{
    int ids[64], n, status = vt_finish_all_kernel(hdevice, static_cast<void *>(0));
    while (finished_kernel_queue && (n = vt_finished_kernels(hdevice, ids, 64)) > 0)
        for (int i = 0; i < n; i++) finished_kernel_queue->push(ids[i]);
    return status;
}
#endif

#endif
