/* Does a client that goes on for hours hold more and more? Each activity runs by itself, some rounds that fill what is
 * kept and then more, which must leave nothing behind. With SOAK_MINUTES=n (`make soak MINUTES=n`) all run instead for
 * so long, in an order that SOAK_SEED decides, and a line says from time to time what the process has. */
#include <time.h>

#include "soak.h"
#include "tests/rng.h"

enum { SAMPLES = 40 }; /* of a long run; a quarter of them is for what is kept */

/* What comes and goes: lists of the allocator, threads and a translator that end when they are idle. */
static const struct amounts slack = {
    .n = {[HEAP] = 6 << 10, [RESIDENT] = 4 << 10, [MAPPINGS] = 24, [THREADS] = 2, [FILES] = 2, [CHILDREN] = 1}};

/* Each machine keeps translations of so much code (native/units.c). */
static const long kept_bytes = 160 << 20;

/* -1: nothing; else what grew. */
static int grown(const struct amounts *before, const struct amounts *after, long kept)
{
    for (int i = 0; i < AMOUNTS; i++) {
        const long more = i == HEAP ? kept : i == RESIDENT ? kept >> 10 : i == MAPPINGS ? kept >> 13 : 0;
        if (after->n[i] - before->n[i] > slack.n[i] + more) return i;
    }
    return -1;
}

static void print_amounts(const char *what, const struct amounts *a)
{
    fprintf(stderr, "%-10s", what);
    for (int i = 0; i < AMOUNTS; i++) fprintf(stderr, "  %ld %s", a->n[i], amount_names[i]);
    fprintf(stderr, "\n");
}

static void fail_grown(const char *what, const struct amounts *before, const struct amounts *after, int which)
{
    print_amounts("before", before);
    print_amounts("after", after);
    fail_msg("%s: more and more %s", what, amount_names[which]);
}

/* Looks again if there seems to be growth: what is kept grows once, a leak each time. */
static void check_activity(const struct activity *activity)
{
    enum { LOOKS = 3 };
    struct amounts before, after = {0};
    int which = 0;
    for (int look = 0; look <= LOOKS && (look < 2 || which >= 0); look++) {
        before = after;
        for (unsigned i = 0; i < activity->rounds; i++) activity->run();
        after = amounts_now();
        which = grown(&before, &after, 0);
    }
    if (which >= 0) fail_grown(activity->name, &before, &after, which);
}

static void test_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < activity_count; i++) check_activity(&activities[i]);
}

/* ---- for long ---- */

static unsigned long number_of(const char *variable, unsigned long otherwise)
{
    const char *said = getenv(variable);
    return said ? strtoul(said, NULL, 0) : otherwise;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned long run_until(uint64_t end)
{
    unsigned long done = 0;
    for (; now_ns() < end; done++) {
        const struct activity *activity = &activities[rng() % activity_count];
        const unsigned rounds = rng() % activity->rounds + 1;
        for (unsigned i = 0; i < rounds; i++) activity->run();
    }
    return done;
}

static void test_long(void **state)
{
    (void)state;
    const uint64_t start = now_ns(), part = number_of("SOAK_MINUTES", 1) * 60000000000u / SAMPLES;
    const char *engine = getenv("VENTUS_ENGINE");
    struct amounts first, last;
    unsigned long done = 0;
    rng_state += number_of("SOAK_SEED", 0);
    for (unsigned i = 1; i <= SAMPLES; i++) {
        char when[32];
        done += run_until(start + i * part);
        last = amounts_now();
        if (i <= SAMPLES / 4) first = last;
        snprintf(when, sizeof when, "%lu s", (unsigned long)((now_ns() - start) / 1000000000u));
        print_amounts(when, &last);
    }
    fprintf(stderr, "%lu activities\n", done);
    const int which = grown(&first, &last, engine && !strcmp(engine, "step") ? 0 : kept_bytes);
    if (which >= 0) fail_grown("all together", &first, &last, which);
}

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    activities_begin();
    return 0;
}

static int teardown(void **state)
{
    activities_end();
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest each[] = {cmocka_unit_test(test_each)}, all[] = {cmocka_unit_test(test_long)};
    const bool is_long = getenv("SOAK_MINUTES");
    setenv("VENTUS_DEBUG", "0", 0); /* of kernels that fail on purpose */
    setenv("VENTUS_SVM", "1", 0);
    if (!is_long) setenv("VENTUS_ENGINE", "step", 0); /* nothing is kept of programs */
    return is_long ? cmocka_run_group_tests(all, setup, teardown) : cmocka_run_group_tests(each, setup, teardown);
}
