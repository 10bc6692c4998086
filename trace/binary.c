/* The compact trace: a few bytes for most instructions (docs/run.md has the format).
 *
 * What follows from the records before is left out: the pc behind the last instruction, an unchanged mask,
 * the word of an address seen before. Lanes with equal or evenly spaced values take one value.
 * Called by trace.c; tools/trace_read.c is the other side. */
#include <stdlib.h>
#include <string.h>

#include "sim/output.h"
#include "trace/trace.h"

struct trace_binary {
    FILE *out;
    const char *path;
    uint32_t wgid, wid; /* of the last instruction ... */
    bool any;           /* ... if there is one */
    uint32_t pc, mask;  /* expected next */
    struct code_words code;
};

static void put8(struct trace_binary *b, unsigned v) { putc((int)(v & 0xff), b->out); }
static void put32(struct trace_binary *b, uint32_t v)
{
    for (int i = 0; i < 32; i += 8) put8(b, v >> i);
}

static enum learnt learn(struct trace_binary *b, const struct event *e)
{
    struct known k = {.pc = e->pc, .nwords = e->insn->size / 4u};
    memcpy(k.words, e->words, sizeof k.words);
    return words_learn(&b->code, &k);
}

/* ---- values of lanes ---- */

static enum binary_lanes form_of(const uint32_t *v, uint32_t lanes, uint32_t *first, uint32_t *step)
{
    bool equal = true, even = true;
    unsigned low = lanes ? (unsigned)__builtin_ctz(lanes) : 0, second = low;
    uint32_t rest = lanes & (lanes - 1);
    *first = v[low];
    if (rest) second = (unsigned)__builtin_ctz(rest);
    *step = second != low ? (v[second] - v[low]) / (second - low) : 0;
    for (; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        equal &= v[lane] == v[low];
        even &= v[lane] == v[low] + *step * (lane - low);
    }
    return equal ? LANES_EQUAL : even ? LANES_STEP : LANES_LIST;
}

static void put_lanes(struct trace_binary *b, const uint32_t *v, uint32_t lanes, uint32_t usual)
{
    uint32_t first, step;
    enum binary_lanes form = form_of(v, lanes, &first, &step);
    put8(b, form | (lanes != usual ? LANES_MASK : 0));
    if (lanes != usual) put32(b, lanes);
    if (form != LANES_LIST) put32(b, first);
    if (form == LANES_STEP) put32(b, step);
    for (; form == LANES_LIST && lanes; lanes &= lanes - 1) put32(b, v[__builtin_ctz(lanes)]);
}

static void put_access(struct trace_binary *b, const struct event *e, unsigned k)
{
    const struct access *a = &e->access[k];
    uint32_t lanes = a->lanes ? a->lanes : 1;
    put8(b, (a->size & ACCESS_SIZE) | (e->writes_memory ? ACCESS_WRITE : 0) | (a->atomic ? ACCESS_ATOMIC : 0) |
                (a->lanes ? 0 : ACCESS_SCALAR) | (a->high ? ACCESS_HIGH : 0));
    put_lanes(b, a->addr, lanes, a->lanes ? e->mask : 1);
    if (a->high) put_lanes(b, a->high, lanes, lanes);
    if (e->writes_memory) put_lanes(b, e->data[k], lanes, lanes);
}

/* ---- the interface ---- */

struct trace_binary *binary_open(const struct gpu_config *config, const char *path, char *why, size_t why_size)
{
    FILE *out = output_open(path, why, why_size);
    if (!out) return NULL;
    struct trace_binary *b = calloc(1, sizeof *b);
    if (!b) {
        snprintf(why, why_size, "out of memory");
        output_close(out, path, NULL, 0);
        return NULL;
    }
    b->out = out;
    b->path = path;
    fwrite(BINARY_MAGIC, 1, 4, b->out);
    put32(b, BINARY_VERSION | BINARY_HEADER << 16);
    put32(b, config->profile);
    put32(b, 0);
    return b;
}

void binary_launch(struct trace_binary *b, const struct launch *l)
{
    put8(b, RECORD_LAUNCH);
    put32(b, l->start_pc);
    put32(b, l->knl);
    for (int d = 0; d < 3; d++) put32(b, l->groups[d]);
    put8(b, l->warps);
    put8(b, l->threads_per_warp);
    b->any = false;
}

static void put_insn(struct trace_binary *b, const struct event *e, unsigned flags)
{
    const struct insn *in = e->insn;
    put8(b, RECORD_INSN | flags);
    if (flags & INSN_PC) put32(b, e->pc);
    if (flags & INSN_WORDS) {
        put8(b, in->size / 4);
        for (unsigned i = 0; i < in->size / 4u && i < ISA_MAX_WORDS; i++) put32(b, e->words[i]);
    }
    if (flags & INSN_MASK) put32(b, e->mask);
    if (flags & INSN_WIDE) {
        put8(b, e->results);
        put8(b, e->accesses);
    }
    if (flags & (INSN_SCALAR | INSN_VECTOR)) put8(b, in->rd);
    for (unsigned i = 0; i < e->results && (flags & INSN_SCALAR); i++) put32(b, e->w->x[in->rd + i]);
    for (unsigned i = 0; i < e->results && (flags & INSN_VECTOR); i++)
        put_lanes(b, e->w->v[in->rd + i], e->lanes, e->mask);
    for (unsigned k = 0; k < e->accesses; k++) put_access(b, e, k);
}

bool binary_event(struct trace_binary *b, const struct event *e)
{
    const struct warp *w = e->w;
    unsigned flags = 0;
    enum learnt words = learn(b, e);
    if (words == LEARN_NO_MEMORY) return false;
    if (!b->any || b->wgid != w->group->wgid || b->wid != w->wid) {
        put8(b, RECORD_WARP);
        put32(b, w->group->wgid);
        put8(b, w->wid);
        b->wgid = w->group->wgid;
        b->wid = w->wid;
        b->any = true;
        flags |= INSN_PC | INSN_MASK;
    }
    if (e->pc != b->pc) flags |= INSN_PC;
    if (e->mask != b->mask) flags |= INSN_MASK;
    if (words == LEARN_NEW) flags |= INSN_WORDS;
    if (e->to_scalar) flags |= INSN_SCALAR;
    if (e->to_vector && e->lanes) flags |= INSN_VECTOR;
    if (e->accesses) flags |= INSN_MEMORY;
    if (e->results > 1 || e->accesses > 1) flags |= INSN_WIDE;
    put_insn(b, e, flags);
    b->pc = e->pc + e->insn->size;
    b->mask = e->mask;
    return true;
}

bool binary_close(struct trace_binary *b, char *why, size_t why_size)
{
    bool ok = output_close(b->out, b->path, why, why_size);
    free(b->code.known);
    free(b);
    return ok;
}
