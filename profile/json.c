/* A profile as JSON (profile.h; docs/profiler.md has the keys). */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sim/output.h"

static void put_number(FILE *out, const char *key, uint64_t n)
{
    fprintf(out, ", \"%s\": %llu", key, (unsigned long long)n);
}

static void put_counters(const struct counters *c, FILE *out)
{
    const char *between = "";
#define VENTUS_COUNTER(name, type, how, cl, text) \
    fprintf(out, "%s\"" #name "\": %llu", between, (unsigned long long)c->name); \
    between = ", ";
#include "sim/counters.def"
#undef VENTUS_COUNTER
}

static void put_memory(const struct profile_memory *m, FILE *out)
{
    fprintf(out, ", \"memory\": {\"local\": %s, \"write\": %s", m->local ? "true" : "false",
            m->write ? "true" : "false");
    put_number(out, "accesses", m->accesses);
    put_number(out, "lanes", m->lanes);
    put_number(out, "bytes", m->bytes);
    put_number(out, "lines", m->lines);
    put_number(out, "again", m->again);
    put_number(out, "distance", m->distance);
    put_number(out, "conflicts", m->conflicts);
    put_number(out, "atomics", m->atomics);
    put_number(out, "same_word", m->same_word);
    for (unsigned n = 0; n < PATTERNS; n++)
        put_number(out, profile_pattern_name((enum profile_pattern)n), m->patterns[n]);
    fputc('}', out);
}

static void put_barriers(const struct profile_memory *m, FILE *out)
{
    fprintf(out, ", \"barrier\": {\"groups\": %llu", (unsigned long long)m->barriers);
    put_number(out, "needless", m->needless);
    fputc('}', out);
}

static void put_slots(const uint64_t slots[TIMING_SLOTS], FILE *out)
{
    const char *between = "\"slots\": {";
#define SLOT(name, title, text) \
    fprintf(out, "%s\"" #name "\": %llu", between, (unsigned long long)slots[SLOT_##name]); \
    between = ", ";
#include "timing/slots.def"
#undef SLOT
    fputc('}', out);
}

/* Of an instruction or a line. */
static void put_site(const struct timing_site *s, FILE *out)
{
    if (!profile_cycles_of(s)) return;
    fputs(", \"timing\": {", out);
    put_slots(s->slots, out);
    put_number(out, "accesses", s->accesses);
    put_number(out, "lines", s->lines);
    put_number(out, "l1d_hits", s->l1d_hits);
    put_number(out, "l1d_misses", s->l1d_misses);
    put_number(out, "local_accesses", s->local_accesses);
    put_number(out, "rows", s->rows);
    fputc('}', out);
}

static void put_went(const struct profile_cycles *c, FILE *out)
{
    if (!c || !c->launches) return;
    fprintf(out, ",\n   \"timing\": {\"launches\": %llu", (unsigned long long)c->launches);
    put_number(out, "cycles", c->cycles);
    put_number(out, "warp_slots", (uint64_t)c->sms * c->warps);
    fputs(", ", out);
    put_slots(c->slots, out);
    fprintf(out, ", \"over_time\": {\"cycles\": %llu, ", (unsigned long long)c->longest);
    timing_series_json(&c->series, c->sms, out);
    fputs("}}", out);
}

struct advice_list {
    FILE *out;
    size_t count;
};

static void put_advice(void *list, const struct profile_advice *a)
{
    struct advice_list *l = list;
    fprintf(l->out, "%s{\"rule\": \"%s\", \"line\": %u, \"text\": ", l->count++ ? ", " : "", a->rule,
            (unsigned)a->line);
    output_json_string(l->out, a->text);
    fputc('}', l->out);
}

static void put_insn(const struct profile_kernel *k, const struct profile_insn *i, FILE *out)
{
    fprintf(out, "{\"pc\": %u", (unsigned)i->pc);
    put_number(out, "line", i->line);
    put_number(out, "executions", i->counts.executions);
    put_number(out, "lanes", i->counts.lanes);
    put_number(out, "taken", i->counts.taken);
    put_number(out, "diverged", i->counts.diverged);
    put_number(out, "taken_lanes", i->counts.taken_lanes);
    fputs(", \"text\": ", out);
    output_json_string(out, i->text);
    const struct profile_memory *m = profile_memory_at(k, i->pc);
    if (m) put_memory(m, out);
    else if (k->memory && k->memory[(i->pc - k->base) / 4].barriers)
        put_barriers(&k->memory[(i->pc - k->base) / 4], out);
    put_site(&i->went, out);
    fputc('}', out);
}

static void put_line(const struct profile_line *l, FILE *out)
{
    fprintf(out, "{\"line\": %u", (unsigned)l->line);
    put_number(out, "executions", l->executions);
    put_number(out, "lanes", l->lanes);
    put_number(out, "branches", l->branches);
    put_number(out, "diverged", l->diverged);
    put_site(&l->went, out);
    fputc('}', out);
}

/* The text may have zeros in it; a string ends at the first. */
static void put_source(const struct note *note, FILE *out)
{
    const struct note_source *s = note->nsources ? note->sources : NULL;
    char *text = s && s->text ? strndup(s->text, s->size) : NULL;
    fputs(", \"source\": ", out);
    if (text) {
        fputs("{\"name\": ", out);
        output_json_string(out, s->name);
        fputs(", \"text\": ", out);
        output_json_string(out, text);
        fputc('}', out);
    } else {
        fputs("null", out);
    }
    free(text);
}

/* The launch with the most work-groups. */
static void put_largest(const struct profile *p, const struct profile_kernel *k, FILE *out)
{
    const struct launch *l = &k->launch;
    const struct profile_fit fit = profile_fit(p, k);
    if (!fit.groups) return;
    fprintf(out, ", \"largest\": {\"groups\": [%u, %u, %u]", (unsigned)l->groups[0], (unsigned)l->groups[1],
            (unsigned)l->groups[2]);
    put_number(out, "work_items", l->work_items);
    put_number(out, "warps", l->warps);
    put_number(out, "vgprs", l->vgprs);
    put_number(out, "sgprs", l->sgprs);
    put_number(out, "local_bytes", l->lds_bytes);
    put_number(out, "groups_per_sm", fit.groups);
    fprintf(out, ", \"limit\": \"%s\"}", fit.limit);
}

static void put_kernel(const struct profile *p, const struct profile_kernel *k, FILE *out)
{
    struct profile_rows rows;
    fputs("{\"name\": ", out);
    output_json_string(out, k->name);
    put_number(out, "program", k->program);
    put_number(out, "entry", k->entry);
    put_number(out, "launches", k->launches);
    put_number(out, "host_ns", k->ns);
    put_number(out, "cycles", k->cycles);
    put_number(out, "memory_bytes", k->traffic);
    put_number(out, "watched", k->watched);
    put_number(out, "written_bytes", k->written);
    put_number(out, "round_trip_bytes", k->round_trip);
    put_largest(p, k, out);
    fputs(", \"counters\": {", out);
    put_counters(&k->counters, out);
    fputs("}", out);
    put_source(k->note, out);
    put_went(k->went, out);
    fputs(",\n   \"lines\": [", out);
    profile_rows(p, k, &rows);
    for (size_t i = 0; i < rows.nlines; i++) fputs(i ? ",\n    " : "\n    ", out), put_line(&rows.lines[i], out);
    fputs("],\n   \"instructions\": [", out);
    for (size_t i = 0; i < rows.ninsns; i++) fputs(i ? ",\n    " : "\n    ", out), put_insn(k, &rows.insns[i], out);
    fputs("],\n   \"advice\": [", out);
    profile_advise_all(p, k, &rows, put_advice, &(struct advice_list){out, 0});
    fputs("]}", out);
    profile_rows_free(&rows);
}

static void put_machine(const struct profile *p, FILE *out)
{
    const struct gpu_config *c = profile_config(p);
    const struct profile_roofs roofs = profile_roofs(p);
    fprintf(out, "\"machine\": {\"sms\": %u, \"warps_per_sm\": %u, \"threads_per_warp\": %u", (unsigned)c->sms,
            (unsigned)c->warps_per_sm, (unsigned)c->threads_per_warp);
    if (roofs.operations)
        fprintf(out, ", \"roofs\": {\"operations\": %u, \"bytes\": %u, \"interval\": %u}", (unsigned)roofs.operations,
                (unsigned)roofs.bytes, (unsigned)roofs.interval);
    fputc('}', out);
}

void profile_json(const struct profile *p, FILE *out)
{
    fputs("{\"ventus_profile\": 1, ", out);
    put_machine(p, out);
    fputs(",\n \"kernels\": [", out);
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) {
        fputs(k == profile_kernels(p) ? "\n  " : ",\n  ", out);
        put_kernel(p, k, out);
    }
    fputs("]}\n", out);
}
