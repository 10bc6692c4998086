/* ventus as: assembly text to an executable.
 *
 * A program with .kernel records gets the start code in front, unless it brings its own; everything
 * else is asm/. */
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "isa/abi.h"
#include "start_source.h"
#include "tool.h"

enum { FLAG_OUTPUT, FLAG_BASE, FLAG_VMEM, FLAG_NO_START, FLAG_PROFILE, FLAG_OBJECT };
static const struct flag flags[] = {
    {"output", 'o', "OUT", "where the result goes; default: FILE with the suffix .elf"},
    {"base", 0, "ADDRESS", "address of .text; default 0x80000000"},
    {"vmem", 0, NULL, "write the words of .text, one hexadecimal word a line, not an ELF file"},
    {"no-start", 0, NULL, "never put the start code in front"},
    {"profile", 0, "P", "instructions of a profile: " ISA_PROFILE_NAMES},
    {"object", 'c', NULL, "write an object for `ventus ld`; default output: FILE with the suffix .o"},
    {0},
};

static const char about[] =
    "Assembles GNU-style text for Ventus. A program with .kernel records begins with the start\n"
    "code, unless it defines _start; `ventus run` can run it then:\n\n"
    "    .kernel hello            # registers used are counted; lds=N pds=N for memory\n"
    "    .arg    global, out      # kinds: value global constant local\n"
    "hello:      lw      t0, 0(a0)        # a0: the arguments\n"
    "            csrr    t1, CSR_TID      # first work-item of this warp\n"
    "            vid.v   v0               # lane\n"
    "            vadd.vx v0, v0, t1\n"
    "            vsll.vi v1, v0, 2\n"
    "            vadd.vx v1, v1, t0\n"
    "            vsw12.v v0, 0(v1)\n"
    "            ret";

static void write_vmem(const char *path, const struct elf_image *m)
{
    char *text = allocate(m->text_words * 9 + 1);
    for (size_t i = 0; i < m->text_words; i++) snprintf(text + 9 * i, 10, "%08x\n", m->text[i]);
    write_file(path, text, m->text_words * 9);
    free(text);
}

static bool write_object(const struct asm_options *options, const char *input, const char *source, size_t size,
                         const char *output)
{
    void *bytes;
    size_t length;
    if (!asm_assemble_object(options, input, source, size, &bytes, &length, stderr)) return false;
    write_file(output, bytes, length);
    free(bytes);
    return true;
}

int cmd_as(int argc, char **argv)
{
    struct args args = {
        .command = "as", .usage = "FILE [-o OUT]", .about = about, .flags = flags, .argc = argc, .argv = argv, .at = 1};
    const char *input = NULL, *output = NULL;
    uint32_t base = ABI_CODE_BASE;
    bool vmem = false, object = false;
    struct asm_options options = {.profile = PROFILE_DEFAULT, .includes = true, .start = start_source};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_OUTPUT) output = args.value;
        else if (flag == FLAG_BASE) base = base_arg(&args);
        else if (flag == FLAG_VMEM) vmem = true;
        else if (flag == FLAG_NO_START) options.start = NULL;
        else if (flag == FLAG_OBJECT) object = true;
        else if (flag == FLAG_PROFILE) options.profile = (enum isa_profile)profile_arg(&args, args.value);
        else if (input) usage_error(&args, "one source at a time, '%s' is the second", args.value);
        else input = args.value;
    }
    if (!input) usage_error(&args, "a source file is needed");
    if (object && vmem) usage_error(&args, "-c and --vmem exclude each other");
    if (!output && !strcmp(input, "-"))
        usage_error(&args, "the source is standard input, so an output is needed: -o OUT");
    char *made = output ? NULL : default_output(&args, input, object ? ".o" : ".elf");
    size_t size;
    char *source = read_file(input, &size);
    if (object) {
        if (!write_object(&options, input, source, size, output ? output : made)) return EXIT_FAILED;
        free(source);
        free(made);
        return EXIT_OK;
    }
    struct elf_image image;
    if (!asm_assemble_with(&options, input, source, size, base, &image, stderr)) return EXIT_FAILED;
    if (vmem) write_vmem(output ? output : made, &image);
    else write_elf(output ? output : made, &image);
    elf_free(&image);
    free(source);
    free(made);
    return EXIT_OK;
}
