/* Machines of the OpenCL library that note what they look like between the turns of warps (tests/turns/turns.h).
 *
 * Linked into libventus-turns.so, the OpenCL library for tests/turns/compare: there, whoever makes a machine comes here
 * (ld's --wrap). When the process ends, the file $VENTUS_TURNS_FILE gets the numbers of all looks, a line each, or, if
 * $VENTUS_TURNS_LOOK is the number of a look, counted from 0, the words that it has seen. VENTUS_TURNS_SEED chooses
 * turns (struct turns), 8 of it that they are longer. Machines of this library are never taken down. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "turns.h"
#include "isa/abi.h"
#include "isa/routine.h"
#include "sim/machine.h"

/* ld's names for two functions of the machine: the one that others call, and its own. */
struct gpu *__wrap_gpu_create(const struct gpu_config *config, const char **error);
struct gpu *__real_gpu_create(const struct gpu_config *config, const char **error);
void __wrap_gpu_mem_code_changed(struct gpu *gpu);
void __real_gpu_mem_code_changed(struct gpu *gpu);

/* Two machines would be one too many: nobody knows which of them looks first. */
static struct turns turns = {.wanted = SIZE_MAX};

struct gpu *__wrap_gpu_create(const struct gpu_config *config, const char **error)
{
    struct gpu *gpu = __real_gpu_create(config, error);
    const char *look = getenv("VENTUS_TURNS_LOOK"), *seed = getenv("VENTUS_TURNS_SEED");
    if (!gpu) return NULL;
    if (turns.gpu || gpu_config_of(gpu)->host_threads != 1) {
        fputs("turns: not one machine with one host thread\n", stderr);
        abort();
    }
    turns.seed = seed ? (uint32_t)strtoul(seed, NULL, 10) : 4;
    turns.longer = turns.seed & 8;
    turns.wanted = look ? strtoul(look, NULL, 10) : SIZE_MAX;
    turns_begin(&turns, gpu);
    return gpu;
}

static void remove_marks(struct gpu *gpu, uint32_t page)
{
    uint32_t *words = gpu_mem(gpu, page, ABI_PAGE);
    unsigned access = GPU_READ | GPU_EXEC | (mem_allows(gpu, page, ABI_PAGE, GPU_WRITE) ? GPU_WRITE : 0);
    bool open = access & GPU_WRITE;
    for (uint32_t i = 0; i < ABI_PAGE / 4; i++) {
        if (words[i] != routine_word(ROUTINE_MARK)) continue;
        if (!open && !gpu_mem_open(gpu, page, ABI_PAGE, access | GPU_WRITE)) abort();
        open = true;
        words[i] = routine_word(0);
    }
    if (open && !gpu_mem_open(gpu, page, ABI_PAGE, access)) abort();
}

/* What a routine for doubles leaves in registers that nobody reads, translated code does not compute (isa/routine.h).
 * So its mark goes here, and it is code like any other. */
void __wrap_gpu_mem_code_changed(struct gpu *gpu)
{
    for (uint32_t page = ABI_CODE_BASE; page < ABI_CODE_LIMIT && gpu_mem(gpu, page, ABI_PAGE); page += ABI_PAGE)
        if (mem_allows(gpu, page, ABI_PAGE, GPU_EXEC)) remove_marks(gpu, page);
    __real_gpu_mem_code_changed(gpu);
}

__attribute__((destructor)) static void write_turns(void)
{
    const char *path = getenv("VENTUS_TURNS_FILE");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out) return;
    if (turns.wanted != SIZE_MAX) turns_show(&turns, out);
    else
        for (size_t i = 0; i < turns.count; i++) fprintf(out, "%016" PRIx64 "\n", turns.looks[i]);
    fclose(out);
}
