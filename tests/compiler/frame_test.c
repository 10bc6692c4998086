/* Frames against the machine: at each instruction of a routine, .debug_frame has to lead to the instruction behind the
 * call, and from there to the caller's caller, up to the kernel. What the calls are the test knows from the run. The
 * section is read by llvm-dwarfdump, so that no mistake of ours is made twice. All path orders; with few registers, so
 * that return addresses are spilled, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiled.h"
#include "driver/gpu.h"
#include "isa/abi.h"
#include "sim/layout.h"
#include "sim/observe.h"

enum { ITEMS = 64, MOST = 4096, DEEPEST = 8, LINK = 31 };

static const char source[] = "__attribute__((noinline)) int leaf(int a, int b) { return a * 7 + b; }\n"
                             "__attribute__((noinline)) int inner(int a, global const int *in)\n"
                             "{\n"
                             "    int t[4], s = leaf(a, 3), m = a * 3 ^ 7, p = a & 63, q = in[a & 15];\n"
                             "    for (int i = 0; i < 4; i++) t[i] = in[a + i & 15];\n"
                             "    for (int i = 0; i < (a & 7); i++) s += leaf(t[i & 3], s) * a + (i & 1 ? m : p * q);\n"
                             "    return s - m * p ^ q;\n"
                             "}\n"
                             "__attribute__((noinline)) int outer(int a, global const int *in, int x, int y, int z)\n"
                             "{\n"
                             "    if (a & 1) return inner(a, in) + inner(a + x, in) * y - z;\n"
                             "    return leaf(a, 9) * a + x * y;\n"
                             "}\n"
                             "kernel void k(global int *out, global const int *in)\n"
                             "{\n"
                             "    int id = get_global_id(0);\n"
                             "    out[id] = outer(id, in, in[0], in[1], in[2]) + leaf(id, 2);\n"
                             "}\n";

/* ---- what llvm-dwarfdump says ---- */

/* From an address on, what of the caller's is where: "X5=undefined, X31=X27, ". */
struct row {
    uint32_t address;
    char rules[12000];
};
static struct row rows[MOST];
static size_t nrows;

static int by_address(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void read_rows(const char *elf)
{
    static const char begin[] = ": CFA=DW_OP_constu ";
    char line[13000];
    FILE *f = compiled_dump("--debug-frame", elf);
    for (nrows = 0; fgets(line, sizeof line, f);) {
        unsigned address;
        const char *rules = strstr(line, begin);
        if (!rules || sscanf(line, " 0x%x:", &address) != 1) continue;
        assert_true(nrows < MOST);
        rows[nrows].address = address;
        rules += strlen(begin);
        const unsigned long identity = strtoul(rules, NULL, 16);
        assert_true(identity && identity % 16 == 0); /* lldb takes no other */
        snprintf(rows[nrows++].rules, sizeof rows->rules, " %s,", rules);
    }
    pclose(f);
    qsort(rows, nrows, sizeof *rows, by_address);
}

static const char *rules_at(uint32_t pc)
{
    size_t i = nrows;
    while (i > 0 && rows[i - 1].address > pc) i--;
    return i ? rows[i - 1].rules : "";
}

/* ---- frames of a stopped warp ---- */

struct watch {
    uint32_t calls[DEEPEST], depth; /* return addresses of the warp that runs */
    uint32_t checked, deep, in_vectors, in_memory;
    char wrong[300];
};

static void wrong(struct watch *w, const char *what, uint32_t pc, const char *rules)
{
    if (!*w->wrong) snprintf(w->wrong, sizeof w->wrong, "%s at %08x: %.200s", what, pc, rules);
}

/* The register or word that a rule names; false if it is lost to those that were called. */
static bool read_place(struct watch *w, const struct warp *warp, uint32_t lane, const char *place, const char *lost,
                       uint32_t *out)
{
    char name[20], rule[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(place, ",\n"), place);
    snprintf(rule, sizeof rule, " %s=undefined", name);
    if (strstr(lost, rule)) return false;
    unsigned n = (unsigned)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
    if (*name == 'X' || (*name == 'r' && n < 3648 && n >= 3616)) {
        *out = warp->x[*name == 'X' ? n : n - 3616 + 32];
    } else if (*name == 'V' || *name == 'r') {
        *out = warp->v[*name == 'V' ? n : n - 3104 + 32][lane];
        w->in_vectors++;
    } else {
        uint64_t at = private_address(warp, (uint32_t)strtoul(strstr(place, "0x"), NULL, 16), lane);
        memcpy(out, warp_memory(warp, at, 4), 4);
        w->in_memory++;
    }
    return true;
}

/* Goes from frame to frame, and compares with the calls. */
static void unwind(struct watch *w, const struct warp *warp, uint32_t lane)
{
    static char lost[DEEPEST * sizeof rows->rules];
    uint32_t pc = warp->pc, depth = w->depth;
    *lost = 0;
    for (;;) {
        const char *rules = rules_at(pc), *rule = strstr(rules, " X31=");
        uint32_t back;
        if (strstr(rules, " X1=undefined") || !rule) break; /* nothing has called it */
        if (!depth) return wrong(w, "a caller of the kernel", pc, rules);
        rule += strlen(" X31=");
        if (!strncmp(rule, "same", 4)) rule = "X31";
        if (!read_place(w, warp, lane, rule, lost, &back)) return wrong(w, "a register that was lost", pc, rules);
        if (back != w->calls[--depth]) return wrong(w, "another return address", pc, rules);
        strcat(strcat(lost, rules), " X31=undefined,");
        pc = back - 4; /* the call */
        w->checked++;
        w->deep += depth > 0;
    }
    if (depth) wrong(w, "no caller", pc, rules_at(pc));
}

static enum observed on_before(void *user, struct warp *warp, const struct insn *insn)
{
    struct watch *w = user;
    for (uint32_t lane = 0; lane < ISA_LANES && !*w->wrong; lane++)
        if (warp->active >> lane & 1) unwind(w, warp, lane);
    if (insn->op == OP_JAL && insn->rd == LINK) w->calls[w->depth++] = warp->pc + 4;
    if (insn->op == OP_JALR && !insn->rd && w->depth && warp->x[insn->rs1] == w->calls[w->depth - 1]) w->depth--;
    if (w->depth == DEEPEST) wrong(w, "too many calls", warp->pc, "");
    return *w->wrong ? STOP : GO_ON;
}

/* ---- running ---- */

/* One group of one warp: calls come one after another. */
static void run(ventus_device *d, const ventus_module *module, struct watch *w, enum path_order order)
{
    uint32_t memory, words[16], args[2];
    struct ventus_result result;
    char message[256] = "";
    for (uint32_t i = 0; i < 16; i++) words[i] = i * 2654435761u >> 24;
    assert_int_equal(ventus_alloc(d, sizeof words + ITEMS * 4, &memory), VENTUS_OK);
    assert_int_equal(ventus_write(d, memory, words, sizeof words), VENTUS_OK);
    args[0] = memory + sizeof words;
    args[1] = memory;
    struct ventus_gpu_launch gpu = {.options = {.order = order}};
    struct ventus_launch launch = {.module = module,
                                   .kernel = ventus_module_find(module, "k"),
                                   .args = args,
                                   .gpu = &gpu,
                                   .range = {1, {32, 1, 1}, {32, 1, 1}, {0, 0, 0}}};
    w->depth = 0;
    enum ventus_status status = ventus_run(d, &launch, &result, message, sizeof message);
    if (*w->wrong) fail_msg("%s", w->wrong);
    if (status != VENTUS_OK) fail_msg("%s", message);
    assert_int_equal(ventus_free(d, memory), VENTUS_OK);
}

static struct watch check(const char *compiler)
{
    struct watch w = {0};
    struct observer o = {.user = &w, .before = on_before};
    ventus_device *d = NULL;
    const char *elf = compiled_file(compiler, "-g", source);
    read_rows(elf);
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    gpu_observe(device_gpu(d), &o);
    ventus_module *module = compiled_load(elf);
    for (enum path_order order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) run(d, module, &w, order);
    assert_true(w.checked > 10000 && w.deep > 5000);
    ventus_module_free(module);
    ventus_close(d);
    return w;
}

static void test_frames(void **state)
{
    (void)state;
    struct watch w = check("ventus-cc");
    assert_int_equal(w.in_vectors + w.in_memory, 0);
}

static void test_spilled(void **state)
{
    (void)state;
    setenv("VENTUS_CC_SCALARS", "4", 1);
    assert_int_not_equal(check("ventus-cc-mutation").in_vectors, 0);
    setenv("VENTUS_CC_VECTORS", "12", 1);
    assert_int_not_equal(check("ventus-cc-mutation").in_memory, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames), cmocka_unit_test(test_spilled)};
    return compiled_run_tests(tests);
}
