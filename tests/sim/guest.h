/* A machine with a program on it, for the tests of this folder: code at 0x80000000, one open data page
 * range at 0x90000000. */
#ifndef GUEST_H
#define GUEST_H

#include "asm/assemble.h"
#include "isa/abi.h"
#include "sim/engine.h"
#include "sim/launch.h"
#include "sim/warp.h"

enum { GUEST_DATA = ABI_HEAP_BASE, GUEST_BYTES = 1 << 16 };

struct guest {
    struct gpu *gpu;
    struct launch launch; /* one group, one warp of 32 work-items; tests change it */
    struct launch_options options;
    struct result result;
    uint32_t *data; /* host view of GUEST_DATA */
};

/* They fail the running test when they cannot. guest_open: the default machine. */
void guest_open(struct guest *g);
void guest_open_config(struct guest *g, const struct gpu_config *config);
void guest_code(struct guest *g, const uint32_t *words, size_t n);

/* In the instruction set of the machine. */
void guest_assemble(struct guest *g, const char *source);
void guest_run(struct guest *g);
void guest_close(struct guest *g);

/* One build of an engine, as an engine of its own; must stay as long as a machine uses it (engine_use). */
struct guest_engine {
    struct engine engine;
    struct engine_build builds[2];
};

/* The nth of all builds that this host can run, of all engines, the tests' own one last (toy_engine.h). False: there
 * are no more. Without `native`, which takes some 30 ms for each new program: see guest_run_native and native_test.c.
 */
bool guest_engine(unsigned n, struct guest_engine *e);

/* The same, and `native` behind them. */
bool guest_any_engine(unsigned n, struct guest_engine *e);

/* A number that tells states of a warp apart: all of it but the flags and lanes that do not exist. */
uint64_t guest_digest(const struct warp *w);

/* Runs an array of tests once for each of these builds, which all machines of guest_open then have; the value of main.
 * Behind <cmocka.h>. */
#define guest_run_tests(tests) guest_run_group(#tests, tests, sizeof(tests) / sizeof *(tests))
struct CMUnitTest;
int guest_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* Once on `native`, which translates every program before it runs: for tests of few programs. 0 where there is none. */
#define guest_run_tests_native(tests) guest_run_native(#tests, tests, sizeof(tests) / sizeof *(tests))
int guest_run_native(const char *name, const struct CMUnitTest *tests, size_t count);

/* Is this that run? A test of many programs takes a part of them there. */
bool guest_translates(void);

/* The first warp of the oldest group of an SM that can run, for schedulers; NULL: there is none. */
struct warp *guest_oldest_ready(struct group *groups);

/* A pseudo-random sequence, the same every time. */
uint32_t guest_random(void);

#endif
