/* Observers of a device: what the host does with memory, what launches are called, and a stop from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/gpu.h"
#include "isa/abi.h"
#include "program.h"
#include "sim/observe.h"

enum { MOST_EVENTS = 256 };

struct seen {
    struct host_event events[MOST_EVENTS];
    char names[MOST_EVENTS][32];
    size_t n;
    char kernel[32];
    unsigned launches, faults, open; /* open: begun and not ended */
    bool overlap;
    enum launch_status status;
    bool stop;
};

static void on_host(void *user, const struct host_event *e)
{
    struct seen *s = user;
    assert_true(s->n < MOST_EVENTS);
    snprintf(s->names[s->n], sizeof s->names[0], "%s", e->name ? e->name : "");
    s->events[s->n++] = *e;
}

static void on_begin(void *user, const struct launch *l, const struct launch_info *info)
{
    struct seen *s = user;
    (void)l;
    s->overlap |= s->open++ > 0;
    snprintf(s->kernel, sizeof s->kernel, "%s", info->kernel ? info->kernel : "");
}

static void on_end(void *user, const struct launch *l, const struct result *result)
{
    struct seen *s = user;
    (void)l;
    s->launches++;
    s->open--;
    s->status = result->status;
}

static enum observed on_before(void *user, struct warp *w, const struct insn *in)
{
    const struct seen *s = user;
    (void)w, (void)in;
    return s->stop ? STOP : GO_ON;
}

static void on_fault(void *user, const struct warp *w, const struct fault *f)
{
    struct seen *s = user;
    assert_int_equal(w->pc, f->pc);
    s->faults++;
}

static struct observer observer_of(struct seen *s)
{
    return (struct observer){.user = s,
                             .launch_begin = on_begin,
                             .launch_end = on_end,
                             .before = on_before,
                             .fault = on_fault,
                             .host = on_host};
}

static void watch(ventus_device *d, struct observer *o, struct seen *s)
{
    *s = (struct seen){0};
    *o = observer_of(s);
    gpu_observe(device_gpu(d), o);
}

static ventus_device *open_watched(struct observer *o, struct seen *s)
{
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    watch(d, o, s);
    return d;
}

/* The next event that has been seen. */
static void expect(struct seen *s, size_t *at, enum host_action action, uint32_t addr, uint64_t size)
{
    assert_true(*at < s->n);
    const struct host_event *e = &s->events[(*at)++];
    assert_int_equal(e->action, action);
    assert_int_equal(e->addr, addr);
    assert_int_equal(e->size, size);
}

static void test_memory_is_told(void **state)
{
    struct observer o;
    struct seen s;
    ventus_device *d = open_watched(&o, &s);
    uint32_t a, b, words[4] = {1, 2, 3, 4};
    size_t at = 0;
    (void)state;
    assert_int_equal(ventus_alloc(d, 16, &a), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 16, &b), VENTUS_OK);
    assert_int_equal(ventus_write(d, a, words, 16), VENTUS_OK);
    assert_int_equal(ventus_copy(d, b + 4, a, 8), VENTUS_OK);
    assert_int_equal(ventus_fill(d, a, words, 4, 12), VENTUS_OK);
    assert_int_equal(ventus_read(d, words, b, 8), VENTUS_OK);
    assert_non_null(ventus_map(d, b, 4));
    assert_int_equal(ventus_write(d, a + 8, words, 16), VENTUS_OUT_OF_RANGE); /* happens to nobody */
    assert_int_equal(ventus_free(d, a), VENTUS_OK);
    expect(&s, &at, HOST_OPEN, a, 16);
    expect(&s, &at, HOST_OPEN, b, 16);
    expect(&s, &at, HOST_WRITE, a, 16);
    expect(&s, &at, HOST_COPY, b + 4, 8);
    assert_int_equal(s.events[at - 1].from, a);
    expect(&s, &at, HOST_WRITE, a, 12);
    expect(&s, &at, HOST_READ, b, 8);
    expect(&s, &at, HOST_WRITE, b, 4);
    expect(&s, &at, HOST_CLOSE, a, 16);
    assert_int_equal(at, s.n);
    ventus_close(d);
}

struct before {
    const uint32_t *words; /* of the device */
    uint32_t seen[4];
    size_t n;
};

static void on_write(void *user, const struct host_event *e)
{
    struct before *b = user;
    (void)e;
    assert_true(b->n < sizeof b->seen / sizeof *b->seen);
    b->seen[b->n++] = *b->words;
}

/* Observers hear of a write before it is made. */
static void test_writes_are_told_before(void **state)
{
    ventus_device *d = NULL;
    struct before b = {0};
    struct observer o = {.user = &b, .host = on_write};
    uint32_t a, word = 1;
    (void)state;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 8, &a), VENTUS_OK);
    b.words = ventus_map(d, a, 8);
    gpu_observe(device_gpu(d), &o);
    assert_int_equal(ventus_write(d, a, &word, 4), VENTUS_OK);
    word = 2;
    assert_int_equal(ventus_fill(d, a, &word, 4, 4), VENTUS_OK);
    assert_int_equal(ventus_copy(d, a, a + 4, 4), VENTUS_OK);
    assert_int_equal(*b.words, 0);
    assert_int_equal(b.n, 3);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(b.seen[i], i);
    ventus_close(d);
}

static enum ventus_status run(ventus_device *d, ventus_module *m, uint32_t a, uint32_t b)
{
    const uint32_t args[4] = {a, b};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    struct ventus_result result;
    return ventus_run(d, &l, &result, NULL, 0);
}

/* The program and the launch's own memory have names. */
static void test_launch_is_told(void **state)
{
    static const char *const names[] = {"the program", "the metadata block", "the argument buffer"};
    struct observer o;
    struct seen s;
    ventus_device *d = open_watched(&o, &s);
    ventus_module *m = program_build(STORE);
    uint32_t a, found = 0, word = 0;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &a), VENTUS_OK);
    assert_int_equal(run(d, m, a, 42), VENTUS_OK);
    assert_int_equal(ventus_read(d, &word, a, 4), VENTUS_OK);
    assert_int_equal(word, 42);
    assert_int_equal(s.launches, 1);
    assert_int_equal(s.status, LAUNCH_DONE);
    assert_string_equal(s.kernel, "k");
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < s.n; i++) found += s.events[i].action == HOST_OPEN && !strcmp(s.names[i], names[k]);
    assert_int_equal(found, 3);
    ventus_module_free(m);
    ventus_close(d);
}

/* Those of one launch learn its names, too, where nobody watches the device. */
static void test_own_observer(void **state)
{
    ventus_device *d;
    ventus_module *m = program_build(STORE);
    struct seen s = {0};
    const struct observer o = observer_of(&s);
    struct ventus_gpu_launch gpu = {.options = {.observers = &o}};
    struct ventus_result result;
    uint32_t a;
    (void)state;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 4, &a), VENTUS_OK);
    const uint32_t args[4] = {a, 42};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    l.gpu = &gpu;
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(s.launches, 1);
    assert_string_equal(s.kernel, "k");
    ventus_module_free(m);
    ventus_close(d);
}

static void test_stop_and_fault(void **state)
{
    struct observer o;
    struct seen s;
    ventus_device *d = open_watched(&o, &s);
    ventus_module *m = program_build(STORE), *faulty = program_build(FAULTY);
    uint32_t a, word = 1;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &a), VENTUS_OK);
    s.stop = true;
    assert_int_equal(run(d, m, a, 42), VENTUS_STOPPED);
    assert_int_equal(s.status, LAUNCH_STOPPED);
    assert_int_equal(ventus_read(d, &word, a, 4), VENTUS_OK);
    assert_int_equal(word, 0);
    s.stop = false;
    assert_int_equal(run(d, m, a, 42), VENTUS_OK);
    assert_int_equal(s.faults, 0);
    assert_int_equal(run(d, faulty, a, 0), VENTUS_FAULT);
    assert_int_equal(s.faults, 1);
    assert_int_equal(s.status, LAUNCH_FAULT);
    ventus_module_free(m);
    ventus_module_free(faulty);
    ventus_close(d);
}

/* Also those that were submitted together. */
static void test_one_launch_at_a_time(void **state)
{
    struct observer o;
    struct seen s;
    ventus_device *d = open_watched(&o, &s);
    ventus_module *m = program_build(STORE);
    uint32_t a;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &a), VENTUS_OK);
    const uint32_t args[4] = {a, 42};
    struct ventus_launch l = program_launch(m, args, 64, 1);
    for (int i = 0; i < 4; i++) assert_int_equal(ventus_launch(d, &l, 0, NULL, NULL), VENTUS_OK);
    assert_int_equal(ventus_finish(d, VENTUS_FOREVER), VENTUS_OK);
    assert_int_equal(s.launches, 4);
    assert_false(s.overlap);
    ventus_module_free(m);
    ventus_close(d);
}

struct late {
    ventus_device *device;
    struct ventus_launch launch;
    struct observer observer;
    struct seen seen;
};

/* At the end of a launch, on the machine's thread, which then asks for more launches. */
static void watch_and_launch(void *user, const struct ventus_outcome *outcome)
{
    struct late *l = user;
    (void)outcome;
    watch(l->device, &l->observer, &l->seen);
    for (int i = 0; i < 2; i++) assert_int_equal(ventus_launch(l->device, &l->launch, 0, NULL, NULL), VENTUS_OK);
}

/* Also by an observer that comes when the machine has begun with launches that nobody watches. */
static void test_late_observer(void **state)
{
    struct late l = {0};
    ventus_module *m = program_build(STORE);
    struct ventus_result result;
    uint32_t a;
    (void)state;
    assert_int_equal(ventus_open(0, &l.device), VENTUS_OK);
    assert_int_equal(ventus_alloc(l.device, 4, &a), VENTUS_OK);
    const uint32_t args[4] = {a, 42};
    struct ventus_launch first = l.launch = program_launch(m, args, 64, 1);
    first.ending = watch_and_launch;
    first.user = &l;
    assert_int_equal(ventus_run(l.device, &first, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(ventus_finish(l.device, VENTUS_FOREVER), VENTUS_OK);
    assert_int_equal(l.seen.launches, 2);
    assert_false(l.seen.overlap);
    ventus_module_free(m);
    ventus_close(l.device);
}

/* ---- profiles that the client asks for ---- */

/* What the file says of a key in its first kernel. */
static unsigned long number_in(const char *path, const char *key)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoul(at + strlen(key), NULL, 10);
}

/* Each one has the launches between its beginning and its end, in whatever engine; there is one at a time. */
static void test_profile(void **state)
{
    ventus_device *d;
    ventus_module *m = program_build(STEP);
    struct ventus_result result;
    char why[200] = "", path[] = "/tmp/profile-XXXXXX.json";
    uint32_t a;
    (void)state;
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 4, &a), VENTUS_OK);
    const uint32_t args[4] = {a, 42};
    struct ventus_launch launch = program_launch(m, args, 64, 32);
    assert_int_equal(ventus_profile_end(d, path, NULL, 0), VENTUS_BAD_ARGUMENT);
    for (unsigned n = 1; n <= 3; n++) {
        assert_int_equal(ventus_run(d, &launch, &result, NULL, 0), VENTUS_OK);
        assert_int_equal(ventus_profile(d, n % 2), VENTUS_OK);
        assert_int_equal(ventus_profile(d, 0), VENTUS_BAD_ARGUMENT);
        for (unsigned i = 0; i < n; i++) assert_int_equal(ventus_run(d, &launch, &result, NULL, 0), VENTUS_OK);
        assert_int_equal(ventus_profile_end(d, path, why, sizeof why), VENTUS_OK);
        assert_int_equal(number_in(path, "\"launches\": "), n);
        assert_int_equal(number_in(path, "\"watched\": "), n % 2 ? n : 0);
        assert_int_equal(number_in(path, "\"instructions\": "), n * result.counters.instructions);
        assert_int_equal(number_in(path, "\"executions\": "), n * result.counters.instructions);
    }
    assert_int_equal(ventus_profile(d, 0), VENTUS_OK);
    assert_int_equal(ventus_profile_end(d, "/none/p.json", why, sizeof why), VENTUS_BAD_ARGUMENT);
    assert_non_null(strstr(why, "/none/p.json"));
    assert_int_equal(ventus_profile_end(d, NULL, why, sizeof why), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_profile(d, 1), VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_told), cmocka_unit_test(test_writes_are_told_before),
        cmocka_unit_test(test_launch_is_told), cmocka_unit_test(test_own_observer),
        cmocka_unit_test(test_stop_and_fault), cmocka_unit_test(test_one_launch_at_a_time),
        cmocka_unit_test(test_late_observer),  cmocka_unit_test(test_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
