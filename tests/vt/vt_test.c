/* The drop-in driver library as a program of the public stack sees it: opened with dlopen, called in the order of
 * its OpenCL runtime. Recorded launches must get the recorded addresses and leave the memory that
 * `ventus run --case` leaves; the corpus is at $VENTUS_CORPUS, else beside the source tree. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "isa/abi.h"
#include "vt/ventus_vt.h"

/* Every function of the interface, from the library. */
// clang-format off
#define FUNCTIONS(F) \
    F(vt_dev_open) F(vt_dev_close) F(vt_dev_caps) F(vt_root_mem_alloc) F(vt_root_mem_free) F(vt_buf_alloc) F(vt_buf_free) \
    F(vt_one_buf_free) F(vt_copy_to_dev) F(vt_copy_from_dev) F(vt_start) F(vt_ready_wait) F(vt_finish_all_kernel) \
    F(vt_upload_kernel_bytes) F(vt_upload_kernel_file) F(vt_dump_perf) F(vt_finished_kernels)
// clang-format on
static struct {
#define F(name) __typeof__(&name) name;
    FUNCTIONS(F)
#undef F
} lib;

static char folder[] = "/tmp/ventus-vt-XXXXXX";

static int load_library(void **state)
{
    void *handle = dlopen(VT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    (void)state;
    if (!handle) {
        print_error("%s\n", dlerror());
        return -1;
    }
#define F(name) \
    *(void **)&lib.name = dlsym(handle, #name); \
    if (!lib.name) return -1;
    FUNCTIONS(F)
#undef F
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static vt_device_h open_device(void)
{
    vt_device_h h = NULL;
    assert_int_equal(lib.vt_dev_open(&h), 0);
    assert_non_null(h);
    return h;
}

static uint64_t alloc(vt_device_h h, uint64_t size)
{
    uint64_t addr = 0;
    assert_int_equal(lib.vt_buf_alloc(h, size, &addr, 0, 0, 0), 0);
    return addr;
}

static void release(vt_device_h h, uint64_t addr) { assert_int_equal(lib.vt_one_buf_free(h, 0, &addr, 0, 0), 0); }

static void put(vt_device_h h, uint64_t addr, const void *data, uint64_t size)
{
    assert_int_equal(lib.vt_copy_to_dev(h, addr, data, size, 0, 0), 0);
}

static void get(vt_device_h h, void *data, uint64_t addr, uint64_t size)
{
    assert_int_equal(lib.vt_copy_from_dev(h, addr, data, size, 0, 0), 0);
}

/* ---- recorded launches ---- */

enum { MOST = 64 };

struct buffer {
    uint64_t base, size, alloc;
    const uint32_t *words;
};
struct record {
    uint64_t *values;
    uint32_t *data;
    size_t nbuffers;
    struct buffer buffers[MOST];
    struct meta_data meta;
};

static uint32_t *read_words(const char *path, size_t *n)
{
    FILE *f = fopen(path, "r");
    size_t room = 64;
    uint32_t *words = malloc(room * sizeof *words);
    if (!f) fail_msg("cannot open %s", path);
    assert_non_null(words);
    for (*n = 0; fscanf(f, "%8x", &words[*n]) == 1; ++*n) {
        if (*n + 1 < room) continue;
        words = realloc(words, (room *= 2) * sizeof *words);
        assert_non_null(words);
    }
    fclose(f);
    return words;
}

/* The complete form: start, twelve values for vt_start, the number of buffers, their bases, sizes, allocations. */
static struct record read_record(const char *path)
{
    struct record r = {0};
    char data[4096];
    size_t n, at = 0;
    r.values = (uint64_t *)(void *)read_words(path, &n);
    snprintf(data, sizeof data, "%.*s.data", (int)(strrchr(path, '.') - path), path);
    r.data = read_words(data, &n);
    memcpy(&r.meta, r.values + 1, sizeof r.meta);
    r.nbuffers = r.values[13];
    assert_in_range(r.nbuffers, 1, MOST);
    for (size_t i = 0; i < r.nbuffers; i++) {
        const uint64_t *v = r.values + 14 + i;
        r.buffers[i] = (struct buffer){v[0], v[r.nbuffers], v[2 * r.nbuffers], r.data + at};
        at += (v[r.nbuffers] + 3) / 4;
    }
    assert_int_equal(at, n);
    return r;
}

/* Device memory as the program of the record had it. */
struct program {
    vt_device_h h;
    uint64_t live[MOST];
    size_t nlive;
};

static bool is_live(const struct program *p, uint64_t addr)
{
    for (size_t i = 0; i < p->nlive; i++)
        if (p->live[i] == addr) return true;
    return false;
}

/* Allocates until the recorded address comes, as the program did for buffers that this launch does not list. */
static void place(struct program *p, const struct buffer *b)
{
    while (!is_live(p, b->base)) {
        uint64_t at = alloc(p->h, b->alloc);
        if (at > b->base) fail_msg("0x%llx instead of 0x%llx", (unsigned long long)at, (unsigned long long)b->base);
        if (at < b->base) {
            release(p->h, at);
            at = alloc(p->h, 1);
        }
        assert_in_range(p->nlive, 0, MOST - 1);
        p->live[p->nlive++] = at;
    }
    if (b->size) put(p->h, b->base, b->words, b->size);
}

static void forget(struct program *p, uint64_t addr)
{
    for (size_t i = 0; i < p->nlive; i++)
        if (p->live[i] == addr) p->live[i] = p->live[--p->nlive];
    release(p->h, addr);
}

/* The runtime writes the program as words and names the ELF beside it. */
static void upload(struct program *p, const struct buffer *code)
{
    char path[200];
    snprintf(path, sizeof path, "%s/object.vmem", folder);
    FILE *f = fopen(path, "w");
    for (uint64_t i = 0; i < code->size / 4; i++) fprintf(f, "%08x\n", code->words[i]);
    fclose(f);
    snprintf(path, sizeof path, "%s/object.riscv", folder);
    assert_int_equal(lib.vt_upload_kernel_file(p->h, path, 0), 0);
}

/* Arguments, program, private memory, metadata; start and wait; give them back in turn. */
static void launch(struct program *p, const struct record *r)
{
    size_t code = 0, order[MOST];
    for (size_t i = 0; i < r->nbuffers; i++) order[i] = i;
    for (size_t i = 1; i < r->nbuffers; i++) /* by address, as they were allocated */
        for (size_t k = i; k && r->buffers[order[k]].base < r->buffers[order[k - 1]].base; k--) {
            size_t t = order[k];
            order[k] = order[k - 1], order[k - 1] = t;
        }
    for (size_t i = 0; i < r->nbuffers; i++) {
        const struct buffer *b = &r->buffers[order[i]];
        if (b->base == 0x80000000) upload(p, b), code = order[i];
        else if (b->base < 0x80000000) put(p->h, b->base, b->words, b->size);
        else place(p, b);
    }
    struct meta_data meta = r->meta;
    assert_int_equal(lib.vt_start(p->h, &meta, 0), 0);
    assert_int_equal(lib.vt_ready_wait(p->h, 60000), 0);
    forget(p, r->meta.metaDataBaseAddr);
    forget(p, r->meta.pdsBaseAddr);
    assert_true(code > 0); /* the argument buffer is listed before the program */
    forget(p, r->buffers[code - 1].base);
}

/* What the tool leaves of `n` buffers after the same launches, in files of the test's folder. */
static void make_references(const char *cases, const struct buffer *const *buffers, size_t n)
{
    char command[16384], dump[300];
    snprintf(command, sizeof command, "%s run%s", VENTUS_TOOL, cases);
    for (size_t i = 0; i < n; i++) {
        snprintf(dump, sizeof dump, " --dump 0x%llx:%llu:%s/dump%zu", (unsigned long long)buffers[i]->base,
                 (unsigned long long)buffers[i]->alloc, folder, i);
        strncat(command, dump, sizeof command - strlen(command) - 1);
    }
    strncat(command, " >/dev/null", sizeof command - strlen(command) - 1);
    if (system(command)) fail_msg("%s", command);
}

static void compare(vt_device_h h, const struct buffer *b, size_t number)
{
    uint8_t *want = malloc(b->alloc), *have = malloc(b->alloc);
    assert_non_null(want);
    assert_non_null(have);
    char path[200];
    snprintf(path, sizeof path, "%s/dump%zu", folder, number);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(want, 1, b->alloc, f), b->alloc);
    fclose(f);
    get(h, have, b->base, b->alloc);
    if (memcmp(have, want, b->alloc)) fail_msg("the buffer at 0x%llx differs", (unsigned long long)b->base);
    free(want);
    free(have);
}

struct run {
    const char *folder, *launches;
    bool no_reuse;
};
static const struct run runs[] = {
    {"rtl-matadd-2w8t", "matadd_0", false},
    {"cyc-nn-4x8", "NearestNeighbor_0", false},
    {"cyc-vecadd-4w32t", "vecadd_0", false},
    {"gpgpu-adv-gaussian", "Fan1_0 Fan2_0 Fan1_1 Fan2_1 Fan1_2 Fan2_2", true},
    {"rtl-bfs-4x8", "BFS_1_0 BFS_2_0 BFS_1_1 BFS_2_1 BFS_1_2 BFS_2_2 BFS_1_3 BFS_2_3", false},
};

static void check_run(const char *corpus, const struct run *run)
{
    struct program p = {0};
    struct record r[16];
    const struct buffer *left[16 * MOST];
    size_t n = 0, nleft = 0;
    char names[200], cases[4096] = "", path[1024], *rest;
    print_message("  %s\n", run->folder);
    setenv("VENTUS_VT_NO_REUSE", run->no_reuse ? "1" : "0", 1);
    p.h = open_device();
    snprintf(names, sizeof names, "%s", run->launches);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest), n++) {
        snprintf(path, sizeof path, "%.600s/%s/%s.metadata", corpus, run->folder, name);
        snprintf(cases + strlen(cases), sizeof cases - strlen(cases), " --case %s", path);
        r[n] = read_record(path);
        launch(&p, &r[n]);
    }
    for (size_t i = 0; i < n; i++) /* what is still there are the program's buffers */
        for (size_t k = 0; k < r[i].nbuffers; k++)
            if (is_live(&p, r[i].buffers[k].base)) left[nleft++] = &r[i].buffers[k];
    assert_in_range(nleft, 2, MOST);
    make_references(cases, left, nleft);
    for (size_t i = 0; i < nleft; i++) compare(p.h, left[i], i);
    for (size_t i = 0; i < n; i++) {
        free(r[i].values);
        free(r[i].data);
    }
    assert_int_equal(lib.vt_dev_close(p.h), 0);
}

static void test_recorded(void **state)
{
    const char *corpus = getenv("VENTUS_CORPUS");
    (void)state;
    if (!corpus) corpus = CORPUS;
    if (access(corpus, R_OK)) {
        print_message("  no corpus at %s\n", corpus);
        skip();
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) check_run(corpus, &runs[i]);
    unsetenv("VENTUS_VT_NO_REUSE");
}

/* ---- a program of our own ---- */

enum { GROUPS = 5, WARPS = 4, THREADS = 16, ITEMS = WARPS * THREADS };
static const uint64_t local_argument = 0x7ffff000;

/* out[id] = in[id] + local[tid]++: local memory above the stacks belongs to all groups in turn. */
static const char adder[] =
    " csrr x9, CSR_KNL\n lw x9, 4(x9)\n lw x10, 0(x9)\n lw x11, 4(x9)\n lw x12, 8(x9)\n"
    " vid.v v1\n csrr x5, CSR_TID\n vadd.vx v1, v1, x5\n csrr x5, CSR_GIDX\n slli x6, x5, 6\n vadd.vx v2, v1, x6\n "
    "vsll.vi v3, v2, 2\n"
    " vadd.vx v4, v3, x10\n vlw12.v v5, 0(v4)\n vsll.vi v6, v1, 2\n vadd.vx v6, v6, x12\n vlw12.v v7, 0(v6)\n vadd.vv "
    "v5, v5, v7\n"
    " vadd.vx v8, v3, x11\n vsw12.v v5, 0(v8)\n vadd.vi v7, v7, 1\n vsw12.v v7, 0(v6)\n endprg\n";

static void *make_elf(const char *source, size_t *size)
{
    struct elf_image text, image;
    void *elf = NULL;
    const char *why = "";
    assert_true(asm_assemble("test", source, strlen(source), 0x80000000, &text, stderr));
    image = (struct elf_image){
        .entry = 0x80000000, .text_addr = 0x80000000, .text = text.text, .text_words = text.text_words};
    if (!elf_write(&image, &elf, size, &why)) fail_msg("%s", why);
    elf_free(&text);
    return elf;
}

static void upload_source(vt_device_h h, const char *source)
{
    size_t size;
    void *elf = make_elf(source, &size);
    assert_int_equal(lib.vt_upload_kernel_bytes(h, elf, size, 0), 0);
    free(elf);
}

struct adder {
    uint64_t in, out, args, meta;
    struct meta_data start;
};

static struct adder adder_new(vt_device_h h)
{
    uint32_t values[GROUPS * ITEMS], zeros[ITEMS] = {0}, meta[16] = {0};
    struct adder a = {alloc(h, sizeof values), alloc(h, sizeof values), alloc(h, 12), alloc(h, 64), {0}};
    const uint32_t args[3] = {(uint32_t)a.in, (uint32_t)a.out, (uint32_t)local_argument};
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++) values[i] = i * 1000;
    put(h, a.in, values, sizeof values);
    put(h, local_argument, zeros, sizeof zeros);
    meta[1] = (uint32_t)a.args;
    put(h, a.args, args, sizeof args);
    put(h, a.meta, meta, sizeof meta);
    // clang-format off
    a.start = (struct meta_data){.kernel_id = 7, .kernel_size = {GROUPS, 1, 1}, .wf_size = THREADS, .wg_size = WARPS,
                                 .metaDataBaseAddr = a.meta, .ldsSize = 0x1000, .pdsSize = 0, .sgprUsage = 64, .vgprUsage = 64};
    // clang-format on
    return a;
}

/* After `runs` launches. */
static void adder_check(vt_device_h h, const struct adder *a, uint32_t runs_done)
{
    uint32_t values[GROUPS * ITEMS], local[ITEMS];
    get(h, values, a->out, sizeof values);
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
        assert_int_equal(values[i], i * 1000 + (runs_done - 1) * GROUPS + i / ITEMS);
    get(h, local, local_argument, sizeof local);
    for (uint32_t i = 0; i < ITEMS; i++) assert_int_equal(local[i], runs_done * GROUPS);
}

static void test_many_launches(void **state)
{
    enum { N = 100 };
    vt_device_h h = open_device();
    int ids[N + 1];
    (void)state;
    upload_source(h, adder);
    struct adder a = adder_new(h);
    for (int i = 0; i < N; i++) { /* without waiting: they are queued */
        a.start.kernel_id = (uint64_t)i;
        assert_int_equal(lib.vt_start(h, &a.start, 0), 0);
    }
    adder_check(h, &a, N); /* a copy waits for them */
    assert_int_equal(lib.vt_finish_all_kernel(h, NULL), 0);
    assert_int_equal(lib.vt_finished_kernels(h, ids, N + 1), N);
    for (int i = 0; i < N; i++) assert_int_equal(ids[i], i);
    assert_int_equal(lib.vt_finished_kernels(h, ids, N), 0);
    for (int i = 0; i < 5000; i++) assert_int_equal(lib.vt_start(h, &a.start, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 60000), 0);
    adder_check(h, &a, N + 5000);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(lib.vt_dump_perf(h, out), 0);
    fclose(out);
    assert_non_null(strstr(text, "launches             5100\n"));
    assert_non_null(strstr(text, "work-groups          25500\n"));
    free(text);
    assert_int_equal(lib.vt_dev_close(h), 0);
}

/* Another program while the first still runs; a file of words; addresses that come back. */
static void test_programs(void **state)
{
    vt_device_h h = open_device();
    char path[200];
    uint32_t value = 0;
    (void)state;
    uint64_t out = alloc(h, 4);
    const uint32_t meta[16] = {0, (uint32_t)out};
    uint64_t block = alloc(h, 64);
    put(h, block, meta, sizeof meta);
    struct meta_data m = {.kernel_size = {1, 1, 1}, .wf_size = 4, .wg_size = 1, .metaDataBaseAddr = block};
    for (int i = 0; i < 10; i++) {
        char source[300];
        snprintf(source, sizeof source,
                 " li x7, 20000\n1: addi x7, x7, -1\n bne x7, x0, 1b\n"
                 " csrr x5, CSR_KNL\n lw x5, 4(x5)\n lw x6, 0(x5)\n slli x6, x6, 1\n addi x6, x6, %d\n sw x6, 0(x5)\n "
                 "endprg\n",
                 i);
        upload_source(h, source);
        assert_int_equal(lib.vt_start(h, &m, 0), 0);
    }
    uint32_t want = 0;
    for (uint32_t i = 0; i < 10; i++) want = want * 2 + i;
    get(h, &value, out, 4);
    assert_int_equal(value, want);

    upload_source(h, " endprg\n .zero 8192\n .word 0x12345678\n");
    assert_int_equal(lib.vt_start(h, &m, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 60000), 0);
    get(h, &value, 0x80002004, 4);
    assert_int_equal(value, 0x12345678);

    snprintf(path, sizeof path, "%s/words.vmem", folder);
    FILE *f = fopen(path, "w");
    fputs("// endprg further on\n@2 0000400b\n@0 00000013\n00000013\n", f);
    fclose(f);
    assert_int_equal(lib.vt_upload_kernel_file(h, path, 0), 0);
    assert_int_equal(lib.vt_start(h, &m, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 60000), 0);
    get(h, &value, 0x80000008, 4);
    assert_int_equal(value, 0x0000400b);
    get(h, &value, 0x8000000c, 4); /* nothing of the programs before */
    assert_int_equal(value, 0);
    get(h, &value, 0x80002004, 4);
    assert_int_equal(value, 0);
    value = 0x0000400b;
    put(h, 0x80000000, &value, 4);
    assert_int_equal(lib.vt_start(h, &m, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 60000), 0);

    assert_int_equal(lib.vt_buf_free(h, 0, NULL, 0, 0), 0); /* all of them */
    assert_int_equal(lib.vt_copy_from_dev(h, out, &value, 4, 0, 0), -1);
    assert_int_equal(alloc(h, 5000), 0x90000000);
    assert_int_equal(alloc(h, 1), 0x90002000);
    release(h, 0x90000000);
    assert_int_equal(alloc(h, 4096), 0x90000000);
    assert_int_equal(alloc(h, 4097), 0x90003000);
    assert_int_equal(alloc(h, 4096), 0x90001000);
    assert_int_equal(lib.vt_dev_close(h), 0);
}

/* What stops a launch is told on standard error, once. */
static void test_fault(void **state)
{
    vt_device_h h = open_device();
    char text[400] = "";
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    uint64_t block = alloc(h, 64);
    struct meta_data m = {.kernel_size = {1, 1, 1}, .wf_size = 4, .wg_size = 1, .metaDataBaseAddr = block};
    upload_source(h, " lw x5, 8(x0)\n endprg\n");
    int standard = dup(STDERR_FILENO);
    assert_true(standard >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    int started = lib.vt_start(h, &m, 0), ended = lib.vt_ready_wait(h, 60000);
    dup2(standard, STDERR_FILENO);
    close(standard);
    assert_int_equal(started, 0);
    assert_int_equal(ended, -1);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (strncmp(text, "ventus: ", 8) || !strstr(text, "0x00000008") || strchr(text, '\n') != text + strlen(text) - 1)
        fail_msg("the message is: %s", text);
    assert_int_equal(lib.vt_dev_close(h), 0);
}

static void test_bad_arguments(void **state)
{
    vt_device_h h = open_device();
    uint64_t addr = 0, block = alloc(h, 64), value;
    char bytes[64] = {0};
    int other, ids[1];
    vt_device_h none = &other;
    struct meta_data good = {.kernel_size = {1, 1, 1}, .wf_size = 4, .wg_size = 1, .metaDataBaseAddr = block}, m;
    (void)state;
    assert_int_equal(lib.vt_dev_open(NULL), -1);
    assert_int_equal(lib.vt_dev_close(NULL), -1);
    assert_int_equal(lib.vt_dev_close(none), -1);
    assert_int_equal(lib.vt_buf_alloc(NULL, 4, &addr, 0, 0, 0), -1);
    assert_int_equal(lib.vt_buf_alloc(none, 4, &addr, 0, 0, 0), -1);
    assert_int_equal(lib.vt_buf_alloc(h, 0, &addr, 0, 0, 0), -1);
    assert_int_equal(lib.vt_buf_alloc(h, 4, NULL, 0, 0, 0), -1);
    assert_int_equal(lib.vt_buf_alloc(h, UINT64_MAX, &addr, 0, 0, 0), -1);
    assert_int_equal(lib.vt_buf_alloc(h, 1ull << 31, &addr, 0, 0, 0), -1);
    assert_int_equal(lib.vt_one_buf_free(h, 4, NULL, 0, 0), -1);
    assert_int_equal(lib.vt_one_buf_free(h, 4, &(uint64_t){block + 4096}, 0, 0), -1);
    assert_int_equal(lib.vt_one_buf_free(h, 4, &(uint64_t){1ull << 40 | block}, 0, 0), -1);
    assert_int_equal(lib.vt_buf_free(none, 0, NULL, 0, 0), -1);
    assert_int_equal(lib.vt_root_mem_alloc(h, 1), 0);
    assert_int_equal(lib.vt_root_mem_free(none, 1), -1);

    static const uint64_t bad[] = {0,          0x6fffffff, 0x7fffffe0, 0x8fffffff,     0x90000fe0,
                                   0x90001000, 0xffffffff, 1ull << 32, UINT64_MAX - 10};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lib.vt_copy_to_dev(h, bad[i], bytes, sizeof bytes, 0, 0), -1);
        assert_int_equal(lib.vt_copy_from_dev(h, bad[i], bytes, sizeof bytes, 0, 0), -1);
    }
    assert_int_equal(lib.vt_copy_to_dev(h, block, bytes, UINT64_MAX, 0, 0), -1);
    assert_int_equal(lib.vt_copy_to_dev(h, block, NULL, 4, 0, 0), -1);
    assert_int_equal(lib.vt_copy_from_dev(none, block, bytes, 4, 0, 0), -1);
    assert_int_equal(lib.vt_copy_to_dev(h, block + 4032, bytes, 64, 0, 0), 0); /* sizes are rounded up */

    assert_int_equal(lib.vt_start(h, &good, 0), -1); /* no program yet */
    assert_int_equal(lib.vt_upload_kernel_file(h, "/nowhere/object.riscv", 0), -1);
    assert_int_equal(lib.vt_upload_kernel_file(h, VT_LIBRARY, 0), -1); /* an ELF of the host */
    assert_int_equal(lib.vt_upload_kernel_file(h, __FILE__, 0), -1);
    assert_int_equal(lib.vt_upload_kernel_file(h, NULL, 0), -1);
    assert_int_equal(lib.vt_upload_kernel_bytes(h, bytes, 0, 0), -1);
    assert_int_equal(lib.vt_upload_kernel_bytes(h, "\177ELF and no more", 16, 0), -1);
    size_t size;
    char *elf = make_elf("endprg\n", &size);
    elf[39] = PROFILE_R20;
    assert_int_equal(lib.vt_upload_kernel_bytes(h, elf, size, 0), -1);
    free(elf);
    assert_int_equal(lib.vt_start(h, &good, 0), -1);
    upload_source(h, " endprg\n");
    assert_int_equal(lib.vt_start(h, NULL, 0), -1);
    assert_int_equal(lib.vt_start(none, &good, 0), -1);
#define TRY(change) m = good, m.change, assert_int_equal(lib.vt_start(h, &m, 0), -1)
    TRY(kernel_size[0] = 0);
    TRY(kernel_size[2] = 1ull << 33);
    m = good, m.kernel_size[0] = m.kernel_size[1] = 1 << 17;
    assert_int_equal(lib.vt_start(h, &m, 0), -1);
    TRY(wf_size = 0);
    TRY(wf_size = 33);
    TRY(wg_size = 0);
    TRY(wg_size = 1 << 20);
    TRY(metaDataBaseAddr = 1ull << 32);
    TRY(pdsBaseAddr = 1ull << 32);
    TRY(pdsSize = UINT64_MAX);
    TRY(ldsSize = 1 << 28);
    TRY(ldsSize = UINT64_MAX);
    assert_int_equal(lib.vt_start(h, &good, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 60000), 0);
    assert_int_equal(lib.vt_ready_wait(none, 0), -1);
    assert_int_equal(lib.vt_finish_all_kernel(none, NULL), -1);
    assert_int_equal(lib.vt_finished_kernels(h, NULL, 4), -1);
    assert_int_equal(lib.vt_finished_kernels(h, ids, -1), -1);
    assert_int_equal(lib.vt_dump_perf(h, NULL), -1);

    static const uint64_t caps[] = {1, 1, 32, 32, 128, 65536, 0x90000000, 0x80000000};
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(lib.vt_dev_caps(&h, i, &value), 0);
        assert_int_equal(value, caps[i]);
    }
    assert_int_equal(lib.vt_dev_caps(h, VT_CAPS_ALLOC_BASE, &value), 0); /* the handle itself */
    assert_int_equal(lib.vt_dev_caps(&h, 8, &value), -1);
    assert_int_equal(lib.vt_dev_caps(&h, 0, NULL), -1);
    assert_int_equal(lib.vt_dev_caps(NULL, 0, &value), -1);
    assert_int_equal(lib.vt_dev_close(h), 0);
    assert_int_equal(lib.vt_dev_close(h), -1);
    assert_int_equal(lib.vt_buf_alloc(h, 4, &addr, 0, 0, 0), -1);
}

/* A kernel that never ends, one that fails, and the device after them. */
static void test_timeouts(void **state)
{
    vt_device_h h = open_device(), second = open_device();
    struct meta_data m = {.kernel_size = {1, 1, 1}, .wf_size = 32, .wg_size = 2};
    (void)state;
    upload_source(h, " nop\n1: j 1b\n");
    assert_int_equal(lib.vt_start(h, &m, 0), 0);
    assert_int_equal(lib.vt_ready_wait(h, 0), -1);
    assert_int_equal(lib.vt_ready_wait(h, 30), -1);
    upload_source(second, " li x5, 0\n sw x5, 0(x5)\n endprg\n"); /* another device does not notice */
    assert_int_equal(lib.vt_start(second, &m, 0), 0);
    assert_int_equal(lib.vt_ready_wait(second, 60000), -1);
    assert_int_equal(lib.vt_ready_wait(second, 60000), 0); /* told once */
    upload_source(second, adder);
    struct adder a = adder_new(second);
    assert_int_equal(lib.vt_start(second, &a.start, 0), 0);
    assert_int_equal(lib.vt_ready_wait(second, 60000), 0);
    adder_check(second, &a, 1);
    assert_int_equal(lib.vt_dev_close(h), 0); /* ends the endless one */
    assert_int_equal(lib.vt_dev_close(second), 0);
}

/* ---- threads ---- */

static void *work(void *user)
{
    vt_device_h shared = user, own = open_device();
    struct meta_data m = {.kernel_size = {2, 1, 1}, .wf_size = 8, .wg_size = 2};
    upload_source(own, adder);
    struct adder a = adder_new(own);
    for (uint32_t i = 0; i < 30; i++) {
        uint64_t at = 0;
        uint32_t value = i, got = 0;
        assert_int_equal(lib.vt_start(own, &a.start, 0), 0);
        assert_int_equal(lib.vt_start(shared, &m, 0), 0);
        assert_int_equal(lib.vt_buf_alloc(shared, 4, &at, 0, 0, 0), 0);
        assert_int_equal(lib.vt_copy_to_dev(shared, at, &value, 4, 0, 0), 0);
        assert_int_equal(lib.vt_copy_from_dev(shared, at, &got, 4, 0, 0), 0);
        assert_int_equal(got, i);
        assert_int_equal(lib.vt_one_buf_free(shared, 4, &at, 0, 0), 0);
        assert_int_equal(lib.vt_ready_wait(shared, 60000), 0);
    }
    adder_check(own, &a, 30);
    assert_int_equal(lib.vt_dev_close(own), 0);
    return NULL;
}

static void test_threads(void **state)
{
    enum { N = 3 };
    vt_device_h shared = open_device();
    pthread_t threads[N];
    (void)state;
    upload_source(shared, " endprg\n");
    for (int i = 0; i < N; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, shared), 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    assert_int_equal(lib.vt_dev_close(shared), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded), cmocka_unit_test(test_many_launches), cmocka_unit_test(test_programs),
        cmocka_unit_test(test_fault),    cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, load_library, remove_folder);
}
