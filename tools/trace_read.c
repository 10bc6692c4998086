/* ventus trace: prints a compact trace.
 *
 * The file may be anything: every count is checked, and what is wrong ends the program with the byte it is
 * at. Columns, separated by tabs: work-group, warp, address, SIMT mask, instruction, effects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "tool.h"

struct reader {
    FILE *in;
    const char *path;
    uint64_t at;
    enum isa_profile profile;
    bool launched, placed;
    uint32_t wgid, wid, warps;
    uint32_t pc, mask;
    struct code_words code;
    uint64_t instructions;
};

static _Noreturn void damaged(const struct reader *r, const char *what)
{
    fflush(stdout);
    die("%s: byte %llu: %s", r->path, (unsigned long long)r->at, what);
}

/* ---- numbers ---- */

static unsigned get8(struct reader *r)
{
    int c = getc(r->in);
    if (c == EOF) damaged(r, "the file ends within a record");
    r->at++;
    return (unsigned)c;
}

static uint32_t get32(struct reader *r)
{
    uint32_t v = 0;
    for (int i = 0; i < 32; i += 8) v |= (uint32_t)get8(r) << i;
    return v;
}

/* Values of lanes into v; returns which lanes. */
static uint32_t get_lanes(struct reader *r, uint32_t usual, uint32_t v[ISA_LANES])
{
    unsigned head = get8(r), form = head & LANES_FORM;
    if (head & ~(unsigned)(LANES_FORM | LANES_MASK) || form > LANES_LIST) damaged(r, "unknown form of lane values");
    uint32_t lanes = head & LANES_MASK ? get32(r) : usual;
    uint32_t first = form != LANES_LIST ? get32(r) : 0, step = form == LANES_STEP ? get32(r) : 0;
    unsigned low = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        v[lane] = form == LANES_LIST ? get32(r) : first + step * (lane - low);
    }
    return lanes;
}

static void learn(struct reader *r, uint32_t pc)
{
    struct known k = {.pc = pc, .nwords = get8(r)};
    if (k.nwords < 1 || k.nwords > ISA_MAX_WORDS) damaged(r, "an instruction of no known length");
    for (unsigned i = 0; i < k.nwords; i++) k.words[i] = get32(r);
    if (words_learn(&r->code, &k) == LEARN_NO_MEMORY) die("out of memory");
}

/* ---- records ---- */

static void print_lanes(const uint32_t *v, uint32_t lanes)
{
    unsigned top = lanes ? 31u - (unsigned)__builtin_clz(lanes) : 0;
    for (unsigned lane = 0; lane <= top; lane++) {
        if (lanes >> lane & 1) printf(" %x", v[lane]);
        else fputs(" -", stdout);
    }
}

static void read_access(struct reader *r)
{
    uint32_t addr[ISA_LANES], high[ISA_LANES] = {0}, data[ISA_LANES];
    unsigned head = get8(r), size = head & ACCESS_SIZE;
    uint32_t lanes = get_lanes(r, head & ACCESS_SCALAR ? 1 : r->mask, addr);
    if (head & ACCESS_HIGH) get_lanes(r, lanes, high);
    printf("%s %u at", head & ACCESS_ATOMIC ? "atomic" : head & ACCESS_WRITE ? "store" : "load", 8 * size);
    print_lanes(addr, lanes);
    if (head & ACCESS_HIGH) {
        fputs(" high", stdout);
        print_lanes(high, lanes);
    }
    if (!(head & ACCESS_WRITE)) return;
    get_lanes(r, lanes, data);
    fputs(" =", stdout);
    print_lanes(data, lanes);
}

static void print_insn(const struct reader *r, const struct known *k)
{
    struct insn in;
    char text[200] = "unknown";
    if (isa_decode_in(r->profile, k->words, k->nwords, &in)) isa_print(&in, k->pc, 0, text, sizeof text);
    char *tab = strchr(text, '\t');
    if (tab) *tab = ' ';
    printf("%u\t%u\t%08x\t%08x\t%s\t", r->wgid, r->wid, r->pc, r->mask, text);
}

/* What the instruction wrote and accessed, one after another, separated. */
static void read_effects(struct reader *r, unsigned flags)
{
    unsigned results = flags & INSN_WIDE ? get8(r) : 1, accesses = flags & INSN_WIDE ? get8(r) : 1;
    unsigned rd = flags & (INSN_SCALAR | INSN_VECTOR) ? get8(r) : 0;
    const char *separator = "";
    if (accesses > EVENT_WORDS || (flags & INSN_SCALAR && rd + results > ISA_XREGS) || rd + results > ISA_VREGS)
        damaged(r, "more registers or accesses than there are");
    for (unsigned i = 0; i < results && (flags & INSN_SCALAR); i++, separator = "; ")
        printf("%s%s = %x", separator, isa_xreg_name(rd + i), get32(r));
    for (unsigned i = 0; i < results && (flags & INSN_VECTOR); i++, separator = "; ") {
        uint32_t v[ISA_LANES];
        printf("%sv%u =", separator, rd + i);
        print_lanes(v, get_lanes(r, r->mask, v));
    }
    for (unsigned k = 0; k < accesses && (flags & INSN_MEMORY); k++, separator = "; ") {
        fputs(separator, stdout);
        read_access(r);
    }
}

static void read_insn(struct reader *r, unsigned flags)
{
    if (!r->placed && (flags & (INSN_PC | INSN_MASK)) != (INSN_PC | INSN_MASK))
        damaged(r, "an instruction before its place");
    r->placed = true;
    if (flags & INSN_PC) r->pc = get32(r);
    if (flags & INSN_WORDS) learn(r, r->pc);
    if (flags & INSN_MASK) r->mask = get32(r);
    const struct known *k = words_at(&r->code, r->pc);
    if (!k) damaged(r, "an instruction without its word");
    print_insn(r, k);
    read_effects(r, flags);
    putchar('\n');
    r->pc += 4 * k->nwords;
    r->instructions++;
}

static void read_launch(struct reader *r)
{
    uint32_t v[5];
    for (int i = 0; i < 5; i++) v[i] = get32(r);
    unsigned warps = get8(r), threads = get8(r);
    if (!warps || !threads || threads > ISA_LANES) damaged(r, "a launch without warps or threads");
    printf("# launch: %ux%ux%u work-groups, %u warps of %u threads, ", v[2], v[3], v[4], warps, threads);
    printf("start 0x%08x, metadata 0x%08x\n", v[0], v[1]);
    r->warps = warps;
    r->launched = true;
    r->placed = false;
}

static void read_warp(struct reader *r)
{
    r->wgid = get32(r);
    r->wid = get8(r);
    if (!r->launched || r->wid >= r->warps) damaged(r, "a warp that the launch does not have");
    r->placed = false;
}

static void read_header(struct reader *r)
{
    char magic[4];
    if (fread(magic, 1, 4, r->in) != 4 || memcmp(magic, BINARY_MAGIC, 4))
        die("%s: not a trace of ventus run --trace-binary", r->path);
    r->at = 4;
    uint32_t form = get32(r), profile = get32(r);
    get32(r);
    if (form != (BINARY_VERSION | BINARY_HEADER << 16))
        die("%s: a trace of version %u; this program reads version %d", r->path, form & 0xffff, BINARY_VERSION);
    if (!isa_profile_known(profile)) damaged(r, "unknown instruction set");
    r->profile = (enum isa_profile)profile;
}

static const struct flag flags[] = {{0}};

int cmd_trace(int argc, char **argv)
{
    // clang-format off
    struct args args = {.command = "trace", .usage = "FILE", .flags = flags, .argc = argc, .argv = argv, .at = 1,
        .about = "Prints a trace written by `ventus run --trace-binary`, one line an instruction: work-group, warp,\n"
                 "address, SIMT mask, instruction, and what it wrote or accessed, lane by lane, - for lanes that\n"
                 "took no part."};
    // clang-format on
    struct reader r = {0};
    while (args_next(&args) != ARG_END) {
        if (r.path) usage_error(&args, "one file at a time, '%s' is the second", args.value);
        r.path = args.value;
    }
    if (!r.path) usage_error(&args, "a file is needed");
    r.in = open_input(r.path);
    read_header(&r);
    for (int c; (c = getc(r.in)) != EOF;) {
        r.at++;
        if (c & RECORD_INSN) read_insn(&r, (unsigned)c & 0x7f);
        else if (c == RECORD_LAUNCH) read_launch(&r);
        else if (c == RECORD_WARP) read_warp(&r);
        else damaged(&r, "unknown kind of record");
    }
    if (ferror(r.in)) die("%s: cannot be read", r.path);
    printf("# %llu instructions\n", (unsigned long long)r.instructions);
    if (r.in != stdin) fclose(r.in);
    free(r.code.known);
    return EXIT_OK;
}
