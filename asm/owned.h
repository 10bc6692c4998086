/* What a program image owns; elf.c, asm.c and link.c fill it, elf_free releases it. */
#ifndef VENTUS_ASM_OWNED_H
#define VENTUS_ASM_OWNED_H

#include "asm/image.h"
#include "asm/resource.h"

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

/* Where the ELF header has the program's profile: the byte of e_flags that RISC-V leaves to extensions. */
enum { ELF_PROFILE_SHIFT = 24 };

/* elf.c, for objects: what the header says of the profile (false: one that is not known here), a note section around
 * a text (malloc'ed), and all bytes of a file. */
bool elf_profile(uint32_t e_flags, uint32_t *profile);
uint8_t *elf_pack_note(const char *text, uint32_t *size);
/* The text of the next note of ours in a section, of which *at .. end are left; *text is NULL when there is none.
 * False, with a static text in *why, when the section is damaged. */
bool elf_next_note(const uint8_t **at, const uint8_t *end, const char **text, size_t *size, const char **why);
bool elf_take_bytes(int fd, void **bytes, size_t *size);

/* resource.c: puts records behind those that are there. Their names belong to others until they are
 * copied, once all records are there. *why is a static text. */
bool resource_own_names(struct owned *owned, const char **why);
bool resource_append(struct owned *owned, const struct elf_resource *record, const char **why);
bool resource_append_section(struct owned *owned, const uint8_t *bytes, size_t size, const char *kernel,
                             const char **why);

/* landmark.c: the address of a name that a program may use without defining it, because it says where the program's
 * data lie: __global_pointer$, _edata and _end. False if this is no such name. */
struct asm_places {
    uint32_t data, bss, bss_size; /* addresses, bytes */
};
bool asm_landmark(const char *name, const struct asm_places *places, uint32_t *address);
/* The section that such a name is the beginning or end of: __start_NAME, __stop_NAME, and of the arrays of functions
 * __init_array_start and the like. NULL: it is no such name. */
const char *asm_bound(const char *name, bool *end);
/* Is it a word that a program has, with zeros, if it names it and does not define it? */
bool asm_provided(const char *name);

/* half.c: the targets of 16-bit branches and jumps. */
enum { HALF_BITS = 11 }; /* from bit 2 on */
struct half {
    char letter; /* the operand of operand.def whose short form this is */
    unsigned relocation;
    int32_t reach;             /* bytes, in either direction */
    uint8_t places[HALF_BITS]; /* the bit of the distance that each bit holds, 0: none */
};
const struct half *asm_half(char letter); /* or NULL */
const struct half *asm_half_relocated(unsigned type);
uint16_t asm_half_bits(const struct half *half, int32_t distance);

#endif
