/* Structured control flow on the SIMT stack: random nests of ifs and loops, compiled here to vector
 * branches, give every lane what it would compute alone, whichever side of a branch runs first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"

/* Lane variables are v8 to v15. Loop counters are v16 and up. */
enum { VARS = 8, FIRST_VAR = 8, FIRST_COUNTER = 16, MAX_DEPTH = 4, MAX_NODES = 400, MAX_WORDS = 4096 };

enum node_kind { ASSIGN, IF, LOOP };

struct node {
    enum node_kind kind;
    enum isa_op op;  /* ASSIGN: vector operation; IF: branch */
    uint8_t a, b, d; /* variables */
    int32_t imm;
    uint32_t trips;        /* LOOP: up to trips, by lane: variable a modulo trips + 1 */
    int body, other, next; /* nodes, -1: none */
};

static struct node nodes[MAX_NODES];
static int nnodes;

/* ---- random programs ---- */

static uint8_t variable(void) { return (uint8_t)(guest_random() % VARS); }

static int make_block(int depth);

static int make_node(int depth)
{
    static const enum isa_op ops[] = {OP_VADD_VV, OP_VSUB_VV, OP_VXOR_VV, OP_VMUL_VV, OP_VADD_VI};
    static const enum isa_op branches[] = {OP_VBEQ, OP_VBNE, OP_VBLT, OP_VBGE, OP_VBLTU, OP_VBGEU};
    uint32_t r = guest_random() % 8;
    int at = nnodes++;
    struct node *n = &nodes[at];
    *n = (struct node){.a = variable(), .b = variable(), .d = variable(), .body = -1, .other = -1, .next = -1};
    if (depth >= MAX_DEPTH || r < 4 || nnodes > MAX_NODES / 2) {
        n->kind = ASSIGN;
        n->op = ops[guest_random() % 5];
        n->imm = (int32_t)(guest_random() % 16);
    } else if (r < 7) {
        n->kind = IF;
        n->op = branches[guest_random() % 6];
        int body = make_block(depth + 1), other = guest_random() % 3 ? make_block(depth + 1) : -1;
        nodes[at].body = body;
        nodes[at].other = other;
    } else {
        n->kind = LOOP;
        n->trips = 1 + guest_random() % 3;
        int body = make_block(depth + 1);
        nodes[at].body = body;
    }
    return at;
}

static int make_block(int depth)
{
    int first = -1, last = -1;
    for (uint32_t i = 0, n = 1 + guest_random() % 3; i < n && nnodes < MAX_NODES - 1; i++) {
        int at = make_node(depth);
        if (last < 0) first = at;
        else nodes[last].next = at;
        last = at;
    }
    return first;
}

/* ---- one lane on the host ---- */

static uint32_t apply(enum isa_op op, uint32_t a, uint32_t b, int32_t imm)
{
    switch (op) {
    case OP_VADD_VV: return a + b;
    case OP_VSUB_VV: return a - b;
    case OP_VXOR_VV: return a ^ b;
    case OP_VMUL_VV: return a * b;
    default: return a + (uint32_t)imm;
    }
}

static bool holds(enum isa_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case OP_VBEQ: return a == b;
    case OP_VBNE: return a != b;
    case OP_VBLT: return (int32_t)a < (int32_t)b;
    case OP_VBGE: return (int32_t)a >= (int32_t)b;
    case OP_VBLTU: return a < b;
    default: return a >= b;
    }
}

static void interpret(int at, uint32_t *v)
{
    for (; at >= 0; at = nodes[at].next) {
        const struct node *n = &nodes[at];
        if (n->kind == ASSIGN) v[n->d] = apply(n->op, v[n->a], v[n->b], n->imm);
        else if (n->kind == IF) interpret(holds(n->op, v[n->a], v[n->b]) ? n->body : n->other, v);
        else
            for (uint32_t i = v[n->a] % (n->trips + 1); i; i--) interpret(n->body, v);
    }
}

/* ---- code ---- */

struct code {
    uint32_t words[MAX_WORDS];
    size_t n;
};

static void put(struct code *c, enum isa_op op, struct insn in)
{
    uint32_t w[ISA_MAX_WORDS];
    in.op = (uint16_t)op;
    in.vm = 1;
    unsigned k = isa_encode(&in, w, NULL);
    assert_int_equal(k, 1);
    assert_true(c->n < MAX_WORDS);
    c->words[c->n++] = w[0];
}

/* Reserves room for auipc, setrpc and fills it in when the join's place is known. */
static size_t put_setrpc(struct code *c)
{
    c->n += 2;
    return c->n - 2;
}

static void patch_setrpc(struct code *c, size_t at, size_t join)
{
    struct code tmp = {.n = 0};
    int32_t distance = (int32_t)(join - at) * 4;
    uint32_t high = ((uint32_t)distance + 0x800) & 0xfffff000;
    put(&tmp, OP_AUIPC, (struct insn){.rd = 5, .imm = (int32_t)high});
    put(&tmp, OP_SETRPC, (struct insn){.rd = 0, .rs1 = 5, .imm = distance - (int32_t)high});
    memcpy(c->words + at, tmp.words, 8);
}

static void patch_branch(struct code *c, size_t at, enum isa_op op, uint8_t vs2, uint8_t vs1, size_t target)
{
    struct code tmp = {.n = 0};
    put(&tmp, op, (struct insn){.rs2 = vs2, .rs1 = vs1, .imm = (int32_t)(target - at) * 4});
    c->words[at] = tmp.words[0];
}

static void patch_jump(struct code *c, size_t at, size_t target)
{
    struct code tmp = {.n = 0};
    put(&tmp, OP_JAL, (struct insn){.rd = 0, .imm = (int32_t)(target - at) * 4});
    c->words[at] = tmp.words[0];
}

static void compile(struct code *c, int at, int depth);

/* setrpc join; vbXX body; other; j join; body: ...; join: join */
static void compile_if(struct code *c, const struct node *n, int depth)
{
    size_t rpc = put_setrpc(c), branch = c->n++;
    compile(c, n->other, depth + 1);
    size_t jump = c->n++;
    patch_branch(c, branch, n->op, (uint8_t)(FIRST_VAR + n->a), (uint8_t)(FIRST_VAR + n->b), c->n);
    compile(c, n->body, depth + 1);
    patch_jump(c, jump, c->n);
    patch_setrpc(c, rpc, c->n);
    put(c, OP_JOIN, (struct insn){0});
}

/* counter = a % (trips + 1); head: setrpc join; vbeq counter, 0, join; counter--; body; j head; join: join */
static void compile_loop(struct code *c, const struct node *n, int depth)
{
    uint8_t counter = (uint8_t)(FIRST_COUNTER + depth);
    put(c, OP_ADDI, (struct insn){.rd = 6, .imm = (int32_t)n->trips + 1});
    put(c, OP_VREMU_VX, (struct insn){.rd = counter, .rs2 = (uint8_t)(FIRST_VAR + n->a), .rs1 = 6});
    size_t head = c->n, rpc = put_setrpc(c), branch = c->n++;
    put(c, OP_VADD_VI, (struct insn){.rd = counter, .rs2 = counter, .imm = -1});
    compile(c, n->body, depth + 1);
    size_t jump = c->n++;
    patch_jump(c, jump, head);
    patch_branch(c, branch, OP_VBEQ, counter, 1, c->n); /* v1 is zero */
    patch_setrpc(c, rpc, c->n);
    put(c, OP_JOIN, (struct insn){0});
}

static void compile(struct code *c, int at, int depth)
{
    for (; at >= 0; at = nodes[at].next) {
        const struct node *n = &nodes[at];
        uint8_t d = (uint8_t)(FIRST_VAR + n->d), a = (uint8_t)(FIRST_VAR + n->a), b = (uint8_t)(FIRST_VAR + n->b);
        if (n->kind == IF) compile_if(c, n, depth);
        else if (n->kind == LOOP) compile_loop(c, n, depth);
        else if (n->op == OP_VADD_VI) put(c, OP_VADD_VI, (struct insn){.rd = d, .rs2 = a, .imm = n->imm});
        else put(c, n->op, (struct insn){.rd = d, .rs2 = a, .rs1 = b});
    }
}

/* Variable i begins as lane * spread(i), so that lanes differ from the start. */
static int32_t spread(unsigned i) { return i == 0 ? 1 : (int32_t)(i * 37 % 13) - 6; }

static void compile_program(struct code *c, int first)
{
    c->n = 0;
    put(c, OP_VID_V, (struct insn){.rd = FIRST_VAR});
    for (int i = 1; i < VARS; i++) {
        put(c, OP_ADDI, (struct insn){.rd = 6, .imm = spread(i)});
        put(c, OP_VMUL_VX, (struct insn){.rd = (uint8_t)(FIRST_VAR + i), .rs2 = FIRST_VAR, .rs1 = 6});
    }
    compile(c, first, 0);
    put(c, OP_LUI, (struct insn){.rd = 5, .imm = (int32_t)GUEST_DATA});
    put(c, OP_VID_V, (struct insn){.rd = 2});
    put(c, OP_VSLL_VI, (struct insn){.rd = 2, .rs2 = 2, .imm = 2});
    put(c, OP_VADD_VX, (struct insn){.rd = 2, .rs2 = 2, .rs1 = 5});
    for (int i = 0; i < VARS; i++)
        put(c, OP_VSW12_V, (struct insn){.rs2 = (uint8_t)(FIRST_VAR + i), .rs1 = 2, .imm = i * 128});
    put(c, OP_ENDPRG, (struct insn){0});
}

/* ---- the tests ---- */

static void check_lanes(const struct guest *g, int first, int program)
{
    for (uint32_t lane = 0; lane < g->launch.work_items; lane++) {
        uint32_t v[VARS];
        for (uint32_t i = 0; i < VARS; i++) v[i] = lane * (uint32_t)spread(i);
        interpret(first, v);
        for (uint32_t i = 0; i < VARS; i++)
            if (g->data[i * 32 + lane] != v[i])
                fail_msg("program %d order %d lane %u variable %u: 0x%08x, expected 0x%08x", program,
                         (int)g->options.order, lane, i, g->data[i * 32 + lane], v[i]);
    }
}

static void test_random_nests(void **state)
{
    static struct code code;
    struct guest g;
    uint64_t divergent = 0;
    (void)state;
    guest_open(&g);
    for (int program = 0; program < 300; program++) {
        nnodes = 0;
        int first = make_block(0);
        compile_program(&code, first);
        guest_code(&g, code.words, code.n);
        g.launch.work_items = program % 4 == 3 ? 1 + guest_random() % 32 : 32;
        for (int order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) {
            g.options.order = (enum path_order)order;
            guest_run(&g);
            char text[300];
            fault_print(&g.result.fault, text, sizeof text);
            if (g.result.status != LAUNCH_DONE) fail_msg("program %d order %d: %s", program, order, text);
            check_lanes(&g, first, program);
            divergent += g.result.counters.divergent;
        }
    }
    assert_true(divergent > 1000);
    guest_close(&g);
}

/* The side with fewer lanes goes first, a tie goes to the target: the order of stores to one word shows. */
static void run_split(struct guest *g, int split, enum path_order order, uint32_t first, uint32_t second)
{
    char source[1024];
    snprintf(source, sizeof source,
             " lui x5, 0x90000\n vid.v v1\n li x6, %d\n vmv.v.x v2, x6\n vmv.v.x v3, x5\n"
             "1: auipc x7, %%pcrel_hi(join)\n setrpc x0, x7, %%pcrel_lo(1b)\n"
             " vblt v1, v2, taken\n li x8, 2\n jal x0, common\n"
             "taken: li x8, 1\n"
             "common: lw x9, 0(x5)\n addi x9, x9, 4\n sw x9, 0(x5)\n add x10, x5, x9\n sw x8, 0(x10)\n"
             "join: join\n endprg\n",
             split);
    memset(g->data, 0, 64);
    g->options.order = order;
    guest_assemble(g, source);
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
    assert_int_equal(g->data[0], 8);
    assert_int_equal(g->data[1], first);
    assert_int_equal(g->data[2], second);
    assert_int_equal(g->result.counters.max_simt_depth, 2);
}

static void test_order(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    run_split(&g, 5, PATH_FEWER_FIRST, 1, 2);
    run_split(&g, 16, PATH_FEWER_FIRST, 1, 2);
    run_split(&g, 17, PATH_FEWER_FIRST, 2, 1);
    run_split(&g, 17, PATH_TAKEN_FIRST, 1, 2);
    run_split(&g, 5, PATH_FALLTHROUGH_FIRST, 2, 1);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_nests), cmocka_unit_test(test_order)};
    return guest_run_tests(tests);
}
