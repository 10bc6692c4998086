/* The table of parameters: values of the built-in configurations, the text form, what makes sense.
 *
 * Called by model.c and the tools. */
#include "timing/parameters.h"

#include <errno.h>
#include <string.h>

#include "isa/latency.h"
#include "sim/settings.h"

enum { VERILOG, CHISEL, IDEAL, LARGE, BUILT_IN };
static const char *const names[BUILT_IN] = {"verilog", "chisel", "ideal", "large"};

static const struct parameter {
    const char *name;
    size_t at;
    uint32_t least, most, values[BUILT_IN];
    const char *text;
} parameters[] = {
#define PARAMETER(name, least, most, verilog, chisel, ideal, large, text) \
    {#name, offsetof(struct timing_config, name), least, most, {verilog, chisel, ideal, large}, text},
#include "timing/parameters.def"
#undef PARAMETER
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static uint32_t *field(struct timing_config *c, const struct parameter *p) { return (uint32_t *)((char *)c + p->at); }

static bool set_built_in(struct timing_config *c, const char *name)
{
    for (int n = 0; n < BUILT_IN; n++) {
        if (strcmp(name, names[n])) continue;
        for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) *field(c, p) = p->values[n];
        snprintf(c->name, sizeof c->name, "%s", name);
        return true;
    }
    return false;
}

void timing_config_print(const struct timing_config *config, FILE *out)
{
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++)
        fprintf(out, "%-18s = %-10u # %u..%u: %s\n", p->name, (unsigned)*field((struct timing_config *)config, p),
                (unsigned)p->least, (unsigned)p->most, p->text);
}

/* ---- the text form ---- */

static const struct parameter *find(const char *name)
{
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

struct reader {
    struct timing_config config;
    bool changed; /* a parameter has been set: too late for a base */
};

static const char *set_base(struct reader *r, const char *text, char *why, size_t size)
{
    if (r->changed) return "base belongs before the parameters";
    if (set_built_in(&r->config, text)) return NULL;
    snprintf(why, size, "there is no configuration '%.40s'; there are: " TIMING_NAMES, text);
    return why;
}

static const char *set_parameter(void *user, const char *name, const char *text, char *why, size_t size)
{
    struct reader *r = user;
    const struct parameter *p = find(name);
    uint64_t value;
    if (!strcmp(name, "base")) return set_base(r, text, why, size);
    if (!p) {
        snprintf(why, size, "there is no parameter '%.40s'", name);
        return why;
    }
    if (!settings_number(text, p->most, &value) || value < p->least) {
        snprintf(why, size, "%s is a number from %u to %u, not '%.40s'", name, p->least, p->most, text);
        return why;
    }
    *field(&r->config, p) = (uint32_t)value;
    r->changed = true;
    return NULL;
}

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

/* NULL, or what cannot be built. */
static const char *check(const struct timing_config *c)
{
    if (!power_of_two(c->line_bytes)) return "line_bytes must be a power of two";
    if (!power_of_two(c->l1i_sets) || !power_of_two(c->l1d_sets) || !power_of_two(c->l2_sets))
        return "the sets of a cache must be a power of two";
    if (c->lanes && !power_of_two(c->lanes)) return "lanes must be 0 or a power of two";
    if (c->dram_banks && !power_of_two(c->dram_banks)) return "dram_banks must be 0 or a power of two";
    if (!power_of_two(c->dram_row_bytes)) return "dram_row_bytes must be a power of two";
    return NULL;
}

bool timing_config_read(struct timing_config *config, const char *name, char *why, size_t why_size)
{
    struct reader r = {.changed = false};
    if (set_built_in(config, name)) return true;
    FILE *f = fopen(name, "r");
    if (!f) {
        snprintf(why, why_size, "'%s' is neither a configuration (" TIMING_NAMES ") nor a file: %s", name,
                 strerror(errno));
        return false;
    }
    set_built_in(&r.config, "verilog");
    bool read = settings_read(f, name, set_parameter, &r, why, why_size);
    fclose(f);
    if (!read) return false;
    const char *wrong = check(&r.config);
    if (wrong) {
        snprintf(why, why_size, "%s: %s", name, wrong);
        return false;
    }
    snprintf(r.config.name, sizeof r.config.name, "%.63s", name);
    *config = r.config;
    return true;
}
