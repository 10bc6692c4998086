/* What a program image owns; elf.c and asm.c fill it, elf_free releases it. */
#ifndef VENTUS_ASM_OWNED_H
#define VENTUS_ASM_OWNED_H

#include "asm.h"

struct owned {
    uint32_t *text;
    uint8_t *rodata, *data;
    struct elf_symbol *symbols;
    char *names;               /* symbol names, when they are not in the file */
    char *note;
    uint16_t (*resources)[4];
};

#endif
