/* ventus ld: objects of `ventus as -c` to an executable.
 *
 * The start code goes in front when the objects have kernels and bring no _start; the rest is
 * asm/link.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/link.h"
#include "isa/abi.h"
#include "start_source.h"
#include "tool.h"

enum { FLAG_OUTPUT, FLAG_BASE, FLAG_NO_START, FLAG_PROFILE, FLAG_RESOURCES };
static const struct flag flags[] = {
    {"output", 'o', "OUT", "where the program goes; default: a.elf"},
    {"base", 0, "ADDRESS", "address of .text; default 0x80000000"},
    {"no-start", 0, NULL, "never put the start code in front"},
    {"profile", 0, "P", "of objects that do not say theirs: " ISA_PROFILE_NAMES},
    {"resource-version", 0, "N", "write the resource records in version 0, 1, 2 or 3; of kernels without\nany, too"},
    {0},
};

static const char about[] = "Links objects, in the order given, to a program that `ventus run` runs:\n\n"
                            "    ventus as -c kernel.s && ventus as -c library.s\n"
                            "    ventus ld kernel.o library.o -o program.elf";

int cmd_ld(int argc, char **argv)
{
    struct args args = {.command = "ld",
                        .usage = "OBJECT... [-o OUT]",
                        .about = about,
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    struct asm_input *inputs = allocate((size_t)(argc + 1) * sizeof *inputs);
    const char *output = "a.elf";
    size_t n = 0;
    uint32_t base = ABI_CODE_BASE, version;
    struct asm_link_options options = {.start = start_source};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_OUTPUT) output = args.value;
        else if (flag == FLAG_BASE) base = base_arg(&args);
        else if (flag == FLAG_NO_START) options.start = NULL;
        else if (flag == FLAG_PROFILE) options.profile = (enum isa_profile)profile_arg(&args, args.value);
        else if (flag == FLAG_RESOURCES) {
            version = (uint32_t)number_arg(&args, "--resource-version", args.value, 0, ABI_RESOURCE_VERSIONS - 1);
            options.version = &version;
        } else inputs[n++].name = args.value;
    }
    if (!n) usage_error(&args, "an object is needed");
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(inputs[i].name, output)) usage_error(&args, "'%s' is both input and output", output);
        inputs[i].bytes = read_file(inputs[i].name, &inputs[i].size);
    }
    struct elf_image image;
    if (!asm_link(&options, inputs, n, base, &image, stderr)) return EXIT_FAILED;
    write_elf(output, &image);
    elf_free(&image);
    for (size_t i = 0; i < n; i++) free((void *)inputs[i].bytes);
    free(inputs);
    return EXIT_OK;
}
