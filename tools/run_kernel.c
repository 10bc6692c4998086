/* ventus run FILE: one kernel of an executable, or a program without kernels.
 *
 * Everything is checked against the kernel's records before the launch; what goes wrong ends the
 * program, with EXIT_USAGE when the command line is at fault. Called by run.c. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { SHOWN_WORDS = 64 }; /* of an argument: eight lines, without a number of the user's */

static void die_status(const char *what, enum ventus_status status) { die("%s: %s", what, ventus_status_text(status)); }

/* The argument that "N", "N:..." means; *rest is what follows the colon, or NULL. */
static struct argument *named_argument(struct request *r, const char *option, const char *text, const char **rest)
{
    char digits[24];
    size_t n = strcspn(text, ":");
    snprintf(digits, sizeof digits, "%.*s", (int)(n < 20 ? n : 20), text);
    if (!r->narguments) usage_error(&r->args, "%s: there are no arguments", option);
    struct argument *a = &r->arguments[number_arg(&r->args, option, digits, 0, r->narguments - 1)];
    if (a->kind != ARGUMENT_BUFFER) usage_error(&r->args, "%s: argument %s is no buffer", option, digits);
    *rest = text[n] ? text + n + 1 : NULL;
    return a;
}

static void attach_outputs(struct request *r)
{
    const char *rest;
    for (unsigned i = 0; i < r->nshows; i++) {
        struct argument *a = named_argument(r, "--show", r->shows[i], &rest);
        a->show = rest ? *rest : 'i';
        a->show_count = SHOWN_WORDS;
        if (!a->show || !strchr("iuxf", a->show) || (rest && rest[1] && rest[1] != ':'))
            usage_error(&r->args, "--show %s: N[:F[:COUNT]] is meant, F one of i u x f", r->shows[i]);
        if (rest && rest[1]) a->show_count = number_arg(&r->args, "--show", rest + 2, 1, UINT32_MAX);
    }
    for (unsigned i = 0; i < r->nsaves; i++) {
        struct argument *a = named_argument(r, "--save", r->saves[i], &rest);
        if (!rest || !*rest) usage_error(&r->args, "--save %s: N:FILE is meant", r->saves[i]);
        a->file = rest;
    }
}

static const struct ventus_kernel *choose_kernel(const struct request *r, const ventus_module *module)
{
    size_t n = ventus_module_kernels(module);
    const struct ventus_kernel *k = r->kernel ? ventus_module_find(module, r->kernel)
                                    : n == 1  ? ventus_module_kernel(module, 0)
                                              : NULL;
    if (k) return k;
    if (r->kernel) fprintf(stderr, "ventus run: there is no kernel '%s'; there are:", r->kernel);
    else fprintf(stderr, "ventus run: --kernel is needed; there are:");
    for (size_t i = 0; i < n; i++) fprintf(stderr, " %s", ventus_module_kernel(module, i)->name);
    fputs(n ? "\n" : " none\n", stderr);
    exit(EXIT_USAGE);
}

/* Work-groups that are too large have a message of their own: it is the most likely reason why a launch does not fit.
 */
static void check_group(const struct request *r, const struct ventus_kernel *k, const ventus_device *device,
                        const uint64_t *local_sizes)
{
    const uint32_t *local = r->range.local, most = ventus_max_group(device, k, local_sizes);
    uint64_t items = (uint64_t)local[0] * local[1];
    char why[400];
    if (items <= most) items *= local[2];
    if (items <= most) return;
    ventus_max_group_reason(device, k, local_sizes, why, sizeof why);
    die("%s; %s asks for more", why, r->have_local ? "--local" : "the kernel");
}

static void check_local_memory(const struct ventus_kernel *k, const ventus_device *device, const uint64_t *local_sizes)
{
    struct ventus_info info;
    ventus_device_info(device, &info);
    const uint64_t needs = ventus_local_bytes(k, local_sizes);
    if (needs > ventus_local_limit(&info))
        die("kernel %s needs %llu bytes of local memory; a work-group can have %u on this machine (lds_bytes)", k->name,
            (unsigned long long)needs, (unsigned)ventus_local_limit(&info));
}

static void choose_local(struct request *r, const struct ventus_kernel *k, ventus_device *device,
                         const uint64_t *local_sizes)
{
    struct ventus_range *range = &r->range;
    if (r->have_local && r->local_dims != range->work_dim)
        usage_error(&r->args, "--local has %u dimension%s, --global %u", r->local_dims, r->local_dims == 1 ? "" : "s",
                    range->work_dim);
    check_local_memory(k, device, local_sizes);
    for (unsigned d = 0; d < 3 && !r->have_local && k->reqd[0]; d++) range->local[d] = k->reqd[d];
    uint32_t most = ventus_max_group(device, k, local_sizes);
    if (!r->have_local && !k->reqd[0]) {
        uint32_t n = range->global[0] < most ? range->global[0] : most;
        while (n > 1 && range->global[0] % n) n--;
        range->local[0] = n ? n : 1;
    }
    for (unsigned d = 0; d < 3; d++)
        if (range->global[d] % range->local[d])
            usage_error(&r->args, "--global %u is no multiple of --local %u", range->global[d], range->local[d]);
    if (r->have_local || k->reqd[0]) check_group(r, k, device, local_sizes);
}

static void *place_arguments(struct request *r, const struct ventus_kernel *k, ventus_device *device,
                             uint64_t *local_sizes)
{
    uint8_t *image = allocate(k->args_size);
    if (r->narguments != k->nargs) {
        fprintf(stderr, "ventus run: kernel %s takes %u arguments, %u are given:", k->name, k->nargs, r->narguments);
        for (unsigned i = 0; i < k->nargs; i++) fprintf(stderr, " %s", k->args[i].name);
        fputc('\n', stderr);
        exit(EXIT_USAGE);
    }
    for (unsigned i = 0; i < k->nargs; i++)
        argument_place(&r->args, &r->arguments[i], i, &k->args[i], device, image, &local_sizes[i]);
    return image;
}

static ventus_module *load(struct request *r)
{
    size_t size, raw_size;
    char *bytes = read_file(r->file, &size);
    char why[300] = "";
    ventus_module *module;
    void *raw = raw_program(r, bytes, size, &raw_size);
    enum ventus_status status = ventus_module_load(raw ? raw : bytes, raw ? raw_size : size, &module, why, sizeof why);
    if (status != VENTUS_OK) die("%s: %s", r->file, why);
    free(raw);
    free(bytes);
    return module;
}

/* Unless the user says otherwise, the machine is one that runs the program. */
static void choose_profile(struct request *r, const ventus_module *module)
{
    enum isa_profile profile, own = (enum isa_profile)r->config.profile;
    if (r->given_profile || !isa_profile_find(ventus_module_profile(module), &profile)) return;
    if (!isa_profile_runs(own, profile)) r->config.profile = r->report.config.profile = profile;
}

/* Where launches run on another device: what it says of itself, and nothing that only the machine can do. */
static void ask_backend(struct request *r)
{
    char why[600];
    if (!device_backend_config(&r->config, NULL, NULL, why, sizeof why)) die("%s", why);
    if (!*r->config.device) return;
    const char *needs = r->timing ? "timing" : r->options.order ? "order" : NULL;
    for (unsigned i = 0; i < OBSERVER_KINDS && !needs; i++)
        if (r->observers[i].wanted) needs = observer_kinds[i]->option;
    if (needs)
        usage_error(&r->args,
                    "--%s needs the built-in machine, and launches are to run on device %s (VENTUS_BACKEND, or "
                    "device in the machine file)",
                    needs, r->config.device);
    r->report.config = r->config;
}

static ventus_device *open_device(const struct request *r, const ventus_module *module)
{
    ventus_device *device;
    char why[200];
    const char *wrong = gpu_config_check(&r->config);
    if (wrong) usage_error(&r->args, "machine: %s", wrong);
    enum ventus_status status = device_open_gpu(&r->config, &device);
    if (status != VENTUS_OK) die_status("cannot open the device", status);
    if (!ventus_module_fits(device, module, why, sizeof why)) die("%s: %s", r->file, why);
    return device;
}

static enum ventus_status run_launch(struct request *r, ventus_device *device, const struct ventus_launch *launch)
{
    char message[512] = "";
    struct ventus_result result; /* the report wants the machine's */
    uint32_t groups[3];
    for (int d = 0; d < 3; d++) groups[d] = launch->range.global[d] / launch->range.local[d];
    enum ventus_status status = ventus_run(device, launch, &result, message, sizeof message);
    if (status != VENTUS_OK)
        fprintf(stderr, "ventus run: %s%s%s\n", ventus_status_text(status), *message ? ": " : "", message);
    else if (*message) fprintf(stderr, "ventus run: %s\n", message);
    if (status == VENTUS_OK || status == VENTUS_FAULT)
        report_add(&r->report, launch->kernel->name, groups, launch->gpu->result, launch->gpu->device);
    else free(launch->gpu->device);
    return status;
}

int run_kernel(struct request *r)
{
    ventus_module *module = load(r);
    const struct ventus_kernel *k = choose_kernel(r, module);
    if (!r->range.work_dim) usage_error(&r->args, "--global is needed: the number of work-items");
    choose_profile(r, module);
    ask_backend(r);
    ventus_device *device = open_device(r, module);
    observers_open(r, device_gpu(device));
    device_set_model(device, r->model);
    uint64_t *local_sizes = allocate((k->nargs + 1) * sizeof *local_sizes);
    void *image = place_arguments(r, k, device, local_sizes);
    choose_local(r, k, device, local_sizes);
    attach_outputs(r);

    struct result result;
    const struct ventus_gpu_launch gpu = {.options = r->options,
                                          .result = &result,
                                          .device = *device_backend(device) ? allocate(sizeof *gpu.device) : NULL};
    struct ventus_spaces spaces = launch_spaces;
    spaces.csr_gds = r->csr_gds;
    const struct ventus_launch launch = {.module = module,
                                         .kernel = k,
                                         .range = r->range,
                                         .args = image,
                                         .local_sizes = local_sizes,
                                         .spaces = &spaces,
                                         .gpu = &gpu};
    enum ventus_status status = run_launch(r, device, &launch);
    for (unsigned i = 0; i < r->narguments && status == VENTUS_OK; i++) argument_finish(&r->arguments[i], i, device);
    fflush(stdout);
    free(image);
    free(local_sizes);
    ventus_module_free(module);
    device_set_model(device, NULL);
    int code = observers_close(r, device_gpu(device), status == VENTUS_OK ? EXIT_OK : EXIT_FAILED);
    const struct check *own = device_checks(device); /* VENTUS_CHECK asked for these */
    if (own) code = observer_found(&r->report, &observer_check, own, code);
    ventus_close(device);
    return code;
}
