/* Temporary folders go with their process, also when a signal ends it, and nothing else goes (host/scratch.h). */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/scratch.h"

static char where[] = "/tmp/scratch-test-XXXXXX";

static bool exists(const char *path)
{
    struct stat s;
    return !lstat(path, &s);
}

static void put(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* A process that has a folder with two files in it, as `path` says, and waits for a signal. */
static pid_t process_with_folder(char path[SCRATCH_PATH])
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (!pid) {
        alarm(60); /* when the test fails, nobody else ends it */
        struct scratch s = {0};
        if (!scratch_make(&s)) _exit(1);
        put(s.path, "program-1.elf");
        put(s.path, ".hidden");
        if (write(told[1], s.path, sizeof s.path) < 0) _exit(1);
        for (;;) pause();
    }
    assert_int_equal(read(told[0], path, SCRATCH_PATH), SCRATCH_PATH);
    close(told[0]);
    close(told[1]);
    return pid;
}

static void test_signals(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGKILL};
    char path[SCRATCH_PATH];
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        pid_t pid = process_with_folder(path);
        assert_true(!strncmp(path, where, strlen(where)));
        scratch_sweep();
        assert_true(exists(path)); /* it lives */
        kill(pid, signals[i]);
        waitpid(pid, NULL, 0);
        assert_true(exists(path));
        struct scratch next = {0};
        assert_true(scratch_make(&next));
        assert_false(exists(path));
        assert_true(exists(next.path));
        put(next.path, "file");
        scratch_remove(&next);
        scratch_remove(&next);
        assert_false(exists(next.path));
    }
}

/* A program that the process has started keeps no folder. */
static void test_programs(void **state)
{
    char path[SCRATCH_PATH] = "";
    int told[2];
    (void)state;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (!pid) {
        alarm(60);
        struct scratch s = {0};
        close(told[0]);
        if (!scratch_make(&s)) _exit(1);
        pid_t child = fork();
        if (!child) execl("/bin/sleep", "sleep", "60", (char *)NULL);
        if (child < 0 || write(told[1], s.path, sizeof s.path) < 0 || write(told[1], &child, sizeof child) < 0)
            _exit(1);
        for (;;) pause();
    }
    close(told[1]);
    pid_t child;
    assert_int_equal(read(told[0], path, sizeof path), sizeof path);
    assert_int_equal(read(told[0], &child, sizeof child), sizeof child);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 500 && exists(path); i++) { /* it may have to begin, which closes the folder */
        scratch_sweep();
        usleep(10000);
    }
    assert_false(exists(path));
    assert_int_equal(kill(child, SIGKILL), 0);
    close(told[0]);
}

/* Where others can rename folders, a name says nothing. */
static void test_unsafe(void **state)
{
    static const struct {
        mode_t mode;
        bool stays;
    } cases[] = {{0777, true}, {0770, true}, {01777, false}, {0755, false}};
    char path[100];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s/ventus-session-dead00", where);
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(chmod(where, cases[i].mode), 0);
        scratch_sweep();
        assert_int_equal(exists(path), cases[i].stays);
        assert_int_equal(chmod(where, 0700), 0);
        rmdir(path);
    }
}

/* What has such a name, and is no folder of a process of ours that has ended. */
static void test_others(void **state)
{
    char path[5][100];
    (void)state;
    static const char *const names[] = {"ventus-session-link00", "ventus-session-open00", "ventus-session-longer0",
                                        "ventus-session-file00", "ventus-session-other0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", where, names[i]);
    put(where, "kept");
    assert_int_equal(symlink(where, path[0]), 0);
    assert_int_equal(mkdir(path[1], 0755), 0);
    assert_int_equal(mkdir(path[2], 0700), 0);
    put(where, names[3]);
    assert_int_equal(mkdir(path[4], 0700), 0);
    put(path[4], "file");
    if (geteuid() == 0) assert_int_equal(chown(path[4], 65534, 65534), 0);
    scratch_sweep();
    for (size_t i = 0; i < 4; i++) assert_true(exists(path[i]));
    assert_int_equal(exists(path[4]), geteuid() == 0);
    char kept[300];
    snprintf(kept, sizeof kept, "%s/kept", where);
    assert_int_equal(unlink(kept), 0);
    snprintf(kept, sizeof kept, "%s/file", path[4]);
    unlink(kept);
    unlink(path[0]);
    unlink(path[3]);
    rmdir(path[1]);
    rmdir(path[2]);
    rmdir(path[4]);
}

/* A folder whose path has no room for a socket's name is made elsewhere, or not at all. */
static void test_places(void **state)
{
    char longer[200];
    struct scratch s = {0};
    (void)state;
    snprintf(longer, sizeof longer, "%s/%080d", where, 0);
    assert_int_equal(mkdir(longer, 0700), 0);
    setenv("XDG_RUNTIME_DIR", longer, 1);
    assert_true(scratch_make(&s));
    assert_true(!strncmp(s.path, where, strlen(where)));
    assert_true(strncmp(s.path, longer, strlen(longer)) != 0);
    scratch_remove(&s);
    setenv("XDG_RUNTIME_DIR", where, 1);
    rmdir(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signals), cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_unsafe), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_places)};
    if (!mkdtemp(where)) return 1;
    setenv("XDG_RUNTIME_DIR", where, 1);
    setenv("TMPDIR", where, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || rmdir(where);
}
