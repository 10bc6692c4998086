/* The `ventus` command: finds the subcommand and hands over.
 *
 * Every subcommand answers --help; unknown ones get a hint and exit code 2. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/gpu.h"
#include "tool.h"
#include "version.h"

// clang-format off
static const struct command { const char *name; int (*run)(int argc, char **argv); const char *help; } commands[] = {
    {"cc", cmd_cc, "compile OpenCL C to an executable for the machine"},
    {"as", cmd_as, "assemble"},
    {"ld", cmd_ld, "link objects"},
    {"objdump", cmd_objdump, "disassemble an executable, an object or a text file of words"},
    {"isa", cmd_isa, "explain an instruction, or print the manual"},
    {"exec", cmd_exec, "run an OpenCL program on the device"},
    {"profile", cmd_profile, "compare profiles that exec wrote"},
    {"run", cmd_run, "run a kernel on the simulator"},
    {"debug", cmd_debug, "run a kernel, or a program that uses the GPU, under gdb or lldb"},
    {"backend", cmd_backend, "make a device library of an RTL simulation"},
    {"coverage", cmd_coverage, "add up what runs have exercised of each instruction"},
    {"random", cmd_random, "write a random program for tests of a design"},
    {"compare", cmd_compare, "compare design points by the cycles of a program"},
    {"roofline", cmd_roofline, "show how near kernels come to what a machine can do"},
    {"sweep", cmd_sweep, "run programs on all combinations of parameters"},
    {"trace", cmd_trace, "print a trace that run wrote"},
    {"diff", cmd_diff, "tell the first difference of two traces, timelines or contents of memory"},
    {"info", cmd_info, "show version and machine parameters"},
};
// clang-format on
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *out)
{
    fputs("usage: ventus COMMAND [ARGUMENTS]\n\nThe Ventus GPGPU in software.\n\ncommands:\n", out);
    for (int i = 0; i < NCOMMANDS; i++) fprintf(out, "  %-12s%s\n", commands[i].name, commands[i].help);
    fputs("\n`ventus COMMAND --help` explains a command.\n", out);
}

static int unknown(const char *name)
{
    const char *names[NCOMMANDS + 1] = {0};
    for (int i = 0; i < NCOMMANDS; i++) names[i] = commands[i].name;
    const char *near = nearest_word(name, names);
    fprintf(stderr, "ventus: unknown command '%s'%s%s%s\n", name, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
    fputs("`ventus --help` lists the commands.\n", stderr);
    return EXIT_USAGE;
}

/* Standard streams that the caller has closed become ones that fail, so that no file takes their numbers. */
static void reserve_streams(void)
{
    for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;)
        if (fd > STDERR_FILENO) {
            close(fd);
            return;
        }
}

/* However the program ends: what was printed counts only when it has arrived. */
static void check_output(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return;
    fprintf(stderr, "ventus: cannot write standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    _exit(fail_code());
}

/* Misspelled variables: programs that exec and debug start say that themselves. */
static int run_command_of(const struct command *command, int argc, char **argv)
{
    if (command->run != cmd_exec && command->run != cmd_debug) environment_check();
    return command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        if (argc == 2) return help(stdout), EXIT_OK;
        name = argv[2];
        argv[2] = "--help";
    }
    if (!strcmp(name, "--version")) return printf("ventus %s\n", VENTUS_VERSION), EXIT_OK;
    for (int i = 0; i < NCOMMANDS; i++)
        if (!strcmp(name, commands[i].name)) return run_command_of(&commands[i], argc - 1, argv + 1);
    return unknown(name);
}

int main(int argc, char **argv)
{
    reserve_streams();
    signal(SIGCHLD, SIG_DFL); /* who ignores it may leave that to us, and the ends of our processes would be lost */
    atexit(check_output);
    if (argc > 1) return dispatch(argc, argv);
    help(stderr);
    return EXIT_USAGE;
}
