/* Resource records: what a kernel needs, in all their versions. Layouts and meaning are in isa/abi.h. */
#ifndef VENTUS_ASM_RESOURCE_H
#define VENTUS_ASM_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/abi.h"

/* A record; in an image its kernel is a string of the image's. */
struct elf_resource {
    const char *kernel; /* NULL: the record does not say whose it is */
    uint32_t version, flags;
    uint64_t value[ABI_RESOURCE_VALUES]; /* the stacks are 0 before version 2 */
    uint32_t ray[ABI_RESOURCE_RAY];      /* the words behind the values of version 4 */
};

/* Reads the record at `bytes`; *used is its size. Damaged or unknown ones give false and a static text in *why. */
bool resource_read(const uint8_t *bytes, size_t size, struct elf_resource *record, size_t *used, const char **why);
/* The bytes of a record, whose values must fit its version (resource_convert sees to it); returns their number. */
size_t resource_write(const struct elf_resource *record, uint8_t bytes[ABI_RESOURCE_LARGEST]);
/* Makes a record of another version; false, with a static text in *why, when that cannot say what this one does. */
bool resource_convert(struct elf_resource *record, uint32_t version, const char **why);
/* "KERNEL: version 2, vgpr 8, ..." and a newline. */
void resource_print(const struct elf_resource *record, FILE *out);
/* Does a section of this name hold records? *kernel is a part of the name, or NULL. */
bool resource_is_section(const char *name, const char **kernel);

#endif
