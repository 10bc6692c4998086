/* Runs that are measured: `ventus run` in this process or one of its own. Called by compare.c, roofline.c, sweep.c. */
#include "measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

/* ---- one run ---- */

static struct measured *kernel_of(struct measurement *m, const char *name)
{
    for (uint64_t i = 0; i < m->n; i++)
        if (!strncmp(m->kernels[i].kernel, name, sizeof m->kernels[i].kernel - 1)) return &m->kernels[i];
    m->kernels = realloc(m->kernels, (m->n + 1) * sizeof *m->kernels);
    if (!m->kernels) die("out of memory");
    struct measured *k = &m->kernels[m->n++];
    *k = (struct measured){.launches = 0};
    snprintf(k->kernel, sizeof k->kernel, "%s", name);
    return k;
}

static void add_counts(struct timing_counts *sum, const struct timing_counts *c)
{
#define COUNT(name, text) sum->name += c->name;
#include "timing/counts.def"
#undef COUNT
}

static void take(struct measurement *m, const struct report *r)
{
    *m = (struct measurement){.sms = r->config.sms, .clock_mhz = r->config.clock_mhz, .timing = r->model};
    for (size_t i = 0; i < r->n; i++) {
        const struct reported *l = &r->launches[i];
        struct measured *k = kernel_of(m, l->name);
        if (l->timed.threads_per_warp > m->threads_per_warp) m->threads_per_warp = l->timed.threads_per_warp;
        k->launches++;
        k->hung += l->timed.hung;
        k->cycles += l->timed.hung ? 0 : l->timed.cycles;
        k->instructions += l->result.counters.instructions;
        k->lane_operations += l->result.counters.lanes;
        add_counts(&k->counts, &l->timed.counts);
    }
}

int measure_here(int nargs, char **args, struct measurement *m)
{
    struct report report;
    int code = run_command(nargs, args, &report);
    take(m, &report);
    report_free(&report);
    if (code != EXIT_OK || m->timing.line_bytes) return code;
    fputs("ventus: the design point has no cycle model: --timing NAME, or timing = NAME in its file\n", stderr);
    return EXIT_FAILED;
}

/* ---- in a process of its own ---- */

static void write_measurement(FILE *out, const struct measurement *m)
{
    fwrite(m, sizeof *m, 1, out);
    fwrite(m->kernels, sizeof *m->kernels, m->n, out);
    if (fflush(out)) die("a temporary file cannot be written");
}

static bool read_measurement(FILE *in, struct measurement *m)
{
    rewind(in);
    if (fread(m, sizeof *m, 1, in) != 1) return false;
    m->kernels = allocate((m->n + 1) * sizeof *m->kernels);
    return fread(m->kernels, sizeof *m->kernels, m->n, in) == m->n;
}

static _Noreturn void run_in_child(int nargs, char **args, FILE *file, FILE *messages)
{
    struct measurement m;
    if (!freopen("/dev/null", "w", stdout)) die("cannot write /dev/null");
    if (dup2(fileno(messages), STDERR_FILENO) < 0) die("standard error cannot be turned to a file");
    int code = measure_here(nargs, args, &m);
    if (code == EXIT_OK) write_measurement(file, &m);
    _exit(code);
}

/* Prints the lines of a file with `point` in front. */
static void pass_on(FILE *messages, const char *point)
{
    char *line = NULL;
    size_t room = 0;
    rewind(messages);
    while (getline(&line, &room, messages) > 0)
        fprintf(stderr, "%s: %s%s", point, line, strchr(line, '\n') ? "" : "\n");
    free(line);
}

int measure(int nargs, char **args, const char *point, struct measurement *m)
{
    FILE *file = tmpfile(), *messages = tmpfile();
    int status;
    fflush(NULL);
    pid_t child = file && messages ? fork() : -1;
    if (child < 0) die("no process for a run can be had");
    if (!child) run_in_child(nargs, args, file, messages);
    if (waitpid(child, &status, 0) != child) die("a run is lost: %s", strerror(errno));
    pass_on(messages, point);
    fclose(messages);
    if (WIFSIGNALED(status))
        die("%s: the run was ended by signal %d (%s)", point, WTERMSIG(status), strsignal(WTERMSIG(status)));
    int code = WEXITSTATUS(status);
    if (code == EXIT_OK && !read_measurement(file, m)) die("a temporary file cannot be read");
    fclose(file);
    return code;
}

const char *measured_name(const struct measured *k)
{
    const char *slash = strrchr(k->kernel, '/');
    return slash ? slash + 1 : k->kernel;
}

struct measured measure_total(const struct measurement *m)
{
    struct measured sum = {.launches = 0};
    for (uint64_t i = 0; i < m->n; i++) {
        const struct measured *k = &m->kernels[i];
        sum.launches += k->launches;
        sum.hung += k->hung;
        sum.cycles += k->cycles;
        sum.instructions += k->instructions;
        sum.lane_operations += k->lane_operations;
        add_counts(&sum.counts, &k->counts);
    }
    return sum;
}

/* ---- arguments ---- */

void run_arguments_add(struct run_arguments *r, const char *text)
{
    r->args = realloc(r->args, ((size_t)r->n + 3) * sizeof *r->args);
    if (!r->args) die("out of memory");
    if (!r->n) r->args[r->n++] = (char *)"run";
    r->args[r->n++] = (char *)text;
    r->args[r->n] = NULL;
}

static bool is_case(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strncmp(dot, ".metadata", 9) || !strcmp(dot, ".meta"));
}

void run_argument(struct run_arguments *r, const struct args *args)
{
    if (!args->plain && is_case(args->value)) run_arguments_add(r, "--case");
    run_arguments_add(r, args->value);
}
