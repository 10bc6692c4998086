/* Machine parameters: the default machine, what a machine may look like, and the text form.
 *
 * Called by gpu_create and by everybody who reports the device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"
#include "isa/isa.h"
#include "sim/engine.h"
#include "host/host.h"
#include "sim/machine.h"
#include "sim/settings.h"

void gpu_config_default(struct gpu_config *config)
{
    *config = (struct gpu_config){
        .sms = 2,
        .warps_per_sm = 32,
        .groups_per_sm = 8,
        .threads_per_warp = 32,
        .lanes = 32,
        .lds_bytes = 128 * 1024,
        .vgpr_rows = 8192,
        .sgpr_rows = 2048,
        .clock_mhz = 500,
        .profile = PROFILE_DEFAULT,
        .host_threads = 0,
        .quantum = 10000,
    };
}

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

bool threads_of_environment(uint32_t *threads)
{
    const char *said = secure_getenv("VENTUS_THREADS");
    uint64_t n = 0;
    bool fine = !said || !*said || settings_number(said, HOST_THREADS_MOST, &n);
    if (!fine || !n) n = host_processors();
    *threads = n < HOST_THREADS_MOST ? (uint32_t)n : HOST_THREADS_MOST;
    return fine;
}

/* What is wrong with the variables that stand in for what a configuration leaves open; NULL: nothing. */
static const char *environment_check(const struct gpu_config *c)
{
    static _Thread_local char why[160];
    const struct engine *named;
    uint32_t threads;
    if (!c->engine && !engine_of_environment(&named)) {
        int n = snprintf(why, sizeof why,
                         "VENTUS_ENGINE=%.60s names no engine; there are: ", secure_getenv("VENTUS_ENGINE"));
        engine_names(why + n, sizeof why - (size_t)n);
        return why;
    }
    if (!c->host_threads && !threads_of_environment(&threads)) {
        snprintf(why, sizeof why, "VENTUS_THREADS=%.60s is not a number of threads from 0 to 256",
                 secure_getenv("VENTUS_THREADS"));
        return why;
    }
    return NULL;
}

const char *gpu_config_check(const struct gpu_config *c)
{
    if (c->sms < 1 || c->sms > 1024) return "sms must be 1 to 1024";
    if (c->warps_per_sm < 1 || c->warps_per_sm > 64) return "warps_per_sm must be 1 to 64";
    if (c->groups_per_sm < 1 || c->groups_per_sm > 64) return "groups_per_sm must be 1 to 64";
    if (c->threads_per_warp < 4 || c->threads_per_warp > 32 || !power_of_two(c->threads_per_warp))
        return "threads_per_warp must be 4, 8, 16 or 32";
    if (c->lanes < 1 || c->lanes > 32 || !power_of_two(c->lanes)) return "lanes must be 1, 2, 4, 8, 16 or 32";
    if (c->lds_bytes < ABI_WARP_STACK || c->lds_bytes > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        return "lds_bytes must be 1 KiB to 256 MiB";
    if ((uint64_t)c->sms * c->groups_per_sm * gpu_config_lds_stride(c) > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        return "sms * groups_per_sm * lds_bytes must fit into the local window of 256 MiB";
    if (c->vgpr_rows < 32 || c->vgpr_rows > 65536) return "vgpr_rows must be 32 to 65536";
    if (c->sgpr_rows < 32 || c->sgpr_rows > 65536) return "sgpr_rows must be 32 to 65536";
    if (c->clock_mhz < 1 || c->clock_mhz > 100000) return "clock_mhz must be 1 to 100000";
    if (!isa_profile_known(c->profile)) return "profile must be one of " ISA_PROFILE_NAMES;
    if (c->thread_csrs > 1) return "thread_csrs must be 0 or 1";
    if (c->translation >= GPU_TRANSLATIONS) return "translation must be none or sv39";
    if (c->ignore_stray > 1) return "ignore_stray must be 0 or 1";
    if (c->host_threads > HOST_THREADS_MOST) return "host_threads must be 0 to 256";
    if (c->quantum < 1 || c->quantum > 1u << 30) return "quantum must be 1 to 2^30";
    if (c->engine && !engine_usable(c->engine)) return "engine must be one that this host can run";
    return environment_check(c);
}

/* ---- the text form ---- */

enum { IS_NUMBER, IS_WIDE /* 64 bits */, IS_PROFILE, IS_TRANSLATION, IS_ENGINE, IS_TIMING, IS_QUIRKS, IS_DEVICE };

/* In the order of the printed file. */
static const struct parameter {
    const char *name;
    size_t at;
    int type;
    const char *text;
} parameters[] = {
#define PARAMETER(field, type, text) \
    { \
#field, offsetof(struct gpu_config, field), type, text \
    }
    PARAMETER(sms, IS_NUMBER, "streaming multiprocessors"),
    PARAMETER(warps_per_sm, IS_NUMBER, "resident warps of an SM = most warps of a work-group"),
    PARAMETER(groups_per_sm, IS_NUMBER, "resident work-groups of an SM"),
    PARAMETER(threads_per_warp, IS_NUMBER, "lanes of a warp: 4, 8, 16 or 32"),
    PARAMETER(lanes, IS_NUMBER, "lanes that execute at once"),
    PARAMETER(lds_bytes, IS_NUMBER, "local memory of an SM"),
    PARAMETER(vgpr_rows, IS_NUMBER, "vector registers of an SM, shared by its warps"),
    PARAMETER(sgpr_rows, IS_NUMBER, "scalar registers of an SM"),
    PARAMETER(clock_mhz, IS_NUMBER, "what one instruction slot stands for in reported times"),
    PARAMETER(profile, IS_PROFILE, "instruction set: " ISA_PROFILE_NAMES),
    PARAMETER(thread_csrs, IS_NUMBER, "1: CSRs 0x80d to 0x813 exist"),
    PARAMETER(translation, IS_TRANSLATION, "of addresses: none or sv39"),
    PARAMETER(ignore_stray, IS_NUMBER, "1: stray reads give 0, stray writes are dropped; 0: they are faults"),
    PARAMETER(host_threads, IS_NUMBER, "host threads that run the SMs; 0: one a processor, 1: deterministic"),
    PARAMETER(quantum, IS_WIDE, "instructions of a warp before the next one's turn"),
    PARAMETER(engine, IS_ENGINE, "what executes instructions; auto: the best for this host"),
    PARAMETER(timing, IS_TIMING, "model of the hardware's cycles, or a file of its parameters; none: no model"),
    PARAMETER(quirks, IS_QUIRKS, "known faults of hardware to imitate, with commas: ventus info --quirks; none"),
    PARAMETER(device, IS_DEVICE, "library of a device that runs launches instead; none: this machine does"),
#undef PARAMETER
};
enum { NPARAMETERS = sizeof parameters / sizeof *parameters };

static const char *const translations[GPU_TRANSLATIONS] = {[GPU_PHYSICAL] = "none", [GPU_SV39] = "sv39"};

static void print_value(const struct gpu_config *c, const struct parameter *p, char *text, size_t size)
{
    const void *field = (const char *)c + p->at;
    bool small = p->type == IS_NUMBER || p->type == IS_PROFILE || p->type == IS_TRANSLATION;
    uint32_t number = small ? *(const uint32_t *)field : 0;
    switch (p->type) {
    case IS_WIDE: snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field); break;
    case IS_PROFILE: snprintf(text, size, "%s", isa_profile_name((enum isa_profile)number)); break;
    case IS_TRANSLATION: snprintf(text, size, "%s", translations[number]); break;
    case IS_ENGINE: snprintf(text, size, "%s", c->engine ? c->engine->name : "auto"); break;
    case IS_TIMING:
    case IS_QUIRKS:
    case IS_DEVICE: snprintf(text, size, "%s", *(const char *)field ? (const char *)field : "none"); break;
    default: snprintf(text, size, "%u", (unsigned)number);
    }
}

void gpu_config_print(const struct gpu_config *config, FILE *out)
{
    for (const struct parameter *p = parameters; p < parameters + NPARAMETERS; p++) {
        char value[DEVICE_NAME];
        print_value(config, p, value, sizeof value);
        fprintf(out, "%-16s = %-9s # %s\n", p->name, value, p->text);
    }
}

/* A name, in `size` bytes; "none": no name. */
static bool set_name(char *name, size_t size, const char *text)
{
    if (!*text || strlen(text) >= size) return false;
    snprintf(name, size, "%s", strcmp(text, "none") ? text : "");
    return true;
}

static bool find_translation(const char *text, uint64_t *value)
{
    for (*value = 0; *value < GPU_TRANSLATIONS && strcmp(text, translations[*value]); ++*value) {
    }
    return *value < GPU_TRANSLATIONS;
}

static bool find_profile(const char *text, uint64_t *value)
{
    enum isa_profile profile;
    if (!isa_profile_find(text, &profile)) return false;
    *value = profile;
    return true;
}

/* False: the text is no value of the parameter, and nothing has been set. */
static bool set_value(struct gpu_config *c, const struct parameter *p, const char *text)
{
    void *field = (char *)c + p->at;
    uint64_t value;
    bool known;
    switch (p->type) {
    case IS_WIDE: return settings_number(text, UINT64_MAX, field);
    case IS_ENGINE: return engine_find(text, &c->engine);
    case IS_TIMING: return set_name(field, TIMING_NAME, text);
    case IS_QUIRKS: return set_name(field, QUIRKS_NAME, text);
    case IS_DEVICE: return set_name(field, DEVICE_NAME, text);
    case IS_PROFILE: known = find_profile(text, &value); break;
    case IS_TRANSLATION: known = find_translation(text, &value); break;
    default: known = settings_number(text, UINT32_MAX, &value);
    }
    if (known) *(uint32_t *)field = (uint32_t)value;
    return known;
}

static const char *no_value(const struct parameter *p, const char *text, char *why, size_t size)
{
    char names[200];
    if (p->type != IS_ENGINE) {
        snprintf(why, size, "'%.60s' is no value of %s", text, p->name);
        return why;
    }
    engine_names(names, sizeof names);
    snprintf(why, size, "there is no engine '%.60s'; there are: %s", text, names);
    return why;
}

struct reader {
    struct gpu_config config;
    bool given[NPARAMETERS]; /* a line has set it */
};

static const char *set_parameter(void *user, const char *name, const char *text, char *why, size_t why_size)
{
    struct reader *r = user;
    for (size_t i = 0; i < NPARAMETERS; i++) {
        const struct parameter *p = &parameters[i];
        if (strcmp(p->name, name)) continue;
        if (r->given[i]) return "the parameter is given twice";
        r->given[i] = true;
        return set_value(&r->config, p, text) ? NULL : no_value(p, text, why, why_size);
    }
    int n = snprintf(why, why_size, "there is no parameter '%.40s'; there are:", name);
    for (size_t i = 0; i < NPARAMETERS && n > 0 && (size_t)n < why_size; i++)
        n += snprintf(why + n, why_size - (size_t)n, " %s", parameters[i].name);
    return why;
}

/* Makes a relative path in a machine file relative to that file. False: the result is too long. */
static bool lie_beside(char *name, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    char whole[DEVICE_NAME];
    if (name[0] == '/' || !slash) return true;
    int n = snprintf(whole, sizeof whole, "%.*s/%s", (int)(slash - path), path, name);
    if (n < 0 || (size_t)n >= size) return false;
    memcpy(name, whole, (size_t)n + 1);
    return true;
}

/* Has a line set the parameter of this type? There is one. */
static bool is_given(const struct reader *r, int type)
{
    size_t i = 0;
    while (parameters[i].type != type) i++;
    return r->given[i];
}

/* A file of the model's parameters: its name has a dot or slash, no built-in one has. */
static bool find_timing(struct gpu_config *c, const char *path)
{
    return !strpbrk(c->timing, "./") || lie_beside(c->timing, sizeof c->timing, path);
}

/* The path of a library, before its options, has a slash; the name of one that is installed has none. */
static bool find_device(struct gpu_config *c, const char *path)
{
    const char *slash = strchr(c->device, '/'), *comma = strchr(c->device, ',');
    if (!slash || (comma && comma < slash)) return true;
    return lie_beside(c->device, sizeof c->device, path);
}

bool gpu_config_read(struct gpu_config *config, const char *path, char *why, size_t why_size)
{
    struct reader r = {.config = *config};
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool read = settings_read(f, path, set_parameter, &r, why, why_size);
    fclose(f);
    if (!read) return false;
    const char *wrong = gpu_config_check(&r.config);
    if (!wrong && is_given(&r, IS_TIMING) && !find_timing(&r.config, path))
        wrong = "the path of the timing file is too long";
    if (!wrong && is_given(&r, IS_DEVICE) && !find_device(&r.config, path))
        wrong = "the path of the device is too long";
    if (wrong) snprintf(why, why_size, "%s: %s", path, wrong);
    else *config = r.config;
    return !wrong;
}
