/* The program ventus-translate by itself: a sound request has an answer, a bad one ends it with a message. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "isa/abi.h"
#include "sim/launch.h"
#include "native/native.h"
#include "native/process.h"

static const uint32_t code[] = {0x00000013, 0x0000400b}; /* nop; endprg */
enum { WORDS = sizeof code / sizeof *code };

static struct native_request sound(void)
{
    struct native_request r;
    memset(&r, 0, sizeof r);
    r.magic = NATIVE_MAGIC;
    r.layout = native_layout();
    r.level = NATIVE_base;
    r.profile = PROFILE_DEFAULT;
    r.threads = r.items = 32;
    r.vgprs = r.sgprs = 32;
    r.start = r.entry = r.code_base = ABI_CODE_BASE;
    r.code_words = WORDS;
    return r;
}

/* Runs the program on a request and the code; what it writes and says. Returns how many bytes it writes. */
static size_t ask_code(const struct native_request *r, const uint32_t *text, size_t words, uint8_t *answer, size_t room,
                       char says[200])
{
    char folder[] = "/tmp/ventus-translate-XXXXXX", path[3][64], command[400];
    static const char *const names[] = {"in", "out", "says"};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    FILE *f = fopen(path[0], "w");
    assert_non_null(f);
    assert_int_equal(fwrite(r, sizeof *r, 1, f), 1);
    assert_int_equal(fwrite(text, 4, words, f), words);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "\"$VENTUS_TRANSLATE\" <%s >%s 2>%s", path[0], path[1], path[2]);
    assert_int_equal(system(command), 0);
    f = fopen(path[1], "r");
    size_t size = fread(answer, 1, room, f);
    fclose(f);
    f = fopen(path[2], "r");
    says[fread(says, 1, 199, f)] = 0;
    fclose(f);
    for (int i = 0; i < 3; i++) unlink(path[i]);
    rmdir(folder);
    return size;
}

static size_t ask(const struct native_request *r, size_t words, uint8_t *answer, size_t room, char says[200])
{
    return ask_code(r, code, words, answer, room, says);
}

static void test_sound(void **state)
{
    static uint8_t bytes[1 << 20];
    struct native_answer answer;
    struct native_request r = sound();
    char says[200];
    (void)state;
    size_t size = ask(&r, WORDS, bytes, sizeof bytes, says);
    assert_string_equal(says, "");
    assert_true(size > sizeof answer);
    memcpy(&answer, bytes, sizeof answer);
    assert_int_equal(answer.magic, NATIVE_MAGIC);
    assert_int_equal(answer.size, size - sizeof answer);
    assert_memory_equal(bytes + sizeof answer, "\177ELF", 4);
}

static void refused(struct native_request r)
{
    uint8_t byte;
    char says[200];
    assert_int_equal(ask(&r, WORDS, &byte, 1, says), 0);
    assert_string_equal(says, "ventus-translate: a request that is not of this version\n");
}

static void test_bad(void **state)
{
#define REFUSED(field, value) \
    do { \
        struct native_request r = sound(); \
        r.field = value; \
        refused(r); \
    } while (0)
    (void)state;
    REFUSED(magic, NATIVE_MAGIC + 1);
    REFUSED(layout, native_layout() + 1);
    REFUSED(level, NATIVE_LEVEL_COUNT);
    REFUSED(tuning, NATIVE_TUNING_COUNT);
    REFUSED(effort, NATIVE_EFFORT_COUNT);
    REFUSED(registers, NATIVE_REGISTERS_COUNT);
    REFUSED(nests, NATIVE_NEST_RUNS_COUNT);
    REFUSED(lanes, NATIVE_LANES_COUNT);
    REFUSED(items, 0);
    REFUSED(items, sound().threads + 1);
    REFUSED(threads, 0);
    REFUSED(threads, ISA_LANES + 1);
    REFUSED(vgprs, ISA_VREGS + 1);
    REFUSED(sgprs, ISA_XREGS + 1);
    REFUSED(code_base, ABI_CODE_BASE + 2);
    REFUSED(code_words, NATIVE_CODE_LIMIT + 1);
    REFUSED(constant_words, NATIVE_CONSTANT_LIMIT + 1);
}

/* With the least effort the code is another one. */
static void test_effort(void **state)
{
    static uint8_t usual[1 << 20], least[1 << 20];
    struct native_request r = sound();
    char says[200];
    (void)state;
    size_t size = ask(&r, WORDS, usual, sizeof usual, says);
    r.effort = EFFORT_LEAST;
    size_t other = ask(&r, WORDS, least, sizeof least, says);
    assert_true(size > sizeof(struct native_answer) && other > sizeof(struct native_answer));
    assert_true(size != other || memcmp(usual, least, size) != 0);
}

/* A loop that many registers live through, and change in. */
static void assemble_loop(struct elf_image *image)
{
    char source[2000] = "li x5, 9\nloop: addi x5, x5, -1\n";
    for (int r = 1; r < 25; r++)
        sprintf(source + strlen(source), "beq x5, x6, over%d\nvadd.vv v%d, v%d, v31\nover%d:\n", r, r, r, r);
    strcat(source, "bne x5, x0, loop\n");
    for (int r = 1; r < 25; r++) sprintf(source + strlen(source), "vadd.vv v31, v31, v%d\n", r);
    strcat(source, "vsw12.v v31, 0(v30)\nendprg\n");
    assert_true(asm_assemble("loop", source, strlen(source), ABI_CODE_BASE, image, stderr));
}

/* How large the answer for it is. */
static size_t size_of_loop(struct native_request r)
{
    static uint8_t bytes[1 << 20];
    struct elf_image image;
    char says[200];
    assemble_loop(&image);
    r.code_words = image.text_words;
    size_t size = ask_code(&r, image.text, image.text_words, bytes, sizeof bytes, says);
    elf_free(&image);
    return size;
}

/* Without LLVM's optimisation code is larger, but not so large that making it takes as long. */
static void test_size(void **state)
{
    struct native_request r = sound();
    (void)state;
    size_t usual = size_of_loop(r);
    r.effort = EFFORT_LEAST;
    assert_in_range(size_of_loop(r), usual, 2 * usual);
}

/* Code that stores all registers is larger. */
static void test_registers(void **state)
{
    struct native_request r = sound();
    (void)state;
    size_t read = size_of_loop(r);
    r.registers = REGISTERS_ALL;
    assert_true(read < size_of_loop(r));
}

/* Code that ends before it has come has no answer; addresses outside of it are no places to translate. */
static void test_odd(void **state)
{
    static uint8_t bytes[1 << 20];
    struct native_request r = sound();
    char says[200];
    (void)state;
    assert_int_equal(ask(&r, 1, bytes, sizeof bytes, says), 0);
    static const uint32_t odd[] = {0, 2, ABI_CODE_BASE + 2, ABI_CODE_BASE + 4 * WORDS, UINT32_MAX};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        r.start = r.entry = odd[i];
        assert_true(ask(&r, WORDS, bytes, sizeof bytes, says) >= sizeof(struct native_answer));
    }
}

/* A process that is not a child of this one which says its number and answers a byte with a byte. */
static void start_stranger(int fd)
{
    char byte;
    const pid_t parent = fork();
    if (!parent) {
        const pid_t stranger = fork();
        if (stranger) _exit(write(fd, &stranger, sizeof stranger) < 0);
        if (read(fd, &byte, 1) != 1 || write(fd, &byte, 1) != 1) _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(parent, NULL, 0), parent);
}

/* When it has died and somebody else has taken its end, its number can be that of another process, which lives on. */
static void test_stranger(void **state)
{
    struct native_request r = sound();
    struct translator_process p;
    int stranger[2], ends[2];
    char byte = 1;
    size_t size;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, stranger), 0);
    assert_true(translator_init(&p));
    start_stranger(stranger[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(stranger[1]);
    assert_int_equal(read(stranger[0], &p.pid, sizeof p.pid), sizeof p.pid);
    p.socket = ends[0];
    close(ends[1]);
    assert_null(translator_ask(&p, &r, code, &size));
    translator_close(&p);
    assert_int_equal(send(stranger[0], &byte, 1, MSG_NOSIGNAL), 1);
    assert_int_equal(read(stranger[0], &byte, 1), 1);
    close(stranger[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound),     cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_effort),    cmocka_unit_test(test_size),
                                       cmocka_unit_test(test_registers), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_stranger)};
    const char *program = getenv("VENTUS_TRANSLATE");
    if (!program || access(program, X_OK)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
