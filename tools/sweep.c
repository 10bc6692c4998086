/* ventus sweep: runs programs on all combinations of parameters, in several processes.
 *
 * A point has a file when it is done, and one that is locked while it runs: so no point runs twice, whoever starts
 * it, and whatever is killed. A worker whose driver has been killed finishes its point; the next driver's worker waits
 * for the lock and finds the result. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "host/host.h"
#include "sweep.h"

enum { FLAG_JOBS, FLAG_PART };
static const struct flag flags[] = {
    {"jobs", 'j', "N", "processes at a time; default: one for each processor"},
    {"part", 0, "I/N", "only every Nth point, from the Ith on (0 to N-1); auto: what Slurm or MPI say"},
    {0},
};

static const char about[] =
    "Runs each `run` of the file on all combinations of the parameters that vary; what is done is not done again. The\n"
    "file has lines\n"
    "  machine = FILE                 what all designs begin with; default: the default machine\n"
    "  run NAME = ARGUMENTS           of `ventus run`: a program, or --case and a recorded launch\n"
    "  vary PARAMETER = VALUE...      of a machine file, or timing.PARAMETER of the cycle model\n"
    "  cost PARAMETER = WEIGHT        what it adds to a design's cost; default: SMs times lanes\n"
    "and paths in it are seen from its folder. FILE.out gets results.csv, and pareto.svg, the designs that no other "
    "beats\n"
    "in cost and time. To use more machines that share the folder:\n"
    "  sbatch --array=0-15 --wrap 'ventus sweep FILE --part auto'\n"
    "  mpirun -n 16 ventus sweep FILE --part auto --jobs 1";

enum {
    MOST_JOBS = 1024,
    ATTEMPTS = 3
}; /* processes at a time; runs of a point that was killed, which may be for want of memory */

/* ---- which points are ours ---- */

struct part {
    uint64_t index, of;
};

static bool number_of_environment(const char *name, uint64_t *value)
{
    const char *text = name ? secure_getenv(name) : NULL;
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    *value = strtoull(text, &end, 10);
    return !*end;
}

/* Slurm's job arrays, Open MPI, other MPIs, srun: number, how many, and the lowest number. */
static bool part_of_environment(struct part *part)
{
    static const char *const names[][3] = {
        {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
        {"PMI_RANK", "PMI_SIZE", NULL},
        {"SLURM_PROCID", "SLURM_NTASKS", NULL},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t least = 0;
        if (!number_of_environment(names[i][0], &part->index) || !number_of_environment(names[i][1], &part->of))
            continue;
        number_of_environment(names[i][2], &least);
        part->index -= least;
        return part->index < part->of;
    }
    return false;
}

static struct part parse_part(const struct args *args)
{
    struct part part = {0, 1};
    char rest;
    unsigned index, of;
    if (!strcmp(args->value, "auto")) {
        if (!part_of_environment(&part))
            usage_error(args, "--part auto: neither Slurm nor MPI has started this process");
    } else if (sscanf(args->value, "%u/%u%c", &index, &of, &rest) == 2 && index < of) {
        part = (struct part){index, of};
    } else usage_error(args, "--part %s: I/N is meant, I from 0 to N-1", args->value);
    return part;
}

/* ---- a worker ---- */

static void write_text(const struct sweep *s, const char *name, const char *ending, const char *text)
{
    char path[SWEEP_PATH];
    sweep_path(s, path, "%s.%s", name, ending);
    write_file(path, text, strlen(text));
}

/* Writes the design where `ventus run` finds it: a machine file whose model is the other file. */
static void write_design(const struct sweep *s, const struct sweep_design *d, const char *name)
{
    char *text, timing[SWEEP_PATH];
    size_t size;
    const char *at = strstr(d->machine, "\ntiming = ");
    FILE *out = at ? open_memstream(&text, &size) : NULL;
    if (!out) die("out of memory");
    sweep_path(s, timing, "%s.timing", name);
    fprintf(out, "%.*s\ntiming = %s.timing\n", (int)(at - d->machine), d->machine, name);
    if (fclose(out)) die("out of memory");
    write_text(s, name, "timing", d->timing);
    write_text(s, name, "conf", text);
    free(text);
}

/* One line for each point that has begun. */
static void write_log(const struct sweep *s, const char *name)
{
    char path[SWEEP_PATH], line[64];
    int n = snprintf(line, sizeof line, "%s %ld\n", name, (long)getpid());
    sweep_path(s, path, "log");
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, line, (size_t)n) != n) die("cannot write %s", path);
    close(file);
}

static void run_point(const struct sweep *s, const struct sweep_design *d, uint64_t point,
                      const struct sweep_name *name)
{
    char conf[SWEEP_PATH];
    const struct run_arguments *words = &s->runs[point % s->nruns].args;
    struct run_arguments args = {0};
    struct measurement m = {0};
    struct sweep_result result = {.status = SWEEP_FAILED};
    write_design(s, d, name->text);
    sweep_path(s, conf, "%s.conf", name->text);
    for (int i = 1; i < words->n; i++) run_arguments_add(&args, words->args[i]);
    run_arguments_add(&args, "--config");
    run_arguments_add(&args, conf);
    if (measure_here(args.n, args.args, &m) == EXIT_OK) {
        result.total = measure_total(&m);
        result.status = result.total.hung ? SWEEP_HUNG : SWEEP_DONE;
    }
    sweep_store(s, name, &result);
}

/* In its own process: the point, unless somebody else has done it meanwhile. What the program prints is not looked at.
 */
static _Noreturn void work(const struct sweep *s, uint64_t point)
{
    struct sweep_design d = sweep_design(s, point / s->nruns);
    struct sweep_name name = sweep_name(s, &d, point);
    char path[SWEEP_PATH];
    if (!freopen("/dev/null", "w", stdout)) die("cannot write /dev/null");
    sweep_path(s, path, "%s.lock", name.text);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0 || flock(lock, LOCK_EX)) die("cannot lock %s: %s", path, strerror(errno));
    if (sweep_load(s, &name).status == SWEEP_NONE) {
        write_log(s, name.text);
        run_point(s, &d, point, &name);
    }
    unlink(path);
    _exit(EXIT_OK);
}

/* ---- the driver ---- */

struct worker {
    pid_t process; /* 0: none */
    uint64_t point;
    unsigned attempts;
};

struct pool {
    const struct sweep *sweep;
    struct worker jobs[MOST_JOBS];
    unsigned njobs, running;
    uint64_t todo, done, tenths; /* of this call */
    uint64_t began;
};

static void show_progress(struct pool *p)
{
    uint64_t seconds = (host_ns() - p->began) / 1000000000, left = p->todo - p->done;
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal && p->done * 10 / p->todo == p->tenths) return;
    p->tenths = p->done * 10 / p->todo;
    left = p->done ? (host_ns() - p->began) / p->done * left / 1000000000 : 0;
    fprintf(stderr, "%s%llu of %llu points, %llu:%02llu gone, %llu:%02llu left%s",
            terminal ? "\r" : "ventus sweep: ", (unsigned long long)p->done, (unsigned long long)p->todo,
            (unsigned long long)seconds / 60, (unsigned long long)seconds % 60, (unsigned long long)left / 60,
            (unsigned long long)left % 60, terminal && p->done < p->todo ? "   " : "\n");
}

static void start(struct pool *p, struct worker *j)
{
    fflush(NULL);
    j->process = fork();
    if (j->process < 0) die("no process can be had: %s", strerror(errno));
    if (!j->process) work(p->sweep, j->point);
}

/* A worker has gone without a result. One that has ended by itself has said why; why another was killed is not known:
 * it gets another try, but not for ever. */
static bool try_again(struct pool *p, struct worker *j, bool killed)
{
    struct sweep_design d = sweep_design(p->sweep, j->point / p->sweep->nruns);
    struct sweep_name name = sweep_name(p->sweep, &d, j->point);
    bool open = sweep_load(p->sweep, &name).status == SWEEP_NONE, again = open && killed && ++j->attempts < ATTEMPTS;
    if (open && !again)
        sweep_store(p->sweep, &name, &(struct sweep_result){.status = killed ? SWEEP_KILLED : SWEEP_FAILED});
    sweep_design_free(&d);
    return again;
}

/* Waits for the end of a process. */
static void await(struct pool *p)
{
    int status;
    pid_t process = wait(&status);
    for (struct worker *j = p->jobs; j < p->jobs + p->njobs; j++) {
        if (!j->process || j->process != process) continue;
        if (try_again(p, j, WIFSIGNALED(status))) {
            start(p, j);
            return;
        }
        j->process = 0;
        p->running--;
        p->done++;
        show_progress(p);
    }
}

static void run_one(struct pool *p, uint64_t point)
{
    struct worker *j = p->jobs;
    while (p->running == p->njobs) await(p);
    while (j->process) j++;
    *j = (struct worker){.point = point};
    p->running++;
    start(p, j);
}

/* Calls `found` for each point that has no result, of the part or of all. Returns how many there are. */
static uint64_t each_open(const struct sweep *s, struct part part, struct pool *pool)
{
    uint64_t n = 0;
    for (uint64_t design = 0; design < s->designs; design++) {
        struct sweep_design d = sweep_design(s, design);
        for (uint64_t point = design * s->nruns; point < (design + 1) * s->nruns; point++) {
            struct sweep_name name = sweep_name(s, &d, point);
            if (point % part.of != part.index || sweep_load(s, &name).status != SWEEP_NONE) continue;
            n++;
            if (pool) run_one(pool, point);
        }
        sweep_design_free(&d);
    }
    return n;
}

static void run_all(const struct sweep *s, struct part part, unsigned jobs)
{
    struct pool pool = {.sweep = s, .njobs = jobs, .began = host_ns(), .todo = each_open(s, part, NULL)};
    if (!pool.todo) return;
    show_progress(&pool);
    each_open(s, part, &pool);
    while (pool.running) await(&pool);
}

/* ---- the command ---- */

/* The file's folder becomes the current one. */
static const char *enter_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return path;
    *slash = 0;
    if (chdir(slash == path ? "/" : path)) die("%s: %s", path, strerror(errno));
    return slash + 1;
}

static int finish(const struct sweep *s)
{
    uint64_t open = each_open(s, (struct part){0, 1}, NULL);
    if (open) {
        printf("%llu of %llu points are left to other parts\n", (unsigned long long)open,
               (unsigned long long)s->points);
        return EXIT_OK;
    }
    uint64_t failed = sweep_report(s);
    printf("%s/results.csv: %llu points, %llu without a result\n", s->folder, (unsigned long long)s->points,
           (unsigned long long)failed);
    return failed ? EXIT_FAILED : EXIT_OK;
}

int cmd_sweep(int argc, char **argv)
{
    static struct sweep sweep;
    struct part part = {0, 1};
    char *path = NULL;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = processors < 1 ? 1 : processors > MOST_JOBS ? MOST_JOBS : (unsigned)processors;
    struct args args = {
        .command = "sweep", .usage = "FILE", .about = about, .flags = flags, .argc = argc, .argv = argv, .at = 1};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_JOBS) jobs = (unsigned)number_arg(&args, "--jobs", args.value, 1, MOST_JOBS);
        else if (flag == FLAG_PART) part = parse_part(&args);
        else if (path) usage_error(&args, "one file at a time");
        else path = strdup(args.value);
    }
    if (!path) usage_error(&args, "the file of a sweep is needed");
    const char *name = enter_folder(path);
    sweep_read(&sweep, name);
    if (snprintf(sweep.folder, sizeof sweep.folder, "%s.out", name) >= (int)sizeof sweep.folder)
        die("%s: the name is too long", name);
    free(path);
    if (mkdir(sweep.folder, 0777) && errno != EEXIST) die("%s: %s", sweep.folder, strerror(errno));
    run_all(&sweep, part, jobs);
    int code = finish(&sweep);
    sweep_free(&sweep);
    return code;
}
