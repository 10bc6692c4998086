/* Programs of what the translator has ways of its own for, each in a put_ function, one behind the other and one in the
 * other: addresses of every shape, loops that lanes leave one by one, exchanges of words, joins that are passed, calls,
 * words of arguments. What they do to registers, numbers and places is left to chance.
 *
 * x5 to x14 and v1 to v12 hold anything, v0 a mask; v25 to v27 hold what addresses follow from, most often numbers that
 * count from lane to lane or repeat. x20 is the data, v16 to v19 are addresses there: consecutive, all the same, the
 * same in each eight lanes, scattered; v29 is each lane's word of local memory, v20 are offsets of private memory, v21
 * small numbers. v13 is 0, x21 12, x22 1023, x23 a small number that is not known, v28 infinity, x19 the address of the
 * arguments, x27 lies in front of the end of the data. v22 to v24 and x24 to x26 count rounds, x16 how often control
 * goes back in a maze. The others are for the moment. */
#include "programs.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effects.h"

enum { X_FIRST = 5, X_COUNT = 10, V_FIRST = 1, V_COUNT = 12, SHAPE_FIRST = 25, SHAPE_COUNT = 3, FUNCTIONS = 2 };

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static unsigned any_x(void) { return X_FIRST + below(X_COUNT); }
static unsigned any_v(void) { return V_FIRST + below(V_COUNT); }
static unsigned any_shape(void) { return SHAPE_FIRST + below(SHAPE_COUNT); }

static void put(struct program *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->text + t->n, sizeof t->text - t->n, format, args);
    va_end(args);
    if (t->n >= sizeof t->text) fail_msg("program too long");
}

/* ---- rows ---- */

static bool is_arithmetic(const struct isa_desc *row)
{
    switch (row->kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX:
    case KIND_VI:
    case KIND_V1I:
    case KIND_V2X:
    case KIND_EV: return true;
    default: return false;
    }
}

/* Registers with a shape are seldom written. */
static unsigned any_read(void)
{
    uint32_t what = below(16);
    return what < 14 ? any_v() : any_shape();
}

static uint8_t any_register(const struct isa_effects *e, unsigned role)
{
    if (e->vectors >> role & 1) return (uint8_t)(role == ROLE_RD ? any_v() : any_read());
    return (uint8_t)(e->scalars >> role & 1 ? any_x() : 0);
}

/* May it stand here? */
static bool fits(const struct program *t, const struct insn *in)
{
    bool step = isa_table[in->op].kind == KIND_EV || (in->rm && in->rm != 7);
    return !(t->calm && step) && !(t->plain && (step || !in->vm));
}

/* Any row that computes. */
static void put_any_row(struct program *t)
{
    char line[128];
    uint32_t words[ISA_MAX_WORDS];
    struct insn in;
    do {
        in = (struct insn){.op = (uint16_t)(1 + below(OP_COUNT - 1)), .vm = 1, .rm = 7};
        const struct isa_desc *row = &isa_table[in.op];
        struct isa_effects e = isa_effects(&in, ISA_LANES);
        if (!is_arithmetic(row) || isa_find(row->name) != in.op || e.row_pairs) continue;
        in.rd = any_register(&e, ROLE_RD);
        in.rs1 = any_register(&e, ROLE_RS1);
        in.rs2 = any_register(&e, ROLE_RS2);
        in.rs3 = any_register(&e, ROLE_RS3);
        in.imm = in.op == OP_LUI || in.op == OP_AUIPC ? (int32_t)(below(1 << 20) << 12) : (int32_t)below(32) - 8;
        if (strchr(row->operands, 'm')) in.vm = below(10) != 0;
        if (strchr(row->operands, 'o') && !below(8)) in.rm = (uint8_t)below(4);
    } while (!is_arithmetic(&isa_table[in.op]) || isa_find(isa_table[in.op].name) != in.op ||
             !isa_encode(&in, words, NULL) || !fits(t, &in));
    isa_print(&in, 0, ISA_PRINT_NUMERIC, line, sizeof line);
    put(t, " %s\n", line);
}

/* One that is not canonical, on most hosts. */
static void put_nan(struct program *t, unsigned to)
{
    put(t, below(2) ? " vfmul.vv v%u, v28, v13\n" : " vfsub.vv v%u, v28, v28\n", to);
}

/* What kernels are full of. */
static void put_usual_row(struct program *t, unsigned to, unsigned from)
{
    static const char *const rows[] = {"vfmul.vv", "vfadd.vv", "vfsub.vv", "vfmacc.vv",
                                       "vxor.vv",  "vadd.vv",  "vor.vv",   "vmsltu.vv"};
    uint32_t what = below(17);
    if (what < 5) put(t, " vmv.v.v v%u, v%u\n", to, from);
    else if (what == 5) put(t, " vadd.vi v%u, v%u, %u\n", to, from, below(8));
    else if (what < 9) put_nan(t, to);
    else put(t, " %s v%u, v%u, v%u\n", rows[what - 9], to, from, any_read());
}

/* A new mask, and rows under it; or a word that other lanes read. */
static void put_mask(struct program *t)
{
    unsigned v = any_v();
    if (t->calm || below(3)) {
        put_usual_row(t, 0, any_read());
        put(t, " vadd.vi v%u, v%u, 3, v0.t\n", v, any_v());
    } else {
        put_usual_row(t, v, any_read());
        if (below(2)) put(t, " shuffle.%s v%u, v%u, %u\n", below(2) ? "bfly" : "idx", any_v(), v, below(32));
        else put(t, " vand.vi v30, v%u, 15\n vshuffle_down.raw v%u, v30, v%u\n", any_read(), any_v(), v);
    }
}

/* A division by the size of a work-group, which is a constant of the translation. */
static void put_division(struct program *t, unsigned to, unsigned from)
{
    put(t, " csrr x15, CSR_KNL\n lw x15, %u(x15)\n", (unsigned)ABI_META_LOCAL_SIZE + below(3) * 4);
    put(t, " %s v%u, v%u, x15\n", below(2) ? "vremu.vx" : "vdivu.vx", to, from);
}

/* ---- shapes ---- */

/* A new number that counts from lane to lane, in rows, columns and steps. It is below 0x2d00. */
static void put_column(struct program *t, unsigned v)
{
    put(t, " vid.v v%u\n", v);
    if (!below(4)) put(t, " csrr x15, CSR_TID\n vadd.vx v%u, v%u, x15\n", v, v);
    uint32_t what = below(8);
    if (what < 3) put(t, " vand.vi v%u, v%u, %u\n", v, v, (2u << below(5)) - 1);
    else if (what < 6) put(t, " vsrl.vi v%u, v%u, %u\n", v, v, 1 + below(4));
    else if (what == 6) put_division(t, v, v);
    if (!below(4)) put(t, " vmul.vx v%u, v%u, x%u\n", v, v, 21 + below(2) * 2);
    if (!below(3)) put(t, " vsll.vi v%u, v%u, %u\n", v, v, 1 + below(3));
    if (!below(3)) put(t, " vadd.vi v%u, v%u, %u\n", v, v, 1 + below(15));
}

/* v14 becomes offsets in the data that follow from a register, or new ones, or what is loaded from there. */
static void put_offsets(struct program *t, unsigned from)
{
    if (below(2)) put(t, " vand.vx v14, v%u, x22\n", from);
    else put_column(t, 14);
    if (below(6)) put(t, " vsll.vi v14, v14, 2\n");
    if (below(3)) return;
    put(t, " vloxei32.v v14, (x20), v14\n vand.vx v14, v14, x22\n vsll.vi v14, v14, 2\n");
    if (below(2)) put(t, " vid.v v30\n vsll.vi v30, v30, 2\n vadd.vv v14, v14, v30\n");
}

static unsigned any_loaded(void) { return below(3) ? any_v() : any_shape(); }

static void put_shaped_access(struct program *t, unsigned from)
{
    static const char *const loads[] = {"vlh12.v", "vlb12.v", "vlhu12.v", "vlbu12.v"};
    unsigned imm = below(64) * 4;
    put_offsets(t, from);
    if (!below(3)) {
        put(t, " %s v%u, (x20), v14\n", below(4) ? "vloxei32.v" : "vsoxei32.v", any_loaded());
        return;
    }
    put(t, " vadd.vx v14, v14, x20\n");
    switch (below(6)) {
    case 0: put(t, " %s v%u, %u(v14)\n", below(2) ? "vsw12.v" : below(2) ? "vsb12.v" : "vsh12.v", any_v(), imm); break;
    case 1: put(t, " %s v%u, %u(v14)\n", loads[below(4)], any_v(), imm + below(4)); break;
    case 2: /* a vector of each lane */
        for (unsigned i = 0, n = 2 + below(7); i < n; i++) put(t, " vlw12.v v%u, %u(v14)\n", V_FIRST + i, imm + i * 4);
        break;
    case 3:
        for (unsigned i = 0, n = 2 + below(3); i < n; i++) put(t, " vsw12.v v%u, %u(v14)\n", V_FIRST + i, imm + i * 4);
        break;
    default: put(t, " vlw12.v v%u, %u(v14)\n", any_loaded(), imm);
    }
}

/* Another number of those that addresses follow from. */
static void put_shape(struct program *t)
{
    unsigned to = any_shape(), from = any_shape();
    switch (below(12)) {
    case 0: put(t, " vmv.v.x v%u, x%u\n", to, below(2) ? any_x() : 21 + below(3)); break;
    case 1: put(t, " vmv.v.i v%u, %u\n", to, below(16)); break;
    case 2: put(t, " vadd.vi v%u, v%u, %u\n", to, from, 1 + below(15)); break;
    case 3: put(t, " vadd.vx v%u, v%u, x%u\n", to, from, 21 + below(3)); break;
    case 4: put(t, " %s v%u, v%u, v%u\n", below(2) ? "vadd.vv" : "vsub.vv", to, from, any_shape()); break;
    case 5: put(t, " vsll.vi v%u, v%u, %u\n", to, from, 1 + below(3)); break;
    case 6: put(t, " vsrl.vi v%u, v%u, %u\n", to, from, 1 + below(4)); break;
    case 7: put(t, " vand.vi v%u, v%u, %u\n", to, from, (2u << below(5)) - 1); break;
    case 8:
        if (below(2)) put(t, " vmul.vx v%u, v%u, x%u\n", to, from, 21 + below(3));
        else put(t, " vmacc.vx v%u, x%u, v%u\n", to, 21 + below(3), from);
        break;
    case 9: put(t, " vmv.v.v v%u, v%u\n", to, from); break;
    default: put_column(t, to);
    }
}

/* ---- other accesses ---- */

static void put_access(struct program *t)
{
    static const char *const loads[] = {"vlw12.v", "vlh12.v", "vlb12.v", "vlhu12.v", "vlbu12.v"};
    static const char *const stores[] = {"vsw12.v", "vsh12.v", "vsb12.v"};
    static const char *const strided[] = {"vle32.v v%u, (x20)",         "vse32.v v%u, (x20)",
                                          "vlse32.v v%u, (x20), x21",   "vsse32.v v%u, (x20), x21",
                                          "vluxei32.v v%u, (x20), v21", "vsuxei32.v v%u, (x20), v21",
                                          "vle16.v v%u, (x20)",         "vse8.v v%u, (x20)"};
    static const char *const atomics[] = {"amoadd.w", "amoxor.w", "amomax.w", "amominu.w", "amoswap.w"};
    unsigned base = below(5) ? 16 + below(4) : 29, imm = below(256) * 4;
    switch (t->plain ? 4 + below(8) : below(12)) {
    case 0:
        put(t, " ");
        put(t, strided[below(8)], any_v());
        put(t, "%s\n", below(3) ? "" : ", v0.t");
        break;
    case 1: put(t, " %s v%u, v%u, (v%u)\n", atomics[below(5)], any_v(), any_v(), base); break;
    case 2: put(t, " lr.w v%u, (v%u)\n", any_v(), base); break;
    case 3: put(t, " sc.w v%u, v%u, (v%u)\n", any_v(), any_v(), base); break;
    case 4: put(t, " %s x%u, %u(x20)\n", below(2) ? "lw" : "lhu", any_x(), imm); break;
    case 5: put(t, " %s x%u, %u(x20)\n", below(2) ? "sw" : "sb", any_x(), imm); break;
    case 6: put(t, " %s v%u, %u(v20)\n", below(2) ? "vlw.v" : "vsw.v", any_v(), below(8) * 4); break;
    case 7:
    case 8: put(t, " %s v%u, %u(v%u)\n", stores[below(3)], any_v(), imm, base); break;
    default: put(t, " %s v%u, %u(v%u)\n", loads[below(5)], any_v(), imm, base);
    }
}

/* An instruction that translated code leaves to `step`, or at which warps wait. */
static void put_odd(struct program *t)
{
    static const char *const odd[] = {"csrr x9, CSR_KNL\n li x10, 5\n sw x10, 24(x9)",
                                      "csrr x9, vl",
                                      "csrr x9, instret",
                                      "csrr x9, CSR_NUMW",
                                      "fence",
                                      "csrr x9, CSR_PDS",
                                      "csrw vxrm, x9",
                                      "csrrs x9, mstatus, x10",
                                      "fadd.s x9, x10, x11, rtz",
                                      "shuffle.bfly v3, v4, 1",
                                      "shuffle.down v5, v6, 3",
                                      "barrier 1",
                                      "barrier 1",
                                      "li x9, 40\n vsetvli x9, x9, e32, m1, ta, ma"};
    put(t, " %s\n", odd[below(sizeof odd / sizeof *odd)]);
}

/* ---- arguments ---- */

static void put_arguments(struct program *t)
{
    put(t, " csrr x15, CSR_KNL\n lw x19, %u(x15)\n", ABI_META_ARGS);
    for (unsigned i = below(4); i--;) {
        unsigned n = t->labels++;
        if (below(2)) put(t, " csrr x15, CSR_GIDX\n bne x15, x0, n%u\n", n);
        put(t, " lw x%u, %u(x19)\nn%u:\n", any_x(), below(4) * 4, n);
    }
}

/* A group writes arguments, or where they are; or all of them do. */
static void put_new_arguments(struct program *t)
{
    unsigned n = t->labels++, place = below(8), at = below(4) * 4;
    uint32_t base = place < 2   ? ABI_LAUNCH_BASE + 32 + place * 16
                    : place < 6 ? GUEST_DATA + place * 256
                                : 0x12345678 + place % 2 * 0xedcba978;
    if (below(2)) put(t, " lw x30, %u(x19)\n addi x30, x30, 3\n sw x30, %u(x19)\n", at, at);
    if (below(2)) put(t, " csrr x15, CSR_GIDX\n li x30, %u\n bne x15, x30, n%u\n", below(3), n);
    put(t, " csrr x15, CSR_KNL\n li x30, 0x%x\n sw x30, %u(x15)\nn%u:\n", (unsigned)base, ABI_META_ARGS, n);
}

/* ---- where lanes diverge ---- */

static void put_block(struct program *t, unsigned depth);

/* Where lanes meet: m and a number, as the compiler says it, or less directly. */
static void put_meeting(struct program *t, unsigned n)
{
    if (below(2)) put(t, "1: auipc x31, %%pcrel_hi(m%u)\n setrpc x0, x31, %%pcrel_lo(1b)\n", n);
    else put(t, " la x31, m%u\n setrpc x0, x31, 0\n", n);
}

/* Lanes go to a label or on, most often some of them. */
static void put_branch(struct program *t, const char *label, unsigned n)
{
    static const char *const branches[] = {"vbeq", "vbne", "vblt", "vbge"};
    unsigned from = any_v();
    if (below(5)) {
        put(t, " vid.v v15\n");
        if (below(2)) put(t, " vand.vi v15, v15, %u\n", 1u << below(5));
        else put(t, " vadd.vi v15, v15, -%u\n", 1 + below(20));
        from = 15;
    }
    put(t, " %s v%u, v%u, %s%u\n", branches[below(4)], from, below(3) ? 13 : any_read(), label, n);
}

/* Lanes diverge and reconverge. */
static void put_if(struct program *t, unsigned depth)
{
    unsigned n = t->labels++;
    put_meeting(t, n);
    put_branch(t, "o", n);
    put_block(t, depth + 1);
    if (below(2)) {
        put(t, " j m%u\no%u:\n", n, n);
        put_block(t, depth + 1);
    } else {
        put(t, "o%u:\n", n);
    }
    put(t, "m%u: join\n", n);
}

/* Each lane's number of rounds: any, or more in each lane than in the one before and twice as many in the last one, or
 * most of them in lane 11. */
static void put_rounds(struct program *t, unsigned v)
{
    switch (below(3)) {
    case 0: put(t, " vand.vi v%u, v%u, %u\n", v, any_v(), below(2) ? 7 : 15); break;
    case 1: put(t, " vid.v v%u\n vadd.vi v%u, v%u, -15\n vsll.vi v%u, v%u, 1\n", v, v, v, v, v); break;
    default:
        put(t, " vid.v v%u\n vxor.vi v%u, v%u, 20\n vmul.vv v%u, v%u, v%u\n vsrl.vi v%u, v%u, %u\n", v, v, v, v, v, v,
            v, v, 4 + below(3));
    }
}

/* Loops in functions have a counter of their own. */
static unsigned level_of(const struct program *t, unsigned depth) { return t->inner ? 2 : depth; }

/* Some lanes go round more often than others. What has been computed in front of the loop is copied in it. */
static void put_loop(struct program *t, unsigned depth)
{
    unsigned n = t->labels++, counter = 22 + level_of(t, depth), v = any_v();
    bool plain = t->plain;
    t->plain |= below(3) != 0;
    put_rounds(t, counter);
    if (below(2)) put_nan(t, v);
    else put_usual_row(t, v, any_read());
    put(t, "l%u:\n", n);
    if (below(2)) put(t, " vmv.v.v v%u, v%u\n", any_v(), v);
    put_block(t, depth + 1);
    put(t, " vadd.vi v%u, v%u, -1\n", counter, counter);
    put_meeting(t, n);
    put(t, " vbge v%u, v13, l%u\nm%u: join\n", counter, n, n);
    t->plain = plain;
}

/* All lanes go round. */
static void put_scalar_loop(struct program *t, unsigned depth)
{
    unsigned n = t->labels++, counter = 24 + level_of(t, depth);
    put(t, " li x%u, %u\nl%u:\n", counter, 1 + below(4), n);
    put_block(t, depth + 1);
    put(t, " addi x%u, x%u, -1\n bne x%u, x0, l%u\n", counter, counter, counter, n);
}

/* A loop that does nothing but compute and load. Lanes meet behind it, or further behind. */
static void put_search(struct program *t)
{
    unsigned n = t->labels++, far = t->labels++, sum = any_shape();
    bool plain = t->plain;
    t->plain = true;
    put_rounds(t, 15);
    if (below(2)) put(t, " vadd.vi v15, v15, %u\n", 1 + below(15));
    if (below(2)) put(t, " vmv.v.i v%u, %u\n", sum, below(16));
    put(t, " li x29, 0xffc\n vadd.vv v31, v16, v%u\n la x30, m%u\n", any_v(), below(2) ? n : far);
    put_meeting(t, below(8) ? n : far);
    put(t, "l%u: vadd.vx v31, v31, x%u\n vand.vx v30, v31, x29\n", n, any_x());
    for (unsigned i = 1 + below(5); i--;) put(t, " vloxei32.v v%u, (x20), v30\n", any_v());
    if (below(2)) put(t, " vadd.vi v%u, v%u, 1\n", sum, sum);
    for (unsigned i = below(3); i--;) put_usual_row(t, any_v(), any_v());
    if (!below(4)) put(t, " setrpc x0, x30, 0\n");
    put(t, " vadd.vi v15, v15, -1\n vbge v15, v13, l%u\nm%u: join\n", n, n);
    if (below(2)) put_any_row(t);
    put(t, "m%u: join\n", far);
    if (below(2)) put_shaped_access(t, sum);
    t->plain = plain;
}

/* Lanes exchange words until all have stored. */
static void put_exchange(struct program *t)
{
    unsigned n = t->labels++, base = 16 + below(4), next = 15, v = any_v();
    put_usual_row(t, v, any_read());
    put_meeting(t, n);
    put(t, "l%u: lr.w v14, (v%u)\n", n, base);
    put_usual_row(t, 15, below(2) ? 14 : v);
    if (below(2)) put_usual_row(t, next = 30, below(2) ? 15 : 14);
    put(t, " sc.w v31, v%u, (v%u)\n", next, base);
    if (!below(3)) put_usual_row(t, any_v(), 15);
    put(t, " vbne v31, v13, l%u\nm%u: join\n", n, n);
}

/* Ways from anywhere to anywhere, with joins on them, as no compiler makes them. Parts have labels o, joins in front of
 * them m; x16 is how often control may still go back, and chooses ways. */
static void put_maze(struct program *t)
{
    enum { PARTS = 7 };
    const unsigned first = t->labels, last = first + PARTS;
    t->labels += PARTS + 1;
    put(t, " li x16, %u\n", 2 + below(14));
    for (unsigned i = first; i < last; i++) {
        unsigned to = first + below(PARTS + 1);
        put(t, "m%u:%s\no%u:\n", i, below(3) ? " join" : "", i);
        for (unsigned k = below(3); k--;) put_usual_row(t, V_COUNT - below(4), V_COUNT - below(4));
        if (i < first + 2) to = first + 2 + below(PARTS - 1); /* two of them part lanes */
        if (to <= i) put(t, " addi x16, x16, -1\n blt x16, x0, m%u\n", last);
        switch (i < first + 2 ? 2 : below(5)) {
        case 0: put(t, " j %c%u\n", "om"[below(2)], to); break;
        case 1: put(t, " andi x30, x16, %u\n bne x30, x0, %c%u\n", 1 + below(7), "om"[below(2)], to); break;
        default: put_meeting(t, first + below(PARTS + 1)); put_branch(t, below(2) ? "o" : "m", to);
        }
    }
    put(t, "m%u: join\no%u:\n", last, last);
}

/* ---- programs ---- */

static void put_call(struct program *t)
{
    unsigned f = below(FUNCTIONS);
    if (below(3)) put(t, " jal x1, f%u\n", f);
    else put(t, " la x30, f%u\n jalr x1, 0(x30)\n", f);
}

/* Each program has half of the kinds, or a quarter, so that these come together more often. */
enum kind {
    ANY_ROW,
    USUAL_ROW,
    MASK,
    SHAPE,
    SHAPED,
    ACCESS,
    ODD,
    SCALAR_LOOP,
    LOOP,
    IF,
    EXCHANGE,
    SEARCH,
    MAZE,
    CALL,
    KINDS
};

/* One that may stand here. */
static enum kind any_kind(const struct program *t, unsigned depth)
{
    unsigned most = depth >= 2 ? SCALAR_LOOP : t->plain ? EXCHANGE : KINDS, kind;
    do kind = below(most);
    while (!(t->kinds >> kind & 1) || (t->plain && (kind == ODD || kind == MASK)) || (t->inner && kind == CALL));
    return (enum kind)kind;
}

static void put_block(struct program *t, unsigned depth)
{
    for (unsigned i = depth ? 1 + below(3) : 7; i--;) switch (any_kind(t, depth)) {
        case USUAL_ROW: put_usual_row(t, any_v(), any_read()); break;
        case MASK: put_mask(t); break;
        case SHAPE: put_shape(t); break;
        case SHAPED: put_shaped_access(t, any_shape()); break;
        case ACCESS: put_access(t); break;
        case ODD: put_odd(t); break;
        case SCALAR_LOOP: put_scalar_loop(t, depth); break;
        case LOOP: put_loop(t, depth); break;
        case IF: put_if(t, depth); break;
        case EXCHANGE: put_exchange(t); break;
        case SEARCH: put_search(t); break;
        case MAZE: put_maze(t); break;
        case CALL: put_call(t); break;
        default: put_any_row(t);
        }
}

/* First values. */
static void put_start(struct program *t)
{
    put(t, " lui x20, 0x90000\n li x21, 12\n csrr x5, CSR_TID\n vid.v v16\n vadd.vx v16, v16, x5\n");
    put(t, " vsll.vi v16, v16, 2\n vadd.vx v16, v16, x20\n");
    for (unsigned i = 0; i < V_COUNT; i++) put(t, " vlw12.v v%u, %u(v16)\n", V_FIRST + i, i * 128);
    for (unsigned i = 0; i < X_COUNT; i++) put(t, " lw x%u, %u(x20)\n", X_FIRST + i, i * 4 + 512);
    put(t, " vmv.v.x v17, x20\n vsrl.vi v18, v16, 5\n vsll.vi v18, v18, 5\n li x31, 0xffc\n vand.vx v19, v5, x31\n");
    put(t, " vadd.vx v19, v19, x20\n vmv.v.i v20, 0\n vand.vx v21, v6, x31\n vmv.v.v v0, v7\n vmv.v.i v13, 0\n");
    put(t, " lw x30, 0(x20)\n vmv.v.x v28, x30\n li x22, 1023\n andi x23, x5, 15\n csrr x31, CSR_LDS\n vid.v v29\n "
           "vsll.vi v29, v29, 2\n");
    put(t, " vadd.vx v29, v29, x31\n li x27, %u\n add x27, x27, x20\n", GUEST_BYTES - 4 * below(24));
    for (unsigned i = 0; i < SHAPE_COUNT; i++) put_column(t, SHAPE_FIRST + i);
}

/* A load that leaves the data in some lanes. A store may have stored other lanes' words or not. */
static void put_failure(struct program *t)
{
    unsigned n = t->labels++;
    bool some = below(2);
    if (some) {
        put_meeting(t, n);
        put_branch(t, "m", n);
    }
    if (below(2)) put_column(t, 14);
    else put(t, " vid.v v14\n vand.vi v14, v14, %u\n", below(2) ? 7 : 15);
    put(t, " vsll.vi v14, v14, 2\n");
    if (below(3)) put(t, " vadd.vx v14, v14, x27\n %s v2, 0(v14)\n", below(2) ? "vlw12.v" : "vlh12.v");
    else put(t, " vloxei32.v v2, (x27), v14\n");
    put(t, "m%u: join\n", n);
}

/* Half of the registers to memory, of 16 warps; nobody reads what the others hold. */
static void put_end(struct program *t)
{
    put(t, " csrr x31, CSR_GIDX\n csrr x30, CSR_NUMW\n mul x31, x31, x30\n csrr x30, CSR_WID\n add x31, x31, x30\n");
    put(t, " andi x31, x31, 15\n slli x31, x31, 11\n li x30, 0x4000\n add x31, x31, x30\n add x31, x31, x20\n");
    put(t, " vid.v v15\n vsll.vi v15, v15, 2\n vadd.vx v15, v15, x31\n");
    for (unsigned i = 0; i < V_COUNT; i++)
        if (below(2)) put(t, " vsw12.v v%u, %u(v15)\n", V_FIRST + i, i * 128);
    for (unsigned i = 0; i < SHAPE_COUNT; i++)
        if (below(2)) put(t, " vsw12.v v%u, %u(v15)\n", SHAPE_FIRST + i, (V_COUNT + i) * 128);
    for (unsigned i = 0; i < X_COUNT; i++)
        if (below(2)) put(t, " sw x%u, %u(x31)\n", X_FIRST + i, 1960 + i * 4);
    put(t, " endprg\n");
}

static void put_functions(struct program *t)
{
    t->inner = true;
    for (unsigned i = 0; i < t->functions; i++) {
        put(t, "f%u:\n", i);
        put_block(t, 1);
        put(t, " ret\n");
    }
    t->inner = false;
}

static void choose_launch(struct program *p)
{
    static const struct launch shapes[] = {
        {.warps = 1, .threads_per_warp = 32, .work_items = 32}, {.warps = 3, .threads_per_warp = 32, .work_items = 75},
        {.warps = 2, .threads_per_warp = 16, .work_items = 32}, {.warps = 1, .threads_per_warp = 32, .work_items = 16},
        {.warps = 2, .threads_per_warp = 32, .work_items = 37}, {.warps = 2, .threads_per_warp = 32, .work_items = 64}};
    static const uint32_t locals[][3] = {{8, 8, 8}, {16, 2, 1}, {32, 1, 1}, {5, 3, 1}}, groups[] = {1, 1, 3, 8};
    static const uint64_t quanta[] = {700, 150, 1 << 12, 1 << 14, 1 << 16};
    p->pair = (struct pair){.text = p->text, .words = p->words, .count = PROGRAM_WORDS};
    p->pair.shape = shapes[below(6)];
    p->pair.shape.groups[0] = groups[below(4)];
    if (p->pair.shape.work_items == 64 && below(2)) p->pair.shape.last_items = 33 + below(31);
    p->pair.order = (enum path_order)below(3);
    p->pair.quantum = quanta[below(5)];
    p->pair.watched = below(2);
    memcpy(p->pair.local, locals[below(4)], sizeof p->pair.local);
}

/* Numbers of every kind, and among them those of which come NaNs. */
void program_fill(struct program *p)
{
    static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffa00000, 0x3f800000, 1};
    for (unsigned i = 0; i < PROGRAM_WORDS; i++) {
        uint32_t what = below(8), word = below(1u << 16) << 16 | below(1u << 16);
        p->words[i] = !i         ? 0x7f800000
                      : what < 2 ? special[below(8)]
                      : what < 4 ? below(64)
                      : what < 6 ? word >> 9 | 0x3f800000
                                 : word;
    }
}

void program_make(struct program *p, uint32_t number)
{
    memset(p, 0, sizeof *p);
    state = number * 0x9e3779b97f4a7c15u;
    below(1);
    choose_launch(p);
    program_fill(p);
    p->kinds = below(1 << KINDS) & (below(1 << KINDS) | -below(2));
    p->kinds |= 1 << USUAL_ROW;
    if (below(2)) p->kinds &= ~(1u << MAZE);
    p->calm = !(p->kinds >> ODD & 1);
    p->functions = p->kinds >> CALL & 1 ? FUNCTIONS : 0;
    put(p, "# program %u: %u warps, %u of %u work-items, %u groups, order %u, turns of %u\n", number,
        p->pair.shape.warps, p->pair.shape.work_items, p->pair.shape.threads_per_warp, p->pair.shape.groups[0],
        (unsigned)p->pair.order, (unsigned)p->pair.quantum);
    put_start(p);
    if (p->pair.watched) put_arguments(p);
    put_division(p, any_v(), any_v());
    put_block(p, 0);
    if (p->pair.watched && below(4)) put_new_arguments(p);
    if (!below(6)) put_failure(p);
    put_end(p);
    put_functions(p);
}
