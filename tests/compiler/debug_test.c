/* Debug information against the machine: a kernel stores its variables, and at each of these stores the variable has to
 * be where the debug information says, with the value that the store leaves in memory: in unrolled loops, behind loops
 * and branches, whatever the order of instructions. The debug information is read by llvm-dwarfdump, so that no mistake
 * of ours is made twice. All path orders; with few registers, so that values are spilled, too.
 *
 * Between its stores, too: once a variable that is not assigned any more has been stored, each location that it still
 * has must lead to that value, for work-items that wait for others as well.
 *
 * A line of the kernel that ends with "// NAME" stores the variable NAME, one with "// NAME+4" what is four bytes
 * behind its beginning. With "// NAME?" the variable need not be anywhere. */
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

enum { ITEMS = 64, ROUNDS = 5, PROBE_BYTES = 64 << 10, MOST = 4096, TEXT = 800, VARIABLE_BYTES = 32 };

static const char everything[] = "struct pair { int first; float second; };\n"
                                 "constant int primes[4] = {2, 3, 5, 7};\n"
                                 "global int counter = 5;\n"
                                 "static int mix(int a, global volatile int *to)\n"
                                 "{\n"
                                 "    int mixed = a * 77 ^ 5;\n"
                                 "    to[0] = a; // a\n"
                                 "    to[64] = mixed; // mixed\n"
                                 "    return mixed + a;\n"
                                 "}\n"
                                 "kernel void k(global volatile int *probe, global const int *in, int n, char small, "
                                 "short3 few, struct pair given,\n"
                                 "              local volatile int *room)\n"
                                 "{\n"
                                 "    int id = get_global_id(0), lane = get_local_id(0);\n"
                                 "    local volatile int shared[64];\n"
                                 "    int twice = in[id] * 2;\n"
                                 "    float real = in[id] * 0.75f;\n"
                                 "    long pair = (long)in[id] * in[id + 1] << 7;\n"
                                 "    volatile int table[8];\n"
                                 "    int fixed = 42, scaled = n * 7;\n"
                                 "    global volatile int *to = probe + id;\n"
                                 "    int4 wide = (int4)(twice, id, scaled, 9);\n"
                                 "    for (int i = 0; i < 8; i++) table[i] = in[id + i];\n"
                                 "    shared[lane] = twice;\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    *to = twice; // twice\n"
                                 "    *(global volatile float *)to = real; // real\n"
                                 "    *(global volatile char *)to = small; // small\n"
                                 "    *to = fixed; // fixed\n"
                                 "    *to = table[3]; // table+12\n"
                                 "    *to = shared[5]; // shared+20\n"
                                 "    *(global volatile short *)to = few.y; // few+2\n"
                                 "    *to = given.first; // given\n"
                                 "    *(global volatile float *)to = given.second; // given+4\n"
                                 "    *to = primes[n & 3 ? 2 : 3]; // primes+8\n"
                                 "    *to = counter; // counter\n"
                                 "    *(global volatile uint *)to = (uint)to; // to\n"
                                 "    ((global volatile int4 *)probe)[id] = wide; // wide\n"
                                 "    ((global volatile long *)probe)[id] = pair; // pair\n"
                                 "    int sum = 0;\n"
                                 "    for (int round = 0; round < n; round++) {\n"
                                 "        to[64 * round] = round; // round\n"
                                 "        sum += mix(in[id + round], to + 512 + 128 * round);\n"
                                 "        to[64 * round] = sum; // sum\n"
                                 "    }\n"
                                 "    *to = sum; // sum\n"
                                 "    int best = 3, steps = 0, before = 0, total = 0;\n"
                                 "    if (in[id] & 2) best = in[id + 2] * 5;\n"
                                 "    else if (in[id] & 4) best = n;\n"
                                 "    *to = best; // best\n"
                                 "    int left = in[id + 3];\n"
                                 "    do {\n"
                                 "        before = left;\n"
                                 "        left = left & 1 ? left - 3 : left >> 1;\n"
                                 "        steps++;\n"
                                 "    } while (left > 2);\n"
                                 "    *to = steps; // steps\n"
                                 "    *to = before; // before\n"
                                 "    *to = left; // left\n"
                                 "    for (int i = 0; i < n; i++) total += in[id + i];\n"
                                 "    *to = total; // total\n"
                                 "    int gone = n * 13 ^ 4321;\n"
                                 "    *to = gone; // gone\n"
                                 "    if (in[id] & 1) {\n"
                                 "        int spin = n * 77 + 123456;\n"
                                 "        *to = spin; // spin\n"
                                 "        spin *= spin + counter;\n"
                                 "        *to = spin; // spin\n"
                                 "        int odd = in[id] * 3 + n;\n"
                                 "        *to = odd; // odd\n"
                                 "        *to = scaled; // scaled\n"
                                 "        while (odd > 9) {\n"
                                 "            odd -= 7;\n"
                                 "            *to = odd; // odd\n"
                                 "        }\n"
                                 "    } else {\n"
                                 "        *to = twice; // twice\n"
                                 "        *to = scaled; // scaled\n"
                                 "    }\n"
                                 "    room[lane] = sum;\n"
                                 "    *to = id; // id\n"
                                 "    *to = n; // n\n"
                                 "    *to = room[lane] + wide.x + twice + (int)pair;\n"
                                 "    *to = lane; // lane\n"
                                 "}\n";

/* LLVM forgets that `late` is assigned behind the loop without a body: no block is left of that. */
static const char forgotten[] =
    "kernel void k(global volatile int *probe, global const int *in, int n, char small, short3 few, int2 given,\n"
    "              local volatile int *room)\n"
    "{\n"
    "    int id = get_global_id(0), one = 1, late = 4, last = 5;\n"
    "    global volatile int *to = probe + id;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int k = 0; k < n + 3; k++)\n"
    "            if (n & 1) {\n"
    "                *to = one; // one\n"
    "                late = in[id + 7];\n"
    "            }\n"
    "    *to = late; // late\n"
    "    for (int i = 0; i < n; i++) {\n"
    "    }\n"
    "    late = one;\n"
    "    for (int i = 0; i < n + 3; i++) last = in[id + 3];\n"
    "    *to = late; // late?\n"
    "    *to = last; // last?\n"
    "}\n";

static const char *source = everything;

/* ---- what llvm-dwarfdump says ---- */

struct location {
    char name[32], text[TEXT];
    uint32_t from, to;
};
struct row {
    uint32_t address, line;
};

struct dwarf {
    struct location locations[MOST];
    struct row rows[MOST];
    size_t nlocations, nrows;
};

static void add_location(struct dwarf *d, const char *name, uint32_t from, uint32_t to, const char *text)
{
    assert_true(d->nlocations < MOST);
    struct location *l = &d->locations[d->nlocations++];
    snprintf(l->name, sizeof l->name, "%s", name);
    snprintf(l->text, sizeof l->text, "%.*s", (int)strcspn(text, ")\n"), text);
    l->from = from;
    l->to = to;
}

static void read_locations(struct dwarf *d, const char *elf)
{
    char line[1000], name[32] = "";
    unsigned from, to;
    FILE *f = compiled_dump("--debug-info", elf);
    for (const char *p; fgets(line, sizeof line, f);) {
        if (strstr(line, "DW_TAG_")) *name = 0;
        if ((p = strstr(line, "DW_AT_name\t(\""))) sscanf(p + 13, "%31[^\"]", name);
        if ((p = strstr(line, "DW_AT_location\t(DW_OP"))) add_location(d, name, 0, UINT32_MAX, p + 16);
        p = strchr(line, '[');
        if (p && sscanf(p, "[0x%x, 0x%x)", &from, &to) == 2 && (p = strstr(p, "): ")))
            add_location(d, name, from, to, p + 3);
    }
    pclose(f);
}

static void read_rows(struct dwarf *d, const char *elf)
{
    char line[1000];
    FILE *f = compiled_dump("--debug-line", elf);
    while (fgets(line, sizeof line, f)) {
        unsigned address, number;
        if (strncmp(line, "0x", 2) || sscanf(line, "%x %u", &address, &number) != 2) continue;
        assert_true(d->nrows < MOST);
        d->rows[d->nrows++] = (struct row){address, strstr(line, "end_sequence") ? 0 : number};
    }
    pclose(f);
}

static uint32_t line_at(const struct dwarf *d, uint32_t pc)
{
    for (size_t i = 0; i + 1 < d->nrows; i++)
        if (d->rows[i].address <= pc && pc < d->rows[i + 1].address) return d->rows[i].line;
    return 0;
}

static const struct location *location_at(const struct dwarf *d, const char *name, uint32_t pc)
{
    for (size_t i = 0; i < d->nlocations; i++)
        if (!strcmp(d->locations[i].name, name) && d->locations[i].from <= pc && pc < d->locations[i].to)
            return &d->locations[i];
    return NULL;
}

/* ---- expressions, evaluated for a lane of a stopped warp ---- */

/* Hooks run on a thread of the device: what they find wrong is a text for later. */
struct machine {
    const struct warp *warp;
    uint32_t lane;
    bool used_private; /* a value was found in private memory */
    bool lost;         /* a piece has no place */
    char wrong[200];
};

static void wrong(struct machine *m, const char *what, const char *text)
{
    if (!*m->wrong) snprintf(m->wrong, sizeof m->wrong, "%s: %.100s", what, text);
}

/* A word of the window (isa/abi.h) in which registers are memory. */
static uint32_t read_window(struct machine *m, uint32_t word)
{
    uint32_t value = 0;
    if (word < ABI_WINDOW_X) return m->warp->v[word - ABI_WINDOW_V][m->lane];
    if (word < ABI_WINDOW_IDS) return m->warp->x[word - ABI_WINDOW_X];
    if (word < ABI_WINDOW_CSR || word >= ABI_WINDOW_LANES || !warp_csr(m->warp, word - ABI_WINDOW_CSR, &value))
        wrong(m, "a word of the window that this test does not know", "");
    return value;
}

static void read_memory(struct machine *m, uint32_t address, uint8_t *out, uint32_t n)
{
    if (address - ABI_WINDOW < ABI_WINDOW_BYTES) {
        uint32_t word = read_window(m, (address - ABI_WINDOW) / 4);
        memcpy(out, &word, n < 4 ? n : 4);
        return;
    }
    m->used_private |= address < 1u << 24;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = address < 1u << 24 ? private_address(m->warp, address + i, m->lane) : address + i;
        const uint8_t *p = warp_memory(m->warp, at, 1);
        if (p) out[i] = *p;
        else wrong(m, "an address without memory", "");
    }
}

/* "X5", "V7", or a number that llvm-dwarfdump has no name for. */
static uint32_t read_register(struct machine *m, const char *text)
{
    unsigned n = (unsigned)strtoul(text + (*text == 'X' || *text == 'V'), NULL, 0);
    if (*text == 'V') return m->warp->v[n][m->lane];
    if (*text == 'X' || n < 32) return m->warp->x[n];
    wrong(m, "a register this test does not know", text);
    return 0;
}

static bool is(const char *token, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(token, name, n) && strchr(" ,", token[n]);
}

/* The next simple location of an expression, up to a piece or the end: its bytes, and how many they are. */
static const char *run_location(struct machine *m, const char *p, uint8_t *out, uint32_t *size)
{
    uint32_t stack[16] = {0}, word;
    unsigned n = 0;
    bool value = false, nothing = true;
    for (; *p && n < 15; p += strcspn(p, ","), p += strspn(p, ", ")) {
        const char *operand = p + strcspn(p, " ") + 1;
        bool bits = is(p, "DW_OP_bit_piece");
        if (bits || is(p, "DW_OP_piece")) {
            if (bits != nothing) wrong(m, "what is nowhere is a piece of bits, and all else one of bytes", p);
            *size = (uint32_t)strtoul(operand, NULL, 0) / (bits ? 8 : 1);
            p += strcspn(p, ","), p += strspn(p, ", ");
            break;
        }
        nothing = false;
        if (is(p, "DW_OP_regx")) stack[n++] = read_register(m, operand), value = true;
        else if (is(p, "DW_OP_bregx"))
            stack[n++] = read_register(m, operand) + (uint32_t)strtol(operand + strcspn(operand, "+-"), NULL, 0);
        else if (is(p, "DW_OP_breg4")) stack[n++] = (uint32_t)strtol(operand + strcspn(operand, "+-"), NULL, 0);
        else if (is(p, "DW_OP_fbreg")) stack[n++] = (uint32_t)strtol(operand, NULL, 0); /* tp is 0 */
        else if (is(p, "DW_OP_addr") || is(p, "DW_OP_constu")) stack[n++] = (uint32_t)strtoull(operand, NULL, 0);
        else if (is(p, "DW_OP_plus_uconst")) stack[n - 1] += (uint32_t)strtoul(operand, NULL, 0);
        else if (is(p, "DW_OP_plus")) n--, stack[n - 1] += stack[n];
        else if (is(p, "DW_OP_mul")) n--, stack[n - 1] *= stack[n];
        else if (is(p, "DW_OP_deref")) read_memory(m, stack[n - 1], (uint8_t *)&word, 4), stack[n - 1] = word;
        else if (is(p, "DW_OP_stack_value")) value = true;
        else wrong(m, "an operation this test does not know", p);
    }
    m->lost = nothing;
    if (nothing) return p;
    if (value) memcpy(out, &stack[n - 1], *size < 4 ? *size : 4);
    else read_memory(m, stack[n - 1], out, *size);
    return p;
}

/* Its first bytes, and which of them the location knows. */
static void read_variable(struct machine *m, const struct location *l, uint8_t out[VARIABLE_BYTES],
                          bool known[VARIABLE_BYTES])
{
    uint32_t at = 0;
    memset(known, 0, VARIABLE_BYTES);
    bool pieces = strstr(l->text, "DW_OP_piece") != NULL;
    for (const char *p = l->text; *p && at < VARIABLE_BYTES;) {
        uint32_t size = pieces                                                            ? 0
                        : strstr(l->text, "DW_OP_regx") || strstr(l->text, "stack_value") ? 4
                                                                                          : VARIABLE_BYTES;
        m->lost = false;
        p = run_location(m, p, out + at, &size);
        for (uint32_t i = 0; i < size && at + i < VARIABLE_BYTES; i++) known[at + i] = !m->lost;
        at += size;
    }
}

/* ---- stores ---- */

struct marker {
    char name[32];
    uint32_t offset, checked, spilled;
    bool may_be_lost;
};

/* Assigned once, or not any more once they have been stored. */
static const char *const once[] = {"id",   "lane",  "twice", "real",  "pair",   "fixed", "scaled", "wide",
                                   "gone", "small", "best",  "steps", "before", "left",  "total"};
enum { ONCE = sizeof once / sizeof *once };
struct truth {
    uint8_t bytes[VARIABLE_BYTES];
    bool known[VARIABLE_BYTES];
};

struct watch {
    const struct dwarf *dwarf;
    struct truth truths[ONCE][ITEMS];
    uint32_t compared;
    struct marker markers[100]; /* by line */
    uint32_t probe;
    bool stores;
    uint8_t values[ISA_LANES][VARIABLE_BYTES];
    bool known[ISA_LANES][VARIABLE_BYTES];
    struct machine machine;
    struct marker *marker; /* of the instruction's line, and is its variable somewhere? */
    bool located;
};

static void read_markers(struct watch *w)
{
    uint32_t line = 1;
    for (const char *p = source; *p; p = strchr(p, '\n') + 1, line++) {
        const char *end = strchr(p, '\n'), *mark = strstr(p, "; // ");
        if (!mark || mark > end) continue;
        sscanf(mark + 5, "%31[a-z]+%u", w->markers[line].name, &w->markers[line].offset);
        w->markers[line].may_be_lost = end[-1] == '?';
    }
}

static uint32_t item_of(const struct warp *warp, uint32_t lane) { return warp->group->wgid * ISA_LANES + lane; }

static void compare(struct watch *w, unsigned number, uint32_t lane, uint32_t pc, const struct location *l)
{
    const struct truth *t = &w->truths[number][item_of(w->machine.warp, lane)];
    uint8_t now[VARIABLE_BYTES];
    bool known[VARIABLE_BYTES];
    w->machine.lane = lane;
    read_variable(&w->machine, l, now, known);
    for (uint32_t i = 0; i < VARIABLE_BYTES; i++) {
        if (!t->known[i] || !known[i]) continue;
        w->compared++;
        if (now[i] != t->bytes[i] && !*w->machine.wrong)
            snprintf(w->machine.wrong, sizeof w->machine.wrong, "%s at %08x, lane %u, byte %u: %02x, it was %02x",
                     once[number], pc, lane, i, now[i], t->bytes[i]);
    }
}

/* Lanes that are at a pc, all variables whose value is known. */
static void compare_all(struct watch *w, uint32_t pc, uint32_t lanes)
{
    for (unsigned n = 0; n < ONCE; n++) {
        const struct location *l = location_at(w->dwarf, once[n], pc);
        for (uint32_t lane = 0; l && lane < ISA_LANES; lane++)
            if (lanes >> lane & 1) compare(w, n, lane, pc, l);
    }
}

/* The lanes that run, and those that wait: each where the highest entry of the stack that has it lets it go on. */
static void compare_warp(struct watch *w, const struct warp *warp)
{
    uint32_t seen = warp->active;
    compare_all(w, warp->pc, warp->active);
    for (uint32_t i = warp->depth; i-- > 0;) {
        compare_all(w, warp->stack[i].pc, warp->stack[i].mask & ~seen);
        seen |= warp->stack[i].mask;
    }
}

static enum observed on_before(void *user, struct warp *warp, const struct insn *insn)
{
    struct watch *w = user;
    (void)insn;
    w->stores = false;
    w->machine.warp = warp;
    compare_warp(w, warp);
    if (*w->machine.wrong) return STOP;
    w->marker = &w->markers[line_at(w->dwarf, warp->pc)];
    if (!*w->marker->name) return GO_ON;
    const struct location *l = location_at(w->dwarf, w->marker->name, warp->pc);
    w->machine.used_private = false;
    for (uint32_t lane = 0; l && lane < ISA_LANES; lane++) {
        w->machine.lane = lane;
        if (warp->active >> lane & 1) read_variable(&w->machine, l, w->values[lane], w->known[lane]);
    }
    w->located = l;
    return *w->machine.wrong ? STOP : GO_ON;
}

static void on_access(void *user, const struct warp *warp, const struct insn *insn, const struct access *a)
{
    struct watch *w = user;
    (void)warp, (void)insn;
    w->stores = a->write && a->addr[a->lanes ? (unsigned)__builtin_ctz(a->lanes) : 0] - w->probe < PROBE_BYTES;
}

static void check_lane(struct watch *w, const struct warp *warp, uint32_t lane, uint32_t address, uint32_t size)
{
    uint32_t base = w->marker->offset + (!strcmp(w->marker->name, "pair")   ? address % 8
                                         : !strcmp(w->marker->name, "wide") ? address % 16
                                                                            : 0);
    const void *stored = warp_memory(warp, address, size);
    if (memcmp(stored, w->values[lane] + base, size) || memchr(w->known[lane] + base, false, size))
        snprintf(w->machine.wrong, sizeof w->machine.wrong,
                 "%s, pc %08x, lane %u: the debug information leads to %08x, the kernel stored %08x", w->marker->name,
                 warp->pc, lane, *(uint32_t *)(w->values[lane] + base), *(const uint32_t *)stored);
    for (unsigned n = 0; n < ONCE; n++) {
        struct truth *t = &w->truths[n][item_of(warp, lane)];
        if (strcmp(once[n], w->marker->name)) continue;
        memcpy(t->bytes + base, stored, size);
        memset(t->known + base, true, size);
    }
    w->marker->checked++;
    w->marker->spilled += w->machine.used_private;
}

static void on_after(void *user, const struct warp *warp, uint32_t pc, const struct insn *insn)
{
    struct watch *w = user;
    const struct access *a = warp_access(warp);
    (void)insn, (void)pc;
    if (!w->stores || !*w->marker->name) return;
    if (!w->located) {
        if (!w->marker->may_be_lost) wrong(&w->machine, "no place at a store of", w->marker->name);
        return;
    }
    if (!a->lanes) check_lane(w, warp, (uint32_t)__builtin_ctz(warp->active), a->addr[0], a->size);
    for (uint32_t lane = 0; lane < ISA_LANES; lane++)
        if (a->lanes >> lane & 1) check_lane(w, warp, lane, a->addr[lane], a->size);
}

/* ---- running ---- */

static void run(ventus_device *d, const ventus_module *module, struct watch *w, enum path_order order)
{
    uint32_t in, words[ITEMS + 16];
    struct ventus_result result;
    char message[256] = "";
    for (uint32_t i = 0; i < ITEMS + 16; i++) words[i] = i * 2654435761u >> 24;
    assert_int_equal(ventus_alloc(d, PROBE_BYTES, &w->probe), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, sizeof words, &in), VENTUS_OK);
    assert_int_equal(ventus_write(d, in, words, sizeof words), VENTUS_OK);
    /* few and given, in their places: 8 bytes at 16, 8 at 24 */
    const uint32_t args[] = {w->probe, in, ROUNDS, 0xc3, 0x00050004, 6, 77, 0x3fc00000, 0};
    struct ventus_gpu_launch gpu = {.options = {.order = order}};
    const uint64_t local[7] = {[6] = 64 * 4};
    struct ventus_launch launch = {.module = module,
                                   .kernel = ventus_module_find(module, "k"),
                                   .args = args,
                                   .gpu = &gpu,
                                   .local_sizes = local,
                                   .range = {1, {ITEMS, 1, 1}, {32, 1, 1}, {0, 0, 0}}};
    enum ventus_status status = ventus_run(d, &launch, &result, message, sizeof message);
    if (*w->machine.wrong) fail_msg("%s", w->machine.wrong);
    if (status != VENTUS_OK) fail_msg("%s", message);
    assert_int_equal(ventus_free(d, w->probe), VENTUS_OK);
    assert_int_equal(ventus_free(d, in), VENTUS_OK);
}

/* Runs the kernel of a compiler; returns how many of its values were in private memory for want of registers. */
static uint32_t check(const char *compiler)
{
    static struct dwarf dwarf;
    static struct watch w;
    w = (struct watch){.dwarf = &dwarf};
    struct observer o = {.user = &w, .before = on_before, .access = on_access, .after = on_after};
    ventus_device *d = NULL;
    uint32_t spilled = 0;
    const char *elf = compiled_file(compiler, "-g -cl-std=CL3.0", source);
    dwarf = (struct dwarf){0};
    read_locations(&dwarf, elf);
    read_rows(&dwarf, elf);
    read_markers(&w);
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    gpu_observe(device_gpu(d), &o);
    ventus_module *module = compiled_load(elf);
    for (enum path_order order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) {
        memset(w.truths, 0, sizeof w.truths);
        run(d, module, &w, order);
    }
    assert_true(source != everything || w.compared > 10000);
    for (uint32_t line = 0; line < 100; line++) {
        const struct marker *m = &w.markers[line];
        if (*m->name && !m->checked && !m->may_be_lost) fail_msg("line %u: %s was never checked", line, m->name);
        if (strcmp(m->name, "table")) spilled += m->spilled;
    }
    ventus_module_free(module);
    ventus_close(d);
    return spilled;
}

static void test_locations(void **state)
{
    (void)state;
    assert_int_equal(check("ventus-cc"), 0);
}

/* It does not go on at its value of before. */
static void test_forgotten(void **state)
{
    (void)state;
    source = forgotten;
    check("ventus-cc");
    source = everything;
}

static void test_spilled(void **state)
{
    (void)state;
    setenv("VENTUS_CC_VECTORS", "12", 1);
    setenv("VENTUS_CC_SCALARS", "8", 1);
    assert_int_not_equal(check("ventus-cc-mutation"), 0);
}

/* More variables than DWARF has numbers of vector registers for: the others are words of the window. */
static void test_window(void **state)
{
    static char text[8000];
    enum { VARIABLES = 60 };
    (void)state;
    FILE *f = fmemopen(text, sizeof text, "w");
    fputs("kernel void k(global volatile int *probe, global const volatile int *in, int n, char small, short3 few, "
          "int2 given, local volatile int *room)\n{\n    global volatile int *to = probe + get_global_id(0);\n    int",
          f);
    for (int i = 0; i < VARIABLES; i++)
        fprintf(f, "%s v%c%c = in[get_global_id(0) + %d]", i ? "," : "", 'a' + i / 26, 'a' + i % 26, i % 16);
    fputs(";\n", f);
    for (int i = 0; i < VARIABLES; i++)
        fprintf(f, "    *to = v%c%c; // v%c%c\n", 'a' + i / 26, 'a' + i % 26, 'a' + i / 26, 'a' + i % 26);
    fputs("}\n", f);
    fclose(f);
    source = text;
    check("ventus-cc");
    source = everything;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_locations), cmocka_unit_test(test_forgotten),
                                       cmocka_unit_test(test_spilled), cmocka_unit_test(test_window)};
    return compiled_run_tests(tests);
}
