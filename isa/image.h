/* Images and samplers as kernels see them: what the OpenCL library writes and the built-in functions read.
 * Like abi.h, for C and OpenCL C. */
#ifndef VENTUS_IMAGE_H
#define VENTUS_IMAGE_H

#include "isa/abi.h"

/* An image argument: it lies in the argument buffer itself. Only `address` depends on where the image is; the driver
 * fills it in, as it does for pointers.
 *
 * The texel at (x, y, z) begins at address + x * texel + y * row + z * slice. The layers of an array come behind the
 * last dimension: y counts those of a 1D array, z those of a 2D array. A dimension that is not there has the size 1. */
struct abi_image {
    uint32_t address;
    uint32_t width, height, depth; /* texels, layers */
    uint32_t texel, row, slice;    /* bytes; the texel's are 1, 2, 4, 8 or 16 */
    uint32_t order, type;          /* of channels, in OpenCL's numbers */
    uint32_t kind;                 /* enum abi_image_kind */
    uint32_t component[4];         /* where red, green, blue and alpha are: below */
    uint32_t border;               /* alpha of what is outside: 0 or 1; the rest of it is 0 */
    uint32_t unused;
};

/* What the bits of a channel mean. */
enum abi_image_kind {
    ABI_IMAGE_UNORM, /* 0 to 1 */
    ABI_IMAGE_SNORM, /* -1 to 1 */
    ABI_IMAGE_SRGB,  /* 8 bits, as UNORM but for the curve of sRGB on red, green, blue */
    ABI_IMAGE_HALF,
    ABI_IMAGE_FLOAT,
    ABI_IMAGE_SIGNED,
    ABI_IMAGE_UNSIGNED,
};

/* A component: the byte of the texel where its element begins, and how far the element, as a word, is shifted left
 * and then right to be left with the channel. SHOWN: it is there; what is not reads as 0, and alpha as 1. WRITTEN:
 * it is taken from what a kernel writes: of several that show the same channel only the first is. */
#define ABI_COMPONENT(offset, left, right) ((uint32_t)(offset) | (uint32_t)(left) << 8 | (uint32_t)(right) << 16)
#define ABI_COMPONENT_OFFSET(c)            ((c)&255)
#define ABI_COMPONENT_LEFT(c)              ((c) >> 8 & 255)
#define ABI_COMPONENT_RIGHT(c)             ((c) >> 16 & 255)
#define ABI_COMPONENT_SHOWN                0x01000000u
#define ABI_COMPONENT_WRITTEN              0x02000000u

/* A sampler argument is a word; so is a sampler in a program, whose front end makes it of OpenCL C's CLK_ numbers,
 * which are these. */
enum abi_sampler {
    ABI_SAMPLER_NORMALIZED = 1,
    ABI_SAMPLER_ADDRESSING = 0xe, /* mask of one of the next five */
    ABI_SAMPLER_NONE = 0,
    ABI_SAMPLER_CLAMP_TO_EDGE = 2,
    ABI_SAMPLER_CLAMP = 4,
    ABI_SAMPLER_REPEAT = 6,
    ABI_SAMPLER_MIRRORED_REPEAT = 8,
    ABI_SAMPLER_NEAREST = 0x10,
    ABI_SAMPLER_LINEAR = 0x20,
};

#endif
