/* The file of a sweep: programs, parameters and their values; and the designs that follow. Called by sweep.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"
#include "sim/settings.h"
#include "sweep.h"

/* ---- reading ---- */

static char *copy(const char *text)
{
    char *s = strdup(text);
    if (!s) die("out of memory");
    return s;
}

static const char *add_run(struct sweep *s, const char *name, const char *text)
{
    if (s->nruns == MOST_RUNS) return "there are too many runs";
    struct sweep_run *r = &s->runs[s->nruns];
    *r = (struct sweep_run){.name = copy(name), .text = copy(text)};
    for (char *word = strtok(r->text, " \t"); word; word = strtok(NULL, " \t")) run_arguments_add(&r->args, word);
    s->nruns++;
    return r->args.n ? NULL : "a run needs a program, or --case and a recorded launch";
}

_Static_assert(MOST_VALUES == 64, "as the message says");

static const char *add_varied(struct sweep *s, const char *name, const char *text)
{
    if (s->nvaried == MOST_VARIED) return "there are too many parameters";
    for (unsigned i = 0; i < s->nvaried; i++)
        if (!strcmp(s->varied[i].name, name)) return "the parameter varies twice";
    struct sweep_varied *v = &s->varied[s->nvaried++];
    char *words = copy(text);
    *v = (struct sweep_varied){.name = copy(name)};
    char *word = strtok(words, " \t");
    for (; word && v->n < MOST_VALUES; word = strtok(NULL, " \t")) v->values[v->n++] = copy(word);
    free(words);
    return word ? "the parameter has more than 64 values" : v->n ? NULL : "the parameter needs values";
}

static const char *add_cost(struct sweep *s, const char *name, const char *text)
{
    char *end;
    double weight = strtod(text, &end);
    if (s->ncosts == MOST_COSTS) return "there are too many costs";
    if (end == text || *end || !(weight >= 0) || weight > 1e12) return "a cost is a number, at least 0";
    s->costs[s->ncosts].name = copy(name);
    s->costs[s->ncosts++].weight = weight;
    return NULL;
}

/* "KIND NAME = text". */
static const char *set(void *user, const char *name, const char *text, char *why, size_t why_size)
{
    static const struct {
        const char *kind;
        const char *(*add)(struct sweep *s, const char *name, const char *text);
    } kinds[] = {{"run ", add_run}, {"vary ", add_varied}, {"cost ", add_cost}};
    struct sweep *s = user;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].kind);
        if (!strncmp(name, kinds[i].kind, n)) return kinds[i].add(s, name + n + strspn(name + n, " \t"), text);
    }
    snprintf(why, why_size, "a line is machine, run NAME, vary PARAMETER or cost PARAMETER, not '%.40s'", name);
    if (strcmp(name, "machine")) return why;
    if (strlen(text) >= sizeof s->machine) return "the name is too long";
    snprintf(s->machine, sizeof s->machine, "%s", text);
    return NULL;
}

void sweep_read(struct sweep *s, const char *path)
{
    char why[400];
    FILE *f = fopen(path, "r");
    *s = (struct sweep){.designs = 1};
    if (!f) die("%s: %s", path, strerror(errno));
    bool read = settings_read(f, path, set, s, why, sizeof why);
    fclose(f);
    if (!read) die("%s", why);
    if (!s->nruns) die("%s: there is no run", path);
    for (unsigned i = 0; i < s->nvaried && s->designs <= MOST_POINTS; i++) s->designs *= s->varied[i].n;
    s->points = s->designs * s->nruns;
    if (s->points > MOST_POINTS) die("%s: there are more than %d points", path, MOST_POINTS);
}

void sweep_free(struct sweep *s)
{
    for (unsigned i = 0; i < s->nruns; i++) {
        free(s->runs[i].name);
        free(s->runs[i].text);
        free(s->runs[i].args.args);
    }
    for (unsigned i = 0; i < s->nvaried; i++) {
        free(s->varied[i].name);
        while (s->varied[i].n) free(s->varied[i].values[--s->varied[i].n]);
    }
    for (unsigned i = 0; i < s->ncosts; i++) free(s->costs[i].name);
}

/* ---- designs ---- */

/* The last parameter changes fastest. */
unsigned sweep_value(const struct sweep *s, uint64_t design, unsigned varied)
{
    for (unsigned i = s->nvaried - 1; i > varied; i--) design /= s->varied[i].n;
    return (unsigned)(design % s->varied[varied].n);
}

static const char MODEL[] = "timing.";

/* What a parameter of one of the two files is set to; NULL: it keeps its value. */
static const char * override(const struct sweep *s, uint64_t design, const char *name, bool model)
{
    size_t n = strlen(MODEL);
    for (unsigned i = 0; i < s->nvaried; i++) {
        const char *own = s->varied[i].name;
        bool of_model = !strncmp(own, MODEL, n);
        if (of_model == model && !strcmp(model ? own + n : own, name))
            return s->varied[i].values[sweep_value(s, design, i)];
    }
    return NULL;
}

/* The settings of `text` with those of the design in their place. */
static char *overridden(const struct sweep *s, uint64_t design, const char *text, bool model)
{
    char *result, name[64], value[SWEEP_VALUE];
    size_t size;
    FILE *out = open_memstream(&result, &size);
    if (!out) die("out of memory");
    for (const char *p = text; *p && sscanf(p, "%63s = %255[^#\n]", name, value) == 2;
         p += strcspn(p, "\n"), p += *p != 0) {
        const char *other = override(s, design, name, model);
        for (size_t n = strlen(value); n && value[n - 1] == ' ';) value[--n] = 0;
        fprintf(out, "%s = %s\n", name, other ? other : value);
    }
    if (fclose(out)) die("out of memory");
    return result;
}

static char *printed_machine(const struct sweep *s)
{
    struct gpu_config c;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) die("out of memory");
    gpu_config_default(&c);
    if (*s->machine) config_file(&c, s->machine);
    gpu_config_print(&c, out);
    if (fclose(out)) die("out of memory");
    return text;
}

static char *printed_model(const char *name)
{
    struct timing_config c;
    char *text, why[400];
    size_t size;
    if (!strcmp(name, "none"))
        die("no design has a cycle model: timing = NAME in the machine file, or vary timing = ...");
    if (!timing_config_read(&c, name, why, sizeof why)) die("%s", why);
    FILE *out = open_memstream(&text, &size);
    if (!out) die("out of memory");
    timing_config_print(&c, out);
    if (fclose(out)) die("out of memory");
    return text;
}

static bool setting(const char *text, const char *name, char value[SWEEP_VALUE])
{
    char own[64];
    for (const char *p = text; *p && sscanf(p, "%63s = %255[^\n]", own, value) == 2;
         p += strcspn(p, "\n"), p += *p != 0)
        if (!strcmp(own, name)) return true;
    return false;
}

bool sweep_setting(const struct sweep_design *d, const char *name, char value[SWEEP_VALUE])
{
    size_t n = strlen(MODEL);
    return strncmp(name, MODEL, n) ? setting(d->machine, name, value) : setting(d->timing, name + n, value);
}

double sweep_number(const struct sweep_design *d, const char *name)
{
    char text[SWEEP_VALUE];
    uint64_t value;
    return sweep_setting(d, name, text) && settings_number(text, UINT64_MAX, &value) ? (double)value : 0;
}

static void check_parameter(const struct sweep_design *d, const char *name)
{
    char value[SWEEP_VALUE];
    if (!sweep_setting(d, name, value)) die("there is no parameter '%s'", name);
}

struct sweep_design sweep_design(const struct sweep *s, uint64_t design)
{
    char *machine = printed_machine(s), name[SWEEP_VALUE] = "none";
    struct sweep_design d = {.machine = overridden(s, design, machine, false)};
    setting(d.machine, "timing", name);
    char *model = printed_model(name);
    d.timing = overridden(s, design, model, true);
    free(machine);
    free(model);
    for (unsigned i = 0; i < s->nvaried; i++) check_parameter(&d, s->varied[i].name);
    for (unsigned i = 0; i < s->ncosts; i++) check_parameter(&d, s->costs[i].name);
    return d;
}

void sweep_design_free(struct sweep_design *d)
{
    free(d->machine);
    free(d->timing);
}

double sweep_cost(const struct sweep *s, const struct sweep_design *d)
{
    double sum = 0, lanes = sweep_number(d, "timing.lanes"), threads = sweep_number(d, "threads_per_warp");
    for (unsigned i = 0; i < s->ncosts; i++) sum += s->costs[i].weight * sweep_number(d, s->costs[i].name);
    return s->ncosts ? sum : sweep_number(d, "sms") * (lanes > 0 && lanes < threads ? lanes : threads);
}

/* ---- names ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes, *end = p + n; p < end; p++) hash = (hash ^ *p) * 0x100000001b3;
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text) { return mix(hash, text, strlen(text) + 1); }

/* A word of the run; if it names a file, how large and old that is. */
static uint64_t mix_word(uint64_t hash, const char *word)
{
    struct stat st;
    hash = mix_text(hash, word);
    if (stat(word, &st) || !S_ISREG(st.st_mode)) return hash;
    int64_t facts[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    return mix(hash, facts, sizeof facts);
}

struct sweep_name sweep_name(const struct sweep *s, const struct sweep_design *d, uint64_t point)
{
    struct sweep_name name;
    const struct sweep_run *r = &s->runs[point % s->nruns];
    uint64_t hash = mix_text(mix_text(0xcbf29ce484222325, d->machine), d->timing);
    for (int i = 0; i < r->args.n; i++) hash = mix_word(hash, r->args.args[i]);
    snprintf(name.text, sizeof name.text, "%016llx", (unsigned long long)hash);
    return name;
}
