/* Splitting of ranges, on code written by hand: what the code has become is compared as text. In that, registers of the
 * test have the letters that it gave them, the home of scalar `a` is A, the word of memory of vector `a` is [a], and
 * what the spiller has made besides is 1, 2, 3, ... in the order in which it is met. */
#include "compiler/codegen/hand.h"

#include <string.h>

enum { TEXT = 2000, NUMBERS = 64, GAP = 12, REACH = 1024 };

static int32_t named[26], numbered[NUMBERS];
static uint32_t nnumbered;

/* A kernel in which no register has a name yet. */
static void begin_named(uint32_t nblocks)
{
    memset(named, 0, sizeof named);
    nnumbered = 0;
    begin(nblocks);
}

static void split(const char *letters, bool to_the_end)
{
    uint32_t list[26], n = 0;
    for (; *letters; letters++) list[n++] = (uint32_t)named[*letters - 'a'];
    liveness_run(f);
    spill_run(f, list, n, to_the_end);
}

/* A round in which some registers have had no place. */
static void spill(const char *letters) { split(letters, false); }

static void prepare(void) { begin_named(1); }

/* ---- code ---- */

static int32_t letter(char c, enum reg_class cls)
{
    if (!named[c - 'a']) named[c - 'a'] = new_vreg(f, cls);
    return named[c - 'a'];
}

static int32_t scalar(char c) { return letter(c, CLASS_S); }
static int32_t vector(char c) { return letter(c, CLASS_V); }

/* Values that are no constants, as they come from memory; `z` has addresses. */
static struct minsn *make(char c) { return emit(f, OP_LW, scalar(c), REG_ARGS, 0, 0); }
static struct minsn *make_v(char c) { return emit(f, OP_VLW12_V, vector(c), vector('z'), 0, 0); }
static struct minsn *use(char c) { return emit(f, OP_SW, 0, REG_ARGS, scalar(c), 0); }
static struct minsn *use_v(char c) { return emit(f, OP_VSW12_V, 0, vector('z'), vector(c), 0); }

static void fill(int n)
{
    while (n--) emit(f, OP_ADDI, 0, 0, 0, 0);
}

/* Block `last` branches back to block `first`; a loop of `depth`. */
static void loop(uint32_t first, uint32_t last, uint32_t depth)
{
    for (uint32_t b = first; b <= last; b++) f->mblocks[b].depth = depth;
    branch(last, first, last + 1);
}

/* ---- text ---- */

static const char *name_of(int32_t reg)
{
    static char name[8];
    for (int i = 0; i < 26; i++) {
        bool home = named[i] && f->vregs[named[i]].cls == CLASS_S && f->vregs[named[i]].home == reg;
        if ((!named[i] || named[i] != reg) && !home) continue;
        snprintf(name, sizeof name, "%c", home ? 'A' + i : 'a' + i);
        return name;
    }
    uint32_t n = 0;
    while (n < nnumbered && numbered[n] != reg) n++;
    if (n == nnumbered) numbered[nnumbered++] = reg;
    snprintf(name, sizeof name, "%u", n + 1);
    return name;
}

static void add_register(char *text, int8_t role, int32_t reg)
{
    if (role < 0 || reg < FIRST_VREG) return;
    strcat(strcat(text, " "), name_of(reg));
}

static void add_slot(char *text, uint32_t slot)
{
    for (int i = 25; slot && i >= 0; i--)
        if (named[i] && f->vregs[named[i]].cls == CLASS_V && f->vregs[named[i]].slot == slot) {
            sprintf(text + strlen(text), " [%c]", 'a' + i);
            return;
        }
}

static const char *code_of(uint32_t block)
{
    static char text[TEXT];
    const struct mblock *b = &f->mblocks[block];
    *text = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct minsn *m = &b->code[i];
        const struct roles *r = insn_roles(m->op);
        if (m->op == OP_ADDI && !m->rd) continue;
        strcat(strcat(text, *text ? "; " : ""), isa_table[m->op].name);
        add_register(text, r->rd, m->rd);
        add_register(text, r->rs1, m->rs1);
        add_register(text, r->rs2, m->rs2);
        add_slot(text, m->slot);
        assert_true(strlen(text) + 100 < TEXT);
    }
    if (b->term == TERM_RETURN && b->rs1 >= FIRST_VREG) add_register(strcat(text, "; end"), CLASS_S, b->rs1);
    return text;
}

static void expect(uint32_t block, const char *text) { assert_string_equal(code_of(block), text); }

/* ---- homes ---- */

/* A scalar is in lanes, a vector register in private memory; neither begins at address 0. */
static void homes(void **state)
{
    (void)state;
    make('a');
    make_v('v');
    make_v('w');
    fill(GAP + 1);
    use('a');
    use_v('v');
    use_v('w');
    f->vregs[scalar('a')].undefined = true;
    spill("avw");
    expect(0, "lw 1; vmv.v.i 2; vmv.v.x A 1; vlw12.v 3 z; vsw.v 2 3 [v]; vlw12.v 4 z; vsw.v 2 4 [w]; vmv.x.s 5 A; sw "
              "5; vlw.v 6 2 [v]; vsw12.v z 6; vlw.v 7 2 [w]; vsw12.v z 7");
    const struct vreg *home = &f->vregs[f->vregs[scalar('a')].home];
    assert_true(home->apart && home->undefined && home->cls == CLASS_V);
    assert_int_equal(f->vregs[vector('v')].slot, 4);
    assert_int_equal(f->vregs[vector('w')].slot, 8);
    assert_int_equal(f->frame, 12);
    assert_int_equal(f->spilled, 8);
    assert_true(f->vregs[f->mblocks[0].code[0].rd].undefined);
}

/* Parts have the home of the register, and moves to and from it are not made twice when they are split themselves. */
static void one_home(void **state)
{
    (void)state;
    make('a');
    make_v('v');
    fill(GAP + 1);
    use('a');
    use_v('v');
    spill("av");
    const struct minsn *code = f->mblocks[0].code;
    int32_t home = f->vregs[scalar('a')].home;
    named['p' - 'a'] = code[0].rd;
    named['q' - 'a'] = code[3].rd;
    spill("pq");
    assert_int_equal(f->vregs[scalar('p')].home, home);
    assert_int_equal(f->vregs[vector('q')].slot, 4);
    assert_int_equal(f->frame, 8);
    expect(0,
           "lw 1; vmv.v.x A 1; vmv.v.i 2; vlw12.v 3 z; vsw.v 2 3 [v]; vmv.x.s 4 A; sw 4; vlw.v 5 2 [v]; vsw12.v z 5");
}

/* A part that has been merged with another value has no home of that register's any more. */
static void lost_home(void **state)
{
    (void)state;
    make('a');
    fill(GAP + 1);
    use('a');
    spill("a");
    named['p' - 'a'] = f->mblocks[0].code[0].rd;
    f->vregs[scalar('p')].home = NOREG;
    spill("p");
    expect(0, "lw 1; vmv.v.x P 1; vmv.v.v A P; vmv.x.s 2 A; sw 2");
}

/* What this round's moves name is not split in the same one. */
static void home_in_use(void **state)
{
    (void)state;
    make('a');
    fill(GAP + 1);
    use('a');
    spill("a");
    named['p' - 'a'] = f->mblocks[0].code[0].rd;
    named['h' - 'a'] = f->vregs[scalar('a')].home;
    spill("ph");
    assert_int_equal(f->vregs[vector('h')].slot, 0);
    spill("h");
    assert_int_equal(f->vregs[vector('h')].slot, 4);
    expect(0, "lw 1; vmv.v.i 2; vmv.v.x 3 1; vsw.v 2 3 [h]; vlw.v 4 2 [h]; vmv.x.s 5 4; sw 5");
}

static int32_t offset_of(unsigned op, unsigned which)
{
    const struct minsn *m = f->mblocks[0].code;
    for (; m->op != op || which--; m++) {
    }
    return m->imm;
}

/* A base serves all slots that its accesses can name; it stands behind the first instruction, once. */
static void bases(void **state)
{
    (void)state;
    make('a');
    f->frame = REACH - 4;
    make_v('v');
    make_v('w');
    make_v('x');
    fill(GAP + 1);
    use_v('v');
    use_v('w');
    use_v('x');
    spill("vw");
    expect(0, "lw a; vmv.v.i 1; lui 2; addi 3 2; vmv.v.x 4 3; vlw12.v 5 z; vsw.v 1 5 [v]; vlw12.v 6 z; vsw.v 4 6 [w]; "
              "vlw12.v x z; vlw.v 7 1 [v]; vsw12.v z 7; vlw.v 8 4 [w]; vsw12.v z 8; vsw12.v z x");
    assert_int_equal(offset_of(OP_VSW_V, 0), REACH - 4);
    assert_int_equal(offset_of(OP_VSW_V, 1), -REACH);
    assert_int_equal(offset_of(OP_ADDI, 0), -2 * REACH);
    spill("x");
    expect(0, "lw a; vmv.v.i 1; lui 2; addi 3 2; vmv.v.x 4 3; vlw12.v 5 z; vsw.v 1 5 [v]; vlw12.v 6 z; vsw.v 4 6 [w]; "
              "vlw12.v 9 z; vsw.v 4 9 [x]; vlw.v 7 1 [v]; vsw12.v z 7; vlw.v 8 4 [w]; vsw12.v z 8; vlw.v 10 4 [x]; "
              "vsw12.v z 10");
    assert_int_equal(offset_of(OP_VSW_V, 2), 4 - REACH);
}

/* A base without a register serves those before, which have it made anew; later slots have another one. */
static void lost_base(void **state)
{
    (void)state;
    make('a');
    make_v('v');
    make_v('w');
    fill(GAP + 1);
    use_v('v');
    use_v('w');
    spill("v");
    named['b' - 'a'] = f->slot_bases[0];
    spill("bw");
    assert_int_not_equal(f->slot_bases[0], vector('b'));
    expect(0, "lw a; vmv.v.i 1; vlw12.v 2 z; vmv.v.i 3; vsw.v 3 2 [v]; vlw12.v 4 z; vsw.v 1 4 [w]; vmv.v.i 5; vlw.v 6 "
              "5 [v]; vsw12.v z 6; vlw.v 7 1 [w]; vsw12.v z 7");
}

/* ---- constants ---- */

static void constants(void **state)
{
    (void)state;
    emit(f, OP_LUI, scalar('a'), 0, 0, 4096);
    emit(f, OP_ADDI, scalar('b'), scalar('a'), 0, 5);
    emit(f, OP_VMV_V_X, vector('v'), scalar('b'), 0, 0);
    fill(GAP + 1);
    use('b');
    use_v('v');
    spill("bv");
    expect(0, "lui a; lui 1; addi 2 1; sw 2; lui 3; addi 4 3; vmv.v.x 5 4; vsw12.v z 5");
    assert_int_equal(f->vregs[scalar('b')].home, NOREG);
    assert_int_equal(f->frame, 0);
}

/* Is the last register that has been made a constant? */
static bool is_constant(char c)
{
    fill(GAP + 1);
    if (f->vregs[named[c - 'a']].cls == CLASS_S) use(c);
    else use_v(c);
    spill((char[]){c, 0});
    return f->vregs[named[c - 'a']].home == NOREG && !f->vregs[named[c - 'a']].slot;
}

static void no_constants(void **state)
{
    (void)state;
    emit(f, OP_ADDI, scalar('b'), 0, 0, 4);
    emit(f, OP_LW, scalar('a'), scalar('b'), 0, 0);
    assert_false(is_constant('a')); /* memory changes */
    begin_named(1);
    emit(f, OP_CSRRS, scalar('a'), 0, 0, CSR_KNL);
    assert_false(is_constant('a'));
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), REG_ARGS, 0, 5);
    assert_false(is_constant('a')); /* others may write that register */
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 6);
    assert_false(is_constant('a'));
    begin_named(1);
    emit(f, OP_VID_V, vector('v'), 0, 0, 0);
    assert_true(is_constant('v'));
    begin_named(1);
    emit(f, OP_VID_V, vector('w'), 0, 0, 0);
    emit(f, OP_VMACC_VV, vector('v'), vector('w'), vector('w'), 0);
    assert_false(is_constant('v')); /* reads what it writes */
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5);
    emit(f, OP_ADDI, scalar('b'), scalar('a'), 0, 5);
    emit(f, OP_ADDI, scalar('c'), scalar('b'), 0, 5);
    assert_true(is_constant('c'));
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5);
    emit(f, OP_ADDI, scalar('b'), scalar('a'), 0, 5);
    emit(f, OP_ADDI, scalar('c'), scalar('b'), 0, 5);
    emit(f, OP_ADDI, scalar('d'), scalar('c'), 0, 5);
    assert_false(is_constant('d')); /* too long */
}

/* ---- rows ---- */

/* Uses that follow each other closely share a load. */
static void rows(void **state)
{
    (void)state;
    make('a');
    fill(GAP);
    use('a');
    fill(GAP - 1);
    use('a');
    spill("a");
    expect(0, "lw 1; vmv.v.x A 1; vmv.x.s 2 A; sw 2; sw 2");
}

/* A vector register is saved behind the last definition of a row, a scalar behind each: instructions may read its home.
 */
static void saves(void **state)
{
    (void)state;
    make('a');
    make_v('v');
    emit(f, OP_ADD, scalar('a'), scalar('a'), REG_ARGS, 0);
    emit(f, OP_VMACC_VV, vector('v'), vector('z'), vector('z'), 0);
    use('a');
    use_v('v');
    fill(GAP + 1);
    use('a');
    use_v('v');
    spill("av");
    expect(0, "lw 1; vmv.v.i 2; vmv.v.x A 1; vlw12.v 3 z; add 1 1; vmv.v.x A 1; vmacc.vv 3 z z; vsw.v 2 3 [v]; sw 1; "
              "vsw12.v z 3; vmv.x.s 4 A; sw 4; vlw.v 5 2 [v]; vsw12.v z 5");
}

/* What nothing reads behind the row, or the instruction, is not saved. */
static void no_saves(void **state)
{
    (void)state;
    make('a');
    make_v('v');
    use_v('v');
    spill("av");
    expect(0, "lw 1; vlw12.v 2 z; vsw12.v z 2");
}

/* An instruction that reads and writes a register loads and saves it. */
static void changed(void **state)
{
    (void)state;
    make_v('v');
    fill(GAP + 1);
    emit(f, OP_VMACC_VV, vector('v'), vector('z'), vector('z'), 0);
    fill(GAP + 1);
    use_v('v');
    spill("v");
    expect(0, "vlw12.v 1 z; vmv.v.i 2; vsw.v 2 1 [v]; vlw.v 3 2 [v]; vmacc.vv 3 z z; vsw.v 2 3 [v]; vlw.v 4 2 [v]; "
              "vsw12.v z 4");
}

/* Rows do not reach from block to block; what is live behind one is saved, its end may read. */
static void blocks(void **state)
{
    (void)state;
    begin_named(2);
    make('a');
    f->cur = 1;
    use('a');
    f->mblocks[1].rs1 = scalar('a');
    fill(GAP + 1);
    spill("a");
    expect(0, "lw 1; vmv.v.x A 1");
    expect(1, "vmv.x.s 2 A; sw 2; vmv.x.s 3 A; end 3");
}

/* In a later round parts of a row have a register for each instruction, which is not to be split again. */
static void instructions(void **state)
{
    (void)state;
    make('a');
    fill(GAP + 1);
    use('a');
    use('a');
    f->vregs[scalar('a')].direct = true;
    spill("a");
    named['p' - 'a'] = f->mblocks[0].code[f->mblocks[0].n - 1].rs2;
    assert_true(f->vregs[scalar('p')].direct && !f->vregs[scalar('p')].temporary);
    spill("p");
    expect(0, "lw 1; vmv.v.x A 1; vmv.x.s 2 A; sw 2; vmv.x.s 3 A; sw 3");
    int32_t last = f->mblocks[0].code[f->mblocks[0].n - 1].rs2;
    assert_true(f->vregs[last].temporary && f->vregs[last].direct);
}

/* Copies to itself, as merging leaves them, are gone. */
static void own_copies(void **state)
{
    (void)state;
    make('a');
    emit(f, OP_ADDI, scalar('a'), scalar('a'), 0, 0);
    emit(f, OP_ADDI, scalar('b'), scalar('a'), 0, 0);
    fill(GAP + 1);
    use('b');
    spill("ab");
    expect(0, "lw 1; vmv.v.x A 1; addi 2 1; vmv.v.x B 2; vmv.x.s 3 B; sw 3");
}

/* Where an instruction takes a vector register in the scalar's place, it takes the home. */
static void home_read(void **state)
{
    (void)state;
    make('a');
    emit(f, OP_VADD_VX, vector('w'), scalar('a'), vector('z'), 0);
    use_v('w');
    use('a'); /* saved in front of the home's reader, though the row does not end there */
    spill("a");
    expect(0, "lw 1; vmv.v.x A 1; vadd.vv w A z; vsw12.v z w; sw 1");
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5);
    emit(f, OP_VADD_VX, vector('w'), scalar('a'), vector('z'), 0);
    use_v('w');
    spill("a");
    expect(0, "addi 1; vadd.vx w 1 z; vsw12.v z w"); /* a constant has no home */
    begin_named(4);
    make('a');
    f->cur = 2;
    emit(f, OP_VADD_VX, vector('w'), scalar('a'), vector('z'), 0);
    use_v('w');
    loop(2, 2, 1);
    spill("a");
    expect(2, "vadd.vx w 1 z; vsw12.v z w"); /* in a loop, the register */
}

/* Moves say what they are of, for debug information and lines. */
static void marks(void **state)
{
    (void)state;
    struct value values[8] = {{0}};
    f->values = values;
    make('a')->place = 3;
    f->mblocks[0].code[0].made = scalar('a');
    fill(GAP + 1);
    use('a')->place = 5;
    spill("a");
    const struct mblock *b = &f->mblocks[0];
    assert_int_equal(b->code[1].op, OP_VMV_V_X);
    assert_int_equal(b->code[1].made, scalar('a'));
    assert_int_equal(b->code[1].place, 3);
    assert_int_equal(b->code[b->n - 2].op, OP_VMV_X_S);
    assert_int_equal(b->code[b->n - 2].place, 5);
    assert_true(b->code[1].moves && b->code[b->n - 2].moves);
    begin_named(1);
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5)->made = scalar('a');
    fill(GAP + 1);
    use('a');
    spill("a");
    assert_int_equal(f->mblocks[0].code[f->mblocks[0].n - 2].op, OP_ADDI);
    assert_int_equal(f->mblocks[0].code[f->mblocks[0].n - 2].made, 0); /* it is no new value */
}

/* ---- loops ---- */

/* Blocks: 0, the preheader 1, the loop 2, its exit 3. */
static void loops(void **state)
{
    (void)state;
    begin_named(4);
    make('a');
    make('b');
    make('c');
    make('d');
    f->cur = 2;
    use('a');
    emit(f, OP_ADD, scalar('b'), scalar('b'), REG_ARGS, 0);
    emit(f, OP_ADD, scalar('d'), scalar('d'), REG_ARGS, 0);
    make('e');
    use('e');
    f->cur = 3;
    use('a');
    use('b');
    use('c');
    loop(2, 2, 1);
    spill("abcde");
    expect(0, "lw 1; vmv.v.x A 1; lw 2; vmv.v.x B 2; lw 3; vmv.v.x C 3; lw 4; vmv.v.x D 4");
    expect(1, "vmv.x.s 5 A; vmv.x.s 6 B; vmv.x.s 7 D");
    expect(2, "sw 5; add 6 6; add 7 7; lw 8; sw 8");
    expect(3, "vmv.v.x B 6; vmv.x.s 9 A; sw 9; vmv.x.s 10 B; sw 10; vmv.x.s 11 C; sw 11");
}

/* The register is the outermost loop's; when that has none left, the inner one's. */
static void nested(void **state)
{
    (void)state;
    begin_named(7);
    make('a');
    f->cur = 3;
    use('a');
    loop(3, 3, 2);
    f->mblocks[3].depth = 2;
    loop(2, 4, 1);
    f->mblocks[3].depth = 2;
    f->mblocks[3].succ[0] = 3;
    f->mblocks[3].succ[1] = 4;
    spill("a");
    expect(1, "vmv.x.s 1 A");
    expect(2, "");
    expect(3, "sw 1");
    named['p' - 'a'] = f->mblocks[3].code[0].rs2;
    spill("p");
    expect(1, "");
    expect(2, "vmv.x.s 2 A");
    expect(3, "sw 2");
    named['q' - 'a'] = f->mblocks[3].code[0].rs2;
    spill("q");
    expect(2, "");
    expect(3, "vmv.x.s 3 A; sw 3");
}

/* Block 2 is a loop that uses a scalar, and has no register for it. */
static void expect_no_register(void)
{
    f->cur = 2;
    use('a');
    loop(2, 2, 1);
    spill("a");
    expect(2, "vmv.x.s 1 A; sw 1");
}

/* A loop that is entered from a branch, or whose exit is another block's, too, has no register. */
static void open_loops(void **state)
{
    (void)state;
    begin_named(5);
    make('a');
    branch(0, 2, 1);
    f->mblocks[1].succ[0] = 4;
    expect_no_register();
    begin_named(5);
    make('a');
    branch(0, 3, 1);
    expect_no_register();
}

/* Constants of loops: made anew in the preheader. */
static void loop_constants(void **state)
{
    (void)state;
    begin_named(4);
    f->cur = 2;
    emit(f, OP_ADDI, scalar('a'), 0, 0, 5);
    use('a');
    loop(2, 2, 1);
    spill("a");
    expect(1, "addi 1");
    expect(2, "sw 1");
}

/* Lanes that have left the loop find nothing to save of what those that run on may have written (rule R5). */
static void left_behind(void **state)
{
    (void)state;
    begin_named(5);
    make('a');
    f->cur = 2;
    use('a');
    emit(f, OP_ADD, scalar('a'), scalar('a'), REG_ARGS, 0);
    f->mblocks[2].depth = 1;
    part(2, vector('z'), 2, 3, 4);
    spill("a");
    expect(1, "vmv.x.s 1 A");
    expect(2, "sw 1; add 1 1");
    expect(3, "");
}

/* Lanes leave the inner loop 3 at a divergent branch and come back to its preheader 2, round the outer one, while
 * others are still in it. */
static void begin_returned_to(void)
{
    begin_named(6);
    loop(2, 4, 1);
    part(3, vector('z'), 3, 4, 5);
    f->mblocks[3].depth = 2;
}

/* They must not load the scalar register that the others read; lanes of a vector register are their own. */
static void returned_to(void **state)
{
    (void)state;
    begin_returned_to();
    make('a');
    f->cur = 3;
    use('a');
    f->vregs[scalar('a')].level = 1; /* the outer loop has no register for it */
    spill("a");
    expect(2, "");
    expect(3, "vmv.x.s 1 A; sw 1");
    begin_returned_to();
    make_v('v');
    f->cur = 3;
    use_v('v');
    f->vregs[vector('v')].level = 1;
    spill("v");
    expect(2, "vlw.v 1 2 [v]");
    expect(3, "vsw12.v z 1");
}

/* In the last resort neither a loop nor a row has a register: each instruction has temporaries. */
static void last_resort(void **state)
{
    (void)state;
    begin_named(4);
    make('a');
    make_v('v');
    loop(2, 2, 1);
    f->cur = 2;
    use('a');
    use('a');
    use_v('v');
    emit(f, OP_VADD_VV, vector('v'), vector('v'), vector('v'), 0);
    split("av", true);
    expect(0, "lw 1; vmv.v.i 2; vmv.v.x A 1; vlw12.v 3 z; vsw.v 2 3 [v]");
    expect(1, "");
    expect(2, "vmv.x.s 4 A; sw 4; vmv.x.s 5 A; sw 5; vlw.v 6 2 [v]; vsw12.v z 6; vlw.v 7 2 [v]; vadd.vv 7 7 7; vsw.v 2 "
              "7 [v]");
    for (uint32_t i = 0; i < nnumbered; i++)
        if (i != 1) assert_true(f->vregs[numbered[i]].temporary); /* the base of homes is the next round's */
    named['b' - 'a'] = f->slot_bases[0];
    named['h' - 'a'] = f->vregs[scalar('a')].home;
    split("bh", true);
    assert_true(f->vregs[f->mblocks[2].code[0].rd].temporary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(homes),          TEST(one_home),    TEST(lost_home),    TEST(home_in_use),  TEST(bases),
        TEST(lost_base),      TEST(constants),   TEST(no_constants), TEST(rows),         TEST(saves),
        TEST(no_saves),       TEST(changed),     TEST(blocks),       TEST(instructions), TEST(own_copies),
        TEST(home_read),      TEST(marks),       TEST(loops),        TEST(nested),       TEST(open_loops),
        TEST(loop_constants), TEST(left_behind), TEST(returned_to),  TEST(last_resort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
