/* What the rows of the instruction table do, as functions that the translator inlines (translate.c): compiled by clang
 * to LLVM bitcode, once for each host level, with CHUNK_WORDS words of a vector register at a time.
 *
 * The meaning is the row's expression, as in sim/lanes.c. Floating point rounds to nearest: translated code runs in
 * that mode only. NaNs stay as the host makes them, until somebody can see which they are (`canonical`). A row that
 * needs a function of the C library on this level is not used (flow.c asks `step`). Integer division goes through
 * double, which is exact for 32 bits and has vector instructions. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* For hosts without the instruction: the product is exact in double, the sum is rounded to odd there, so that rounding
 * it again to float is right (the error of the sum says whether it is exact and on which side it is). */
static inline __attribute__((always_inline, unused)) float fma_in_double(float a, float b, float c)
{
    double p = (double)a * b, sum = p + c, t = sum - p, error = (p - (sum - t)) + (c - t);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    uint64_t inexact = (error < 0) | (error > 0), away = (error < 0) == (sum < 0);
    bits += ~bits & inexact ? (away ? 1 : ~0ull) : 0;
    memcpy(&sum, &bits, sizeof bits);
    return (float)sum;
}
#ifndef __FMA__
#define fmaf fma_in_double
#endif

#define LANE_DIVIDE
#define LANE_RAW_NAN
#ifdef __F16C__
#define LANE_HALVES
#endif
#ifdef __AVX512FP16__
#define LANE_HALF_ARITHMETIC
#endif
#include "sim/lane.h"
#include "native/native.h"
#include "sim/next.h"
#include "sim/reserve.h"
#include "sim/rows.h"
#include "native/stretch.h"
#include "translator/nest_table.h"

typedef uint32_t chunk __attribute__((vector_size(4 * CHUNK_WORDS)));

#define CHUNK_LOOP \
    _Pragma("clang loop vectorize(enable) vectorize_width(CHUNK_WORDS) interleave_count(1) unroll(disable)") for ( \
        uint32_t i = 0; i < CHUNK_WORDS; i++)

/* ---- vector registers ---- */

/* One number is not divided as lanes are: in a function's body these names hide those of sim/lane.h. */
#define DIVIDE_ONE \
    word (*const div_u)(word, word) = one_div_u, (*const rem_u)(word, word) = one_rem_u; \
    word (*const div_s)(word, word) = one_div_s, (*const rem_s)(word, word) = one_rem_s; \
    (void)div_u, (void)rem_u, (void)div_s, (void)rem_s

/* One lane's word (single_lane.c). */
#define ALONE(id, expr) \
    uint32_t single_##id(uint32_t vs2, uint32_t vs1, uint32_t vd, uint32_t rs1, uint32_t imm, uint32_t lane) \
    { \
        const uint32_t mask_bit = 0; \
        DIVIDE_ONE; \
        (void)vs2, (void)vs1, (void)vd, (void)rs1, (void)imm, (void)lane, (void)mask_bit; \
        return (uint32_t)(expr); \
    }

/* `lane0` is the number of the chunk's first lane, `v0` the word whose bits are the mask. */
#define CHUNK(id, expr) \
    ALONE(id, expr) \
    ROW_CHOOSE(HALVES_##id, CHUNK_OF_WORDS, ~)(id, expr)
#define CHUNK_OF_WORDS(id, expr) \
    chunk row_##id(chunk p2, chunk p1, chunk pd, uint32_t rs1, uint32_t imm, uint32_t v0, uint32_t lane0) \
    { \
        uint32_t a2[CHUNK_WORDS], a1[CHUNK_WORDS], ad[CHUNK_WORDS], out[CHUNK_WORDS]; \
        memcpy(a2, &p2, sizeof a2), memcpy(a1, &p1, sizeof a1), memcpy(ad, &pd, sizeof ad); \
        CHUNK_LOOP \
        { \
            const uint32_t vs2 = a2[i], vs1 = a1[i], vd = ad[i], lane = lane0 + i, mask_bit = v0 >> lane & 1; \
            (void)vs2, (void)vs1, (void)vd, (void)rs1, (void)imm, (void)mask_bit; \
            out[i] = (uint32_t)(expr); \
        } \
        memcpy(&pd, out, sizeof out); \
        return pd; \
    }

/* Rows on the two halves of each word, where the host computes with halves: on all of a chunk at once. */
#ifdef LANE_HALF_ARITHMETIC
typedef _Float16 halves __attribute__((vector_size(4 * CHUNK_WORDS)));
typedef uint16_t half_bits __attribute__((vector_size(4 * CHUNK_WORDS)));

#define HALVES_VADD_F16X2 ~, CHUNK_OF_HALVES
#define HALVES_VMUL_F16X2 ~, CHUNK_OF_HALVES
#define HALVES_VFMA_F16X2 ~, CHUNK_OF_HALVES

#define OF_HALVES static inline __attribute__((always_inline, overloadable)) halves
OF_HALVES f16x2_add(halves a, halves b) { return a + b; }
OF_HALVES f16x2_mul(halves a, halves b) { return a * b; }
OF_HALVES f16x2_fma(halves a, halves b, halves c) { return __builtin_elementwise_fma(a, b, c); }

#define CHUNK_OF_HALVES(id, expr) \
    chunk row_##id(chunk p2, chunk p1, chunk pd, uint32_t rs1, uint32_t imm, uint32_t v0, uint32_t lane0) \
    { \
        const halves vs2 = (halves)p2, vs1 = (halves)p1, vd = (halves)pd, value = (expr); \
        const half_bits number = (half_bits)(value == value); \
        (void)vd, (void)rs1, (void)imm, (void)v0, (void)lane0; \
        return (chunk)(((half_bits)value & number) | (~number & H_NAN)); \
    }
#endif

/* ---- scalar registers ---- */

#define SCALAR(id, expr) \
    uint32_t row_##id(uint32_t rs1, uint32_t rs2, uint32_t rs3, uint32_t imm, uint32_t aux, uint32_t pc) \
    { \
        DIVIDE_ONE; \
        (void)rs1, (void)rs2, (void)rs3, (void)imm, (void)aux, (void)pc; \
        return (uint32_t)(expr); \
    }

/* A lane's value, for a scalar register. */
#define LAST(id, expr) \
    uint32_t row_##id(uint32_t vs2, uint32_t rs2, uint32_t rs3, uint32_t imm, uint32_t aux, uint32_t pc) \
    { \
        (void)rs2, (void)rs3, (void)imm, (void)aux, (void)pc; \
        return (uint32_t)(expr); \
    }

/* What mstatus holds behind an instruction that changes control registers. */
#define MSTATUS(id, expr) \
    uint32_t row_##id(uint32_t rs1, uint32_t old, uint32_t rs3, uint32_t imm, uint32_t aux, uint32_t pc) \
    { \
        (void)rs1, (void)old, (void)rs3, (void)imm, (void)aux, (void)pc; \
        return csr_mstatus((uint32_t)(expr)); \
    }

/* ---- atomic operations: of each lane of `lanes`, some, ascending; rare enough to keep the caller's registers ---- */

#define COLD __attribute__((preserve_all, noinline))

/* `own`: only this thread accesses the words. Otherwise adjacent lanes with the same address combine their changes to
 * one atomic operation of the host. */
#define ATOMIC(id, expr) \
    COLD void row_##id(uint8_t *mem, const uint32_t *addr, const uint32_t *operand, uint32_t *out, uint32_t lanes, \
                       uint32_t own) \
    { \
        for (; own && lanes; lanes &= lanes - 1) { \
            const uint32_t lane = (uint32_t)__builtin_ctz(lanes), s = operand[lane]; \
            uint32_t *p = (uint32_t *)(mem + addr[lane]); \
            const uint32_t t = out[lane] = *p; \
            *p = (uint32_t)(expr); \
        } \
        while (lanes) { \
            const uint32_t at = addr[__builtin_ctz(lanes)]; \
            uint32_t *p = (uint32_t *)(mem + at), old = __atomic_load_n(p, __ATOMIC_RELAXED), left, t; \
            do { \
                t = old, left = lanes; \
                do { \
                    const uint32_t lane = (uint32_t)__builtin_ctz(left), s = operand[lane]; \
                    out[lane] = t; \
                    t = (uint32_t)(expr); \
                    left &= left - 1; \
                } while (left && addr[__builtin_ctz(left)] == at); \
            } while (!__atomic_compare_exchange_n(p, &old, t, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
            lanes = left; \
        } \
    }

/* Loads the lanes' words. A gather is faster than many loads; inactive lanes then load an active one's word. Its
 * indices are signed, so they are relative to the middle of memory. */
static inline void load_words(const uint8_t *mem, const uint32_t *addr, uint32_t *out, uint32_t lanes)
{
#ifdef __AVX2__
    enum { FEW = 8 }; /* a guess */
    if (__builtin_popcount(lanes) > FEW) {
        const uint32_t half = 1u << 31, any = addr[__builtin_ctz(lanes)];
        RESERVE_LANES out[lane] = any ^ half ^ ((addr[lane] ^ any) & (0u - (lanes >> lane & 1)));
        for (__m256i *at = (__m256i *)out; at < (__m256i *)out + ISA_LANES / 8; at++)
            *at = _mm256_i32gather_epi32((const int *)(mem + half), *at, 1);
        return;
    }
#endif
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        out[lane] = __atomic_load_n((uint32_t *)(mem + addr[lane]), __ATOMIC_SEQ_CST);
    }
}

/* lr.w: loads the words to `out`. */
COLD void reserve(struct sm *sm, const uint32_t *addr, uint32_t *out, uint32_t lanes)
{
    if (lanes && !bits_that_differ(addr, lanes)) {
        const uint32_t word = __atomic_load_n((uint32_t *)(sm->mem + addr[__builtin_ctz(lanes)]), __ATOMIC_SEQ_CST);
        RESERVE_LANES out[lane] = word;
    } else {
        load_words(sm->mem, addr, out, lanes);
    }
    reserve_lanes(sm->reservations, sm->warp, lanes, addr, out);
}

/* May all pages from `first` to `last` be written? */
static inline bool may_write_pages(const uint8_t *pages, uint32_t first, uint32_t last)
{
    const uint64_t each = 0x0101010101010101u * GPU_WRITE;
    uint64_t allowed = each, eight;
    if (last - first < 8) {
        while (first < last && pages[first] & GPU_WRITE) first++;
        return pages[first] & GPU_WRITE;
    }
    for (; first + 8 <= last; first += 8) {
        memcpy(&eight, pages + first, 8);
        allowed &= eight;
    }
    memcpy(&eight, pages + last - 7, 8);
    return (allowed & eight & each) == each;
}

/* May all these words be written? The host's protection only catches the words that are. Usually all are in one buffer:
 * if it is small, its pages are tested instead of each lane's. */
static inline bool may_write(const struct gpu *gpu, const uint32_t *addr, uint32_t lanes)
{
    enum { SPAN = 256 }; /* pages, 256 bytes of gpu->pages; a guess */
    uint32_t low = ~0u, high = 0, allowed = GPU_WRITE;
    RESERVE_LANES
    {
        const uint32_t rests = (lanes >> lane & 1) - 1, at = addr[lane];
        low = (at | rests) < low ? at | rests : low;
        high = (at & ~rests) > high ? at & ~rests : high;
    }
    low >>= PAGE_BITS, high >>= PAGE_BITS;
    if (high - low < SPAN && may_write_pages(gpu->pages, low, high)) return true;
    for (; lanes; lanes &= lanes - 1) allowed &= gpu->pages[addr[__builtin_ctz(lanes)] >> PAGE_BITS];
    return allowed & GPU_WRITE;
}

/* sc.w: `out` is 0 where it has stored, 1 where not. Returns the lanes at whose words other warps may have a
 * reservation, which ends; or RESERVED_ODD: nothing has happened, the instruction is one for `step`. */
COLD uint64_t store_reserved(struct sm *sm, const uint32_t *addr, const uint32_t *value, uint32_t *out, uint32_t lanes,
                             uint32_t own)
{
    if (lanes && !may_write(sm->gpu, addr, lanes)) return RESERVED_ODD;
    return reserve_store(sm->reservations, sm->warp, sm->mem, lanes, addr, value, out, own);
}

/* words[n] becomes the number of words that more than n of `lanes` have. */
static inline uint32_t count_shares(const uint32_t *addr, uint32_t lanes, uint32_t words[ISA_LANES])
{
    uint32_t most = 0;
    RESERVE_LANES words[lane] = 0;
    while (lanes) {
        const uint32_t same = lanes & lanes_at(addr, addr[__builtin_ctz(lanes)]),
                       n = (uint32_t)__builtin_popcount(same);
        for (uint32_t i = 0; i < n; i++) words[i]++;
        most = n > most ? n : most;
        lanes &= ~same;
    }
    return most;
}

/* What rounds of a loop (translator/exchange_loop.c) would count for `lanes` that have failed, of those of `mask` that
 * its first round had: how many rounds there are, how many lanes they have in all, and how many the two joins of each
 * have together, 16 bits each. What they do to the SIMT stack is counted here. 0: there may be one for which the budget
 * or the stack is too small. */
COLD uint64_t plan_exchange(struct sm *sm, uint32_t lanes, uint32_t mask, uint32_t left, uint32_t need, uint32_t each,
                            uint32_t order)
{
    struct counters *c = &sm->warp->group->counters;
    uint32_t words[ISA_LANES], rounds = 0, depth = sm->warp->depth, deepest = 0, in_loop = 0, at_joins = 0;
    uint32_t run = (uint32_t)__builtin_popcount(mask), more = (uint32_t)__builtin_popcount(lanes);
    rounds = count_shares(sm->access.addr, lanes, words);
    if (left < need || (left - need) / each < rounds) return 0;
    for (uint32_t i = 0; i < rounds; i++) {
        const bool back_first = order == PATH_TAKEN_FIRST || (order == PATH_FEWER_FIRST && more <= run - more);
        deepest = depth + 2 > deepest ? depth + 2 : deepest;
        depth += back_first ? 2 : 1;
        in_loop += more, at_joins += run;
        run = more, more -= words[i];
    }
    if (deepest > SIMT_DEPTH) return 0;
    c->divergent += rounds;
    if (deepest > c->max_simt_depth) c->max_simt_depth = deepest;
    return rounds | in_loop << 16 | (uint64_t)at_joins << 32;
}

/* ---- lanes that run a loop one after the other (translator/load_loop.c) ---- */

/* A lane has left the loop behind so many rounds. */
void note_run(struct native_state *s, uint32_t rounds)
{
    s->run_ends[rounds]++;
    s->run_seen[rounds / 64] |= 1ull << rounds % 64;
}

/* The fewest rounds of any of these lanes; RUN_ROUNDS: there are none. */
static inline uint32_t next_run(struct native_state *s)
{
    uint32_t i = 0;
    while (i < RUN_ROUNDS / 64 && !s->run_seen[i]) i++;
    return i < RUN_ROUNDS / 64 ? i * 64 + (uint32_t)__builtin_ctzll(s->run_seen[i]) : RUN_ROUNDS;
}

/* No lane has left it. */
COLD void forget_runs(struct native_state *s)
{
    for (uint32_t i = 0; (i = next_run(s)) < RUN_ROUNDS;) {
        s->run_ends[i] = 0;
        s->run_seen[i / 64] &= s->run_seen[i / 64] - 1;
    }
}

/* What these rounds count: how many there are, how many lanes they have in all, behind how many lanes diverge, and how
 * many the two joins of each of these have together, 16 bits each. `run` lanes begin. What they do to the SIMT stack is
 * counted here. 0: it is too small. */
COLD uint64_t plan_load_loop(struct sm *sm, struct native_state *s, uint32_t run, uint32_t order)
{
    struct counters *c = &sm->warp->group->counters;
    uint32_t depth = sm->warp->depth, deepest = 0, rounds = 0, in_loop = 0, diverged = 0, at_joins = 0;
    for (uint32_t i = 0; run; i++) {
        uint64_t seen = s->run_seen[i];
        s->run_seen[i] = 0;
        for (; seen; seen &= seen - 1) {
            const uint32_t next = i * 64 + (uint32_t)__builtin_ctzll(seen), more = run - s->run_ends[next];
            in_loop += run * (next - rounds), rounds = next;
            s->run_ends[next] = 0;
            if (more) {
                deepest = depth + 2;
                depth += order == PATH_TAKEN_FIRST || (order == PATH_FEWER_FIRST && more <= run - more) ? 2 : 1;
                diverged++, at_joins += run;
            }
            run = more;
        }
    }
    if (deepest > SIMT_DEPTH) return 0;
    c->divergent += diverged;
    if (deepest > c->max_simt_depth) c->max_simt_depth = deepest;
    return rounds | in_loop << 16 | (uint64_t)diverged << 32 | (uint64_t)at_joins << 48;
}

/* ---- lanes that run a loop nest one after the other (translator/nest.c) ---- */

/* Volatile: of a loop of others clang makes a call of memcpy, which translated code cannot reach. */
typedef uint32_t eight_lanes __attribute__((vector_size(32), aligned(4)));

static void save_row(uint32_t *to, const uint32_t *from, uint32_t lanes)
{
    uint32_t k = 0;
    for (; k + 8 <= lanes; k += 8) *(volatile eight_lanes *)(to + k) = *(const eight_lanes *)(from + k);
    for (; k < lanes; k++) *(volatile uint32_t *)(to + k) = from[k];
}

/* Saves the private memory of the warp's lanes. 0: it is too large, or in a window whose writes are noted. */
COLD uint32_t nest_save(struct sm *sm, struct native_tried *tried)
{
    const struct group *g = sm->warp->group;
    const struct launch *l = g->launch;
    const uint32_t rows = l->pds_bytes / 4 + (l->pds_bytes % 4 != 0), stride = l->warps * l->threads_per_warp;
    const uint64_t from = g->pds_base, end = from + (uint64_t)rows * stride * 4;
    if (rows > NATIVE_SAVED || from < ABI_LOCAL_LIMIT || end > ABI_LAUNCH_BASE) return 0;
    tried->from = (uint32_t *)(sm->mem + from) + sm->warp->tid;
    tried->lanes = l->threads_per_warp, tried->stride = stride;
    for (uint32_t i = 0; i < rows; i++)
        save_row(tried->saved[i], tried->from + (size_t)i * stride, l->threads_per_warp);
    tried->rows = rows;
    return 1;
}

/* Goes through all records of lanes that began `depth` entries deep in the SIMT stack, from that of the first iteration
 * on (nest_count.c). */
typedef __attribute__((preserve_all)) void nest_sum_function(struct nest_sums *s, const uint64_t *first,
                                                             uint32_t depth);

/* Of a bit, in how many iterations some lane has it, and how many have it in all. */
static uint32_t nest_executed(const struct nest_sums *s, uint32_t bit) { return s->executed[bit / 8][bit % 8]; }
static uint32_t nest_lanes(const struct nest_sums *s, uint32_t bit) { return s->lanes[bit / 8][bit % 8]; }

/* The host's clock, in units of its own. */
static inline uint64_t nest_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* The warp goes on with vectors for a while, and longer each time; the first iterations are measured.
 * NEST_MEASURED = 16 took 2.6 times as long in one random kernel (bench/measurements.md); the others are guesses. */
enum { NEST_SHORTEST = 256, NEST_LONGEST = 1 << 15, NEST_MEASURED = 256, NEST_TRIED = 4, NEST_RUNS = 2048 };
static void nest_wait(struct native_nest *nest, uint32_t iterations)
{
    nest->wait = iterations, nest->until = iterations - NEST_MEASURED;
    nest->runs = 0;
    nest->vectors.ticks = nest->vectors.instructions = 0;
    nest->lanes.ticks = nest->lanes.instructions = 0;
}
void nest_give_up(struct native_nest *nest)
{
    const uint32_t period = nest->period == NEST_PAYS ? 0 : nest->period;
    nest->period = period < NEST_SHORTEST ? NEST_SHORTEST : period < NEST_LONGEST ? period * 4 : period;
    nest_wait(nest, nest->period);
}

/* The place was another nest's. */
COLD void nest_take_place(struct native_nest *nest, uint32_t owner) { *nest = (struct native_nest){.owner = owner}; }

/* Lanes or vectors begin. */
void nest_begin(struct native_nest *nest) { nest->began = nest_ticks(); }

/* Vectors have run so many iterations of the outermost loop. 0: they may not, and nothing is counted. */
uint32_t nest_masks_end(struct sm *sm, struct native_nest *nest, uint32_t iterations, uint32_t instructions,
                        uint32_t diverged, uint32_t deepest, uint32_t most)
{
    enum { LONG = 1 << 22 }; /* ticks, a millisecond or two: the host did something else meanwhile */
    struct counters *c = &sm->warp->group->counters;
    if (instructions > most || deepest > SIMT_DEPTH) return 0;
    c->divergent += diverged;
    if (deepest > c->max_simt_depth) c->max_simt_depth = deepest;
    if (nest->wait >= nest->until) {
        const uint64_t ticks = nest_ticks() - nest->began;
        if (ticks < LONG) nest->vectors.ticks += ticks, nest->vectors.instructions += instructions;
    }
    nest->wait = nest->wait < iterations ? 0 : nest->wait - iterations;
    return 1;
}

/* They have failed: for a while, longer each time, the warps go on with the SIMT stack. */
COLD void nest_masks_fail(struct native_nest *nest)
{
    enum { SHORTEST = 6, LONGEST = 14 }; /* 64 to 16384 beginnings: guesses */
    nest->failed = nest->failed < SHORTEST ? SHORTEST : nest->failed < LONGEST ? nest->failed + 2 : LONGEST;
    nest->stack = 1u << nest->failed;
}

/* Do so many instructions take less time than with vectors? They do as long as nothing is known of these. */
static bool nest_is_faster(const struct native_nest *nest, uint64_t ticks, uint64_t instructions)
{
    const double with_vectors = (double)nest->vectors.ticks * (double)instructions;
    return !nest->vectors.instructions || (double)ticks * (double)nest->vectors.instructions < with_vectors;
}

/* Behind the first NEST_FIRST of the lanes: may those that are left follow? Not if these have already executed more
 * than `most` instructions, or are far from paying: for all of them vectors are taken to execute up to four times as
 * many blocks as for those that have run. */
COLD uint32_t nest_may_follow(struct sm *sm, struct native_tried *tried, const struct nest_table *table,
                              nest_sum_function *sum, const struct native_nest *nest, uint32_t most)
{
    const uint64_t ticks = (nest_ticks() - nest->began) * (uint32_t)__builtin_popcount(tried->active) / NEST_FIRST;
    uint32_t instructions = 0;
    struct nest_sums s;
    if (nest->period == NEST_PAYS) return 1;
    sum(&s, tried->first, sm->warp->depth);
    for (uint32_t i = 0; i < table->nbits; i++)
        instructions += nest_executed(&s, i) * table->bit[i].counts[COUNT_INSTRUCTIONS];
    return instructions <= most && nest_is_faster(nest, ticks, 4ull * instructions);
}

static void nest_add(uint32_t *counts, const uint32_t *each, uint32_t times, uint32_t lanes)
{
    for (uint32_t i = 0; i < NATIVE_COUNTS; i++)
        counts[i] += i == COUNT_LANES ? each[COUNT_VECTOR] * lanes : each[i] * times;
}

/* Lanes have run so many instructions: whether they go on so, and whether vectors are to be measured. */
static void nest_decide(struct native_nest *nest, uint32_t instructions)
{
    nest->lanes.ticks += nest_ticks() - nest->began;
    nest->lanes.instructions += instructions;
    nest->runs++;
    const bool far = !nest_is_faster(nest, nest->lanes.ticks, 2 * nest->lanes.instructions);
    if (nest->runs < NEST_TRIED && nest->vectors.instructions && !far) return;
    if (!nest->vectors.instructions || !nest_is_faster(nest, nest->lanes.ticks, nest->lanes.instructions)) {
        nest_give_up(nest);
        return;
    }
    nest->period = NEST_PAYS;
    if (nest->runs >= NEST_RUNS) nest_wait(nest, NEST_MEASURED);
}

/* Counts all iterations in tried->counts and in the counters of the group. 0: they are more than `most` instructions,
 * or the SIMT stack is too small, and nothing is counted. */
COLD uint32_t nest_count(struct sm *sm, struct native_tried *tried, const struct nest_table *table,
                         nest_sum_function *sum, struct native_nest *nest, uint32_t most)
{
    struct counters *c = &sm->warp->group->counters;
    struct nest_sums s;
    uint32_t diverged = 0;
    sum(&s, tried->first, sm->warp->depth);
    for (uint32_t i = 0; i < NATIVE_COUNTS; i++) tried->counts[i] = 0;
    for (uint32_t i = 0; i < table->nbits; i++)
        if (nest_executed(&s, i))
            nest_add(tried->counts, table->bit[i].counts, nest_executed(&s, i), nest_lanes(&s, i));
    for (uint32_t i = 0; i < table->nbranches; i++) {
        nest_add(tried->counts, table->branch[i].join, 2 * s.diverged[i], 0); /* a join is no vector instruction */
        diverged += s.diverged[i];
    }
    if (tried->counts[COUNT_INSTRUCTIONS] > most || s.deepest > SIMT_DEPTH) return 0;
    c->divergent += diverged;
    if (s.deepest > c->max_simt_depth) c->max_simt_depth = s.deepest;
    nest_decide(nest, tried->counts[COUNT_INSTRUCTIONS]);
    return 1;
}

#define ROW_V       ~, CHUNK
#define ROW_VV      ~, CHUNK
#define ROW_VX      ~, CHUNK
#define ROW_VI      ~, CHUNK
#define ROW_V1I     ~, CHUNK
#define ROW_VBRANCH ~, CHUNK
#define ROW_V2X     ~, LAST
#define ROW_X       ~, SCALAR
#define ROW_BRANCH  ~, SCALAR
#define ROW_JAL     ~, SCALAR
#define ROW_JALR    ~, SCALAR
#define ROW_SETRPC  ~, SCALAR
#define ROW_CSR     ~, MSTATUS
#define ROW_AMO     ~, ATOMIC

#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) ROW(kind)(id, expr)
#include "isa/insn.def"

/* Conversions of scalar registers toward zero, which their rows are not (node_truncates). */
uint32_t truncated_int(uint32_t a) { return f_to_s_rtz(a); }
uint32_t truncated_uint(uint32_t a) { return f_to_u_rtz(a); }

/* ---- words of other lanes ---- */

/* vshuffle_down.raw on one chunk: the word of the lane so many further on, of the warp's chunks a to h; the own one
 * where the warp has no such lane. */
chunk shuffle(chunk a, chunk b, chunk c, chunk d, chunk e, chunk f, chunk g, chunk h, chunk own, chunk way,
              uint32_t lanes, uint32_t lane0)
{
    static const uint32_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    chunk from, is;
    memcpy(&from, numbers, sizeof from);
    from += way + lane0;
#ifdef __AVX512F__
    const __m512i found = _mm512_permutex2var_epi32((__m512i)a, (__m512i)from, (__m512i)b);
    is = (chunk)found;
    (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
#elif defined(__AVX2__)
#define OF_QUARTER(x, n) ((chunk)_mm256_permutevar8x32_epi32((__m256i)(x), (__m256i)from) & (chunk)(from >> 3 == (n)))
    is = OF_QUARTER(a, 0) | OF_QUARTER(b, 1) | OF_QUARTER(c, 2) | OF_QUARTER(d, 3);
    (void)e, (void)f, (void)g, (void)h;
#else
    const chunk all[] = {a, b, c, d, e, f, g, h};
    uint32_t words[ISA_LANES];
    memcpy(words, all, sizeof words);
    is = (chunk){words[from[0] % ISA_LANES], words[from[1] % ISA_LANES], words[from[2] % ISA_LANES],
                 words[from[3] % ISA_LANES]};
#endif
    const chunk has = -(chunk)((lanes + (chunk){0}) >> (from & 31) & 1) & (chunk)(from < ISA_LANES);
    return (is & has) | (own & ~has);
}

/* ---- routines of the library (isa/routine.h), by the host's arithmetic on doubles ---- */

typedef uint32_t pair __attribute__((vector_size(8 * CHUNK_WORDS))); /* the lower words of all, then the upper ones */

/* The two words of each lane as one number, and its words again. Shuffles, because LLVM drops those that undo each
 * other: between routines, and between them and loads and stores. */
#if CHUNK_WORDS == 16
#define EACH_LANE(index) EIGHT(index, 0), EIGHT(index, 8)
#elif CHUNK_WORDS == 8
#define EACH_LANE(index) EIGHT(index, 0)
#else
#define EACH_LANE(index) FOUR(index, 0)
#endif
#define TWO(index, i)      index(i), index(i + 1)
#define FOUR(index, i)     TWO(index, i), TWO(index, i + 2)
#define EIGHT(index, i)    FOUR(index, i), FOUR(index, i + 4)
#define BOTH_WORDS(i)      (i), (i) + CHUNK_WORDS
#define LOWER_WORD(i)      2 * (i)
#define UPPER_WORD(i)      2 * (i) + 1
#define JOINED(low, upper) __builtin_shufflevector(low, upper, EACH_LANE(BOTH_WORDS))
#define WORDS_OF(numbers)  __builtin_shufflevector(numbers, numbers, EACH_LANE(LOWER_WORD), EACH_LANE(UPPER_WORD))

#define D_NAN 0x7ff8000000000000ull
static inline __attribute__((always_inline)) uint64_t d_canon(double d) { return d == d ? d_bits(d) : D_NAN; }
static inline __attribute__((always_inline)) uint64_t d_from_float(uint32_t a)
{
    uint64_t sign = (uint64_t)(a >> 31) << 63, nan = ((uint64_t)(a & 0x7fffffffu) << 29) + (0x700ull << 52);
    return f_isnan(a) ? sign | nan : d_bits((double)f_of(a));
}
static inline __attribute__((always_inline)) uint32_t d_to_float(double d)
{
    return d == d ? f_bits((float)d) : (uint32_t)(d_bits(d) >> 63) << 31 | F_NAN;
}
/* NaNs stay as they are. */
static inline __attribute__((always_inline)) uint64_t d_rounded(double d, double r)
{
    return d == d ? d_bits(r) : d_bits(d);
}
/* Out of range is the nearest, NaN is 0. */
static inline __attribute__((always_inline)) uint32_t d_to_int(double d)
{
    double most = d > 0x1.fffffffcp+30 ? 0x1.fffffffcp+30 : d, in = most < -0x1p31 ? -0x1p31 : most;
    return d == d ? (uint32_t)(int32_t)in : 0;
}
static inline __attribute__((always_inline)) uint32_t d_compare(double x, double y)
{
    return (uint32_t)(x == y) | (uint32_t)(x > y) << 1 | (uint32_t)(x < y) << 2 | (uint32_t) !(x == x && y == y) << 3;
}

/* The one that comes first or the other one, if one of them is a number; zeros differ in their sign. Of two NaNs the
 * first. Where y is a constant, an instruction of the host is left. */
static inline __attribute__((always_inline)) uint64_t d_choose(double x, double y, int first, uint64_t equal)
{
    const double one = first ? x : y;
    const uint64_t number = ((x == y) & (y == 0)) ? equal : d_bits(one);
    return y == y ? number : d_bits(x);
}
/* Ties go away from 0. */
static inline __attribute__((always_inline, unused)) double d_round(double x)
{
    double whole = trunc(x);
    return copysign(fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole, x);
}
static inline __attribute__((always_inline)) uint64_t d_to_long(double d)
{
    uint64_t r = d >= 0x1p63 ? ~0ull >> 1 : d < -0x1p63 ? 1ull << 63 : (uint64_t)(int64_t)d;
    return d == d ? r : 0;
}
static inline __attribute__((always_inline)) uint64_t d_to_ulong(double d)
{
    return d >= 0x1p64 ? ~0ull : d > 0 ? (uint64_t)d : 0;
}

#define OPERANDS_b   chunk xl, chunk xh
#define OPERANDS_l   chunk xl, chunk xh
#define OPERANDS_w   chunk xl
#define OPERANDS_bb  OPERANDS_b, chunk yl, chunk yh
#define OPERANDS_bbb OPERANDS_bb, chunk zl, chunk zh

#define TAKE(type, n, vector) \
    type n##s[CHUNK_WORDS]; \
    const __typeof__(vector) n##v = vector; \
    memcpy(n##s, &n##v, sizeof n##s);
#define TAKE_b     TAKE(double, x, JOINED(xl, xh))
#define TAKE_l     TAKE(uint64_t, x, JOINED(xl, xh))
#define TAKE_w     TAKE(uint32_t, x, xl)
#define TAKE_bb    TAKE_b TAKE(double, y, JOINED(yl, yh))
#define TAKE_bbb   TAKE_bb TAKE(double, z, JOINED(zl, zh))
#define VALUES_b   const double x = xs[i];
#define VALUES_l   const uint64_t x = xs[i];
#define VALUES_w   const uint32_t x = xs[i];
#define VALUES_bb  VALUES_b const double y = ys[i];
#define VALUES_bbb VALUES_bb const double z = zs[i];

/* The same of one lane (nest.c), whose result is one number. */
#define ONE_LANE_b    uint32_t xl, uint32_t xh
#define ONE_LANE_l    uint32_t xl, uint32_t xh
#define ONE_LANE_w    uint32_t xl
#define ONE_LANE_bb   ONE_LANE_b, uint32_t yl, uint32_t yh
#define ONE_LANE_bbb  ONE_LANE_bb, uint32_t zl, uint32_t zh
#define BOTH(low, up) ((uint64_t)(up) << 32 | (low))
#define ONE_VALUE_b   const double x = d_of(BOTH(xl, xh));
#define ONE_VALUE_l   const uint64_t x = BOTH(xl, xh);
#define ONE_VALUE_w   const uint32_t x = xl;
#define ONE_VALUE_bb  ONE_VALUE_b const double y = d_of(BOTH(yl, yh));
#define ONE_VALUE_bbb ONE_VALUE_bb const double z = d_of(BOTH(zl, zh));
#define ALONE_ROUTINE(type, name, operands, expr) \
    type single_routine_##name(ONE_LANE_##operands) { ONE_VALUE_##operands return expr; }

#define TO_DOUBLE(name, operands, expr) \
    ALONE_ROUTINE(uint64_t, name, operands, expr) \
    pair routine_##name(OPERANDS_##operands) \
    { \
        TAKE_##operands uint64_t out[CHUNK_WORDS]; \
        pair result; \
        CHUNK_LOOP { VALUES_##operands out[i] = expr; } \
        memcpy(&result, out, sizeof result); \
        return WORDS_OF(result); \
    }
#define TO_WORD(name, operands, expr) \
    ALONE_ROUTINE(uint32_t, name, operands, expr) \
    chunk routine_##name(OPERANDS_##operands) \
    { \
        TAKE_##operands uint32_t out[CHUNK_WORDS]; \
        CHUNK_LOOP { VALUES_##operands out[i] = expr; } \
        memcpy(&xl, out, sizeof out); \
        return xl; \
    }

TO_DOUBLE(add, bb, d_canon(x + y))
TO_DOUBLE(mul, bb, d_canon(x *y))
TO_DOUBLE(div, bb, d_canon(x / y))
TO_DOUBLE(sqrt, b, d_canon(sqrt(x)))
TO_WORD(compare, bb, d_compare(x, y))
TO_WORD(to_int, b, d_to_int(x))
TO_DOUBLE(from_int, w, d_bits((double)(int32_t)x))
TO_DOUBLE(from_uint, w, d_bits((double)x))
TO_DOUBLE(from_float, w, d_from_float(x))
TO_WORD(to_float, b, d_to_float(x))
TO_DOUBLE(min, bb, d_choose(x, y, x < y, d_bits(x) | d_bits(y)))
TO_DOUBLE(max, bb, d_choose(x, y, x > y, d_bits(x) & d_bits(y)))
TO_DOUBLE(to_long, b, d_to_long(x))
TO_DOUBLE(to_ulong, b, d_to_ulong(x))
TO_DOUBLE(from_long, l, d_bits((double)(int64_t)x))
TO_DOUBLE(from_ulong, l, d_bits((double)x))
#ifdef __FMA__
TO_DOUBLE(fma, bbb, d_canon(fma(x, y, z)))
TO_DOUBLE(floor, b, d_rounded(x, floor(x)))
TO_DOUBLE(ceil, b, d_rounded(x, ceil(x)))
TO_DOUBLE(trunc, b, d_rounded(x, trunc(x)))
TO_DOUBLE(rint, b, d_rounded(x, rint(x)))
TO_DOUBLE(round, b, d_rounded(x, d_round(x)))
/* What is in front of the point is the lower half of the sum. */
TO_WORD(to_uint, b, (uint32_t)(x >= 0x1p32 ? ~0ull : x > 0 ? d_bits(floor(x) + 0x1p52) : 0))
#endif

typedef uint64_t longs __attribute__((vector_size(8 * CHUNK_WORDS)));

struct quotients {
    longs quotient, rest;
};

#ifdef __AVX512DQ__
typedef double doubles __attribute__((vector_size(8 * CHUNK_WORDS)));

/* In two steps, by reciprocals that are too small by more than all roundings: neither takes too much, the first leaves
 * less than 2^16 times y, the second less than twice. `bits` are those that y can have. */
static inline __attribute__((always_inline)) struct quotients l_divide(longs x, longs y, uint64_t bits)
{
    const longs by_zero = (longs)(y == 0) /* -1: yes */, by = __builtin_elementwise_max(y, (longs){0} + 1);
    const doubles reciprocal = (1 - 0x1p-50) / __builtin_convertvector(by, doubles);
    longs q = __builtin_convertvector(__builtin_convertvector(x, doubles) * reciprocal, longs), rest = x - q * by;
    const longs more = __builtin_convertvector(__builtin_convertvector(rest, doubles) * reciprocal, longs) & bits;
    rest -= more * by;
    const longs last = (longs)(rest >= by);
    return (struct quotients){(q + more - last) | by_zero, (rest - (by & last)) | (x & by_zero)};
}
#else
/* Lane by lane: without vectors of longs that multiply and convert, the host's instruction is faster. */
static inline __attribute__((always_inline)) struct quotients l_divide(longs x, longs y, uint64_t bits)
{
    (void)bits;
    const longs by_zero = (longs)(y == 0), quotient = x / (y - by_zero); /* -1: yes */
    return (struct quotients){quotient | by_zero, x - quotient * y};
}
#endif
static inline __attribute__((always_inline)) longs l_signed(longs negative, longs magnitude)
{
    return (magnitude ^ -negative) + negative;
}
static inline __attribute__((always_inline)) longs l_magnitude(longs x) { return l_signed(x >> 63, x); }

#define DIVISION(name, result) \
    pair routine_##name(OPERANDS_l, chunk yl, chunk yh) \
    { \
        const longs x = (longs)JOINED(xl, xh), y = (longs)JOINED(yl, yh); \
        return WORDS_OF((pair)(result)); \
    }
#define ANY        x, y, ~0ull
#define MAGNITUDES l_magnitude(x), l_magnitude(y), ~0ull
DIVISION(udiv64, l_divide(ANY).quotient)
DIVISION(urem64, l_divide(ANY).rest)
DIVISION(sdiv64, l_signed((x ^ y) >> 63, l_divide(MAGNITUDES).quotient) | (longs)(y == 0))
DIVISION(srem64, l_signed(x >> 63, l_divide(MAGNITUDES).rest))

#define BY_WORD(type, name, result) \
    type routine_##name(OPERANDS_l, chunk yl) \
    { \
        const longs x = (longs)JOINED(xl, xh), y = __builtin_convertvector(yl, longs); \
        return result; \
    }
#define UNSIGNED  l_divide(x, y, UINT32_MAX)
#define MAGNITUDE l_divide(l_magnitude(x), y, UINT32_MAX)
BY_WORD(pair, udiv_word, WORDS_OF((pair)UNSIGNED.quotient))
BY_WORD(chunk, urem_word, __builtin_convertvector(UNSIGNED.rest, chunk))
BY_WORD(pair, sdiv_word, WORDS_OF((pair)(l_signed(x >> 63, MAGNITUDE.quotient) | (longs)(y == 0))))
BY_WORD(pair, srem_word, WORDS_OF((pair)l_signed(x >> 63, MAGNITUDE.rest)))

#define DIVISION_ALONE(name, by_zero, result) \
    uint64_t single_routine_##name(ONE_LANE_l, uint32_t yl, uint32_t yh) \
    { \
        const uint64_t x = BOTH(xl, xh), y = BOTH(yl, yh); \
        return y ? (uint64_t)(result) : (by_zero); \
    }
DIVISION_ALONE(udiv64, ~0ull, x / y)
DIVISION_ALONE(urem64, x, x % y)
DIVISION_ALONE(sdiv64, ~0ull, y == ~0ull ? -x : (uint64_t)((int64_t)x / (int64_t)y))
DIVISION_ALONE(srem64, x, y == ~0ull ? 0 : (uint64_t)((int64_t)x % (int64_t)y))

#define BY_WORD_ALONE(type, name, by_zero, result) \
    type single_routine_##name(ONE_LANE_l, uint32_t y) \
    { \
        const uint64_t x = BOTH(xl, xh); \
        return y ? (type)(result) : (type)(by_zero); \
    }
BY_WORD_ALONE(uint64_t, udiv_word, ~0ull, x / y)
BY_WORD_ALONE(uint32_t, urem_word, x, x % y)
BY_WORD_ALONE(uint64_t, sdiv_word, ~0ull, (int64_t)x / (int64_t)y)
BY_WORD_ALONE(uint64_t, srem_word, x, (int64_t)x % (int64_t)y)

/* ---- the next warp ---- */

/* In code without barriers and instructions for `step` in its blocks, where the words of metadata block and arguments
 * that the translation has loaded are what they were: 1 if the stretch does not go on behind the warp; or if it goes on
 * with the next group. */
uint32_t is_stretch_over(const struct native_state *s, const struct group *g, const struct warp *w, uint32_t asks)
{
    return stretch_is_over(s, g, w, asks);
}
uint32_t next_group_in_stretch(const struct sm *sm, struct native_state *s, struct group *g, uint32_t done,
                               uint32_t asks)
{
    return stretch_next_group(sm, s, g, done, asks);
}

/* The last warp of a round of a stretch has come to a barrier, as all others: 1 when the group goes on behind it. */
uint32_t passes_round(const struct sm *sm, struct native_state *s, struct group *g, uint32_t done, uint32_t entry,
                      uint32_t pc)
{
    if (!group_keeps_sm(sm, s, done) || group_is_cancelled(g)) return 0;
    round_passes(s, g, entry, pc);
    return 1;
}

/* A warp has come to a barrier: 1 when it is alone in its group and goes on at once, with a new quantum, as it would if
 * the machine were asked. */
uint32_t passes_barrier(struct sm *sm, struct native_state *s, uint32_t done)
{
    if (!group_keeps_sm(sm, s, done) || sm->group->launch->warps > 1) return 0;
    sm->group->counters.barriers++;
    s->budget = done + s->barrier_budget;
    return 1;
}

/* Can METADATA_ARGS bytes be read there, and are stores to them watched? 1 then. */
uint32_t are_watched_arguments(const struct sm *sm, uint32_t args)
{
    const uint8_t *pages = sm->gpu->pages;
    const uint32_t last = args + METADATA_ARGS - 1;
    bool watched = args % 4 == 0 && args - WATCHED_BASE <= WATCHED_SIZE - METADATA_ARGS;
    return watched && pages[args >> PAGE_BITS] & pages[last >> PAGE_BITS] & GPU_READ;
}

/* ---- NaNs ---- */

uint32_t canonical_scalar(uint32_t a) { return f_of(a) != f_of(a) ? F_NAN : a; }

chunk canonical(chunk p)
{
    uint32_t a[CHUNK_WORDS];
    memcpy(a, &p, sizeof a);
    CHUNK_LOOP a[i] = f_of(a[i]) != f_of(a[i]) ? F_NAN : a[i];
    memcpy(&p, a, sizeof a);
    return p;
}

/* ---- bytes, by way of the words they are in: a gather has no smaller elements ---- */

#define BYTES(name, type) \
    chunk bytes_##name(chunk words, chunk addresses) \
    { \
        uint32_t w[CHUNK_WORDS], a[CHUNK_WORDS], out[CHUNK_WORDS]; \
        memcpy(w, &words, sizeof w), memcpy(a, &addresses, sizeof a); \
        CHUNK_LOOP out[i] = (uint32_t)(type)(w[i] >> ((a[i] & 3) * 8)); \
        memcpy(&words, out, sizeof out); \
        return words; \
    }
BYTES(u8, uint8_t)
BYTES(i8, int8_t)

/* ---- accesses whose addresses have no shape: of each lane of `lanes`, ascending ---- */

#define LOAD(name, type, sign) \
    COLD void load_##name(const uint8_t *mem, const uint32_t *base, uint32_t imm, uint32_t *out, uint32_t lanes) \
    { \
        for (; lanes; lanes &= lanes - 1) { \
            uint32_t lane = (uint32_t)__builtin_ctz(lanes); \
            type t; \
            memcpy(&t, mem + (uint32_t)(base[lane] + imm), sizeof t); \
            out[lane] = (uint32_t)(sign)t; \
        } \
    }
LOAD(i8, int8_t, int32_t)
LOAD(u8, uint8_t, uint32_t)
LOAD(i16, int16_t, int32_t)
LOAD(u16, uint16_t, uint32_t)
LOAD(u32, uint32_t, uint32_t)

/* If all lanes are active, a plain loop does. */
#define STORE(name, type) \
    static inline __attribute__((always_inline)) void put_##name(uint8_t *mem, uint32_t to, uint32_t word) \
    { \
        type t = (type)word; \
        memcpy(mem + to, &t, sizeof t); \
    } \
    COLD void store_##name(uint8_t *mem, const uint32_t *base, uint32_t imm, const uint32_t *data, uint32_t lanes) \
    { \
        uint32_t lane = 0; \
        for (; lanes == ~0u && lane < ISA_LANES; lane += 4) { \
            put_##name(mem, base[lane] + imm, data[lane]); \
            put_##name(mem, base[lane + 1] + imm, data[lane + 1]); \
            put_##name(mem, base[lane + 2] + imm, data[lane + 2]); \
            put_##name(mem, base[lane + 3] + imm, data[lane + 3]); \
        } \
        if (lane) return; \
        for (; lanes; lanes &= lanes - 1) { \
            lane = (uint32_t)__builtin_ctz(lanes); \
            put_##name(mem, base[lane] + imm, data[lane]); \
        } \
    }
STORE(u8, uint8_t)
STORE(u16, uint16_t)
STORE(u32, uint32_t)
