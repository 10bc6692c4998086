/* Life of a check, and the hooks of its observer.
 *
 * The machine calls the hooks on one thread, but for what the host does, which any thread tells. All hold the lock
 * while they are here; other observers are told of mistakes without it, because they may take their time. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"

/* ---- lists of kinds ---- */

static bool parse_word(const char *word, size_t n, unsigned *what)
{
    // clang-format off
    static const struct { const char *name; unsigned bits; } others[] = {
        {"", 0}, {"all", CHECK_ALL}, {"1", CHECK_ALL}, {"copies", CHECK_COPIES | 1u << CHECK_UNINIT}, {"lockstep", CHECK_LOCKSTEP},
    };
    // clang-format on
    for (unsigned k = 0; k < CHECK_KINDS; k++) {
        const char *name = check_kind_name((enum check_kind)k);
        if (strlen(name) == n && !memcmp(name, word, n)) return *what |= 1u << k, true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == n && !memcmp(others[i].name, word, n)) return *what |= others[i].bits, true;
    return false;
}

bool check_parse(const char *list, unsigned *what, char *why, size_t why_size)
{
    unsigned found = 0;
    for (const char *p = list ? list : "";; p++) {
        size_t n = strcspn(p, ",");
        if (!parse_word(p, n, &found)) {
            snprintf(why, why_size,
                     "'%.*s' is none of all, bounds, overflow, uninit, races, barriers, align, copies, lockstep",
                     (int)n, p);
            return false;
        }
        p += n;
        if (!*p) break;
    }
    if (!(found & CHECK_ALL)) found |= CHECK_ALL;
    *what = found;
    return true;
}

/* ---- life ---- */

static struct observer hooks_of(struct check *c);

struct check *check_new(struct gpu *gpu, unsigned what, FILE *out)
{
    struct check *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    if (pthread_mutex_init(&c->lock, NULL)) {
        free(c);
        return NULL;
    }
    c->gpu = gpu;
    c->what = what;
    c->observer = hooks_of(c);
    c->reports = calloc(MOST_REPORTS, sizeof *c->reports);
    if (c->reports && shadow_init(&c->shadow) && races_init(&c->races) && values_init(c)) {
        c->out = out;
        return c;
    }
    check_free(c);
    return NULL;
}

struct observer *check_observer(struct check *check) { return &check->observer; }

static void free_group(struct checked_group *g)
{
    free(g->warps);
    free(g->rows);
    free(g->undefined);
    free(g->ordered);
    free(g);
}

void check_summary(const struct check *c, bool always)
{
    if (!c || !c->out) return;
    if (c->total)
        fprintf(c->out, "check: %llu in all, %zu different%s\n", (unsigned long long)c->total, c->nreports,
                c->dropped ? "; there were more than can be told apart" : "");
    else if (always)
        fprintf(c->out, "check: nothing found in %llu launch%s\n", (unsigned long long)c->launch,
                c->launch == 1 ? "" : "es");
    if (c->races.full) fputs("check: not all memory was watched for races: it is too much\n", c->out);
    fflush(c->out);
}

void check_free(struct check *c)
{
    if (!c) return;
    while (c->groups) {
        struct checked_group *g = c->groups;
        c->groups = g->next;
        free_group(g);
    }
    races_free(&c->races);
    shadow_free(&c->shadow);
    free(c->places.list);
    free(c->uses);
    free(c->reports);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- what the host does ---- */

/* What it reads does not matter: nobody sees where it goes. */
static void host(void *user, const struct host_event *e)
{
    struct check *c = user;
    pthread_mutex_lock(&c->lock);
    switch (e->action) {
    case HOST_OPEN:
        places_add(&c->places, e->addr, e->size, e->name ? e->name : "");
        shadow_set(&c->shadow, e->addr, e->size, true);
        break;
    case HOST_CLOSE:
        shadow_set(&c->shadow, e->addr, e->size, false);
        places_remove(&c->places, e->addr, e->size);
        break;
    case HOST_WRITE: shadow_set(&c->shadow, e->addr, e->size, false); break;
    case HOST_COPY: shadow_copy(&c->shadow, e->addr, e->from, e->size); break;
    case HOST_READ: break;
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- work-groups ---- */

static struct checked_group *find_group(struct check *c, const struct group *group)
{
    if (c->group && c->group->group == group) return c->group;
    for (struct checked_group *g = c->groups; g; g = g->next)
        if (g->group == group) return c->group = g;
    return NULL;
}

static struct checked_group *make_group(const struct launch *l)
{
    size_t rows = (size_t)l->warps * l->vgprs;
    struct checked_group *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->warps = calloc(l->warps, sizeof *g->warps);
    g->rows = malloc(rows ? rows * sizeof *g->rows : 1);
    g->undefined = malloc(rows ? rows * sizeof *g->undefined : 1);
    g->ordered = calloc((size_t)l->warps * l->threads_per_warp, sizeof *g->ordered);
    if (g->warps && g->rows && g->undefined && g->ordered) return g;
    free_group(g);
    return NULL;
}

/* No register but x0 has been written. */
static void start_registers(struct checked_group *g, const struct launch *l)
{
    for (uint32_t k = 0; k < l->warps; k++) {
        g->warps[k].v = g->rows + (size_t)k * l->vgprs;
        g->warps[k].undefined = g->undefined + (size_t)k * l->vgprs;
        for (unsigned r = 1; r < ISA_XREGS; r++) g->warps[k].x[r].undefined = ~0u;
    }
    for (size_t i = 0; i < (size_t)l->warps * l->vgprs; i++) {
        g->undefined[i] = ~0u;
        for (unsigned lane = 0; lane < ISA_LANES; lane++) g->rows[i][lane] = (struct origin){~0u, 0};
    }
}

/* Sizes and offset for the ids of work-items, from the metadata block, if they fit the launch. */
static void read_sizes(struct check *c, const struct launch *l)
{
    const uint8_t *meta = launch_memory(c->gpu, l, l->knl, ABI_META_SIZE);
    if (!meta || c->placed) return;
    memcpy(c->local_size, meta + ABI_META_LOCAL_SIZE, sizeof c->local_size);
    memcpy(c->offset, meta + ABI_META_GLOBAL_OFFSET, sizeof c->offset);
    const uint32_t *n = c->local_size;
    c->placed = n[0] && n[1] && n[2] && n[0] <= l->work_items && n[1] <= l->work_items && n[2] <= l->work_items &&
                (uint64_t)n[0] * n[1] * n[2] == l->work_items;
}

static void group_begin(void *user, const struct group *group)
{
    struct check *c = user;
    const struct launch *l = group->launch;
    pthread_mutex_lock(&c->lock);
    struct checked_group *g = make_group(l);
    if (g) {
        g->group = group;
        g->next = c->groups;
        c->groups = g;
        start_registers(g, l);
    }
    read_sizes(c, l);
    races_forget(&c->races, group->lds_base, l->lds_bytes);
    shadow_set(&c->shadow, group->lds_base, l->lds_bytes, !c->about.local_set);
    shadow_set(&c->shadow, group->pds_base, private_group_bytes(l), true);
    pthread_mutex_unlock(&c->lock);
}

static void group_end(void *user, const struct group *group)
{
    struct check *c = user;
    pthread_mutex_lock(&c->lock);
    for (struct checked_group **link = &c->groups; *link; link = &(*link)->next) {
        struct checked_group *g = *link;
        if (g->group != group) continue;
        *link = g->next;
        free_group(g);
        break;
    }
    c->group = NULL;
    pthread_mutex_unlock(&c->lock);
}

/* ---- barriers ---- */

static void diverged(struct check *c, const struct warp *w, const char *what)
{
    struct check_report *r = checks(c, CHECK_BARRIERS) ? report_new(c, CHECK_BARRIERS, 0, w, w->active) : NULL;
    if (!r) return;
    snprintf(r->what, sizeof r->what, "%s that only some work-items of a warp reach", what);
    snprintf(r->where, sizeof r->where, "lanes %08x of %08x are there", (unsigned)w->mask, (unsigned)w->lanes);
}

static void arrive(struct check *c, const struct warp *w, const struct insn *in)
{
    struct checked_warp *cw = &c->group->warps[w->wid];
    bool sub = isa_kinds[isa_table[in->op].kind].control == CONTROL_BARRIERSUB;
    if (w->mask != w->lanes) diverged(c, w, sub ? "sub-group barrier" : "barrier");
    if (sub) {
        cw->met = c->races.time++;
        return;
    }
    cw->barrier_pc = w->pc;
    cw->barrier_mask = (uint32_t)in->imm;
    cw->waits = true;
}

/* Two warps of a released group that are not at the same barrier. */
static void mismatch(struct check *c, const struct group *group, uint32_t wid, uint32_t other)
{
    struct checked_group *g = c->group;
    struct warp there = group->warps[wid];
    there.pc = g->warps[wid].barrier_pc;
    bool ended = !g->warps[other].waits;
    c->insn = NULL;
    struct check_report *r =
        report_new(c, CHECK_BARRIERS, ended ? 0 : g->warps[other].barrier_pc, &there, there.active);
    if (!r) return;
    snprintf(r->what, sizeof r->what,
             ended ? "barrier that work-items of a group do not reach before they end"
                   : "work-items of a group wait at different barriers");
    snprintf(r->where, sizeof r->where, "warp %u waits, warp %u %s", (unsigned)wid, (unsigned)other,
             ended ? "has ended" : "is elsewhere");
    if (!ended) report_other(c, r, "others are at", "barrier", g->warps[other].barrier_pc);
}

static void compare_arrivals(struct check *c, const struct group *group)
{
    uint32_t first = group->launch->warps;
    for (uint32_t k = 0; k < group->launch->warps; k++)
        if (c->group->warps[k].waits && first == group->launch->warps) first = k;
    if (first == group->launch->warps) return;
    for (uint32_t k = 0; k < group->launch->warps; k++) {
        const struct checked_warp *cw = &c->group->warps[k];
        bool ended = group->warps[k].state == WARP_ENDED;
        if (ended || (cw->waits && cw->barrier_pc != c->group->warps[first].barrier_pc)) {
            mismatch(c, group, first, k);
            return;
        }
    }
}

/* The immediate says which memory the barrier orders: bit 0 local, bit 1 global; none: everything. */
static void pass(struct check *c, const struct group *group)
{
    uint32_t orders = 3;
    for (uint32_t k = 0; k < group->launch->warps; k++) {
        struct checked_warp *cw = &c->group->warps[k];
        if (cw->waits && cw->barrier_mask & 3) orders &= cw->barrier_mask;
        cw->waits = false;
    }
    for (unsigned local = 0; local < 2; local++)
        if (orders & (local ? 1 : 2)) c->group->met[local] = c->races.time;
    c->races.time++;
}

static void released(void *user, const struct group *group)
{
    struct check *c = user;
    pthread_mutex_lock(&c->lock);
    if (find_group(c, group)) {
        if (checks(c, CHECK_BARRIERS)) compare_arrivals(c, group);
        pass(c, group);
    }
    pthread_mutex_unlock(&c->lock);
    if (c->told < c->nreports) reports_tell(c, &group->warps[c->reports[c->nreports - 1].by.first.warp]);
}

/* ---- instructions ---- */

static void look_before(struct check *c, const struct warp *w, const struct insn *in)
{
    unsigned control = isa_kinds[isa_table[in->op].kind].control;
    c->insn = in;
    c->word = 0;
    c->races.time++;
    if (checks(c, CHECK_UNINIT)) values_before(c, w, in);
    if (control == CONTROL_BARRIER || control == CONTROL_BARRIERSUB) arrive(c, w, in);
    if (control == CONTROL_FENCE) c->group->warps[w->wid].fenced = true;
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct check *c = user;
    pthread_mutex_lock(&c->lock);
    if (find_group(c, w->group)) look_before(c, w, in);
    pthread_mutex_unlock(&c->lock);
    reports_tell(c, w);
    return GO_ON;
}

/* Of launches under SV39 that are given to the machine itself the host has told physical addresses. */
static bool is_foreign(const struct check *c, const struct launch *l) { return l->sv39 && c->about.open_memory; }

static void look_at_access(struct check *c, const struct warp *w, const struct insn *in, const struct access *a)
{
    if (is_foreign(c, w->group->launch) || !isa_memory(in).words) return;
    uint32_t lanes = bounds_check(c, w, in, a);
    if (checks(c, CHECK_UNINIT)) values_access(c, w, in, a, lanes);
    if (checks(c, CHECK_RACES)) races_access(c, w, in, a, lanes);
    c->group->warps[w->wid].fenced = false;
    c->word++;
}

static void access_hook(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    struct check *c = user;
    pthread_mutex_lock(&c->lock);
    if (find_group(c, w->group)) look_at_access(c, w, in, a);
    pthread_mutex_unlock(&c->lock);
    reports_tell(c, w);
}

/* ---- launches ---- */

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct check *c = user;
    (void)launch;
    pthread_mutex_lock(&c->lock);
    c->about = *info;
    c->launch++;
    c->races.npolls = 0;
    c->placed = false;
    c->group = NULL;
    pthread_mutex_unlock(&c->lock);
}

static void launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct check *c = user;
    (void)launch, (void)result;
    pthread_mutex_lock(&c->lock);
    reports_forget(c, races_excused);
    reports_print(c);
    c->about = (struct launch_info){0};
    pthread_mutex_unlock(&c->lock);
}

static struct observer hooks_of(struct check *c)
{
    return (struct observer){.user = c,
                             .launch_begin = launch_begin,
                             .launch_end = launch_end,
                             .group_begin = group_begin,
                             .group_end = group_end,
                             .before = before,
                             .access = access_hook,
                             .released = released,
                             .host = host};
}
