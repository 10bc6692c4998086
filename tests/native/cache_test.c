/* Translations on disk: what is stored is loaded, whatever is damaged, someone else's or of another translator is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/cache.h"

enum { WORDS = 64, IMAGE = 1000 };

static char folder[] = "/tmp/native_cache_test-XXXXXX", cache_folder[PATH_MAX], rows[PATH_MAX];
static struct native_cache cache;
static struct native_request request;
static uint32_t code[WORDS];
static uint8_t image[IMAGE];

/* ---- the folder ---- */

static void run(const char *format, ...)
{
    char command[2 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (system(command)) fail_msg("%s", command);
}

/* The path of the only file in the cache. */
static const char *only_file(void)
{
    static char path[PATH_MAX];
    unsigned count = 0;
    DIR *d = opendir(cache_folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        count++;
        assert_true(snprintf(path, sizeof path, "%s/%s", cache_folder, e->d_name) < PATH_MAX);
    }
    closedir(d);
    assert_int_equal(count, 1);
    return path;
}

/* A folder with something that looks like a translator, and a cache that nobody has made yet. */
static int set_up(void **state)
{
    char program[PATH_MAX];
    (void)state;
    unsetenv("VENTUS_CACHE");
    unsetenv("VENTUS_CACHE_LIMIT");
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/ventus-translate", folder);
    snprintf(rows, sizeof rows, "%s/ventus-rows-v3.bc", folder);
    snprintf(cache_folder, sizeof cache_folder, "%s/a/b/cache", folder);
    run("echo program >%s; echo rows >%s", program, rows);
    setenv("VENTUS_TRANSLATE", program, 1);
    setenv("VENTUS_CACHE_DIR", cache_folder, 1);
    cache_open(&cache, "v3");
    assert_string_equal(cache.files.folder, cache_folder);
    request = (struct native_request){.magic = NATIVE_MAGIC, .code_base = 0x80000000u, .code_words = WORDS};
    for (uint32_t i = 0; i < WORDS; i++) code[i] = i * 0x01000193u;
    for (uint32_t i = 0; i < IMAGE; i++) image[i] = (uint8_t)(i * 7);
    memcpy(image, "\xb8\x2a\0\0\0\xc3", 6); /* mov eax, 42; ret */
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    run("rm -rf %s", folder);
    return 0;
}

static void store(void) { cache_store(&cache, &request, code, image, IMAGE); }

/* A hit is executable, and it is what was stored. */
static bool is_right(const void *p, size_t size)
{
    if (size < IMAGE || memcmp(p, image, IMAGE)) return false;
#ifdef __x86_64__
    return ((int (*)(void))p)() == 42;
#else
    return true;
#endif
}

enum answer { MISS, HIT, WRONG };

static enum answer look(void)
{
    size_t size = 0;
    void *p = cache_load(&cache, &request, code, &size);
    if (!p) return MISS;
    bool right = is_right(p, size) && munmap(p, size) == 0;
    return right ? HIT : WRONG;
}

static bool is_hit(void)
{
    enum answer answer = look();
    assert_int_not_equal(answer, WRONG);
    return answer == HIT;
}

/* ---- hits, and other requests ---- */

static void test_hit(void **state)
{
    struct stat s;
    (void)state;
    assert_false(is_hit());
    store();
    assert_true(is_hit());
    assert_int_equal(stat(only_file(), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(stat(cache_folder, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    store();
    only_file();
    assert_true(is_hit());
}

/* Each byte of a request matters, and each word of the program. */
static void test_others(void **state)
{
    (void)state;
    store();
    for (size_t i = 0; i < offsetof(struct native_request, code_words); i++) {
        ((uint8_t *)&request)[i] ^= 4;
        assert_false(is_hit());
        ((uint8_t *)&request)[i] ^= 4;
    }
    for (size_t i = 0; i < WORDS; i++) {
        code[i] ^= 0x100;
        assert_false(is_hit());
        code[i] ^= 0x100;
    }
    request.code_words--;
    assert_false(is_hit());
    request.constant_words++; /* the last word of code as a constant */
    assert_false(is_hit());
    request.constant_words--;
    request.code_words++;
    assert_true(is_hit());
}

/* A name is found by a hash: what it names is compared nevertheless. */
static void test_collision(void **state)
{
    uint32_t *const parts[] = {&request.entry, &code[WORDS - 1]};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        store();
        run("mv %s %s/first", only_file(), folder);
        ++*parts[i];
        store();
        assert_true(is_hit());
        run("mv %s/first %s", folder, only_file());
        assert_false(is_hit());
        store();
        assert_true(is_hit());
        run("rm %s", only_file());
    }
}

static void test_translator(void **state)
{
    (void)state;
    store();
    cache_open(&cache, "v3");
    assert_true(is_hit());
    run("touch -d '2001-01-01' %s", rows);
    cache_open(&cache, "v3");
    assert_false(is_hit());
    store();
    assert_true(is_hit());
    run("echo >>%s/ventus-translate", folder);
    cache_open(&cache, "v3");
    assert_false(is_hit());
    cache_open(&cache, "v4"); /* which this translator does not have */
    assert_string_equal(cache.files.folder, "");
}

/* ---- damage ---- */

static void test_damage(void **state)
{
    struct stat s;
    (void)state;
    store();
    int fd = open(only_file(), O_RDWR);
    assert_true(fd >= 0 && fstat(fd, &s) == 0);
    for (off_t i = 0; i < s.st_size; i++) {
        uint8_t byte, wrong;
        assert_int_equal(pread(fd, &byte, 1, i), 1);
        wrong = byte ^ (uint8_t)(1 << i % 8);
        assert_int_equal(pwrite(fd, &wrong, 1, i), 1);
        if (is_hit()) fail_msg("byte %ld is damaged", (long)i);
        assert_int_equal(pwrite(fd, &byte, 1, i), 1);
    }
    assert_true(is_hit());
    assert_int_equal(ftruncate(fd, s.st_size + 8), 0);
    assert_false(is_hit());
    for (off_t i = s.st_size - 1; i >= 0; i--) {
        assert_int_equal(ftruncate(fd, i), 0);
        if (is_hit()) fail_msg("only %ld bytes are left", (long)i);
    }
    close(fd);
    store();
    assert_true(is_hit());
}

/* ---- whose it is ---- */

static void test_modes(void **state)
{
    (void)state;
    store();
    static const char *const modes[] = {"620", "602", "666"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        run("chmod %s %s", modes[i], only_file());
        assert_false(is_hit());
    }
    run("chmod 644 %s", only_file());
    assert_true(is_hit());
    run("chmod 770 %s", cache_folder);
    assert_false(is_hit());
    request.entry = 1;
    store();
    run("chmod 700 %s", cache_folder);
    assert_false(is_hit()); /* because nothing has been stored */
    only_file();
}

static void test_links(void **state)
{
    char path[PATH_MAX];
    (void)state;
    store();
    strcpy(path, only_file());
    run("mv %s %s/elsewhere && ln -s %s/elsewhere %s", path, folder, folder, path);
    assert_false(is_hit());
    run("rm %s && mkfifo -m 600 %s", path, path);
    assert_false(is_hit());
    run("rm %s && mkdir -m 700 %s", path, path);
    assert_false(is_hit());
    run("rmdir %s && mv %s/elsewhere %s", path, folder, path);
    assert_true(is_hit());
}

static void test_owner(void **state)
{
    (void)state;
    if (geteuid()) skip();
    store();
    run("chown 12345 %s", only_file());
    assert_false(is_hit());
    run("chown 0 %s", only_file());
    assert_true(is_hit());
    run("chown 12345 %s", cache_folder);
    assert_false(is_hit());
}

/* ---- where it cannot be written ---- */

static void test_unwritable(void **state)
{
    (void)state;
    run("touch %s/a", folder); /* where a folder would have to be */
    store();
    assert_false(is_hit());
    run("rm %s/a", folder);
    store();
    assert_true(is_hit());
}

/* A process that may not write large files lives on. */
static void test_file_limit(void **state)
{
    struct rlimit old, small;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){0, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    store();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(is_hit());
}

/* What has been loaded stays what it was, whatever becomes of the file. */
static void test_file_changed_while_used(void **state)
{
    size_t size;
    (void)state;
    store();
    void *p = cache_load(&cache, &request, code, &size);
    assert_non_null(p);
    run("for f in %s/*; do printf X | dd of=$f conv=notrunc status=none && : >$f; done", cache_folder);
    assert_true(is_right(p, size));
    munmap(p, size);
    assert_false(is_hit());
}

/* 77: this host does not let us mount. */
static int use_noexec(void)
{
    run("mkdir -p -m 700 %s", cache_folder);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", cache_folder, "tmpfs", MS_NOEXEC, "size=64k,mode=700"))
        return 77;
    store();
    if (look() != HIT) return 1;
    run("head -c 60k /dev/zero >%s/full", cache_folder);
    request.entry = 1;
    store();
    if (look() == HIT) return 2;
    run("! ls %s | grep 'native[.]'", cache_folder);
    request.entry = 0;
    return look() == HIT ? 0 : 3;
}

static void test_noexec_and_full(void **state)
{
    int status;
    (void)state;
    pid_t child = fork();
    if (!child) _exit(use_noexec());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    assert_int_equal(status, 0);
}

/* ---- the limit ---- */

static unsigned count_hits(uint32_t first, uint32_t behind)
{
    unsigned hits = 0;
    for (request.entry = first; request.entry < behind; request.entry++) hits += is_hit();
    return hits;
}

/* What is there has been used ten seconds longer ago. */
static void age(void) { run("for f in %s/*.native*; do touch -r $f -d '-10 seconds' $f; done", cache_folder); }

static void test_limit(void **state)
{
    struct stat s;
    (void)state;
    store();
    assert_int_equal(stat(only_file(), &s), 0);
    run("echo mine >%s/mine", cache_folder);
    run("head -c 100 /dev/zero >%s/0123456789abcdef0123456789abcdef.native.7-7", cache_folder); /* unfinished */
    cache.files.limit = (uint64_t)s.st_size * 8;
    for (request.entry = 1; request.entry < 7; request.entry++) {
        age();
        store();
    }
    age();
    assert_int_equal(count_hits(0, 1), 1); /* which makes it the last used */
    for (request.entry = 7; request.entry < 9; request.entry++) {
        age();
        store();
    }
    assert_int_equal(count_hits(0, 1), 1);
    assert_int_equal(count_hits(1, 3), 0);
    assert_int_equal(count_hits(3, 9), 6);
    run("test -e %s/mine && ! test -e %s/*-7", cache_folder, cache_folder);
    cache.files.limit = 8;
    assert_int_equal(count_hits(0, 9), 0);
    request.entry = 9;
    store(); /* too large by itself: no reason to throw others away */
    run("test $(ls %s | wc -l) = 8", cache_folder);
}

/* Of those who store small files only some look how large all are together: what is too large is removed by one in some
 * dozens of them, and by each whose file is large. */
static void test_looks(void **state)
{
    enum { STORES = 500 };
    unsigned looks = 0;
    struct stat s;
    char huge[PATH_MAX + 40];
    (void)state;
    store();
    assert_int_equal(stat(only_file(), &s), 0);
    snprintf(huge, sizeof huge, "%s/0123456789abcdef0123456789abcdef.native", cache_folder);
    cache.files.limit = (uint64_t)s.st_size * 100 * 50; /* a hundredth is 50 files */
    for (request.entry = 1; request.entry <= STORES; request.entry++) {
        int fd = open(huge, O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, (off_t)cache.files.limit), 0);
        close(fd);
        store();
        looks += access(huge, F_OK) != 0;
    }
    assert_in_range(looks, 1, STORES / 50 * 3); /* chance: ten on average, none once in 25,000 runs */
    cache.files.limit = (uint64_t)s.st_size * 100;
    for (request.entry = 1; request.entry <= 5; request.entry++) {
        run("truncate -s 1000000 %s", huge);
        store();
        assert_int_not_equal(access(huge, F_OK), 0);
    }
}

static void test_environment(void **state)
{
    char want[PATH_MAX];
    (void)state;
    assert_int_equal(cache.files.limit, 256 << 20);
    setenv("VENTUS_CACHE_LIMIT", "3", 1);
    cache_open(&cache, "v3");
    assert_int_equal(cache.files.limit, 3 << 20);
    setenv("VENTUS_CACHE_LIMIT", "3 MiB", 1);
    cache_open(&cache, "v3");
    assert_int_equal(cache.files.limit, 256 << 20);
    unsetenv("VENTUS_CACHE_DIR");
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    cache_open(&cache, "v3");
    snprintf(want, sizeof want, "%s/.cache/ventus", folder);
    assert_string_equal(cache.files.folder, want);
    setenv("XDG_CACHE_HOME", folder, 1);
    cache_open(&cache, "v3");
    snprintf(want, sizeof want, "%s/ventus", folder);
    assert_string_equal(cache.files.folder, want);
    setenv("VENTUS_CACHE", "0", 1);
    cache_open(&cache, "v3");
    assert_string_equal(cache.files.folder, "");
    setenv("VENTUS_CACHE", "1", 1);
    setenv("VENTUS_CACHE_DIR", "", 1);
    cache_open(&cache, "v3");
    assert_string_equal(cache.files.folder, "");
    store();
    assert_false(is_hit());
}

/* ---- several processes ---- */

/* Stores and loads the same few translations, so many that they are removed all the time. */
static int use_shared(unsigned seed)
{
    unsigned answers[3] = {0};
    for (unsigned i = 0; i < 300; i++) {
        seed = seed * 1664525u + 1013904223u;
        request.entry = seed >> 16 & 7;
        memcpy(image + 100, &request.entry, sizeof request.entry);
        if (seed >> 30) store();
        answers[look()]++;
    }
    return answers[WRONG] || !answers[HIT] || !answers[MISS];
}

static void test_processes(void **state)
{
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    int status;
    (void)state;
    cache.files.limit = 4 * 2048;
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (!children[i]) _exit(use_shared(i));
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hit),        TEST(test_others),     TEST(test_collision),       TEST(test_translator),
        TEST(test_damage),     TEST(test_modes),      TEST(test_links),           TEST(test_owner),
        TEST(test_unwritable), TEST(test_file_limit), TEST(test_noexec_and_full), TEST(test_file_changed_while_used),
        TEST(test_limit),      TEST(test_looks),      TEST(test_environment),     TEST(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
