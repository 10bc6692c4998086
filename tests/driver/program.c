/* Assembled programs as modules (program.h). */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "isa/abi.h"

ventus_module *program_build_private(const char *source, unsigned pds)
{
    struct elf_image text, image;
    ventus_module *module = NULL;
    char note[160], message[300];
    void *elf = NULL;
    size_t size;
    const char *why = "";
    snprintf(note, sizeof note,
             "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=16 sgpr=32 lds=0 pds=%u args=16\n", pds);
    if (!asm_assemble("test", source, strlen(source), ABI_CODE_BASE, &text, stderr))
        fail_msg("the program does not assemble");
    image = (struct elf_image){.entry = ABI_CODE_BASE,
                               .text_addr = ABI_CODE_BASE,
                               .text = text.text,
                               .text_words = text.text_words,
                               .note = note};
    if (!elf_write(&image, &elf, &size, &why)) fail_msg("%s", why);
    if (ventus_module_load(elf, size, &module, message, sizeof message) != VENTUS_OK) fail_msg("%s", message);
    elf_free(&text);
    free(elf);
    return module;
}

ventus_module *program_build(const char *source) { return program_build_private(source, 0); }

struct ventus_launch program_launch(const ventus_module *module, const uint32_t args[4], uint32_t items, uint32_t local)
{
    return (struct ventus_launch){.module = module,
                                  .kernel = ventus_module_kernel(module, 0),
                                  .args = args,
                                  .range = {1, {items, 1, 1}, {local, 1, 1}, {0}}};
}
