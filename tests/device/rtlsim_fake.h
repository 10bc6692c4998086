/* As much of a header like that of the public RTL library as its users need, in the shapes that it has had: SHAPE. */
#ifndef RTLSIM_FAKE_H
#define RTLSIM_FAKE_H

#include <stdint.h>

typedef struct ventus_rtlsim_t ventus_rtlsim_t;

typedef struct {
#if SHAPE == 1
    const char *kernel_name;
    volatile void *data;
#else
    const char *name;
    void *data;
#endif
    uint64_t startaddr, kernel_id, kernel_size[3], wf_size, wg_size, metaDataBaseAddr, ldsSize, pdsSize, sgprUsage,
        vgprUsage;
    uint64_t pdsBaseAddr;
#if SHAPE == 3
    uint64_t num_thread_global[3], num_thread_local[3], threadIdxOffset[3];
#endif
    uint64_t num_buffer, *buffer_base, *buffer_size, *buffer_allocsize;
} ventus_kernel_metadata_t;

typedef struct {
    uint64_t sim_time_max;
#if SHAPE > 1
    struct {
        struct {
            bool enable;
            const char *level, *filename;
        } file, console;
        const char *level;
    } log;
#endif
    struct {
        uint64_t pagesize, auto_alloc;
    } pmem;
    struct {
        bool enable;
        uint64_t time_begin, time_end;
        int levels;
        const char *filename;
    } waveform;
    struct {
        bool enable;
        uint64_t time_interval;
        int num_max;
        const char *filename;
    } snapshot;
#if SHAPE == 1
    int verilator_argc;
    const char **verilator_argv;
#else
    struct {
        int argc;
        const char **argv;
    } verilator;
#endif
#if SHAPE == 3
    uint64_t hang_timeout;
#endif
} ventus_rtlsim_config_t;

typedef struct {
    bool error, time_exceed, idle;
#if SHAPE == 3
    bool hang;
#endif
} ventus_rtlsim_step_result_t;

typedef void ventus_rtlsim_done(const ventus_kernel_metadata_t *kernel);

ventus_rtlsim_t *ventus_rtlsim_init(const ventus_rtlsim_config_t *config);
void ventus_rtlsim_finish(ventus_rtlsim_t *sim, bool rollback);
const ventus_rtlsim_step_result_t *ventus_rtlsim_step(ventus_rtlsim_t *sim);
uint64_t ventus_rtlsim_get_time(const ventus_rtlsim_t *sim);
bool ventus_rtlsim_is_idle(const ventus_rtlsim_t *sim);
void ventus_rtlsim_add_kernel(ventus_rtlsim_t *sim, const ventus_kernel_metadata_t *kernel, ventus_rtlsim_done *done);
bool ventus_rtlsim_pmemcpy_h2d(ventus_rtlsim_t *sim, uint64_t dst, const void *src, uint64_t size);
bool ventus_rtlsim_pmemcpy_d2h(ventus_rtlsim_t *sim, void *dst, uint64_t src, uint64_t size);
#if SHAPE > 1
void ventus_rtlsim_get_default_config(ventus_rtlsim_config_t *config);
#endif
#if SHAPE == 3
typedef struct {
    uint64_t total_scalar_issued, total_vector_issued, data_dep_stall_cycles, barrier_stall_cycles,
        frontend_stall_cycles;
} ventus_rtlsim_pipeline_pmu_t;
typedef struct {
    uint64_t mem_issued;
} ventus_rtlsim_inst_class_pmu_t;
typedef struct {
    uint32_t num_sm;
    const ventus_rtlsim_pipeline_pmu_t *pipeline;
    const ventus_rtlsim_inst_class_pmu_t *inst_class;
} ventus_rtlsim_pmu_t;
int ventus_rtlsim_get_parameter(const char *name, uint32_t *value);
void ventus_rtlsim_icache_invalidate(ventus_rtlsim_t *sim);
ventus_rtlsim_pmu_t ventus_rtlsim_get_pmu(const ventus_rtlsim_t *sim);
#endif

#endif
