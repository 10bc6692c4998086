/* The traces of `ventus run` under SV39: those of a translated launch are those of the launch without translation,
 * byte for byte, although neither its code nor its data are where their addresses say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/observers.h"

enum { CODE_BYTES = 4096 };
#define GIGABYTES 0x40000000u /* from addresses to where they are; one entry of the root maps code and data */
#define ROOT      0x60000000u

/* Each word of the data is of two lanes. Behind endprg is the code that stops the public simulator. */
static const char program[] =
    "  lui t0, 0x90000\n vid.v v1\n vsrl.vi v2, v1, 1\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, t0\n vsw12.v v1, 0(v2)\n"
    "  %s\n"
    "  endprg\n li t1, 1\n auipc t2, 1\n sw t1, 0(t2)\n";

static char *contents(const char *path, size_t *size)
{
    char *bytes = malloc(1 << 20);
    FILE *in = fopen(path, "rb");
    assert_non_null(bytes);
    assert_non_null(in);
    *size = fread(bytes, 1, 1 << 20, in);
    fclose(in);
    return bytes;
}

struct traces {
    char *log, *binary;
    size_t log_size, binary_size;
};

static struct traces traced(struct guest *g)
{
    char log[] = "/tmp/trace_test.XXXXXX", binary[] = "/tmp/trace_test.XXXXXX", text[300];
    struct traces t;
    int fds[2] = {mkstemp(log), mkstemp(binary)};
    assert_true(fds[0] >= 0 && fds[1] >= 0);
    struct observer *observers[] = {observer_trace.open(g->gpu, log, text, sizeof text),
                                    observer_trace_binary.open(g->gpu, binary, text, sizeof text)};
    assert_true(observers[0] && observers[1]);
    observers[0]->next = observers[1];
    g->options.observers = observers[0];
    guest_run(g);
    assert_true(observer_trace.close(observers[0], text, sizeof text));
    assert_true(observer_trace_binary.close(observers[1], text, sizeof text));
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("%s", text);
    t.log = contents(log, &t.log_size);
    t.binary = contents(binary, &t.binary_size);
    for (int i = 0; i < 2; i++) close(fds[i]);
    unlink(log), unlink(binary);
    return t;
}

static void load(struct guest *g, enum isa_profile profile, const char *text)
{
    struct gpu_config config;
    struct asm_options options = {.profile = profile};
    struct elf_image image;
    char source[1024];
    gpu_config_default(&config);
    config.profile = profile;
    guest_open_config(g, &config);
    snprintf(source, sizeof source, program, text);
    assert_true(asm_assemble_with(&options, "test", source, strlen(source), ABI_CODE_BASE, &image, stderr));
    guest_code(g, image.text, image.text_words);
    elf_free(&image);
}

/* Takes code and data away from their addresses and lets these lead to the copies. */
static void translate(struct guest *g)
{
    assert_true(gpu_mem_open(g->gpu, ROOT, ABI_PAGE, GPU_READ | GPU_WRITE));
    assert_true(gpu_mem_open(g->gpu, ABI_CODE_BASE + GIGABYTES, CODE_BYTES, GPU_READ | GPU_WRITE | GPU_EXEC));
    assert_true(gpu_mem_open(g->gpu, GUEST_DATA + GIGABYTES, GUEST_BYTES, GPU_READ | GPU_WRITE));
    memcpy(gpu_mem(g->gpu, ABI_CODE_BASE + GIGABYTES, CODE_BYTES), gpu_mem(g->gpu, ABI_CODE_BASE, CODE_BYTES),
           CODE_BYTES);
    gpu_mem_close(g->gpu, ABI_CODE_BASE, CODE_BYTES);
    gpu_mem_close(g->gpu, GUEST_DATA, GUEST_BYTES);
    uint64_t leaf = (uint64_t)(ABI_CODE_BASE + GIGABYTES) >> 12 << 10 | 15;
    memcpy((uint64_t *)gpu_mem(g->gpu, ROOT, ABI_PAGE) + (ABI_CODE_BASE >> 30), &leaf, sizeof leaf);
    g->launch.sv39 = true;
    g->launch.page_table = ROOT;
}

static void same_traces(enum isa_profile profile, const char *text, const char *line)
{
    struct guest plain, moved;
    load(&plain, profile, text);
    load(&moved, profile, text);
    translate(&moved);
    struct traces want = traced(&plain), have = traced(&moved);
    assert_int_equal(want.log_size, have.log_size);
    assert_memory_equal(want.log, have.log, want.log_size);
    assert_int_equal(want.binary_size, have.binary_size);
    assert_memory_equal(want.binary, have.binary, want.binary_size);
    want.log[want.log_size - 1] = 0;
    if (!strstr(want.log, line)) fail_msg("no \"%s\" in the log", line);
    if (!strstr(want.log, "auipc")) fail_msg("the code behind endprg is not in the log");
    free(want.log), free(want.binary), free(have.log), free(have.binary);
    guest_close(&plain);
    guest_close(&moved);
}

static void test_vector_atomics(void **state)
{
    (void)state;
    same_traces(PROFILE_DEFAULT, "amoadd.w v3, v1, (v2)\n lr.w v4, (v2)\n sc.w v5, v1, (v2)",
                " mem 0x90000000 mem 0x90000000 mem 0x90000004 ");
    same_traces(PROFILE_DEFAULT, "amoadd.w v3, v1, (v2)",
                " mem 0x90000000 0x00000001 mem 0x90000000 0x00000002 mem 0x90000004 0x00000005 ");
}

static void test_scalar_atomics(void **state)
{
    (void)state;
    same_traces(PROFILE_R2025,
                "li t1, 5\n amoadd.w t2, t1, (t0)\n lr.w t3, (t0)\n sc.w t4, t2, (t0)\n amoswap.w t2, t1, (t0)",
                " x7  0x00000001 mem 0x90000000 mem 0x90000000 0x00000006\n");
    same_traces(
        PROFILE_R2025,
        "sw t0, 64(t0) {pre_m_64}\n vmv.v.i v3, 0\n lw t3, 0(t0) {pre_m_128}\n vlw12.v v8, 0(v2) {pre_m_64, pair}",
        " mem 0x0000000090000000 mem 0x0000000090000000 mem 0x0000000090000004 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vector_atomics), cmocka_unit_test(test_scalar_atomics)};
    return guest_run_tests(tests);
}
