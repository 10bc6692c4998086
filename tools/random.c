/* ventus random: random programs in assembly, for tests of a design (docs/coverage.md). Where counts of what has been
 * exercised are given, it prefers instructions of which more is missing. This file has the command and the structure of
 * programs; random_rows.c has the instructions.
 *
 * Programs have one result on all machines with as many lanes in a warp (branches depend on the lane's number), in
 * whatever order they run warps and the paths of a branch: registers and memory are written before they are read, each
 * work-item has 512 bytes of the buffer to itself or to its warp, and divergent code leaves nothing that other paths
 * see. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "sim/output.h"
#include "tool.h"
#include "tools/coverage_file.h"
#include "tools/random.h"

enum { FLAG_SEED, FLAG_LENGTH, FLAG_PROFILE, FLAG_LANES, FLAG_MISSING, FLAG_WITHOUT, FLAG_LEFT_OUT, FLAG_OUTPUT };
static const struct flag flags[] = {
    {"seed", 's', "N", "another program for each N; default: 1"},
    {"length", 'n', "N", "statements, 1 to 10000; default: 100"},
    {"profile", 'p', "P", "instruction set; default: that of --missing, else default"},
    {"lanes", 'l', "N", "lanes of a warp, which matrices depend on: 4, 8, 16 or 32; default: 32"},
    {"missing", 'm', "FILE", "counts of ventus coverage --json: prefer what is missing there"},
    {"without", 'w', "NAMES",
     "leave instructions out that the design does not have: names with * and ?,\nwith commas between them; "
     "rounding: rounding modes of instructions"},
    {"left-out", 0, NULL, "no program: print the instructions that programs do not have, and why"},
    {"output", 'o', "FILE", "default: standard output"},
    {0},
};

enum { DEPTH = 3 /* branches and loops within one another */ };

#define below random_below
#define line  random_line

/* ---- which instructions ---- */

static bool is_of_profile(const struct writer *w, enum isa_op op)
{
    return isa_table[op].revisions & w->profile && isa_find_in(w->profile, isa_table[op].name) == op;
}

/* Those that a name means; there has to be one. */
static void leave_out(struct writer *w, const struct args *args, const char *name)
{
    const bool is_rounding = !strcmp(name, "rounding");
    bool found = is_rounding;
    w->rounds_dynamically |= is_rounding;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (fnmatch(name, isa_table[op].name, 0)) continue;
        found = true;
        w->without[op] = true;
    }
    if (!found) usage_error(args, "--without: no instruction is called '%s'", name);
}

/* What comes together with others is left out with them. */
static void leave_rest_out(struct writer *w)
{
    static const char *const pairs[][2] = {{"lr.w", "sc.w"}, {"lr.d", "sc.d"}, {"vsrt.w", "vlrt.w"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool *one = &w->without[isa_find_in(w->profile, pairs[i][0])];
        bool *other = &w->without[isa_find_in(w->profile, pairs[i][1])];
        *one = *other = *one || *other;
    }
    w->without[OP_CP_DMA_MBARRIER] |= w->without[OP_FENCE];
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (isa_table[op].kind == KIND_DMA) w->without[op] |= w->without[OP_CP_DMA_MBARRIER];
}

static void leave_all_out(struct writer *w, const struct args *args)
{
    char name[64];
    for (const char *at = args->value, *comma; at; at = comma ? comma + 1 : NULL) {
        comma = strchr(at, ',');
        const size_t n = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name, at);
        leave_out(w, args, name);
    }
}

static const char *why_not(const struct writer *w, enum isa_op op)
{
    return w->without[op] ? "--without" : random_left_out(op, w->lanes);
}

/* Can programs have this situation of the instruction? */
static bool can_have(enum isa_op op, enum coverage_bin bin)
{
    switch (bin) {
    case BIN_lanes_one:
    case BIN_lanes_adjacent:
    case BIN_lanes_scattered:
    case BIN_depth_one:
    case BIN_depth_nested: return !random_is_convergent(op) && coverage_can(op, bin);
    default: return coverage_can(op, bin);
    }
}

enum { NEVER = 100 };

/* Each by itself once, and once more for each thing that is missing of it; first of all those that are missing. */
static void weigh(struct writer *w)
{
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!is_of_profile(w, (enum isa_op)op) || !random_is_row((enum isa_op)op)) continue;
        if (why_not(w, (enum isa_op)op)) continue;
        w->weight[op] = 1;
        for (unsigned b = 0; w->missing && b < COVERAGE_BINS; b++)
            w->weight[op] += can_have((enum isa_op)op, (enum coverage_bin)b) && !w->missing->bins[op][b];
        if (w->missing && !w->missing->executed[op]) w->weight[op] += NEVER;
        w->total += w->weight[op];
    }
}

static enum isa_op any_op(struct writer *w)
{
    uint32_t at = below(w, w->total);
    unsigned op = 1;
    while (at >= w->weight[op]) at -= w->weight[op++];
    return (enum isa_op)op;
}

static void print_left_out(const struct writer *w, FILE *out)
{
    unsigned made = 0, all = 0;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!is_of_profile(w, (enum isa_op)op) || isa_table[op].kind == KIND_PREFIX) continue;
        const char *why = why_not(w, (enum isa_op)op);
        all++;
        made += !why;
        if (why) fprintf(out, "%-16s %s\n", isa_table[op].name, why);
    }
    fprintf(out, "%u of the %u instructions of %s\n", made, all, isa_profile_name(w->profile));
}

/* v0 as a mask: nothing, everything, or what comes. */
static void put_mask(struct writer *w)
{
    static const char *const masks[] = {"0", "-1", "0x5a", "1", "0xff00"};
    if (below(w, 3)) line(w, "vmslt.vi v0, v%d, %d", V_SMALL, (int)below(w, 8));
    else line(w, "li x%d, %s\n        vmv.v.x v0, x%d", X_TEMP, masks[below(w, 5)], X_TEMP);
}

/* ---- control ---- */

static void put_block(struct writer *w, unsigned statements, unsigned depth);

/* A vector branch of lanes, by their number or by small numbers that they hold; one of the paths may be empty. */
static void put_branch(struct writer *w, unsigned depth)
{
    static const char *const branches[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    const unsigned n = w->labels++;
    const int offset = (int)below(w, 3) * 8 - 8;
    line(w, "la x%d, meet%u", X_TEMP, n);
    line(w, "addi x%d, x%d, %d", X_TEMP, X_TEMP, -offset);
    line(w, "setrpc x%d, x%d, %d", below(w, 2) ? X_UNUSED : 0, X_TEMP, offset);
    line(w, "li x%d, %u", X_TEMP + 1, below(w, 9));
    line(w, "vmv.v.x v%d, x%d", V_TEMP, X_TEMP + 1);
    w->branches++;
    line(w, "%s v%u, v%d, less%u", branches[below(w, 6)], V_LANE + below(w, 2), V_TEMP, n);
    if (below(w, 3)) put_block(w, 1 + below(w, 4), depth + 1);
    fprintf(w->out, "        j meet%u\nless%u:\n", n, n);
    put_block(w, 1 + below(w, 4), depth + 1);
    fprintf(w->out, "meet%u: join\n", n);
    w->branches--;
}

/* A branch of the whole warp over a few statements, or backward, as long as a loop counts. */
static void put_skip(struct writer *w, unsigned depth)
{
    static const char *const branches[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
    const unsigned n = w->labels++;
    line(w, "%s x%u, x%u, skip%u", branches[below(w, 6)], below(w, 8) ? X_FIRST + below(w, X_COUNT) : 0,
         X_FIRST + below(w, X_COUNT), n);
    put_block(w, 1 + below(w, 2), depth + 1);
    fprintf(w->out, "skip%u:\n", n);
}

static void put_loop(struct writer *w, unsigned depth)
{
    static const char *const back[] = {"bne x%u, x0", "blt x0, x%u", "bltu x0, x%u", "bge x%u, x21", "bgeu x%u, x21"};
    const unsigned n = w->labels++, counter = X_LOOP + depth;
    line(w, "li x%u, %u", counter, 1 + below(w, 3));
    fprintf(w->out, "loop%u:\n", n);
    put_block(w, 1 + below(w, 4), depth + 1);
    line(w, "addi x%u, x%u, -1", counter, counter);
    line(w, "li x%d, 1", X_TEMP);
    fputs("        ", w->out);
    fprintf(w->out, back[below(w, 5)], counter);
    fprintf(w->out, ", loop%u\n", n);
}

/* In divergent code there may be none that can stand there. */
static void put_row(struct writer *w)
{
    enum { TRIES = 100 }; /* a program may be one instruction shorter */
    for (unsigned i = 0; i < TRIES && !random_row(w, any_op(w)); i++) {
    }
}

static void put_statement(struct writer *w, unsigned depth)
{
    const uint32_t what = below(w, 16);
    if (what == 0 && depth < DEPTH) put_branch(w, depth);
    else if (what == 1 && depth < DEPTH) put_loop(w, depth);
    else if (what == 2 && depth < DEPTH) put_skip(w, depth);
    else if (what == 3 && !depth) line(w, "barrier %u", below(w, 8));
    else if (what == 4 && !w->branches) put_mask(w);
    else put_row(w);
}

static void put_block(struct writer *w, unsigned statements, unsigned depth)
{
    for (; statements && w->left; statements--) {
        w->left--;
        put_statement(w, depth);
    }
}

/* ---- the program ---- */

/* Zeros into the parts of local and private memory that are used. */
static void put_local(struct writer *w)
{
    for (int i = 0; i < WARP_BYTES; i += 4) line(w, "sw x0, %d(x2)\n        sw x0, %d(x2)", i, STACK_SINK + i);
    for (int i = 0; i < 16; i += 4) line(w, "sw x0, %d(x2)", STACK_COPIES + i);
    line(w, "addi x%d, x2, %d", X_TEMP, STACK_LANES);
    line(w, "vsll.vi v%d, v%d, 3", V_LOCAL, V_LANE);
    line(w, "vadd.vx v%d, v%d, x%d", V_LOCAL, V_LOCAL, X_TEMP);
    for (int i = 0; i < STACK_LANE_BYTES; i += 4) line(w, "vsw12.v v%d, %d(v%d)", V_LANE, i, V_LOCAL);
    const char *store = isa_find_in(w->profile, "vsw.v") != OP_INVALID           ? "vsw.v"
                        : isa_find_in(w->profile, "vsw_private.v") != OP_INVALID ? "vsw_private.v"
                                                                                 : NULL;
    line(w, "vmv.v.i v%d, 0", V_TEMP);
    for (int i = 0; store && i < 32; i += 4) line(w, "%s v%d, %d(v%d)", store, V_LANE, i, V_TEMP);
}

static void put_start(struct writer *w)
{
    fprintf(w->out,
            "        .kernel random\n        .arg    global, data            # %d bytes of each work-item\n\n"
            "random: lw      x20, 0(x10)\n        csrr    x21, CSR_KNL\n        lw      x21, 24(x21)\n"
            "        csrr    x22, CSR_GIDX\n        mul     x21, x21, x22\n        csrr    x22, CSR_TID\n"
            "        add     x21, x21, x22\n        slli    x21, x21, 9\n        add     x26, x20, x21\n"
            "        vid.v   v14\n        vsll.vi v13, v14, 9\n        vadd.vx v13, v13, x26\n"
            "        vand.vi v15, v14, 7\n        vmv.v.i v0, -1\n",
            ITEM_BYTES);
    put_local(w);
    for (unsigned i = 0; i < X_COUNT; i++)
        line(w, "li x%u, %d", X_FIRST + i,
             below(w, 3) ? (int)below(w, 64) - 32 : (int)(below(w, 1u << 31) * 2 + below(w, 2)));
    for (unsigned i = 0; i < LOW_COUNT; i++) line(w, "vlw12.v v%u, %u(v13)", 1 + i, 4 * i);
    for (unsigned i = 0; i < HIGH_COUNT; i++) line(w, "vmul.vx v%u, v%u, x%u", HIGH_FIRST + i, 1 + i, X_FIRST + i);
}

/* All registers that hold anything go into memory: vector registers by themselves, scalar ones as those of all lanes.
 */
static void put_end(struct writer *w)
{
    for (unsigned i = 0; i < LOW_COUNT; i++) line(w, "vsw12.v v%u, %u(v13)", 1 + i, RESULTS + 4 * i);
    for (unsigned i = 0; i < HIGH_COUNT; i++)
        line(w, "vadd.vi v16, v%u, 0\n        vsw12.v v16, %u(v13)", HIGH_FIRST + i, RESULTS + 48 + 4 * i);
    for (unsigned i = 0; i < X_COUNT; i++)
        line(w, "vmv.v.x v16, x%u\n        vsw12.v v16, %u(v13)", X_FIRST + i, RESULTS + 80 + 4 * i);
    line(w, "ret");
}

static void put_program(struct writer *w, unsigned seed, unsigned length)
{
    fprintf(w->out, "# ventus random --seed %u --length %u --profile %s --lanes %u\n        .option profile, %s\n",
            seed, length, isa_profile_name(w->profile), w->lanes, isa_profile_name(w->profile));
    put_start(w);
    w->left = length;
    while (w->left) put_block(w, w->left, 0);
    put_end(w);
}

static unsigned lanes_arg(struct args *args)
{
    const unsigned lanes = (unsigned)number_arg(args, "--lanes", args->value, 4, ISA_LANES);
    if (lanes & (lanes - 1)) usage_error(args, "--lanes: %u is not 4, 8, 16 or 32", lanes);
    return lanes;
}

int cmd_random(int argc, char **argv)
{
    struct args args = {
        .command = "random",
        .usage = "[--seed N] [--length N] [--profile P] [--lanes N] [--missing FILE] [--without NAMES] [-o FILE] | "
                 "--left-out",
        .about = "Writes a random program in assembly for tests of a design: for one buffer of 512 bytes for each\n"
                 "work-item, in work-groups of whole warps. It has one result on all machines with as many lanes.\n"
                 "docs/coverage.md",
        .flags = flags,
        .argc = argc,
        .argv = argv,
        .at = 1};
    struct coverage *missing = allocate(sizeof *missing);
    struct writer w = {.last_x = X_FIRST, .last_v = 1, .profile = PROFILE_DEFAULT, .lanes = ISA_LANES};
    unsigned seed = 1, length = 100;
    const char *output = "-", *profile = NULL;
    bool left_out = false;
    char why[300];
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_SEED) seed = (unsigned)number_arg(&args, "--seed", args.value, 0, UINT32_MAX);
        else if (flag == FLAG_LENGTH) length = (unsigned)number_arg(&args, "--length", args.value, 1, 10000);
        else if (flag == FLAG_PROFILE) profile = args.value;
        else if (flag == FLAG_LANES) w.lanes = lanes_arg(&args);
        else if (flag == FLAG_OUTPUT) output = args.value;
        else if (flag == FLAG_LEFT_OUT) left_out = true;
        else if (flag == FLAG_WITHOUT) leave_all_out(&w, &args);
        else if (flag == FLAG_MISSING) coverage_add_file(missing, args.value, !w.missing), w.missing = missing;
        else usage_error(&args, "unexpected argument '%s'", args.value);
    }
    if (w.missing) w.profile = missing->profile;
    if (profile) w.profile = profile_arg(&args, profile);
    if (w.missing && w.profile != missing->profile)
        usage_error(&args, "the counts are of profile %s", isa_profile_name(missing->profile));
    leave_rest_out(&w);
    w.state = seed * 2654435769u + 12345;
    weigh(&w);
    if (!w.total) usage_error(&args, "--without: no instruction is left");
    w.out = output_open(output, why, sizeof why);
    if (!w.out) die("%s", why);
    if (left_out) print_left_out(&w, w.out);
    else put_program(&w, seed, length);
    if (!output_close(w.out, output, why, sizeof why)) die("%s", why);
    free(missing);
    return EXIT_OK;
}
