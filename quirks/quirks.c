/* Life of the faults of a machine, and the hooks of their observer. A machine that is observed runs one
 * launch at a time, on one host thread. */
#include <stdlib.h>
#include <string.h>

#include "quirks/parts.h"

/* ---- hooks ---- */

struct quirk_warp *quirks_warp(struct quirks *q, const struct group *group, uint32_t wid)
{
    const struct gpu_config *c = gpu_config_of(q->gpu);
    return &q->warps[((size_t)group_sm(group) * c->groups_per_sm + group->slot) * c->warps_per_sm + wid];
}

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct quirks *q = user;
    (void)launch, (void)info;
    memset(q->launch, 0, sizeof q->launch);
}

static void group_begin(void *user, const struct group *group)
{
    memset(quirks_warp(user, group, 0), 0, group->launch->warps * sizeof(struct quirk_warp));
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct quirks *q = user;
    const char *why = hang_before(q, w, in);
    if (why) return warp_fail(w, FAULT_HANG, why), FAIL;
    imitate_before(q, w, in);
    return GO_ON;
}

static void result(void *user, struct warp *w, uint32_t pc, const struct insn *in) { imitate_result(user, w, pc, in); }

/* ---- life ---- */

struct quirks *quirks_new(struct gpu *gpu, const char *names, char *why, size_t why_size)
{
    const struct gpu_config *c = gpu_config_of(gpu);
    const size_t warps = (size_t)c->sms * c->groups_per_sm * c->warps_per_sm;
    uint32_t set;
    if (!quirks_parse(names, &set, why, why_size)) return NULL;
    struct quirks *q = calloc(1, sizeof *q);
    if (q) q->warps = calloc(warps, sizeof *q->warps);
    if (!q || !q->warps) {
        free(q);
        snprintf(why, why_size, "no memory for known faults");
        return NULL;
    }
    q->gpu = gpu;
    q->set = set;
    q->observer = (struct observer){
        .user = q, .launch_begin = launch_begin, .group_begin = group_begin, .before = before, .result = result};
    return q;
}

struct observer *quirks_observer(struct quirks *q) { return &q->observer; }

void quirks_free(struct quirks *q)
{
    if (!q) return;
    free(q->warps);
    free(q);
}

/* ---- what they did ---- */

uint64_t quirks_count(const struct quirks *q, enum quirk quirk) { return q->total[quirk]; }

int quirks_print(const struct quirks *q, bool all, char *text, size_t size)
{
    const uint64_t *counts = all ? q->total : q->launch;
    char times[40];
    int n = 0;
    for (unsigned i = 0; i < QUIRKS; i++) {
        if (!counts[i]) continue;
        quirks_append(text, size, &n, n ? ", " : "", quirk_table[i].name);
        snprintf(times, sizeof times, " %llu times", (unsigned long long)counts[i]);
        quirks_append(text, size, &n, "", counts[i] == 1 ? " once" : times);
    }
    if (!n) quirks_append(text, size, &n, "", "none acted");
    return n;
}

void quirks_stats(const struct quirks *q, FILE *out)
{
    for (unsigned i = 0; i < QUIRKS; i++)
        if (quirks_has(q, i))
            fprintf(out, "known fault %-12s %llu\n", quirk_table[i].name, (unsigned long long)q->total[i]);
}

void quirks_json(const struct quirks *q, FILE *out)
{
    const char *separator = "";
    putc('{', out);
    for (unsigned i = 0; i < QUIRKS; i++) {
        if (!quirks_has(q, i)) continue;
        fprintf(out, "%s\"%s\": %llu", separator, quirk_table[i].name, (unsigned long long)q->total[i]);
        separator = ", ";
    }
    putc('}', out);
}
