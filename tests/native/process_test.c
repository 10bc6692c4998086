/* Processes of the translator that are still at work when nobody needs them any more (native/process.c): none is left
 * as an ended child of the client. The translator is a script that says nothing until it is let go, or the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/native.h"
#include "native/process.h"
#include "pair.h"

static void write_script(const char *path, const char *fifo)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nexec timeout 60 cat %s\n", fifo);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
}

static void *ask(void *process)
{
    static const struct native_request request;
    size_t size;
    return translator_ask(process, &request, NULL, &size);
}

static bool has_socket(struct translator_process *p)
{
    pthread_mutex_lock(&p->lock);
    const bool has = p->socket >= 0;
    pthread_mutex_unlock(&p->lock);
    return has;
}

/* Starts one, which is at work when it is given up. Returns what lets it end. */
static int give_up_one(struct translator_process *p, const char *fifo)
{
    pthread_t asking;
    void *image;
    assert_true(translator_init(p));
    assert_int_equal(pthread_create(&asking, NULL, ask, p), 0);
    const int end = open(fifo, O_WRONLY | O_CLOEXEC); /* waits for the script */
    assert_true(end >= 0);
    while (!has_socket(p)) usleep(1000);
    translator_stop(p);
    assert_int_equal(pthread_join(asking, &image), 0);
    assert_null(image);
    translator_close(p);
    return end;
}

/* What the next one does first: it clears those that have ended. */
static void look_again(void)
{
    struct translator_process p;
    assert_true(translator_init(&p));
    setenv("VENTUS_TRANSLATE", "", 1);
    assert_null(ask(&p));
    translator_close(&p);
}

static bool is_child(pid_t pid) { return waitpid(pid, NULL, WNOHANG) >= 0 || errno != ECHILD; }

static void test_given_up(void **state)
{
    char folder[] = "/tmp/ventus-process-XXXXXX", script[80], fifo[80];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/translator", folder);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    write_script(script, fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int i = 0; i < 3; i++) {
        struct translator_process p;
        siginfo_t info;
        setenv("VENTUS_TRANSLATE", script, 1);
        const int end = give_up_one(&p, fifo);
        look_again(); /* it is still at work */
        close(end);
        assert_int_equal(waitid(P_PID, (id_t)p.pid, &info, WEXITED | WNOWAIT), 0);
        look_again();
        assert_false(is_child(p.pid));
    }
    unlink(fifo);
    unlink(script);
    rmdir(folder);
}

/* A script that reads a request without a program, does what `first` says, and answers with what is in `file`. */
static void write_answerer(const char *path, const char *first, const char *file, const void *answer, size_t size)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(answer, size, 1, f), 1);
    fclose(f);
    assert_non_null(f = fopen(path, "w"));
    fprintf(f, "#!/bin/sh\nhead -c %zu >/dev/null\n%s\nexec cat %s\n", sizeof(struct native_request), first, file);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("VENTUS_TRANSLATE", path, 1);
}

/* What the client is told while it asks for a translation that it does not get. */
static void ask_in_vain(char *said, size_t size)
{
    struct translator_process p;
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_true(translator_init(&p));
    fflush(NULL);
    const int saved = dup(2);
    dup2(fileno(f), 2);
    assert_null(ask(&p));
    dup2(saved, 2);
    close(saved);
    translator_close(&p);
    rewind(f);
    said[fread(said, 1, size - 1, f)] = 0;
    fclose(f);
}

/* Why there is no translation is printed up to the end of its room, and nothing behind that; what a translator that
 * has an answer writes to its error output is not. */
static void test_long_reason(void **state)
{
    char folder[] = "/tmp/ventus-process-XXXXXX", script[80], file[80], said[1000];
    struct native_answer answer = {.magic = NATIVE_MAGIC};
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/translator", folder);
    snprintf(file, sizeof file, "%s/answer", folder);
    memset(answer.why, 'x', sizeof answer.why);
    write_answerer(script, "echo warning >&2", file, &answer, sizeof answer);
    ask_in_vain(said, sizeof said);
    answer.why[sizeof answer.why - 1] = 0;
    const char *reason = strchr(said, 'x');
    assert_non_null(reason);
    assert_int_equal(strspn(reason, "x"), strlen(answer.why));
    assert_null(strstr(said, "warning"));
    unlink(file);
    unlink(script);
    rmdir(folder);
}

/* Of a translator that dies all lines are shown. */
static void test_last_words(void **state)
{
    char folder[] = "/tmp/ventus-process-XXXXXX", script[80], file[80], said[1000];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/translator", folder);
    snprintf(file, sizeof file, "%s/answer", folder);
    write_answerer(script, "printf 'a mistake\\n\\n at its place' >&2; kill -9 $$", file, "", 1);
    ask_in_vain(said, sizeof said);
    assert_string_equal(said, "ventus-translate: a mistake\nventus-translate:  at its place\n");
    unlink(file);
    unlink(script);
    rmdir(folder);
}

static void ignore(int number) { (void)number; }

/* Signals of the client that arrive while it waits for the answer do not end the wait. */
static void test_signals(void **state)
{
    char folder[] = "/tmp/ventus-process-XXXXXX", script[80], file[80], fifo[80], wait[100];
    struct {
        struct native_answer answer;
        char image[8];
    } sent = {{.magic = NATIVE_MAGIC, .size = sizeof sent.image}, "image"};
    const struct sigaction act = {.sa_handler = ignore};
    struct translator_process p;
    struct sigaction before;
    pthread_t asking;
    void *image;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/translator", folder);
    snprintf(file, sizeof file, "%s/answer", folder);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    snprintf(wait, sizeof wait, "timeout 60 cat %s", fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    write_answerer(script, wait, file, &sent, sizeof sent);
    assert_int_equal(sigaction(SIGUSR1, &act, &before), 0);
    assert_true(translator_init(&p));
    assert_int_equal(pthread_create(&asking, NULL, ask, &p), 0);
    const int end = open(fifo, O_WRONLY | O_CLOEXEC); /* waits for the script, which has read the request */
    for (int i = 0; i < 100; i++) {
        assert_int_equal(pthread_kill(asking, SIGUSR1), 0);
        usleep(1000);
    }
    close(end);
    assert_int_equal(pthread_join(asking, &image), 0);
    assert_non_null(image);
    assert_memory_equal(image, sent.image, sizeof sent.image);
    free(image);
    translator_close(&p);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    unlink(fifo);
    unlink(file);
    unlink(script);
    rmdir(folder);
}

/* A script that neither reads nor says anything as long as somebody may write to the fifo. */
struct silent {
    char folder[40], script[80], fifo[80];
    int end;
};

static void make_silent(struct silent *s)
{
    strcpy(s->folder, "/tmp/ventus-process-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->script, sizeof s->script, "%s/translator", s->folder);
    snprintf(s->fifo, sizeof s->fifo, "%s/fifo", s->folder);
    FILE *f = fopen(s->script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nexec cat %s\n", s->fifo);
    fclose(f);
    assert_int_equal(chmod(s->script, 0700), 0);
    assert_int_equal(mkfifo(s->fifo, 0600), 0);
    assert_true((s->end = open(s->fifo, O_RDWR | O_CLOEXEC)) >= 0);
    setenv("VENTUS_TRANSLATE", s->script, 1);
    setenv("VENTUS_TRANSLATE_PATIENCE", "1", 1);
}

static void unmake_silent(const struct silent *s)
{
    close(s->end);
    unlink(s->fifo);
    unlink(s->script);
    rmdir(s->folder);
}

/* A request that is larger than what the host keeps of it is given up when nobody reads it. */
static void test_unread_request(void **state)
{
    struct native_request request = {.code_words = NATIVE_CODE_LIMIT};
    uint32_t *program = calloc(NATIVE_CODE_LIMIT, 4);
    struct translator_process p;
    struct silent silent;
    size_t size;
    (void)state;
    assert_non_null(program);
    make_silent(&silent);
    assert_true(translator_init(&p));
    assert_null(translator_ask(&p, &request, program, &size));
    translator_close(&p);
    unmake_silent(&silent);
    free(program);
}

static struct asking {
    struct translator_process process;
    _Atomic bool done;
} asking;

static void *ask_until_done(void *unused)
{
    (void)unused;
    void *image = ask(&asking.process);
    asking.done = true;
    return image;
}

/* Nor do signals of the client that go on prolong the wait for an answer. */
static void test_signals_and_no_answer(void **state)
{
    const struct sigaction act = {.sa_handler = ignore};
    struct sigaction before;
    struct silent silent;
    pthread_t thread;
    void *image;
    (void)state;
    make_silent(&silent);
    assert_int_equal(sigaction(SIGUSR1, &act, &before), 0);
    assert_true(translator_init(&asking.process));
    assert_int_equal(pthread_create(&thread, NULL, ask_until_done, NULL), 0);
    while (!asking.done) {
        pthread_kill(thread, SIGUSR1);
        usleep(1000);
    }
    assert_int_equal(pthread_join(thread, &image), 0);
    assert_null(image);
    translator_close(&asking.process);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    unmake_silent(&silent);
}

/* Runs a program whose translation takes longer than the machine waits for it. */
static void run_long_program(void)
{
    enum { BRANCHES = 4000 };
    static char text[BRANCHES * 250];
    struct guest g;
    size_t n = (size_t)snprintf(text, sizeof text, " vid.v v9\n");
    for (int i = 0; i < BRANCHES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " li x9, %d\n" PAIR_PART(" vfmul.vv v%d, v9, v1\n", " vadd.vv v%d, v9, v2\n"), i % 32,
                              i % 25 + 1, i % 23 + 1);
    snprintf(text + n, sizeof text - n, " endprg\n");
    struct gpu_config c;
    gpu_config_default(&c);
    c.engine = &engine_native;
    guest_open_config(&g, &c);
    guest_assemble(&g, text);
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    guest_close(&g);
}

/* Without a cache a translator that is at work ends with its client, before it has an answer: then its exit code is 1.
 */
static void test_end_of_client(void **state)
{
    int status, ended_early = 0;
    (void)state;
    if (!engine_usable(&engine_native)) skip();
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* the translator is our child when its parent has ended */
    setenv("VENTUS_CACHE", "0", 1);
    setenv("VENTUS_TRANSLATE_PATIENCE", "1", 1);
    run_long_program();
    while (waitpid(-1, &status, 0) > 0) ended_early += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    assert_int_equal(ended_early, 1);
}

/* A process that is left behind is nobody's child: clients may wait for all of theirs. This one waits, as long as
 * somebody else has the cache. */
static void test_left(void **state)
{
    static const char nonsense[] = "no request";
    char folder[] = "/tmp/ventus-process-XXXXXX";
    (void)state;
    if (!engine_usable(&engine_native)) skip();
    assert_non_null(mkdtemp(folder));
    setenv("VENTUS_CACHE", "1", 1);
    setenv("VENTUS_CACHE_DIR", folder, 1);
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    const int file = memfd_create("requests", MFD_CLOEXEC);
    assert_int_equal(write(file, nonsense, sizeof nonsense), sizeof nonsense);
    translator_leave(file);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    close(lock);
    unsetenv("VENTUS_CACHE_DIR");
    rmdir(folder);
}

/* Of each test: a mistake may have it wait for ever, and then the signal ends it. Without one it takes a second. */
static int limit(void **state)
{
    (void)state;
    alarm(300);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_left, limit), /* before this process is a subreaper */
        cmocka_unit_test_setup(test_end_of_client, limit),
        cmocka_unit_test_setup(test_given_up, limit),
        cmocka_unit_test_setup(test_long_reason, limit),
        cmocka_unit_test_setup(test_last_words, limit),
        cmocka_unit_test_setup(test_signals, limit),
        cmocka_unit_test_setup(test_unread_request, limit),
        cmocka_unit_test_setup(test_signals_and_no_answer, limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
