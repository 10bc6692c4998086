/* The module note: every field there and back, escapes, what is unknown, and mistakes with their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/note.h"
#include "isa/isa.h"

#define HEAD   "ventus-module 1\n"
#define KERNEL "kernel name=k entry=0x80000000 vgpr=8 sgpr=32 lds=0 pds=0 args=8"
#define USUAL  " reqd=0,0,0 hint=0,0,0 vechint="
#define ARG    "arg kind=value size=4 offset=0"

/* ---- there and back ---- */

static struct note read_good(const char *text)
{
    struct note note;
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    if (note_read(text, strlen(text), &note, &error)) return note;
    note_explain(&error, what);
    fail_msg("%s\n%s", what, text);
    return (struct note){0};
}

/* Reading and writing gives `want`. */
static void rewrites(const char *text, const char *want)
{
    struct note note = read_good(text);
    char *again = note_write(&note, 1);
    assert_string_equal(again, want);
    free(again);
    note_free(&note);
}

static const char everything[] =
    HEAD "kernel name=a%20b entry=0x80000010 vgpr=16 sgpr=32 lds=64 pds=8 args=136 reqd=1,2,3 hint=4,5,6 ungrouped=1 "
         "links=1 vechint=float4\n"
         "arg kind=value size=8 offset=0 align=8 name=n type=long access=none address=private qual=\n"
         "arg kind=global size=4 offset=8 align=4 name=p type=int* access=none address=global qual=const%20volatile\n"
         "arg kind=constant size=4 offset=12 align=4 name=c type=int* access=none address=constant qual=const\n"
         "arg kind=local size=4 offset=16 align=128 name=l type=long16* access=none address=local qual=restrict\n"
         "arg kind=image size=64 offset=64 align=64 name=i type=image2d_t access=read_only address=global qual=\n"
         "arg kind=sampler size=4 offset=128 align=4 name=s type=sampler_t access=none address=private qual=\n"
         "arg kind=pipe size=4 offset=132 align=4 name=q type=int access=read_only address=global qual=pipe\n"
         "kernel name=two entry=0x80000020 vgpr=auto sgpr=auto lds=0 pds=0 args=0" USUAL "\n"
         "line pc=0x80000000 line=3\nline pc=0x80000000 line=4294967295\n"
         "format id=7 text=%25d%3D%0A\nformat id=1 text=\nstring id=0 text=hello%20world\n"
         "source name=k.cl text=a%00b%0A\nsource name=other.cl\nsource text=\nsource\n";

static void test_everything(void **state)
{
    (void)state;
    struct note note = read_good(everything);
    assert_int_equal(note.nkernels, 2);
    const struct ventus_kernel *k = &note.kernels[0];
    assert_string_equal(k->name, "a b");
    assert_int_equal(k->entry, 0x80000010);
    assert_int_equal(k->vgprs, 16);
    assert_int_equal(k->sgprs, 32);
    assert_int_equal(k->lds_bytes, 64);
    assert_int_equal(k->pds_bytes, 8);
    assert_int_equal(k->args_size, 136);
    assert_memory_equal(k->reqd, ((uint32_t[]){1, 2, 3}), sizeof k->reqd);
    assert_memory_equal(k->hint, ((uint32_t[]){4, 5, 6}), sizeof k->hint);
    assert_string_equal(k->vec_hint, "float4");
    assert_int_equal(k->ungrouped, 1);
    assert_int_equal(note.kernels[1].ungrouped, 0);
    assert_int_equal(k->links, 1);
    assert_int_equal(note.kernels[1].links, 0);
    assert_int_equal(k->nargs, VENTUS_ARG_KINDS);
    for (unsigned i = 0; i < VENTUS_ARG_KINDS; i++) assert_int_equal(k->args[i].kind, i);
    const struct ventus_arg *a = &k->args[VENTUS_ARG_GLOBAL];
    assert_int_equal(a->size, 4);
    assert_int_equal(a->offset, 8);
    assert_int_equal(k->args[VENTUS_ARG_LOCAL].align, 128);
    assert_string_equal(a->name, "p");
    assert_string_equal(a->type, "int*");
    assert_string_equal(a->access, "none");
    assert_string_equal(a->address, "global");
    assert_string_equal(a->qualifiers, "const volatile");
    assert_int_equal(note.kernels[1].vgprs, NOTE_AUTO);
    assert_int_equal(note.kernels[1].nargs, 0);
    assert_int_equal(note.nlines, 2);
    assert_int_equal(note.lines[1].line, UINT32_MAX);
    assert_int_equal(note.nformats, 2);
    assert_int_equal(note.formats[0].id, 7);
    assert_string_equal(note.formats[0].text, "%d=\n");
    assert_string_equal(note.strings[0].text, "hello world");
    assert_int_equal(note.nsources, 4);
    assert_string_equal(note.sources[0].name, "k.cl");
    assert_int_equal(note.sources[0].size, 4);
    assert_memory_equal(note.sources[0].text, "a\0b\n", 5);
    assert_null(note.sources[1].text);
    assert_string_equal(note.sources[2].text, "");
    note_free(&note);
    assert_null(note.kernels);
    rewrites(everything, everything);
}

static void test_defaults(void **state)
{
    (void)state;
    rewrites("ventus-module 1", HEAD);
    rewrites(HEAD "\n\n" KERNEL "\n" ARG "\n",
             HEAD KERNEL USUAL "\n" ARG " align=4 name= type= access= address= qual=\n");
    const struct ventus_arg arg = {.kind = VENTUS_ARG_LOCAL, .size = 4, .align = 16};
    struct ventus_kernel kernel = {.name = "k", .nargs = 1, .args = &arg};
    char *text = note_write(&(struct note){.kernels = &kernel, .nkernels = 1}, 1); /* NULL is "" */
    assert_string_equal(text, HEAD "kernel name=k entry=0x00000000 vgpr=0 sgpr=0 lds=0 pds=0 args=0" USUAL "\n"
                                   "arg kind=local size=4 offset=0 align=16 name= type= access= address= qual=\n");
    free(text);
}

/* Numbers are read in both bases, keys in any order. */
static void test_forms(void **state)
{
    (void)state;
    rewrites(HEAD "line line=0x10 pc=16\n", HEAD "line pc=0x00000010 line=16\n");
    rewrites(HEAD "kernel args=0X8 pds=0 lds=0 sgpr=32 vgpr=8 entry=2147483648 name=%6b\n", HEAD KERNEL USUAL "\n");
    rewrites(HEAD "string text=a=b id=00\n", HEAD "string id=0 text=a%3Db\n");
}

/* All bytes that a name can have. */
static void test_escapes(void **state)
{
    (void)state;
    char name[256];
    for (int i = 0; i < 255; i++) name[i] = (char)(i + 1);
    name[255] = 0;
    struct ventus_kernel kernel = {.name = name};
    char *text = note_write(&(struct note){.kernels = &kernel, .nkernels = 1}, 1);
    for (const char *p = strstr(text, "name=") + 5; *p != ' '; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || *p == '=') fail_msg("byte %d is in the note", *p);
    struct note note = read_good(text);
    assert_string_equal(note.kernels[0].name, name);
    note_free(&note);
    free(text);
}

static void test_several(void **state)
{
    (void)state;
    struct note notes[] = {read_good(HEAD KERNEL " new=1\n"), read_good(HEAD),
                           read_good(HEAD "later a=b\nline pc=0 line=0\n")};
    char *text = note_write(notes, 3);
    assert_string_equal(text, HEAD KERNEL USUAL " new=1\nlater a=b\nline pc=0x00000000 line=0\n");
    free(text);
    for (int i = 0; i < 3; i++) note_free(&notes[i]);
    note_free(&(struct note){0});
}

/* Records and fields of a newer version stay where they were among the kernels and arguments. */
static void test_unknown(void **state)
{
    (void)state;
    static const char newer[] = HEAD "begin\n" KERNEL USUAL " color=red shade=%zz\nfor kernel=k\nfor kernel=%zz\n" ARG
                                     " align=4 name=a type= access= address= qual= new=1\nfor arg=a\n" ARG
                                     " align=4 name=b type= access= address= qual=\nkernels also\n"
                                     "line pc=0x00000000 line=1 column=2\nformat id=0 text= for=cpu\n"
                                     "string id=0 text= q=\nsource name=n checksum=1\n";
    struct note note = read_good(newer);
    assert_string_equal(note.kernels[0].more, " color=red shade=%zz");
    assert_int_equal(note.nunknown, 5);
    assert_int_equal(note.unknown[3].behind, 2);
    note_free(&note);
    rewrites(newer, newer);
    rewrites(HEAD "kernel a=1 name=k b=2 entry=0x80000000 vgpr=8 sgpr=32 lds=0 pds=0 args=8 c=3\n",
             HEAD KERNEL USUAL " a=1 b=2 c=3\n");
}

/* ---- mistakes ---- */

static void refused(const char *text, size_t size, const char *want)
{
    struct note note;
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    if (note_read(text, size, &note, &error)) fail_msg("accepted: %s", text);
    note_explain(&error, what);
    assert_string_equal(what, want);
}

static void bad(const char *text, const char *want)
{
    char line[400];
    snprintf(line, sizeof line, "the module note%s", want);
    refused(text, strlen(text), line);
}

static void test_mistakes(void **state)
{
    (void)state;
    bad("", ", line 1: it is not of version 1");
    bad("ventus-module 2\n", ", line 1: it is not of version 1");
    bad("kernel name=k\n", ", line 1: it is not of version 1");
    refused("ventus-module 1\nkernel\0", 23, "the module note: a zero byte");
    bad(HEAD KERNEL "\nkernel\n", ", line 3: a record lacks a field: name");
    bad(HEAD "kernel name=k entry=0 vgpr=1 sgpr=1 lds=0 args=0\n", ", line 2: a record lacks a field: pds");
    bad(HEAD KERNEL "\narg kind=value size=4", ", line 3: a record lacks a field: offset");
    bad(HEAD "line pc=0\n", ", line 2: a record lacks a field: line");
    bad(HEAD "format id=1\n", ", line 2: a record lacks a field: text");
    bad(HEAD "string text=\n", ", line 2: a record lacks a field: id");
    bad(HEAD "line pc=0 line=1 pc=0\n", ", line 2, column 18: a record has a field twice: pc");
    bad(HEAD "source text= text=\n", ", line 2, column 14: a record has a field twice: text");
    bad(HEAD KERNEL " garbage\n", ", line 2, column 66: a field is not key=value");
    bad(HEAD "line pc=0  line=1\n", ", line 2, column 11: a field is not key=value");
    bad(HEAD "line =0 line=1\n", ", line 2, column 6: a field is not key=value");
    bad(HEAD "line pc line=1\n", ", line 2, column 6: a field is not key=value");
}

static void test_bad_values(void **state)
{
    (void)state;
    static const char *const numbers[] = {"",
                                          "-1",
                                          "+1",
                                          "1x",
                                          "0x",
                                          "0x1g",
                                          "x1",
                                          "4294967296",
                                          "1,",
                                          "99999999999999999999999999",
                                          "0xfffffffffffffffff",
                                          "auto"};
    char text[200];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(text, sizeof text, HEAD "line line=%s pc=0\n", numbers[i]);
        bad(text, ", line 2, column 11: a number that is malformed or too large in a field: line");
    }
    bad(HEAD "kernel reqd=1,2\n", ", line 2, column 13: three numbers are expected in a field: reqd");
    bad(HEAD "kernel reqd=1,2,3,4\n", ", line 2, column 13: three numbers are expected in a field: reqd");
    bad(HEAD "kernel hint=1,2,4294967296\n", ", line 2, column 13: three numbers are expected in a field: hint");
    bad(HEAD "kernel name=%zz\n", ", line 2, column 13: two hexadecimal digits are expected behind %");
    bad(HEAD "kernel name=a%2%\n", ", line 2, column 14: two hexadecimal digits are expected behind %");
    bad(HEAD "kernel name=a%4 entry=0\n", ", line 2, column 14: two hexadecimal digits are expected behind %");
    bad(HEAD "kernel name=a%", ", line 2, column 14: two hexadecimal digits are expected behind %");
    bad(HEAD "kernel name=a%00\n", ", line 2, column 13: a zero byte in a field: name");
    bad(HEAD "format id=1 text=a%00b\n", ", line 2, column 18: a zero byte in a field: text");
    bad(HEAD KERNEL "\narg kind=what\n", ", line 3, column 10: an argument of unknown kind");
}

/* A number at its limit is read, one beyond is not. */
static void limit(const char *record, const char *rest, unsigned most, const char *key)
{
    char text[400], place[100];
    snprintf(text, sizeof text, HEAD KERNEL "\n%s%u%s\n", record, most, rest);
    struct note note = read_good(text);
    note_free(&note);
    snprintf(text, sizeof text, HEAD KERNEL "\n%s%u%s\n", record, most + 1, rest);
    snprintf(place, sizeof place, ", line 3, column %zu: a number that is malformed or too large in a field: %s",
             strlen(record) + 1, key);
    bad(text, place);
}

static void test_limits(void **state)
{
    (void)state;
    limit("kernel vgpr=", " name=x entry=0 sgpr=1 lds=0 pds=0 args=0", ISA_VREGS, "vgpr");
    limit("kernel sgpr=", " name=x entry=0 vgpr=1 lds=0 pds=0 args=0", ISA_XREGS, "sgpr");
    limit("kernel lds=", " name=x entry=0 vgpr=1 sgpr=1 pds=0 args=0", NOTE_MAX_LDS, "lds");
    limit("kernel pds=", " name=x entry=0 vgpr=1 sgpr=1 lds=0 args=0", NOTE_MAX_PDS, "pds");
    limit("kernel args=", " name=x entry=0 vgpr=1 sgpr=1 lds=0 pds=0", NOTE_MAX_ARGS, "args");
    limit("kernel ungrouped=", " name=x entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0", 3, "ungrouped");
    limit("kernel links=", " name=x entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0", 1, "links");
    limit("arg align=", " kind=local size=4 offset=0", NOTE_MAX_ALIGN, "align");
    char *many = malloc(64 + (NOTE_MAX_KERNELS + 1) * 80);
    assert_non_null(many);
    size_t at = (size_t)sprintf(many, HEAD);
    for (unsigned i = 0; i < NOTE_MAX_KERNELS; i++)
        at += (size_t)sprintf(many + at, "kernel name=k%u entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n", i);
    struct note note = read_good(many);
    assert_int_equal(note.nkernels, NOTE_MAX_KERNELS);
    note_free(&note);
    sprintf(many + at, "kernel name=x entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n");
    bad(many, ": too many kernels");
    free(many);
}

static void test_contradictions(void **state)
{
    (void)state;
    bad(HEAD "kernel name= entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n", ", line 2: a kernel without a name");
    bad(HEAD KERNEL "\n" KERNEL "\n", ", line 3: two kernels of one name");
    bad(HEAD ARG "\n" KERNEL "\n", ", line 2: an argument before the first kernel");
    bad(HEAD KERNEL "\narg kind=local size=4 offset=0 align=3\n", ", line 3: an alignment is not a power of two");
    bad(HEAD KERNEL "\narg kind=local size=4 offset=0 align=0\n", ", line 3: an alignment is not a power of two");
    bad(HEAD KERNEL "\narg kind=global size=8 offset=0\n", ", line 3: a pointer argument is not four bytes");
    bad(HEAD KERNEL "\narg kind=image size=4 offset=0\n", ", line 3: an image argument is not 64 bytes");
    bad(HEAD KERNEL "\narg kind=value size=5 offset=4\n", ", line 3: an argument lies outside the argument buffer");
    bad(HEAD KERNEL "\narg kind=value size=4 offset=65536\n", ", line 3: an argument lies outside the argument buffer");
    bad(HEAD "line pc=4 line=1\nline pc=3 line=1\n", ", line 3: source lines are not in ascending order");
    struct note note = read_good(HEAD KERNEL "\narg kind=value size=4 offset=4\n"); /* just inside */
    note_free(&note);
}

/* Each beginning of a good note is read or refused, with nothing lost (the sanitizers look). */
static void test_cut_off(void **state)
{
    (void)state;
    struct note note;
    struct note_error error;
    unsigned read = 0;
    for (size_t n = 0; n < sizeof everything; n++)
        if (note_read(everything, n, &note, &error)) note_free(&note), read++;
    assert_true(read > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything), cmocka_unit_test(test_defaults),       cmocka_unit_test(test_forms),
        cmocka_unit_test(test_escapes),    cmocka_unit_test(test_several),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_bad_values),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cut_off),    cmocka_unit_test(test_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
