/* Real programs: every memory image and every logged instruction of the corpus of recorded launches.
 *
 * The corpus is not part of this project: VENTUS_CORPUS names its folder, or it is looked for beside
 * the source tree. Without it the tests are skipped, and say so. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "asm/listing.h"
#include "isa/abi.h"

static const char *corpus(void)
{
    const char *chosen = getenv("VENTUS_CORPUS");
    const char *folder = chosen && *chosen ? chosen : VENTUS_SOURCE_ROOT "/../shared/corpus";
    DIR *d = opendir(folder);
    if (!d) {
        print_message("SKIPPED: there is no corpus at %s; set VENTUS_CORPUS\n", folder);
        return NULL;
    }
    closedir(d);
    return folder;
}

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, n;
    assert_non_null(in);
    do {
        text = realloc(text, size + 65537);
        assert_non_null(text);
        n = fread(text + size, 1, 65536, in);
        size += n;
    } while (n);
    fclose(in);
    text[size] = 0;
    return text;
}

/* Calls `visit` with each file of the corpus that has the suffix; returns their number. */
static unsigned each_file(const char *folder, const char *suffix, void (*visit)(const char *path, char *text))
{
    unsigned files = 0;
    struct dirent *e, *f;
    DIR *d = opendir(folder), *sub;
    for (; d && (e = readdir(d));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || !(sub = opendir(path))) continue;
        while ((f = readdir(sub))) {
            size_t n = strlen(f->d_name), m = strlen(suffix);
            if (n < m || strcmp(f->d_name + n - m, suffix)) continue;
            char full[2048];
            snprintf(full, sizeof full, "%s/%s", path, f->d_name);
            char *text = read_text(full);
            visit(full, text);
            free(text);
            files++;
        }
        closedir(sub);
    }
    if (d) closedir(d);
    return files;
}

/* A .data file is memory, one word a line; code is in it between the buffers. All of it, disassembled
 * and assembled again, is the same. */
static void check_image(const char *path, char *text)
{
    size_t n = 0, size;
    uint32_t *words = malloc((strlen(text) / 2 + 1) * sizeof *words);
    assert_non_null(words);
    char *listing, *log;
    size_t log_size;
    struct elf_image m;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        words[n++] = (uint32_t)strtoul(line, NULL, 16);
    if (n > 1 << 20) n = 1 << 20;
    FILE *out = open_memstream(&listing, &size);
    asm_disassemble(&(struct asm_listing){0}, words, n, ABI_CODE_BASE, NULL, out);
    fclose(out);
    out = open_memstream(&log, &log_size);
    bool ok = asm_assemble(path, listing, size, ABI_CODE_BASE, &m, out);
    fclose(out);
    if (!ok) fail_msg("%s", log);
    assert_int_equal(m.text_words, n);
    for (size_t i = 0; i < n; i++)
        if (m.text[i] != words[i]) fail_msg("%s: word %zu was %08x and became %08x", path, i, words[i], m.text[i]);
    elf_free(&m);
    free(log);
    free(listing);
    free(words);
}

static void test_images(void **state)
{
    (void)state;
    const char *folder = corpus();
    if (!folder) skip();
    assert_true(each_file(folder, ".data", check_image) > 0);
}

static unsigned long logged;

/* "core   0: 0x80000004 (0x0d0052d7) vsetvli t0, ...": the word is an instruction and, taken from
 * the table, is called what the log calls it; aliases and other spellings are listed here. */
static bool same_name(const struct insn *in, const char *name)
{
    static const char *const aliases[][2] = {
        {"li", "addi"},        {"mv", "addi"},        {"nop", "addi"},   {"not", "xori"},   {"neg", "sub"},
        {"seqz", "sltiu"},     {"snez", "sltu"},      {"j", "jal"},      {"jr", "jalr"},    {"ret", "jalr"},
        {"beqz", "beq"},       {"bnez", "bne"},       {"blez", "bge"},   {"bgez", "bge"},   {"bltz", "blt"},
        {"bgtz", "blt"},       {"csrr", "csrrs"},     {"csrw", "csrrw"}, {"csrs", "csrrs"}, {"not", "vxor.vi"},
        {"vnot.v", "vxor.vi"}, {"vneg.v", "vrsub.vx"}};
    const char *own = isa_table[in->op].name;
    if (!strcmp(own, name)) return true;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i][0], name) && !strcmp(aliases[i][1], own)) return true;
    return false;
}

/* The text of a log as this assembler writes it: "pc + 8" is ". + 8", memory operands have
 * parentheses and their base is a vector register, the groups of a prefix are one number, the
 * machine's own CSRs begin with CSR_, and multiply-add has its sources in the order of the vector
 * extension: the logs print vs2 first everywhere. */
static void respell(const char *name, const char *operands, char *out, size_t size)
{
    char first[32], second[32], third[32];
    unsigned g[4];
    long offset;
    const char *pc = strstr(operands, "pc ");
    bool multiply =
        strstr(name, "madd.v") || strstr(name, "macc.v") || strstr(name, "msub.v") || strstr(name, "msac.v");
    if (sscanf(operands, " %31[^,], %31[^,], %u %u %u %u", first, second, &g[0], &g[1], &g[2], &g[3]) == 6) {
        snprintf(out, size, "%s %u\n", name, g[0] << 9 | g[1] << 6 | g[2] << 3 | g[3]);
    } else if (!strcmp(name, "csrr")) {
        bool own = sscanf(operands, " %31[^,], %27s", first, second) == 2;
        char longer[40];
        snprintf(longer, sizeof longer, "CSR_%s", second);
        snprintf(out, size, "csrr %s, %s\n", own ? first : "?", own && isa_csr_name(longer) ? longer : second);
    } else if (multiply && sscanf(operands, " %31[^,], %31[^,], %27s", first, second, third) == 3) {
        snprintf(out, size, "%s %s, %s, %s\n", name, first, third, second);
    } else if (pc) {
        snprintf(out, size, "%s %.*s. %s\n", name, (int)(pc - operands), operands, pc + 3);
    } else if (name[0] == 'v' &&
               (name[1] == 'l' || (name[1] == 's' && name[2] != 'u' && name[2] != 'l' && name[2] != 'r')) &&
               !strchr(operands, '(') && sscanf(operands, " %31[^,], %31[^,], %ld", first, second, &offset) == 3) {
        snprintf(out, size, "%s %s, %ld(v%s)\n", name, first, offset, second + 1);
    } else {
        snprintf(out, size, "%s %s\n", name, operands);
    }
}

/* Does the text of the log, assembled, decode to what the word decodes to? */
static void check_text(const char *path, const char *name, const char *operands, const struct insn *in)
{
    char text[256], *log;
    size_t size;
    struct elf_image m;
    struct insn said;
    respell(name, operands, text, sizeof text);
    FILE *f = open_memstream(&log, &size);
    bool ok = asm_assemble(path, text, strlen(text), ABI_CODE_BASE, &m, f);
    fclose(f);
    if (!ok) fail_msg("%s", log);
    free(log);
    assert_true(m.text_words >= 1);
    if (!isa_decode_word(m.text[0], &said) || memcmp(&said, in, sizeof said))
        fail_msg("%s: %s %s is %08x here", path, name, operands, m.text[0]);
    elf_free(&m);
}

static void check_log(const char *path, char *text)
{
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        unsigned core, pc, word;
        char name[32];
        struct insn in;
        if (sscanf(line, "core %u: 0x%x (0x%x) %31s", &core, &pc, &word, name) != 4 || pc < ABI_CODE_BASE) continue;
        if (!(name[0] >= 'a' && name[0] <= 'z') || strpbrk(name, "0123456789") == name + 1)
            continue; /* a commit line */
        if (!isa_decode_word(word, &in)) fail_msg("%s: %08x does not decode: %s", path, word, line);
        if (!same_name(&in, name)) fail_msg("%s: %08x is %s here: %s", path, word, isa_table[in.op].name, line);
        const char *operands = strstr(line, name) + strlen(name);
        check_text(path, name, operands + strspn(operands, " "), &in);
        logged++;
    }
}

static void test_logs(void **state)
{
    (void)state;
    const char *folder = corpus();
    if (!folder) skip();
    assert_true(each_file(folder, ".log", check_log) > 0);
    assert_true(logged > 1000);
    print_message("%lu logged instructions\n", logged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_images), cmocka_unit_test(test_logs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
