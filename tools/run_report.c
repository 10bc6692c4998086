/* What the machine counted: a table for people and JSON for programs. docs/run.md lists the keys.
 *
 * Called by run.c, filled by run_kernel.c and run_case.c. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sim/output.h"

void report_add(struct report *r, const char *name, const uint32_t groups[3], const struct result *result,
                struct device_counters *device)
{
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->launches = realloc(r->launches, r->room * sizeof *r->launches);
        if (!r->launches) die("out of memory");
    }
    struct reported *l = &r->launches[r->n++];
    *l = (struct reported){.name = strdup(name), .result = *result, .device = device};
    memcpy(l->groups, groups, sizeof l->groups);
    if (!l->name) die("out of memory");
}

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->launches[i].name);
        free(r->launches[i].timing);
        free(r->launches[i].cycle_table);
        free(r->launches[i].device);
    }
    free(r->launches);
    free(r->findings);
    free(r->stats);
}

static struct counters total(const struct report *r)
{
    struct counters sum = {0};
    for (size_t i = 0; i < r->n; i++) counters_add(&sum, &r->launches[i].result.counters);
    return sum;
}

/* ---- what a device behind the driver says ---- */

/* Has it counted what the machine calls so? All that the machine counts, if there is none. */
static bool counts(const struct device_counters *d, const char *name)
{
    for (uint32_t i = 0; d && i < d->n; i++)
        if (!strcmp(d->counter[i].name, name)) return true;
    return !d;
}

static bool is_own(const char *name)
{
#define VENTUS_COUNTER(id, type, how, cl, text) \
    if (!strcmp(name, #id)) return false;
#include "sim/counters.def"
#undef VENTUS_COUNTER
    return true;
}

/* Its cycles, and counters that the machine does not have. */
static void print_device(const struct device_counters *d, FILE *out)
{
    if (d->cycles) fprintf(out, "%-24s %llu\n", "cycles of the device", (unsigned long long)d->cycles);
    for (uint32_t i = 0; i < d->n; i++) {
        if (!is_own(d->counter[i].name)) continue;
        output_plain(out, d->counter[i].name, strlen(d->counter[i].name), sizeof d->counter[i].name);
        fprintf(out, "%*s %llu\n", 24 - (int)strlen(d->counter[i].name) > 0 ? 24 - (int)strlen(d->counter[i].name) : 0,
                "", (unsigned long long)d->counter[i].value);
    }
}

static void put_device(const struct device_counters *d, FILE *out)
{
    const char *separator = "";
    fprintf(out, ",\n     \"device\": {\"cycles\": ");
    if (d->cycles) fprintf(out, "%llu, \"counters\": {", (unsigned long long)d->cycles);
    else fprintf(out, "null, \"counters\": {");
    for (uint32_t i = 0; i < d->n; i++) {
        if (!is_own(d->counter[i].name)) continue;
        fputs(separator, out);
        output_json_string(out, d->counter[i].name);
        fprintf(out, ": %llu", (unsigned long long)d->counter[i].value);
        separator = ", ";
    }
    fputs("}}", out);
}

void report_print(const struct report *r, FILE *out)
{
    struct counters c = total(r);
    const struct device_counters *device = r->n ? r->launches[0].device : NULL; /* all launches run on the same */
#define VENTUS_COUNTER(name, type, how, cl, text) \
    if (counts(device, #name)) fprintf(out, "%-24s %llu\n", text, (unsigned long long)c.name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
    if (c.vector_instructions && counts(device, "lanes"))
        fprintf(out, "%-24s %.2f\n", "lanes active on average", (double)c.lanes / (double)c.vector_instructions);
    if (r->stats) fputs(r->stats, out);
    for (size_t i = 0; i < r->n; i++)
        if (r->launches[i].device) print_device(r->launches[i].device, out);
    for (size_t i = 0; i < r->n; i++)
        if (r->launches[i].cycle_table) fprintf(out, "\n%s", r->launches[i].cycle_table);
    if (r->flat) fprintf(out, "%-24s %llu\n", "pages of no buffer", (unsigned long long)r->stray_pages);
}

/* ---- JSON ---- */

static void put_counters(FILE *out, const struct counters *c, const struct device_counters *device)
{
    const char *separator = "";
    putc('{', out);
#define VENTUS_COUNTER(name, type, how, cl, text) \
    if (counts(device, #name)) \
        fprintf(out, "%s\"" #name "\": %llu", separator, (unsigned long long)c->name), separator = ", ";
#include "sim/counters.def"
#undef VENTUS_COUNTER
    putc('}', out);
}

/* From the lines "name = value # text" of the configuration's own text form. */
static void put_config(FILE *out, const struct gpu_config *config)
{
    char *text = NULL, name[64], value[TIMING_NAME];
    size_t size;
    FILE *lines = open_memstream(&text, &size);
    if (!lines) die("out of memory");
    gpu_config_print(config, lines);
    fclose(lines);
    const char *separator = "";
    putc('{', out);
    for (const char *p = text; p && sscanf(p, "%63s = %255[^#]", name, value) == 2;
         p = strchr(p, '\n'), p += p != NULL) {
        for (size_t n = strlen(value); n && value[n - 1] == ' ';) value[--n] = 0;
        fprintf(out, "%s\"%s\": ", separator, name);
        if (value[strspn(value, "0123456789")]) output_json_string(out, value);
        else fputs(value, out);
        separator = ", ";
    }
    putc('}', out);
    free(text);
}

static void put_fault(FILE *out, const struct fault *f)
{
    char text[400];
    fault_print(f, text, sizeof text);
    fprintf(out, "{\"kind\": \"%s\", \"text\": ", fault_key(f->kind));
    output_json_string(out, text);
    fprintf(out, ", \"detail\": ");
    output_json_string(out, f->detail);
    fprintf(out, ", \"group\": [%u, %u, %u], \"warp\": %u, ", f->group[0], f->group[1], f->group[2], f->warp);
    fprintf(out, "\"lanes\": %u, \"lane\": ", f->lanes);
    if (f->lane < ISA_LANES) fprintf(out, "%u", f->lane);
    else fputs("null", out);
    fprintf(out, ", \"pc\": %u, \"word\": %u, \"high\": %u, \"prefix\": %u, \"addr\": %llu, \"profile\": \"%s\"}",
            f->pc, f->word, f->high, f->prefix, (unsigned long long)f->addr,
            isa_profile_name((enum isa_profile)f->profile));
}

static void put_launch(FILE *out, const struct reported *l)
{
    static const char *const statuses[] = {[LAUNCH_DONE] = "done",
                                           [LAUNCH_FAULT] = "fault",
                                           [LAUNCH_CANCELLED] = "cancelled",
                                           [LAUNCH_STOPPED] = "stopped"};
    fprintf(out, "    {\"name\": ");
    output_json_string(out, l->name);
    fprintf(out, ", \"status\": \"%s\", \"groups\": [%u, %u, %u],\n     \"counters\": ", statuses[l->result.status],
            l->groups[0], l->groups[1], l->groups[2]);
    put_counters(out, &l->result.counters, l->device);
    if (l->device) put_device(l->device, out);
    if (l->timing) {
        fputs(",\n     \"kernel\": ", out);
        output_json_string(out, l->name);
        fprintf(out, ", %s", l->timing);
    }
    fputs(",\n     \"fault\": ", out);
    if (l->result.status == LAUNCH_FAULT) put_fault(out, &l->result.fault);
    else fputs("null", out);
    fputs("}", out);
}

void report_json(const struct report *r, const char *path)
{
    FILE *out = open_output(path);
    struct counters sum = total(r);
    fputs("{\n  \"version\": 1,\n  \"config\": ", out);
    put_config(out, &r->config);
    if (r->timing) {
        fputs(",\n  \"timing\": ", out);
        output_json_string(out, r->timing);
    }
    fputs(",\n  \"launches\": [\n", out);
    for (size_t i = 0; i < r->n; i++) {
        put_launch(out, &r->launches[i]);
        fputs(i + 1 < r->n ? ",\n" : "\n", out);
    }
    fputs("  ],\n  \"total\": ", out);
    put_counters(out, &sum, r->n ? r->launches[0].device : NULL);
    if (r->findings) fputs(r->findings, out);
    if (r->flat) fprintf(out, ",\n  \"stray_pages\": %llu", (unsigned long long)r->stray_pages);
    fputs("\n}\n", out);
    close_output(out, path);
}
