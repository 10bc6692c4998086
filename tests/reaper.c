/* reaper PROGRAM ARGUMENTS: runs a test and ends with its exit code. Processes whose parents have ended, such as the
 * machines' translators (native/process.c), become children of this one in place of the host's first process: so the
 * processor time of a test, which its parent asks the host for, is that of all its processes. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* How long the ones are waited for that go on behind the test's end: most notice it, some wait for ever. */
enum { MOST_SECONDS = 2 };

static void wake(int number) { (void)number; }

/* As a shell says it. */
static int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int main(int argc, char **argv)
{
    pid_t program, ended;
    int status, code = 127;
    if (argc < 2) return 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (posix_spawnp(&program, argv[1], NULL, NULL, argv + 1, environ)) {
        perror(argv[1]);
        return code;
    }
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = wake}, NULL); /* which ends wait() */
    while ((ended = wait(&status)) > 0)
        if (ended == program) {
            code = code_of(status);
            alarm(MOST_SECONDS);
        }
    return code;
}
