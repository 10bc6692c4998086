/* Program files as bytes of the code window. */
#ifndef VENTUS_IMAGE_H
#define VENTUS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    uint32_t profile; /* enum isa_profile; 0: not said */
    uint8_t *bytes;   /* from ABI_CODE_BASE on; malloc'ed */
    size_t size;
    size_t extent; /* at least `size`: with the zeros behind them that the program expects */
};

/* Both leave *image alone and set *why to a static text when they fail. image_read reads an ELF executable or a
 * text of hexadecimal words from a file, image_parse an ELF or the bytes themselves. */
bool image_read(const char *path, struct image *image, const char **why);
bool image_parse(const void *content, size_t size, struct image *image, const char **why);

#endif
