/* The observer that counts what launches exercise: `ventus run --coverage`. Called by way of the list in
 * sim/observers.c. */
#include "coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "sim/machine.h"
#include "sim/observers.h"
#include "sim/output.h"

enum { LOADS = 4 }; /* of the last instructions, for load_use: a guess of what a short pipeline has in flight */

/* What a warp has executed last. */
struct past {
    struct isa_registers written[2], read; /* of the last instruction and the one before; of the last */
    struct isa_registers load[LOADS];      /* loaded by the last four; empty: they were no loads */
    struct isa_registers loaded;           /* the union of these */
};

struct counter {
    struct observer hooks;
    struct coverage *coverage;
    const struct gpu_config *config;
    const char *path;
    struct past *past; /* [SM][slot of a group][warp] */
    uint32_t groups, warps;
};

/* ---- what the rows of bins.def call ---- */

static bool is_one(uint32_t lanes) { return lanes && !(lanes & (lanes - 1)); }
static bool is_run(uint32_t lanes) { return is_one((lanes >> __builtin_ctz(lanes | 1u << 31)) + 1) || lanes == ~0u; }
static bool is_some(uint32_t part, uint32_t all) { return part && part != all; }
static bool is_partial(const struct warp *w) { return w->mask != w->lanes && !is_one(w->mask); }

/* Divergent branches whose paths have not met again: each has an entry for that place, whose lanes are those of both
 * paths. The entry of a path that waits has none of the lanes that run. */
static unsigned branches_around(const struct warp *w)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < w->depth; i++) n += (w->stack[i].mask & w->mask) != 0;
    return n;
}

static bool meets(const struct isa_registers *a, const struct isa_registers *b)
{
    uint64_t common = a->x & b->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) common |= a->v[i] & b->v[i];
    return common != 0;
}

static bool has_high(const struct isa_registers *r)
{
    uint64_t high = r->v[0] >> 32;
    for (unsigned i = 1; i < ISA_VREGS / 64; i++) high |= r->v[i];
    return high != 0;
}

static bool reads_x0(const struct insn *in, const struct isa_effects *e)
{
    const uint8_t number[] = {in->rd, in->rs1, in->rs2, in->rs3};
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        if ((e->scalars & e->reads) >> role & 1 && !number[role]) return true;
    return false;
}

/* ---- counting ---- */

static struct past *past_of(const struct counter *c, const struct group *g)
{
    const size_t sm = (size_t)(g->sm - g->sm->gpu->sms);
    return &c->past[(sm * c->groups + g->slot) * c->warps];
}

static void group_begin(void *user, const struct group *group)
{
    const struct counter *c = user;
    memset(past_of(c, group), 0, group->launch->warps * sizeof *c->past);
}

static void count(struct coverage *c, const struct warp *w, const struct insn *in, const struct isa_effects *e,
                  const struct past *past, const struct isa_registers *read, const struct isa_registers *written)
{
    c->executed[in->op]++;
#define BIN(group, name, of, holds, text) c->bins[in->op][BIN_##group##_##name] += (holds);
#include "coverage/bins.def"
#undef BIN
}

static void add(struct isa_registers *to, const struct isa_registers *from)
{
    to->x |= from->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) to->v[i] |= from->v[i];
}

static void remember(struct past *p, const struct isa_memory *m, const struct isa_registers *read,
                     const struct isa_registers *written)
{
    p->written[1] = p->written[0];
    p->written[0] = *written;
    p->read = *read;
    memmove(&p->load[1], &p->load[0], (LOADS - 1) * sizeof p->load[0]);
    p->load[0] = m->action == ACTION_LOAD ? *written : (struct isa_registers){0};
    p->loaded = (struct isa_registers){0};
    for (unsigned i = 0; i < LOADS; i++) add(&p->loaded, &p->load[i]);
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct counter *c = user;
    const struct isa_effects e = isa_effects(in, w->group->launch->threads_per_warp);
    const struct isa_registers read = isa_registers_read(in, &e), written = isa_registers_written(in, &e);
    struct past *past = past_of(c, w->group) + (w - w->group->warps);
    count(c->coverage, w, in, &e, past, &read, &written);
    remember(past, &e.memory, &read, &written);
    return GO_ON;
}

/* ---- the option ---- */

static struct observer *option_open(struct gpu *gpu, const char *path, char *why, size_t why_size)
{
    const struct gpu_config *config = gpu_config_of(gpu);
    struct counter *c = calloc(1, sizeof *c);
    snprintf(why, why_size, "out of memory");
    if (!c) return NULL;
    *c = (struct counter){
        .config = config, .path = path, .groups = config->groups_per_sm, .warps = config->warps_per_sm};
    c->hooks = (struct observer){.user = c, .group_begin = group_begin, .before = before};
    c->coverage = calloc(1, sizeof *c->coverage);
    c->past = calloc((size_t)config->sms * c->groups * c->warps, sizeof *c->past);
    if (c->coverage && c->past) {
        c->coverage->profile = (enum isa_profile)config->profile;
        return &c->hooks;
    }
    free(c->coverage);
    free(c->past);
    free(c);
    return NULL;
}

/* A condition can hold by chance where its bin makes no sense: all lanes are active when a scalar is added. */
static void drop_impossible(struct coverage *c)
{
    for (unsigned op = 1; op < OP_COUNT; op++)
        for (unsigned b = 0; c->executed[op] && b < COVERAGE_BINS; b++)
            if (!coverage_can((enum isa_op)op, (enum coverage_bin)b)) c->bins[op][b] = 0;
}

/* Instructions that the profile has under one name count as the first of them. */
static void merge_names(struct coverage *c)
{
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const enum isa_op first = c->executed[op] ? isa_find_in(c->profile, isa_table[op].name) : OP_INVALID;
        if (first == OP_INVALID || first == op) continue;
        c->executed[first] += c->executed[op];
        for (unsigned b = 0; b < COVERAGE_BINS; b++) c->bins[first][b] += c->bins[op][b];
        c->executed[op] = 0;
    }
}

static bool option_close(struct observer *observer, char *why, size_t why_size)
{
    struct counter *c = observer->user;
    merge_names(c->coverage);
    drop_impossible(c->coverage);
    FILE *out = output_open(c->path, why, why_size);
    if (out && output_ends_with(c->path, ".json")) coverage_json(c->coverage, out);
    else if (out && output_ends_with(c->path, ".html")) coverage_page(c->coverage, out);
    else if (out) coverage_table(c->coverage, UINT32_MAX, out);
    const bool written = out && output_close(out, c->path, why, why_size);
    free(c->coverage);
    free(c->past);
    free(c);
    return written;
}

const struct observer_kind observer_coverage = {
    .option = "coverage",
    .value = "FILE",
    .help =
        "count what is exercised of each instruction (docs/coverage.md): FILE.json,\nFILE.html, any other as a table; "
        "- is standard output",
    .open = option_open,
    .close = option_close,
};
