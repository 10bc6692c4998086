/* The linker: objects to a program. */
#ifndef VENTUS_ASM_LINK_H
#define VENTUS_ASM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/image.h"
#include "isa/isa.h"

/* The bytes of an object, which stay the caller's. */
struct asm_input {
    const char *name; /* for messages */
    const void *bytes;
    size_t size;
};

struct asm_link_options {
    enum isa_profile profile; /* of objects that do not say theirs; 0: PROFILE_DEFAULT if none does */
    const char *start;        /* start code, in front of a program that has kernels and no _start; NULL: none */
    const uint32_t *version;  /* of all resource records of the program; NULL: as they are */
};

/* Links objects, of profiles that one machine runs together, for the address `base`, a multiple of four, into *image
 * (elf_free): their sections one behind the other, in order. Summaries of functions (.ventus.resobj) become resource
 * records of the entries; if a version is asked for and there are neither, the module note does. Messages as "name:
 * error: ..." go to `log` (NULL: nowhere). */
bool asm_link(const struct asm_link_options *options, const struct asm_input *inputs, size_t ninputs, uint32_t base,
              struct elf_image *image, FILE *log);

#endif
