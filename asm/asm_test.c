/* The assembler against the instruction table, known words, and everything users get wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "asm/listing.h"
#include "asm/near.h"
#include "asm/resource.h"
#include "isa/abi.h"
#include "tests/rng.h"

/* ---- helpers ---- */

static enum isa_profile profile = PROFILE_DEFAULT; /* of all sources that are assembled */

static bool assemble(const char *source, struct elf_image *m, char **log)
{
    size_t size;
    FILE *f = open_memstream(log, &size);
    const struct asm_options options = {.profile = profile};
    bool ok = asm_assemble_with(&options, "t.s", source, strlen(source), ABI_CODE_BASE, m, f);
    fclose(f);
    return ok;
}

static void good(const char *source, struct elf_image *m)
{
    char *log;
    if (!assemble(source, m, &log)) fail_msg("\n%s\n%s", source, log);
    assert_string_equal(log, "");
    free(log);
}

/* The source gives exactly these words of text. */
static void words(const char *source, size_t n, const uint32_t *expect)
{
    struct elf_image m;
    good(source, &m);
    for (size_t i = 0; i < n && i < m.text_words; i++)
        if (m.text[i] != expect[i]) fail_msg("%s: word %zu is %08x, not %08x", source, i, m.text[i], expect[i]);
    if (m.text_words != n) fail_msg("%s: %zu words, not %zu", source, m.text_words, n);
    elf_free(&m);
}
#define WORDS(source, ...) words(source, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

/* Two sources give the same text. */
static void same(const char *a, const char *b)
{
    struct elf_image m;
    good(b, &m);
    words(a, m.text_words, m.text);
    elf_free(&m);
}

/* The source is refused, with this text in the messages. */
static void bad(const char *source, const char *expect)
{
    struct elf_image m;
    char *log;
    if (assemble(source, &m, &log)) fail_msg("accepted: %s", source);
    if (!strstr(log, expect)) fail_msg("%s\ngave: %s\nnot: %s", source, log, expect);
    free(log);
}

static void rodata(const char *source, size_t n, const void *expect)
{
    struct elf_image m;
    good(source, &m);
    assert_int_equal(m.rodata_size, n);
    assert_memory_equal(m.rodata, expect, n);
    elf_free(&m);
}

/* ---- the table ---- */

static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                            PROFILE_R2025};

/* A word of this operation with random operands; its upper half, if it has one, in w[1]. */
static void random_word(unsigned op, uint32_t w[2])
{
    uint64_t ignored = 0, word = rng() | (uint64_t)rng() << 32;
    unsigned bits = isa_bits((enum isa_op)op);
    for (unsigned b = 0; b < bits; b++)
        if (isa_table[op].pattern[bits - 1 - b] == '_') ignored |= 1ull << b;
    word = ((word & ~isa_mask((enum isa_op)op)) | isa_match((enum isa_op)op)) & ~ignored;
    w[0] = (uint32_t)word;
    w[1] = (uint32_t)(word >> 32);
}

static unsigned random_prefix(void)
{
    for (;;) {
        unsigned op = 1 + rng() % (OP_COUNT - 1);
        if (isa_table[op].kind == KIND_PREFIX && (isa_table[op].revisions & profile)) return op;
    }
}

/* Prints `in`, which encodes to `enc`, assembles the text, and gets words and text back. */
static void there_and_back(const struct insn *in, unsigned n, const uint32_t *enc)
{
    char text[200], again[200];
    struct insn back;
    isa_print(in, ABI_CODE_BASE, 0, text, sizeof text);
    words(text, n, enc);
    if (isa_table[in->op].kind == KIND_PREFIX) assert_true(isa_decode_raw(profile, enc, n, &back));
    else assert_true(isa_decode_in(profile, enc, n, &back));
    isa_print(&back, ABI_CODE_BASE, 0, again, sizeof again);
    assert_string_equal(text, again);
}

/* Every row in every profile that has it: random words are printed, assembled, and give the same
 * word and text; also behind a prefix, whose void parts text does not carry. */
static void test_each_row(void **state)
{
    (void)state;
    unsigned tested[OP_COUNT] = {0};
    for (unsigned p = 0; p < sizeof profiles / sizeof *profiles; p++)
        for (unsigned op = 1; op < OP_COUNT; op++) {
            profile = profiles[p];
            for (int i = 0; i < 24 && (isa_table[op].revisions & profile); i++) {
                uint32_t w[3], enc[ISA_MAX_WORDS];
                struct insn in;
                random_word(op, w);
                if (isa_decode_raw(profile, w, isa_bits((enum isa_op)op) / 32, &in)) {
                    assert_int_equal(in.op, op);
                    assert_int_equal(isa_encode_in(profile, &in, enc, NULL), in.size / 4);
                    assert_memory_equal(enc, w, in.size);
                    there_and_back(&in, in.size / 4, enc);
                    tested[op]++;
                }
                random_word(random_prefix(), w);
                random_word(op, w + 1);
                if (!isa_decode_in(profile, w, 3, &in) || !in.prefix) continue;
                in.groups = 0;
                if (in.prefix == OP_REGEXT || in.prefix == OP_REGEXTI) in.prefix = 0;
                unsigned n = isa_encode_in(profile, &in, enc, NULL);
                if (!n) continue; /* the prefix was void, and its registers are only in the groups */
                /* a prefix that changed nothing is gone */
                assert_true(isa_decode_in(profile, enc, n, &in) || isa_decode_raw(profile, enc, n, &in));
                there_and_back(&in, n, enc);
            }
        }
    profile = PROFILE_DEFAULT;
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (!tested[op]) fail_msg("%s was never tested", isa_table[op].name);
}

/* Any sequence of words, sense or not, survives disassembling and assembling. */
static void test_random_listing(void **state)
{
    (void)state;
    enum { N = 256 };
    for (int round = 0; round < 100; round++) {
        uint32_t w[N + 2];
        char *text, *log;
        size_t size;
        struct elf_image m;
        profile = profiles[round / 2 % 5];
        for (size_t i = 0; i < N; i++) {
            unsigned kind = rng() % 5;
            if (kind == 0) w[i] = rng();
            else if (kind == 1) random_word(random_prefix(), w + i);
            else random_word(1 + rng() % (OP_COUNT - 1), w + i);
            if (kind == 2 && i + 1 < N) i++;                                           /* both halves of a long word */
            if (kind == 3 && rng() % 3 == 0) w[i] = 0x00000063 | (rng() & 0x01ff0f80); /* near branches */
        }
        FILE *f = open_memstream(&text, &size);
        asm_disassemble(&(struct asm_listing){.profile = profile, .raw = round % 2 == 0}, w, N, ABI_CODE_BASE, NULL, f);
        fclose(f);
        profile = PROFILE_DEFAULT; /* the listing says it itself */
        if (!assemble(text, &m, &log)) fail_msg("%s", log);
        assert_int_equal(m.text_words, N);
        for (size_t i = 0; i < N; i++)
            if (m.text[i] != w[i]) fail_msg("word %zu is %08x, not %08x, in round %d", i, m.text[i], w[i], round);
        free(log);
        free(text);
        elf_free(&m);
    }
}

/* Labels, branch targets, and where lines of the source begin. */
static void test_listing(void **state)
{
    (void)state;
    const uint32_t w[] = {0x00000013, 0x00000463, 0x00000013, 0x0010200b, 0x5e024057};
    const struct elf_symbol symbols[] = {{"f", 0x80000000, 0, true}};
    const struct elf_image m = {.symbols = symbols, .nsymbols = 1};
    const struct note_line lines[] = {{.pc = 0x80000000, .line = 3}, {.pc = 0x8000000c, .line = 7}};
    const struct asm_listing how = {.lines = lines, .nlines = 2};
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    asm_disassemble(&how, w, 5, ABI_CODE_BASE, &m, f);
    fclose(f);
    assert_string_equal(
        text,
        "f:\n# line 3\n80000000:\t00000013\taddi\tzero, zero, 0\n80000004:\t00000463\tbeq\tzero, zero, .L8000000c\n"
        "80000008:\t00000013\taddi\tzero, zero, 0\n.L8000000c:\n# line 7\n8000000c:\t0010200b 5e024057\tvmv.v.x\tv32, "
        "tp\n");
    free(text);
}

/* Modifiers in braces, and the prefixes they come from. */
static void test_modifiers(void **state)
{
    (void)state;
    profile = PROFILE_R2025;
    WORDS("prefix 0x1 {pair, neg=5}", 0x0018a002);
    WORDS("vadd.vv v2, v4, v6 {prefix, abs=1, neg=2}", 0x00014002, 0x02430157);
    WORDS("vlw12.v v32, 0(v0) {pre_m_global_128, hint=3}", 0x0011803e, 0x0000207b);
    WORDS("vfadd64.vv v200, v1, v2, v0.t {rm=rtz, omod=2, opsel=5, abs=1, neg=2, width=1}", 0x234a01bf, 0x00020472);
    bad(".kernel k\n.kernel k\nk: ret\n", "this kernel has a .kernel line already");
    profile = PROFILE_R21;
    bad("vadd.vv v1, v0, v0 {prefix, size=1}", "no modifier of this instruction");
    bad("vadd.vv v2, v4, v6 {prefix, abs=8}", "abs must be 0 to 7");
    bad("vadd.vv v2, v4, v6 {prefix, abs}", "'=' expected");
    bad("vadd.vv v2, v4, v6 {prefix, abs=1", "'}' expected");
    bad("prefix 1 {prefix}", "cannot have a prefix");
    bad("vadd64.vv v1, v2, v3", "it belongs to profile r2025, this is r2.1");
    bad("shuffle.up v1, v2, 3", "it belongs to profiles default, toolchain, this is r2.1");
    profile = PROFILE_DEFAULT;
    bad("vadd.vv v2, v4, v6 {prefix}", "no modifier of this instruction");
    bad("vadd.vv v2, v4, v6 {prefix}", "it belongs to profiles r2.1, r2025, this is default");
    bad(".option profile, r7", "unknown profile");
    WORDS(".option profile, r2025\nvadd.vv v2, v4, v6 {prefix}\n.option profile, default\nnop", 0x00000002, 0x02430157,
          0x13);
}

/* ---- instructions ---- */

/* Words that other assemblers give for the same text. */
static void test_known_words(void **state)
{
    (void)state;
    WORDS("add a0, a1, a2", 0x00c58533);
    WORDS("lw x10, -4(x11)\nsw fp, 8(sp)", 0xffc5a503, 0x00812423);
    WORDS("jalr ra, 0(t1)", 0x000300e7);
    WORDS("vsetvli t0, t0, e32, m1, ta, ma", 0x0d02f2d7);
    WORDS("vsetvli t0, t0, e32,m1", 0x0102f2d7);
    WORDS("vmv.v.x v32, tp", 0x0010200b, 0x5e024057);
    WORDS("vand.vi v1, v2, 63", 0x0400300b, 0x262fb0d7);
    WORDS("vadd.vi v1, v2, -16, v0.t", 0x002830d7);
    WORDS("csrr t0, tid\ncsrr t0, gidx\ncsrr t0, CSR_GDX\ncsrr t0, gdz", 0x800022f3, 0x808022f3, 0x808022f3,
          0x80a022f3);
    bad("csrr t0, TID", "unknown CSR 'TID'");
    WORDS("csrrs t0, CSR_TID, zero\ncsrr t0, 0x800\ncsrr t0, csr_tid", 0x800022f3, 0x800022f3, 0x800022f3);
    WORDS("fence rw, w\nfence\nfence.tso\nfence iorw, iorw", 0x0310000f, 0x0ff0000f, 0x8330000f, 0x0ff0000f);
    WORDS("fadd.s a0, a1, a2\nfadd.s a0, a1, a2, rtz", 0x00c5f553, 0x00c59553);
    WORDS("amoadd.w.aqrl v2, v1, (v0)\namoadd.w.aq v2, v1, (v0)\namoadd.w.rl v2, v1, (v0)", 0x0610212f, 0x0410212f,
          0x0210212f);
    WORDS("join\njoin v0, v0, 0\nendprg x0, x0, x0\nbarrier x0, x0, 1", 0x0000205b, 0x0000205b, 0x0000400b, 0x0400c00b);
    WORDS("lw a0, (a1)", 0x0005a503);
    WORDS("lui a0, 0xfffff\nlui a0, -1\nauipc a0, 1", 0xfffff537, 0xfffff537, 0x00001517);
    /* A word of matrices with the name that another profile has for it. */
    WORDS("mma.m8n8k8.row.row.f32.f32.f32.f32 v8, v0, v4", 0x0840340a);
    WORDS(".option profile, r2025\nmma.m8n8k8.row.row.f32.tf32.tf32.f32 v8, v0, v4", 0x0840340a);
    bad(".option profile, r2.1\nmma.m8n8k8.row.row.f32.f32.f32.f32 v8, v0, v4", "unknown instruction");
}

static void test_pseudo(void **state)
{
    (void)state;
    WORDS("li a0, 0\nli a0, -2048\nli a0, 2047", 0x00000513, 0x80000513, 0x7ff00513);
    WORDS("li a0, 2048", 0x00001537, 0x80050513);
    WORDS("li a0, 0x12345678", 0x12345537, 0x67850513);
    WORDS("li a0, 0x7fffffff", 0x80000537, 0xfff50513);
    WORDS("li a0, 0xffffffff\nli a0, 0x80000000\nli a0, 0xfffff000", 0xfff00513, 0x80000537, 0xfffff537);
    same("nop\nmv a0, a1\nnot a0, a1\nneg a0, a1", "addi x0,x0,0\naddi a0,a1,0\nxori a0,a1,-1\nsub a0,zero,a1");
    same("seqz a0,a1\nsnez a0,a1\nsltz a0,a1\nsgtz a0,a1",
         "sltiu a0,a1,1\nsltu a0,zero,a1\nslt a0,a1,zero\nslt a0,zero,a1");
    same("x: j x\njal x\njr t0\njalr t0\nret\ncall x\ntail x",
         "x: jal zero,x\njal ra,x\njalr zero,0(t0)\njalr ra,0(t0)\njalr zero,0(ra)\njal ra,x\njal zero,x");
    same("jalr t0, t1\njalr t0, t1, 8", "jalr t0, 0(t1)\njalr t0, 8(t1)");
    same("x: beqz a0,x\nbnez a0,x\nblez a0,x\nbgez a0,x\nbltz a0,x\nbgtz a0,x",
         "x: beq a0,zero,x\nbne a0,zero,x\nbge zero,a0,x\nbge a0,zero,x\nblt a0,zero,x\nblt zero,a0,x");
    same("x: bgt a0,a1,x\nble a0,a1,x\nbgtu a0,a1,x\nbleu a0,a1,x\nvbgt v0,v1,x",
         "x: blt a1,a0,x\nbge a1,a0,x\nbltu a1,a0,x\nbgeu a1,a0,x\nvblt v1,v0,x");
    same("csrw mtvec, a0\ncsrs mstatus, a0\ncsrwi frm, 1\nfrrm a0",
         "csrrw zero,mtvec,a0\ncsrrs zero,mstatus,a0\ncsrrwi zero,frm,1\ncsrrs a0,frm,zero");
    same("vnot.v v1, v2\nvneg.v v1, v2\nvnot.v v1, v2, v0.t\nvmv.v v1, v2",
         "vxor.vi v1,v2,-1\nvrsub.vx v1,v2,zero\nvxor.vi v1,v2,-1,v0.t\nvmv.v.v v1,v2");
    same("vmslt.vi v1, v2, 5\nvmsgt.vv v1, v2, v3", "vmsle.vi v1, v2, 4\nvmslt.vv v1, v3, v2");
    same("la a0, x\nx: nop", "auipc a0, 0\naddi a0, a0, 8\nnop");
    same("lw a0, x\nx: nop", "auipc a0, 0\nlw a0, 8(a0)\nnop");
    same("sw a0, x, t0\nx: nop", "auipc t0, 0\nsw a0, 8(t0)\nnop");
    same("la x40, x\nx: nop", "auipc x40, 0\naddi x40, x40, 12\nnop"); /* auipc counts from behind its prefix */
    same("x: nop\nla a0, x", "x: nop\nauipc a0, 0\naddi a0, a0, -4");
}

static void test_labels(void **state)
{
    (void)state;
    same("1: nop\nj 1b\nj 1f\n1: nop\nj 1b", "a: nop\nj a\nj b\nb: nop\nj b");
    same("a: b: nop; j a; j b", "a: nop\nj a\nj a");
    same("beq a0, a1, . + 8\nnop", "beq a0, a1, x\nnop\nx:");
    same("j 0x80000004", "j x\nx:");
    same("10: nop\n2: j 10b\nj 2b", "a: nop\nb: j a\nj b");
    same("x40_loop: beq x40, x41, x40_loop", "q: beq x40, x41, q");
}

static void test_expressions(void **state)
{
    (void)state;
    const uint32_t v[] = {7, 14, 3, 1, 0xffffffff, 0x10, 6, 97, 0xfffffffb, 10, 0x1f, 9, 2, 0xa, 8};
    rodata(".section .rodata\n.word 1+2*3, (1+6)*2, 7/2, 7%2, ~0, 1<<4, 5^3, 'a', -5, 0b1010, 0x1f, 3*(1+2), 8>>2, "
           "8|2, 010",
           sizeof v, v);
    const uint32_t gnu[] = {5, 12, 0xffffffff};
    rodata(".rodata\n.word 1 + 1 << 2, 4 | 8, -8 >> 3", sizeof gnu, gnu);
    const uint32_t hilo[] = {0x12346, 0xfffff9ab};
    rodata(".set v, 0x123459ab\n.rodata\n.word %hi(v), %lo(v)", sizeof hilo, hilo);
    const uint32_t diff[] = {8, 0x80000000, 0x80001000};
    rodata("a: nop\nnop\nb:\n.rodata\nc: .word b - a, a, c", sizeof diff, diff);
    const uint32_t now[] = {1, 2, 2};
    rodata(".rodata\n.set n, 1\n.word n\n.set n, n + 1\n.word n, later\nlater = n", sizeof now, now);
}

static void test_data(void **state)
{
    (void)state;
    const uint8_t bytes[] = {1, 0xff, 2, 0, 3, 0, 0, 0};
    rodata(".rodata\n.byte 1, -1\n.half 2\n.word 3", sizeof bytes, bytes);
    rodata(".rodata\n.ascii \"a\\n\"\n.asciz \"b\\x41\"\n.string \"\\101\\\"\"", 8, "a\nbA\0A\"");
    const float f[] = {1.5f, -2e3f, 0.1f, 3};
    rodata(".rodata\n.float 1.5, -2e3, 1e-1, 3", sizeof f, f);
    const uint8_t space[] = {0, 0, 9, 9, 1, 2, 1, 2};
    rodata(".rodata\n.zero 2\n.space 2, 9\n.fill 2, 2, 0x201", sizeof space, space);
    const uint8_t aligned[] = {1, 0, 0, 0, 2, 7, 7, 7, 3};
    rodata(".rodata\n.byte 1\n.align 2\n.byte 2\n.balign 4, 7\n.byte 3", sizeof aligned, aligned);
    const uint64_t quad = 0x123456789abcdef0;
    rodata(".rodata\n.quad 0x123456789abcdef0", sizeof quad, &quad);
    WORDS("nop\n.balign 16\nret", 0x13, 0x13, 0x13, 0x13, 0x8067);
    WORDS(".byte 1\n.balign 8\nret", 1, 0x13, 0x8067);
}

static void test_comments(void **state)
{
    (void)state;
    same("nop # one\nnop // two\n/* three\n lines */ nop ; four", "nop\nnop\nnop");
    same("nop; nop ;nop", "nop\nnop\nnop");
    same("nop; not_yet_heard_of: j not_yet_heard_of", "nop\nx: j x");
    same("nop; not_yet_heard_of=5\n.word not_yet_heard_of", "nop\n.word 5");
    same("; a comment alone\r\nnop\r\n;;\n", "nop");
}

static void test_symbols(void **state)
{
    (void)state;
    struct elf_image m;
    good(".globl f\n.type f, @function\nnop\nf: ret\n.size f, . - f\n.Llocal: 1: nop\n.rodata\nt: .word 1\n_start = 5",
         &m);
    assert_int_equal(m.nsymbols, 2);
    assert_string_equal(m.symbols[0].name, "f");
    assert_int_equal(m.symbols[0].value, 0x80000004);
    assert_int_equal(m.symbols[0].size, 4);
    assert_true(m.symbols[0].function);
    assert_string_equal(m.symbols[1].name, "t");
    assert_int_equal(m.symbols[1].value, 0x80001000);
    assert_false(m.symbols[1].function);
    assert_int_equal(m.entry, 0x80000000);
    elf_free(&m);
    good("nop\n_start: nop", &m);
    assert_int_equal(m.entry, 0x80000004);
    elf_free(&m);
}

static void test_places(void **state)
{
    (void)state;
    struct elf_image m;
    good(".org 0x80000100\nj x\n.rodata\n.org 0x8000f004\nx: .word x", &m);
    assert_int_equal(m.text_addr, 0x80000100);
    assert_int_equal(m.entry, 0x80000100);
    assert_int_equal(m.rodata_addr, 0x8000f004);
    assert_int_equal(*(const uint32_t *)m.rodata, 0x8000f004);
    elf_free(&m);
    bad("nop\n.org 0x80000000", "at the beginning");
    bad(".org 2\nnop", "multiple of 4");
    bad(".org 0xfffffffc\nnop\nnop", "leaves the address space");
    bad(".section .note.ventus\n.org 0", "have addresses");
}

static void test_kernel_note(void **state)
{
    (void)state;
    struct elf_image m;
    good(".kernel k, lds=64\n.arg global, out\n.arg value, n\n.arg value, big, 8\n.arg local, tmp\nnop\nk: vadd.vv "
         "v40, v1, v2\nret",
         &m);
    assert_non_null(m.note);
    assert_string_equal(
        m.note,
        "ventus-module 1\n"
        "kernel name=k entry=0x80000004 vgpr=44 sgpr=32 lds=64 pds=1024 args=20 reqd=0,0,0 hint=0,0,0 vechint=\n"
        "arg kind=global size=4 offset=0 align=4 name=out type=void* access=none address=global qual=\n"
        "arg kind=value size=4 offset=4 align=4 name=n type=void access=none address=private qual=\n"
        "arg kind=value size=8 offset=8 align=8 name=big type=void access=none address=private qual=\n"
        "arg kind=local size=4 offset=16 align=128 name=tmp type=void* access=none address=local qual=\n");
    elf_free(&m);
    good(".kernel k, vgpr=5, sgpr=33, pds=0\n.print_string 7, \"s\\n\"\n.print_format 3, \"%s%u\\n\"\nk: ret", &m);
    assert_string_equal(
        m.note, "ventus-module 1\n"
                "kernel name=k entry=0x80000000 vgpr=8 sgpr=36 lds=0 pds=0 args=0 reqd=0,0,0 hint=0,0,0 vechint=\n"
                "format id=3 text=%25s%25u%0A\nstring id=7 text=s%0A\n");
    elf_free(&m);
    good(".print_format 0, \"\"\n", &m); /* of an object that others call */
    assert_string_equal(m.note, "ventus-module 1\nformat id=0 text=\n");
    elf_free(&m);
    bad(".print_format 1, \"a\"\n.print_format 1, \"b\"", "number 1 has a text already");
    bad(".print_format 1, \"a\\0b\"", "no zero bytes");
    bad(".print_string -1, \"a\"", "the number must be");
    bad(".print_string 1, a", "string expected");
    bad(".set n, 0\n.rept 4097\n.set n, n + 1\n.print_format n, \"\"\n.endr", "more than 4096 texts");
    bad(".print_format 1, \"a\"\n.section .note.ventus\n.ascii \"x\"", "excludes .kernel");
    good(".section .note.ventus\n.asciz \"text\"\n.section .rodata.ventus.resource\n.half 1, 2, 3, 4\n", &m);
    assert_string_equal(m.note, "text");
    assert_int_equal(m.nresources, 1);
    assert_int_equal(m.resources[0].value[ABI_PDS], 4);
    elf_free(&m);
}

/* ---- text that makes text ---- */

static void test_conditions(void **state)
{
    (void)state;
    same(".if 1\nnop\n.else\nret\n.endif", "nop");
    same(".if 0\nnop\n.else\nret\n.endif", "ret");
    same(".if 2 > 3\nnop\n.elseif 1 == 1 && 2 <> 3\nret\n.else\nbogus garbage \"\n.endif", "ret");
    same(".if 2 == 2\nnop\n.endif\n.if 2 == 3\nret\n.endif\n.if 2 != 3\nret\n.endif", "nop\nret");
    same(".if 1\nnop\n.elseif ) what\nret\n.endif", "nop");
    same(".set n, 3\n.if n >= 3 || 0\nnop\n.endif\n.ifdef n\nret\n.endif\n.ifndef m\nret\n.endif", "nop\nret\nret");
    same(".if 0\n.if 1\nnop\n.else\nnop\n.endif\n.else\nret\n.endif", "ret");
    same(".ifeq 0\nnop\n.endif\n.ifgt 0\nret\n.endif\n.ifc a b, a b\nnop\n.endif", "nop\nnop");
    same(".if 1; nop; .else; ret; .endif; nop", "nop\nnop");
    bad(".if 1\nnop", "no .endif");
    bad(".endif", "no .if before");
    bad(".else", "no .if before");
    bad(".if 1\n.else\n.else\n.endif", "was there already");
    bad(".if x\n.endif", "known at this place");
    bad(".if 1 2\n.endif", "unexpected text behind .if");
    bad(".if 0\n.elseif 1 2\n.endif", "unexpected text behind .elseif");
    bad(".if 0\n.else 2\n.endif", "unexpected text behind .else");
}

static void test_macros(void **state)
{
    (void)state;
    same(".macro inc r, by=1\naddi \\r, \\r, \\by\n.endm\ninc a0\ninc a1, 5\ninc by=7, r=a2",
         "addi a0,a0,1\naddi a1,a1,5\naddi a2,a2,7");
    same(".macro wait\n1\\()2\\@: j 12\\@b\n.endm\nwait\nwait", "a: j a\nb: j b");
    same(".macro m a\n.if \\a\naddi a0, a0, \\a\nm \\a-1\n.endif\n.endm\nm 3",
         "addi a0,a0,3\naddi a0,a0,2\naddi a0,a0,1");
    same(".macro each x:vararg\n.irp r, \\x\nmv \\r, zero\n.endr\n.endm\neach a0, a1, s2",
         "mv a0,zero\nmv a1,zero\nmv s2,zero");
    same(".rept 3\nnop\n.endr\n.rept 0\nret\n.endr", "nop\nnop\nnop");
    same(".rept 2\n.rept 2\nnop\n.endr\nret\n.endr", "nop\nnop\nret\nnop\nnop\nret");
    same(".irpc n, 123\naddi a0, a0, \\n\n.endr", "addi a0,a0,1\naddi a0,a0,2\naddi a0,a0,3");
    same(".macro add a, b\nnop\n.endm\nadd a0, a1\n.purgem add\nadd a0,a1,a2", "nop\nadd a0,a1,a2");
    bad(".macro m\nnop", "no .endm");
    bad(".rept 5\nnop", "no .endr");
    bad(".endm", "nothing that this ends");
    bad(".macro m a:req\nnop\n.endm\nm", "m needs a value for a");
    bad(".macro m a\nnop\n.endm\nm 1, 2", "m has 1 parameter");
    bad(".macro m\nm\n.endm\nm", "nested too deep");
    bad(".rept 60000000\nnop\n.endr", "expanded source is larger");
    bad("nop\n.macro m\nbogus\n.endm\n\nm", "expanded m in t.s:6");
    bad(".include \"x\"", "cannot be included here");
    bad(".purgem x", "no such macro");
}

static void test_insn(void **state)
{
    (void)state;
    same(".insn r 0x33, 0, 0, a0, a1, a2\n.insn r OP, 0, 0x20, a0, a1, a2", "add a0,a1,a2\nsub a0,a1,a2");
    same(".insn r4 MADD, 7, 0, a0, a1, a2, a3\n.insn r MADD, 7, 0, a0, a1, a2, a3",
         "fmadd.s a0,a1,a2,a3\nfmadd.s a0,a1,a2,a3");
    same(".insn i OP_IMM, 0, a0, a1, -7\n.insn i LOAD, 2, a0, 8(a1)", "addi a0,a1,-7\nlw a0,8(a1)");
    same(".insn s STORE, 2, a0, -4(a1)\nx: .insn b BRANCH, 1, a0, a1, x\n.insn sb BRANCH, 1, a0, a1, x",
         "sw a0,-4(a1)\nx: bne a0,a1,x\nbne a0,a1,x");
    same(".insn u LUI, a0, 0x12345\nx: .insn j JAL, ra, x\n.insn uj JAL, ra, x",
         "lui a0,0x12345\nx: jal ra,x\njal ra,x");
    same(".insn 0x00c58533\n.insn 4, 0x00c58533\n.insn r OP_V, 0, 1, v1, v2, v3",
         "add a0,a1,a2\nadd a0,a1,a2\nvadd.vv v1,v3,v2");
    WORDS(".insn 8, 0x123456780000003f", 0x3f, 0x12345678);
    bad(".insn r 0x33, 8, 0, a0, a1, a2", "funct3 must be 0 to 7");
    bad(".insn i OP_IMM, 0, a0, a1, 2048", "out of range");
    bad(".insn r 0x31, 0, 0, a0, a1, a2", "16-bit instructions");
    /* halfwords, as GNU as makes them */
    WORDS(".insn cr 2, 0xf, x31, x1\n.insn ci 1, 7, x31, -32", 0xff81ff86);
    WORDS(".insn ci 1, 0, x1, 31\n.insn ciw 0, 7, x15, 255", 0xfffc00fd);
    WORDS(".insn css 2, 7, x31, 63\n.insn cl 0, 7, x15, 31(x8)", 0xfc7cfffe);
    WORDS(".insn cs C0, 7, x8, 21(x15)\n.insn ca C1, 0x3f, 3, x8, x15", 0xfc7df7a0);
    WORDS("1: .insn cb 1, 7, x15, 1b\n.insn cj 1, 7, 1b", 0xfffde381);
    WORDS(".insn cb C1, 6, a0, .-256\n.insn cj C1, 5, .-2048", 0xb001d101);
    WORDS(".insn cb C1, 6, a0, .+254\n.insn cj C1, 5, .+2046", 0xaffdcd7d);
    WORDS(".insn 0x9002\n.insn 2, 0x0001\n.insn 4, 0x0001", 0x00019002, 1);
    WORDS(".insn 6, 0x12345678001f\n.insn 0x4501", 0x5678001f, 0x45011234);
    WORDS(".insn 0x10002", 0x10002);
    bad(".insn cr 3, 0, a0, a1", "must be 0 to 2");
    bad(".insn cr 1, 16, a0, a1", "funct4 must be 0 to 15");
    bad(".insn ci 1, 0, a0, 32", "must be -32 to 31");
    bad(".insn ciw 0, 0, x16, 1", "registers 8 to 15");
    bad(".insn ciw 0, 0, x0, 1", "registers 8 to 15");
    bad(".insn cl 0, 0, a0, 1(sp)", "registers 8 to 15");
    bad(".insn ca 1, 0, 4, a0, a1", "funct2 must be 0 to 3");
    bad(".insn cb 1, 6, a0, .+256", "256 are possible");
    bad(".insn cj 1, 5, .-2050", "2048 are possible");
    bad(".insn cj 1, 5, .+3", "odd address");
    bad(".insn cj 1, 5", "before the next operand");
    bad(".byte 0\n.insn cr 1, 0, a0, a1", "odd address");
    bad(".insn cr 2, 8, a0, a1\nnop", "not on a word boundary");
    bad(".insn 2, 0x13", "announce 4 bytes");
    bad(".insn 2, 0x10001", "more than 2 bytes");
    bad(".insn r OP, 0, 0, a0, a1, x40", "needs a prefix");
    bad(".insn q", "format expected");
    bad(".insn 3, 0x1f", "2, 4, 6 or 8 bytes");
    bad(".insn 6, 0x3f", "announce 8 bytes");
    bad(".insn 4, 0x100000013", "more than 4 bytes");
}

/* ---- listings with the source ---- */

enum { MOST_LINES = 4 };

/* The comments of a listing of five words, and a dot for each word. */
static void source_listing(const struct note_line lines[MOST_LINES], const char *source, const char *want)
{
    static const uint32_t words[] = {0x13, 0x93, 0x113, 0x193, 0x213};
    struct asm_listing how = {.source = source, .source_size = source ? strlen(source) : 0, .lines = lines};
    while (how.nlines < MOST_LINES && lines[how.nlines].pc) how.nlines++;
    char *text, comments[400] = "";
    size_t size;
    struct elf_image back;
    FILE *f = open_memstream(&text, &size);
    asm_disassemble(&how, words, 5, 0x80000000, NULL, f);
    fclose(f);
    assert_true(asm_assemble("listing", text, size, 0x80000000, &back, stderr));
    assert_int_equal(back.text_words, 5);
    assert_memory_equal(back.text, words, sizeof words);
    elf_free(&back);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) { /* of an instruction: a dot */
        strcat(comments, *line == '#' ? line + 1 : ".");
        if (*line == '#') strcat(comments, "\n");
    }
    assert_string_equal(comments, want);
    free(text);
}

static void test_source(void **state)
{
    (void)state;
#define LINES(...) \
    (const struct note_line[MOST_LINES]) { __VA_ARGS__ }
#define AT(word, line) \
    { \
        0x80000000 + (word), (line), "" \
    }
    static const char text[] = "one\ntwo /* \r\nthree \\\n\33[2Jfour\n5\n6\n7\n8\n9\nten";
    source_listing(LINES(AT(0, 2), AT(8, 4)), text, " 1: one\n 2: two /* \n.. 3: three \\\n 4:  [2Jfour\n...");
    source_listing(LINES(AT(0, 8), AT(4, 1), AT(8, 10), AT(12, 10)), text,
                   " 3: three \\\n 4:  [2Jfour\n 5: 5\n 6: 6\n 7: 7\n 8: 8\n. 1: one\n. 9: 9\n 10: ten\n. 10: ten\n..");
    source_listing(LINES(AT(0, 11), AT(4, 4000000000), AT(8, 0)), text, " line 11\n. line 4000000000\n....");
    source_listing(LINES(AT(0, 1), AT(4, 2)), "", " 1: \n. line 2\n....");
    source_listing(LINES(AT(0, 1), AT(8, 2)), NULL, " line 1\n.. line 2\n...");
    source_listing(LINES({0}), text, ".....");
}

/* ---- far branches ---- */

static void check_far(const char *branch, const char *spread, int64_t distance, const char *expect)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "%s\n.space %d\nx: nop", branch, (int)distance);
    snprintf(b, sizeof b, "%s\n.space %d\nx: nop", expect, (int)distance);
    (void)spread;
    same(a, b);
}

static void test_far_branches(void **state)
{
    (void)state;
    check_far("beq a0, a1, x", "", 4088, "beq a0, a1, .+4092");
    check_far("beq a0, a1, x", "", 4092, "bne a0, a1, .+8\njal zero, x");
    check_far("bltu x40, a1, x", "", 5000, "bgeu x40, a1, .+12\njal zero, x");
    check_far("vblt v1, v2, x", "", 5000, "vbge v1, v2, .+8\njal zero, x");
    check_far("vbgeu v1, v32, x", "", 5000, "vbltu v1, v32, .+12\njal zero, x");
    check_far("call x", "", 1 << 20, "auipc ra, 0x100\njalr ra, 8(ra)");
    same("x: nop\n.space 4096\nbge a0, a1, x", "x: nop\n.space 4096\nblt a0, a1, .+8\njal zero, x");
    same("beq a0, a1, x\nbeq a0, a1, x\n.space 4084\nx:", "beq a0, a1, x\nbeq a0, a1, x\n.space 4084\nx:");
    bad("j x\n.space 2000000\nx: nop", "bytes away");
    bad("beq a0, a1, 0x10", "out of reach");
    bad("vbeq v0, v1, x\nx = .+3\n", "odd address");
}

/* ---- mistakes ---- */

static void test_messages(void **state)
{
    (void)state;
    struct elf_image m;
    char *log;
    assert_false(assemble("nop\n\tadd a0, v1, a2\n", &m, &log));
    assert_string_equal(log, "t.s:2:10: error: rs1 must be a scalar register, not a vector one\n"
                             "    \tadd a0, v1, a2\n    \t        ^\n"
                             "    hint: add rd, rs1, rs2\n");
    free(log);
    bad("adi a0, a0, 1", "did you mean 'addi'?");
    bad("vad.vv v0, v1, v2", "did you mean 'vadd.vv'?");
    bad(".wrod 1", "did you mean '.word'?");
    bad("loop: nop\nj lop", "did you mean 'loop'?");
    bad("csrr a0, CSR_TIE", "did you mean 'CSR_TID'?");
    bad("j nowhere", "undefined symbol 'nowhere'");
    bad("j 1b", "no label 1 before");
    bad("j 1f", "no label 1 behind");
    bad("x: nop\nx: nop", "the first definition is in line 1");
    bad("addi a0, a0, 2048", "simm12 is out of range");
    bad("vadd.vi v0, v1, 1024", "simm5 is out of range");
    bad("slli a0, a0, 32", "shamt is out of range");
    bad("lui a0, 0x100000", "imm20 is out of range");
    bad("vlw.v v0, 1024(v1)", "simm11 is out of range");
    bad("csrr a0, 4096", "csr is out of range");
    bad("add a0, a1", "',' expected");
    bad("add a0, a1,", "operand expected");
    bad("add a0, a1, a2, a3", "unexpected text");
    bad("add a0, a1, x64", "must be a scalar register");
    bad("vadd.vv v0, v1, v256", "must be a vector register");
    bad("vadd.vv v0, v1, v2, v1", "only the mask v0.t");
    bad("vlw12.v v0, 4 v1", "'(' expected");
    bad("mv a0", "mv wants 2 operands");
    bad("li a0, x\nx:", "la loads an address");
    bad("li a0, 0x100000000", "more than 32 bits");
    bad(".byte 256", "does not fit into 1 byte");
    bad(".word 1/0", "division by zero");
    bad(".word", "expression expected");
    bad(".word 1 2", "unexpected text");
    bad(".word 0x", "no integer");
    bad(".word 99999999999999999999999", "no integer");
    bad(".word (1", "')' expected");
    bad(".ascii \"abc", "the string has no end");
    bad(".ascii \"\\q\"", "unknown escape");
    bad(".word 'ab", "damaged character");
    bad("/* no end", "the comment has no end");
    bad("nop\n\001\n", "unexpected byte 0x01");
    bad("a = b\nb = a\n.word a", "depends on itself");
    bad("a: .space b - a + 1\nb:", "settle");
    bad(".space -1", "size must be");
    bad(".space 67108865", "size must be");
    same("nop\n.space 0\nnop", "nop\nnop");
    bad(".space 67108864\n.space 67108864", "larger than");
    bad(".align 20", "the alignment must be");
    bad(".balign 3", "power of two");
    bad(".bss\n.word 1", ".bss holds zeros only");
    bad(".rodata\nnop", "instructions belong into .text");
    bad(".byte 1\nnop", "not on a word boundary");
    bad(".arg global, x", "behind a .kernel");
    bad(".kernel k\n", "undefined symbol 'k'");
    bad(".word %pcrel_lo(x)\nx: nop", "%pcrel_lo wants");
    bad(".word %pcrel_hi(x)\nx: nop", "whole operand of auipc");
    bad("1", "instruction expected");
    bad("vsetvli t0, t0, e32, e8", "vector type expected");
    bad("fence rq, w", "fence set expected");
    bad("nop ; adi a0, a0, 1", "did you mean 'addi'?");
}

/* Many errors are all reported, but not without end; deep input does not exhaust the stack. */
static void test_limits(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *log;
    struct elf_image m;
    assert_non_null(text);
    text[0] = 0;
    for (int i = 0; i < 5; i++) strcat(text, "bogus\n");
    assert_false(assemble(text, &m, &log));
    int count = 0;
    for (char *p = log; (p = strstr(p, "error:")); p++) count++;
    assert_int_equal(count, 5);
    free(log);
    for (int i = 0; i < 100; i++) strcat(text, "bogus\n");
    bad(text, "more than 20 errors");
    char *p = text;
    for (const char *c = "(-"; *c; c++) {
        p = text + sprintf(text, ".word ");
        for (int i = 0; i < 500000; i++) *p++ = *c;
        *p = 0;
        bad(text, "too deep");
    }
    p = text + sprintf(text, ".word x");
    for (int i = 0; i < 100000; i++) p += sprintf(p, "+x");
    bad(text, "too deep");
    p = text + sprintf(text, "a0:\n.set s0, a0\n");
    for (int i = 1; i < 60; i++) p += sprintf(p, "s%d_ = s%d_ + s%d_\n", i, i + 1, i + 1); /* 2^60 uses */
    p += sprintf(p, "s60_ = a0\n.word s1_ & 0\n");
    good(text, &m);
    elf_free(&m);
    p = text + sprintf(text, ".word s1_\n");
    for (int i = 1; i < 20000; i++) p += sprintf(p, "s%d_ = s%d_\n", i, i + 1);
    bad(text, "too deep");
    free(text);
}

/* Expressions at the limit, and one level beyond: what is deeper would exhaust the stack. */
static void test_depth(void **state)
{
    (void)state;
    char text[40000], *p;
    struct elf_image m;
    for (int n = 250; n <= 251; n++) { /* parentheses */
        p = text + sprintf(text, ".word ");
        p = (char *)memset(p, '(', n) + n;
        *p++ = '1';
        p = (char *)memset(p, ')', n) + n;
        *p = 0;
        if (n == 250) good(text, &m), elf_free(&m);
        else bad(text, "t.s:1:258: error: the expression is too deep");
    }
    for (int n = 500; n <= 501; n++) { /* sums, which are trees as deep as they are long */
        p = text + sprintf(text, "x: .word x");
        for (int i = 0; i < n; i++) p += sprintf(p, "+1");
        if (n == 500) good(text, &m), elf_free(&m);
        else bad(text, "the expression is too deep");
    }
    for (int n = 999; n <= 1000; n++) { /* values that need each other */
        p = text + sprintf(text, ".word s0\n");
        for (int i = 0; i < n; i++) p += sprintf(p, "s%d = -s%d\n", i, i + 1);
        sprintf(p, "s%d = 7\n", n);
        if (n == 999) good(text, &m), elf_free(&m);
        else bad(text, "the expression is too deep");
    }
}

/* `count` times `each`, which may hold a %d, between two texts: as many as can be, and one more. */
static void most(const char *before, const char *each, const char *after, int count, const char *message)
{
    char *text = malloc(strlen(before) + strlen(after) + (strlen(each) + 8) * (size_t)(count + 2)), *p;
    struct elf_image m;
    assert_non_null(text);
    for (int n = count; n <= count + 1; n++) {
        p = text + sprintf(text, "%s", before);
        for (int i = 0; i < n; i++) p += sprintf(p, each, i);
        sprintf(p, "%s", after);
        if (n == count) good(text, &m), elf_free(&m);
        else bad(text, message);
    }
    free(text);
}

static void test_counts(void **state)
{
    (void)state;
    most("", "k%1$d: .kernel k%1$d\n", "ret", 4096, "more than 4096 kernels");
    most("k: .kernel k\n", ".arg value, a%d, 1024\n", "ret", 64, "more than 65536 bytes of arguments");
    most(".macro m ", "p%d ", "\nnop\n.endm\nm", 32, "a macro has at most 32 parameters");
    char text[2000], *p = text;
    struct elf_image m;
    for (int n = 64; n <= 65; n++, p = text) {
        for (int k = 0; k < n; k++) p += sprintf(p, ".if 1\n");
        for (int k = 0; k < n; k++) p += sprintf(p, ".endif\n");
        if (n == 64) good(text, &m), elf_free(&m);
        else bad(text, "conditions are nested too deep");
    }
}

/* Macros that call each other, twice each: 2^40 texts. */
static void test_macro_bomb(void **state)
{
    char text[2000], *p = text;
    (void)state;
    p += sprintf(p, ".macro m0\n.endm\n");
    for (int n = 1; n <= 40; n++) p += sprintf(p, ".macro m%d\nm%d\nm%d\n.endm\n", n, n - 1, n - 1);
    sprintf(p, "m40");
    bad(text, "expanded source is larger");
}

/* Damaged source: any result, but a result. */
static void test_damaged_source(void **state)
{
    (void)state;
    static const char sample[] =
        "_start: li t0, 32 ; vsetvli t0, t0, e32, m1, ta, ma\n1: lw a0, 4(t0) # x\n la a1, table\nbeq a0, a1, 1b\n "
        "vbeq v1, v40, 2f\n"
        "2: join\n amoadd.w.aq v1, v2, (v3)\n .set n, (1 << 4) | ~3\n .section .rodata\ntable: .word n, 'a', "
        "%lo(table), . - table\n"
        ".asciz \"te\\x41xt\\n\"\n.align 2\n.float 1.5e3, -2\n.kernel _start, vgpr=8\n.arg global, q\n.fill 3, 2, 1\n";
    for (int i = 0; i < 20000; i++) {
        char text[sizeof sample];
        struct elf_image m;
        size_t n = i % 3 ? sizeof sample - 1 : rng() % sizeof sample;
        memcpy(text, sample, sizeof sample);
        for (unsigned k = 1 + rng() % 6; k--;) {
            static const char odd[] = "(),:%@\"'\\#;\n\t .0123456789xabfv-+<>~=\0\377";
            size_t at = rng() % (sizeof sample - 1), from = rng() % (sizeof sample - 9);
            if (rng() % 3) text[at] = odd[rng() % (sizeof odd - 1)];
            else if (at < sizeof sample - 9) memcpy(text + at, sample + from, 8);
        }
        if (asm_assemble("t.s", text, n, ABI_CODE_BASE, &m, NULL)) elf_free(&m);
    }
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listing), cmocka_unit_test(test_modifiers), cmocka_unit_test(test_conditions), cmocka_unit_test(test_macros), cmocka_unit_test(test_insn), cmocka_unit_test(test_source),  cmocka_unit_test(test_each_row),    cmocka_unit_test(test_random_listing), cmocka_unit_test(test_known_words),
        cmocka_unit_test(test_pseudo),      cmocka_unit_test(test_labels),         cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_data),        cmocka_unit_test(test_comments),       cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_kernel_note), cmocka_unit_test(test_places), cmocka_unit_test(test_far_branches),   cmocka_unit_test(test_messages),
        cmocka_unit_test(test_depth), cmocka_unit_test(test_counts), cmocka_unit_test(test_limits),      cmocka_unit_test(test_macro_bomb), cmocka_unit_test(test_damaged_source),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
