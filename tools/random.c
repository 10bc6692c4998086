/* ventus random: random programs in assembly, for tests of a design (docs/coverage.md). Where counts of what has been
 * exercised are given, it prefers instructions of which more is missing.
 *
 * Programs have one result on all machines with as many lanes in a warp (branches depend on the lane's number), in
 * whatever order they run warps and the paths of a branch: registers are written before they are read, each work-item
 * has 256 bytes of the buffer to itself, divergent code writes no scalar register but its own counters and not v0, and
 * there is no instruction whose result need not be rounded correctly.
 *
 * x12 to x19 and v1 to v12, v33 to v40 hold anything. v13 is where the work-item's bytes are, v14 its lane, v15 small
 * numbers; x20 the buffer, x21 and x22 are for the moment, x23 to x25 count loops. */
#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "sim/output.h"
#include "tool.h"
#include "tools/coverage_file.h"

enum { FLAG_SEED, FLAG_LENGTH, FLAG_PROFILE, FLAG_MISSING, FLAG_OUTPUT };
static const struct flag flags[] = {
    {"seed", 's', "N", "another program for each N; default: 1"},
    {"length", 'n', "N", "statements, 1 to 10000; default: 100"},
    {"profile", 'p', "P", "instruction set; default: that of --missing, else default"},
    {"missing", 'm', "FILE", "counts of ventus coverage --json: prefer what is missing there"},
    {"output", 'o', "FILE", "default: standard output"},
    {0},
};

enum {
    ITEM_BYTES = 256, /* of a work-item; the first half is for loads and stores, ... */
    RESULTS = 128,    /* ... the second for registers at the end */
    X_FIRST = 12,
    X_COUNT = 8,
    LOW_COUNT = 12, /* v1 on */
    HIGH_FIRST = 33,
    HIGH_COUNT = 8,
    DEPTH = 3, /* branches and loops within one another */
};

struct writer {
    FILE *out;
    uint64_t state;
    enum isa_profile profile;
    const struct coverage *missing; /* NULL: nothing is known */
    uint32_t weight[OP_COUNT], total;
    unsigned labels, left;   /* statements that are still to come */
    unsigned last_x, last_v; /* written last: hazards come of them */
    unsigned branches;       /* divergent ones around the place */
};

static uint32_t below(struct writer *w, uint32_t n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->state >> 33) % n;
}

static unsigned any_x(struct writer *w) { return below(w, 4) ? X_FIRST + below(w, X_COUNT) : w->last_x; }
static unsigned any_v(struct writer *w)
{
    if (!below(w, 4)) return w->last_v;
    return below(w, 5) ? 1 + below(w, LOW_COUNT) : HIGH_FIRST + below(w, HIGH_COUNT);
}

/* ---- instructions that compute ---- */

static bool is_arithmetic(const struct isa_desc *row)
{
    switch (row->kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX:
    case KIND_VI:
    case KIND_V1I: return row->unit != UNIT_SFU && row->unit != UNIT_TENSOR;
    default: return false;
    }
}

static bool fits(const struct writer *w, enum isa_op op)
{
    const struct isa_desc *row = &isa_table[op];
    const struct insn in = {.op = (uint16_t)op, .rd = 1, .rs1 = 1, .rs2 = 1, .rs3 = 1, .vm = 1, .rm = 7};
    return is_arithmetic(row) && row->revisions & w->profile && isa_find_in(w->profile, row->name) == op &&
           !isa_effects(&in, ISA_LANES).row_pairs;
}

/* Each by itself once, and once more for each thing that is missing of it. */
static void weigh(struct writer *w)
{
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!fits(w, (enum isa_op)op)) continue;
        w->weight[op] = 1;
        for (unsigned b = 0; w->missing && b < COVERAGE_BINS; b++)
            w->weight[op] += coverage_can((enum isa_op)op, (enum coverage_bin)b) && !w->missing->bins[op][b];
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

/* x0 now and then. */
static uint8_t any_register(struct writer *w, const struct isa_effects *e, unsigned role)
{
    if (e->vectors >> role & 1) return (uint8_t)any_v(w);
    return (uint8_t)(e->scalars >> role & 1 && below(w, 8) ? any_x(w) : 0);
}

static int32_t any_immediate(struct writer *w, const struct isa_desc *row)
{
    if (strchr(row->operands, 'U')) return (int32_t)(below(w, 1 << 20) << 12);
    const int32_t n = (int32_t)below(w, 16);
    const bool is_signed = strpbrk(row->operands, "ik") != NULL;
    return below(w, 4) == 0 ? 0 : is_signed && below(w, 2) ? -n : n;
}

/* With any operands. False: it has no code with these, or none that may stand here. */
static bool put_row(struct writer *w, enum isa_op op)
{
    char line[160];
    uint32_t words[ISA_MAX_WORDS];
    struct insn in = {.op = (uint16_t)op, .vm = 1, .rm = 7};
    const struct isa_effects e = isa_effects(&in, ISA_LANES);
    const bool to_x = e.writes & e.scalars & 1 << ROLE_RD, to_v = e.writes & e.vectors & 1 << ROLE_RD;
    if (to_x && w->branches) return false;
    in.rd = any_register(w, &e, ROLE_RD);
    in.rs1 = any_register(w, &e, ROLE_RS1);
    in.rs2 = any_register(w, &e, ROLE_RS2);
    in.rs3 = any_register(w, &e, ROLE_RS3);
    in.imm = isa_has(op, ROLE_IMM) ? any_immediate(w, &isa_table[op]) : 0;
    if (isa_has(op, ROLE_VM)) in.vm = below(w, 4) != 0;
    if (isa_has(op, ROLE_RM) && !below(w, 8)) in.rm = (uint8_t)below(w, 4);
    if (!isa_encode(&in, words, NULL)) return false;
    if (to_x && in.rd) w->last_x = in.rd;
    if (to_v) w->last_v = in.rd;
    isa_print(&in, 0, ISA_PRINT_NUMERIC, line, sizeof line);
    fprintf(w->out, "        %s\n", line);
    return true;
}

/* v0 as a mask: nothing, everything, or what comes. */
static void put_mask(struct writer *w)
{
    static const char *const masks[] = {"0", "-1", "0x5a", "1", "0xff00"};
    if (below(w, 3)) fprintf(w->out, "        vmslt.vi v0, v15, %d\n", (int)below(w, 8));
    else fprintf(w->out, "        li x21, %s\n        vmv.v.x v0, x21\n", masks[below(w, 5)]);
}

/* ---- memory, control ---- */

static void put_access(struct writer *w)
{
    static const struct {
        const char *name;
        uint32_t size;
    } accesses[] = {{"vlw12.v", 4},  {"vlh12.v", 2}, {"vlb12.v", 1}, {"vlhu12.v", 2},
                    {"vlbu12.v", 1}, {"vsw12.v", 4}, {"vsh12.v", 2}, {"vsb12.v", 1}};
    const uint32_t which = below(w, sizeof accesses / sizeof *accesses), size = accesses[which].size;
    fprintf(w->out, "        %s v%u, %u(v13)\n", accesses[which].name, 1 + below(w, LOW_COUNT),
            below(w, RESULTS / size) * size);
}

static void put_block(struct writer *w, unsigned statements, unsigned depth);

/* A vector branch of lanes, by their number or by small numbers that they hold; one of the paths may be empty. */
static void put_branch(struct writer *w, unsigned depth)
{
    static const char *const branches[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    const unsigned n = w->labels++;
    fprintf(w->out, "        la x21, meet%u\n        setrpc x0, x21, 0\n        li x22, %u\n        vmv.v.x v16, x22\n",
            n, below(w, 9));
    w->branches++;
    fprintf(w->out, "        %s v%u, v16, less%u\n", branches[below(w, 6)], 14 + below(w, 2), n);
    if (below(w, 3)) put_block(w, 1 + below(w, 4), depth + 1);
    fprintf(w->out, "        j meet%u\nless%u:\n", n, n);
    put_block(w, 1 + below(w, 4), depth + 1);
    fprintf(w->out, "meet%u: join\n", n);
    w->branches--;
}

static void put_loop(struct writer *w, unsigned depth)
{
    const unsigned n = w->labels++;
    fprintf(w->out, "        li x%u, %u\nloop%u:\n", 23 + depth, 1 + below(w, 3), n);
    put_block(w, 1 + below(w, 4), depth + 1);
    fprintf(w->out, "        addi x%u, x%u, -1\n        bne x%u, x0, loop%u\n", 23 + depth, 23 + depth, 23 + depth, n);
}

static void put_statement(struct writer *w, unsigned depth)
{
    const uint32_t what = below(w, 16);
    if (what == 0 && depth < DEPTH) put_branch(w, depth);
    else if (what == 1 && depth < DEPTH) put_loop(w, depth);
    else if (what == 2 && !depth) fprintf(w->out, "        barrier 1\n");
    else if (what < 5) put_access(w);
    else if (what == 5 && !w->branches) put_mask(w);
    else
        while (!put_row(w, any_op(w))) {
        }
}

static void put_block(struct writer *w, unsigned statements, unsigned depth)
{
    for (; statements && w->left; statements--) {
        w->left--;
        put_statement(w, depth);
    }
}

/* ---- the program ---- */

static void put_start(struct writer *w)
{
    fputs("        .kernel random\n        .arg    global, data            # 256 bytes of each work-item\n\n"
          "random: lw      x20, 0(x10)\n        csrr    x21, CSR_KNL\n        lw      x21, 24(x21)\n"
          "        csrr    x22, CSR_GIDX\n        mul     x21, x21, x22\n        csrr    x22, CSR_TID\n"
          "        add     x21, x21, x22\n        vid.v   v14\n        vadd.vx v13, v14, x21\n"
          "        vsll.vi v13, v13, 8\n        vadd.vx v13, v13, x20\n        vand.vi v15, v14, 7\n"
          "        vmv.v.i v0, -1\n",
          w->out);
    for (unsigned i = 0; i < X_COUNT; i++)
        fprintf(w->out, "        li x%u, %d\n", X_FIRST + i,
                below(w, 3) ? (int)below(w, 64) - 32 : (int)(below(w, 1u << 31) * 2 + below(w, 2)));
    for (unsigned i = 0; i < LOW_COUNT; i++) fprintf(w->out, "        vlw12.v v%u, %u(v13)\n", 1 + i, 4 * i);
    for (unsigned i = 0; i < HIGH_COUNT; i++)
        fprintf(w->out, "        vmul.vx v%u, v%u, x%u\n", HIGH_FIRST + i, 1 + i, X_FIRST + i);
}

/* All registers that hold anything go into memory: lower vector registers by themselves, the others as a sum. */
static void put_end(struct writer *w)
{
    for (unsigned i = 0; i < LOW_COUNT; i++) fprintf(w->out, "        vsw12.v v%u, %u(v13)\n", 1 + i, RESULTS + 4 * i);
    for (unsigned i = 0; i < HIGH_COUNT; i++)
        fprintf(w->out, "        vadd.vv v16, v%u, v16\n        vsw12.v v16, %u(v13)\n", HIGH_FIRST + i,
                RESULTS + 48 + 4 * i);
    for (unsigned i = 0; i < X_COUNT; i++)
        fprintf(w->out, "        vmv.v.x v16, x%u\n        vsw12.v v16, %u(v13)\n", X_FIRST + i, RESULTS + 80 + 4 * i);
    fputs("        ret\n", w->out);
}

static void put_program(struct writer *w, unsigned seed, unsigned length)
{
    fprintf(w->out, "# ventus random --seed %u --length %u --profile %s\n        .option profile, %s\n", seed, length,
            isa_profile_name(w->profile), isa_profile_name(w->profile));
    put_start(w);
    fprintf(w->out, "        vmv.v.i v16, 0\n");
    w->left = length;
    while (w->left) put_block(w, w->left, 0);
    fprintf(w->out, "        vmv.v.i v16, 0\n");
    put_end(w);
}

int cmd_random(int argc, char **argv)
{
    struct args args = {
        .command = "random",
        .usage = "[--seed N] [--length N] [--profile P] [--missing FILE] [-o FILE]",
        .about = "Writes a random program in assembly for tests of a design: for one buffer of 256 bytes\n"
                 "for each work-item. It has one result on all machines with as many lanes. docs/coverage.md",
        .flags = flags,
        .argc = argc,
        .argv = argv,
        .at = 1};
    struct coverage *missing = allocate(sizeof *missing);
    struct writer w = {.last_x = X_FIRST, .last_v = 1, .profile = PROFILE_DEFAULT};
    unsigned seed = 1, length = 100;
    const char *output = "-", *profile = NULL;
    char why[300];
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_SEED) seed = (unsigned)number_arg(&args, "--seed", args.value, 0, UINT32_MAX);
        else if (flag == FLAG_LENGTH) length = (unsigned)number_arg(&args, "--length", args.value, 1, 10000);
        else if (flag == FLAG_PROFILE) profile = args.value;
        else if (flag == FLAG_OUTPUT) output = args.value;
        else if (flag == FLAG_MISSING) coverage_add_file(missing, args.value, !w.missing), w.missing = missing;
        else usage_error(&args, "unexpected argument '%s'", args.value);
    }
    if (w.missing) w.profile = missing->profile;
    if (profile) w.profile = profile_arg(&args, profile);
    if (w.missing && w.profile != missing->profile)
        usage_error(&args, "the counts are of profile %s", isa_profile_name(missing->profile));
    w.state = seed * 2654435769u + 12345;
    weigh(&w);
    w.out = output_open(output, why, sizeof why);
    if (!w.out) die("%s", why);
    put_program(&w, seed, length);
    if (!output_close(w.out, output, why, sizeof why)) die("%s", why);
    free(missing);
    return EXIT_OK;
}
