/* What a program image owns; elf.c, asm.c and link.c fill it, elf_free releases it. */
#ifndef VENTUS_ASM_OWNED_H
#define VENTUS_ASM_OWNED_H

#include "asm.h"

struct owned {
    uint32_t *text;
    uint8_t *rodata, *data;
    struct elf_symbol *symbols;
    char *names; /* symbol names, when they are not in the file */
    char *note;
    struct elf_resource *resources;
    size_t nresources;
    char *kernels; /* the names in resources */
};

/* elf.c, for objects: a note section around a text (malloc'ed), and all bytes of a file. */
uint8_t *elf_pack_note(const char *text, uint32_t *size);
bool elf_take_bytes(int fd, void **bytes, size_t *size);

/* resource.c: puts records behind those that are there. Their names belong to others until they are
 * copied, once all records are there. *why is a static text. */
bool resource_own_names(struct owned *owned, const char **why);
bool resource_append(struct owned *owned, const struct elf_resource *record, const char **why);
bool resource_append_section(struct owned *owned, const uint8_t *bytes, size_t size, const char *kernel,
                             const char **why);

/* link.c: the bits of a 16-bit branch ('b') or jump ('j') that hold a distance. */
uint16_t asm_scatter_half(char letter, int32_t distance);

/* asm.c: registers that the instructions of a text need (isa_registers), rounded up to four, at most what a warp
 * can have. */
void asm_used_registers(enum isa_profile profile, const uint32_t *text, size_t nwords, int64_t *vgpr, int64_t *sgpr);

#endif
