/* Names that a program may use for where its data lie, and need not define.
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
