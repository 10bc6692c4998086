/* Names that a program may use and need not define: where its data and its sections lie, and what the documents' start
 * code writes to.
 *
 * Whoever lays out a program, assembler or linker, asks here for a name that nobody has defined. */
#include "asm/owned.h"

#include <string.h>

enum { GLOBAL_POINTER_OFFSET = 0x800 }; /* so that signed offsets of 12 bits reach the first 4 KiB */

bool asm_landmark(const char *name, const struct asm_places *places, uint32_t *address)
{
    const struct {
        const char *name;
        uint32_t address;
    } landmarks[] = {{"__global_pointer$", places->data + GLOBAL_POINTER_OFFSET},
                     {"_edata", places->bss},
                     {"_end", places->bss + places->bss_size}};
    for (size_t i = 0; i < sizeof landmarks / sizeof *landmarks; i++) {
        if (strcmp(name, landmarks[i].name)) continue;
        *address = landmarks[i].address;
        return true;
    }
    return false;
}

const char *asm_bound(const char *name, bool *end)
{
    static const char *const arrays[][3] = {{"__preinit_array_start", "__preinit_array_end", ".preinit_array"},
                                            {"__init_array_start", "__init_array_end", ".init_array"},
                                            {"__fini_array_start", "__fini_array_end", ".fini_array"}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *end = !strcmp(name, arrays[i][1]);
        if (*end || !strcmp(name, arrays[i][0])) return arrays[i][2];
    }
    *end = !strncmp(name, "__stop_", 7);
    if (*end) return name + 7;
    return strncmp(name, "__start_", 8) ? NULL : name + 8;
}

bool asm_provided(const char *name) { return !strcmp(name, "BUFFER_ADDR") || !strcmp(name, "BUFFER_SIZE"); }
