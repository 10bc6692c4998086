/* Pictures in memory and in files: PNG and JPEG in, PNG out. Used by mandelbrot and filter. */
#ifndef EXAMPLES_IMAGE_H
#define EXAMPLES_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image {
    unsigned width, height;
    uint8_t *pixels; /* four bytes each, red green blue alpha, rows from the top; malloc'ed */
};

/* Reads a file, recognised by its first bytes. Ends the program with a message when it cannot be
 * read, is neither PNG nor JPEG, is damaged or larger than 8192 pixels in a direction. */
void image_read(struct image *image, const char *path);

/* Writes a PNG; ends the program with a message on failure. */
void image_write(const struct image *image, const char *path);

#endif
