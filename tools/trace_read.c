/* The reader of compact traces (docs/run.md has the format). Every count is checked, and what is wrong ends the program
 * with the byte it is at. */
#include <stdlib.h>
#include <string.h>

#include "steps.h"
#include "tool.h"
#include "trace/trace.h"

struct compact {
    struct trace_source source;
    uint64_t at;
    bool placed;
    uint32_t wgid, wid, pc, mask;
    struct code_words code;
};

static _Noreturn void damaged(const struct compact *r, const char *what)
{
    die("%s: byte %llu: %s", r->source.path, (unsigned long long)r->at, what);
}

/* ---- numbers ---- */

static unsigned get8(struct compact *r)
{
    int c = getc(r->source.in);
    if (c == EOF) damaged(r, "the file ends within a record");
    r->at++;
    return (unsigned)c;
}

static uint32_t get32(struct compact *r)
{
    uint32_t v = 0;
    for (int i = 0; i < 32; i += 8) v |= (uint32_t)get8(r) << i;
    return v;
}

/* Values of lanes into v; returns which lanes. */
static uint32_t get_lanes(struct compact *r, uint32_t usual, uint32_t v[ISA_LANES])
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

static void learn(struct compact *r, uint32_t pc)
{
    struct known k = {.pc = pc, .nwords = get8(r)};
    if (k.nwords < 1 || k.nwords > ISA_MAX_WORDS) damaged(r, "an instruction of no known length");
    for (unsigned i = 0; i < k.nwords; i++) k.words[i] = get32(r);
    if (words_learn(&r->code, &k) == LEARN_NO_MEMORY) die("out of memory");
}

/* ---- records ---- */

static void read_access(struct compact *r, struct step *s, unsigned number)
{
    uint32_t addr[ISA_LANES], high[ISA_LANES] = {0}, data[ISA_LANES] = {0};
    const unsigned head = get8(r);
    const uint32_t lanes = get_lanes(r, head & ACCESS_SCALAR ? 1 : r->mask, addr);
    if (head & ACCESS_HIGH && get_lanes(r, lanes, high) != lanes) damaged(r, "upper halves of other lanes");
    if (head & ACCESS_WRITE && get_lanes(r, lanes, data) != lanes) damaged(r, "data of other lanes");
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        *step_add_touch(s) = (struct step_touch){.addr = (uint64_t)high[lane] << 32 | addr[lane],
                                                 .value = data[lane],
                                                 .number = (uint8_t)number,
                                                 .size = head & ACCESS_SIZE,
                                                 .lane = (int8_t)lane,
                                                 .write = head & ACCESS_WRITE,
                                                 .atomic = head & ACCESS_ATOMIC,
                                                 .scalar = head & ACCESS_SCALAR,
                                                 .wide = head & ACCESS_HIGH};
    }
}

/* What the instruction wrote and accessed. */
static void read_effects(struct compact *r, struct step *s, unsigned flags)
{
    unsigned results = flags & INSN_WIDE ? get8(r) : 1, accesses = flags & INSN_WIDE ? get8(r) : 1;
    unsigned rd = flags & (INSN_SCALAR | INSN_VECTOR) ? get8(r) : 0;
    if (accesses > EVENT_WORDS || (flags & INSN_SCALAR && rd + results > ISA_XREGS) || rd + results > ISA_VREGS)
        damaged(r, "more registers or accesses than there are");
    for (unsigned i = 0; i < results && (flags & INSN_SCALAR); i++)
        *step_add_write(s) = (struct step_write){.reg = rd + i, .lanes = 1, .value = {get32(r)}};
    for (unsigned i = 0; i < results && (flags & INSN_VECTOR); i++) {
        struct step_write *w = step_add_write(s);
        w->vector = true;
        w->reg = rd + i;
        w->lanes = get_lanes(r, r->mask, w->value);
    }
    for (unsigned k = 0; k < accesses && (flags & INSN_MEMORY); k++) read_access(r, s, k);
}

static void read_insn(struct compact *r, struct step *s, unsigned flags)
{
    if (!r->placed && (flags & (INSN_PC | INSN_MASK)) != (INSN_PC | INSN_MASK))
        damaged(r, "an instruction before its place");
    r->placed = true;
    if (flags & INSN_PC) r->pc = get32(r);
    if (flags & INSN_WORDS) learn(r, r->pc);
    if (flags & INSN_MASK) r->mask = get32(r);
    const struct known *k = words_at(&r->code, r->pc);
    if (!k) damaged(r, "an instruction without its word");
    *s = (struct step){.group = r->source.launch.first + r->wgid,
                       .warp = r->wid,
                       .pc = r->pc,
                       .nwords = k->nwords,
                       .mask = r->mask,
                       .has_mask = true};
    memcpy(s->words, k->words, sizeof s->words);
    r->pc += 4 * k->nwords;
    read_effects(r, s, flags);
}

static void read_launch(struct compact *r)
{
    struct trace_launch *l = &r->source.launch;
    const uint64_t before = l->number ? (uint64_t)l->groups[0] * l->groups[1] * l->groups[2] : 0;
    l->start = get32(r);
    l->metadata = get32(r);
    for (int i = 0; i < 3; i++) l->groups[i] = get32(r);
    l->warps = get8(r);
    l->threads = get8(r);
    if (!l->warps || !l->threads || l->threads > ISA_LANES) damaged(r, "a launch without warps or threads");
    l->first += before;
    l->number++;
    r->placed = false;
}

static void read_warp(struct compact *r)
{
    r->wgid = get32(r);
    r->wid = get8(r);
    if (!r->source.launch.number || r->wid >= r->source.launch.warps)
        damaged(r, "a warp that the launch does not have");
    r->placed = false;
}

static void read_header(struct compact *r)
{
    char magic[4];
    if (fread(magic, 1, 4, r->source.in) != 4 || memcmp(magic, BINARY_MAGIC, 4))
        die("%s: not a trace of ventus run --trace-binary", r->source.path);
    r->at = 4;
    uint32_t form = get32(r), profile = get32(r);
    get32(r);
    if (form != (BINARY_VERSION | BINARY_HEADER << 16))
        die("%s: a trace of version %u; this program reads version %d", r->source.path, form & 0xffff, BINARY_VERSION);
    if (!isa_profile_known(profile)) damaged(r, "unknown instruction set");
    r->source.profile = (enum isa_profile)profile;
}

/* ---- the source ---- */

static enum traced next_step(struct trace_source *source, struct step *s)
{
    struct compact *r = (struct compact *)source;
    for (int c; (c = getc(source->in)) != EOF;) {
        r->at++;
        if (c & RECORD_INSN) return read_insn(r, s, (unsigned)c & 0x7f), TRACE_STEP;
        if (c == RECORD_LAUNCH) return read_launch(r), TRACE_LAUNCH;
        if (c != RECORD_WARP) damaged(r, "unknown kind of record");
        read_warp(r);
    }
    if (ferror(source->in)) die("%s: cannot be read", source->path);
    return TRACE_END;
}

static void close_compact(struct trace_source *source)
{
    free(((struct compact *)source)->code.known);
    free(source);
}

struct trace_source *compact_steps(FILE *in, const char *path)
{
    struct compact *r = allocate(sizeof *r);
    r->source = (struct trace_source){.in = in, .path = path, .next = next_step, .close = close_compact};
    read_header(r);
    return &r->source;
}
