/* Where warps come from `step`: what is to hold of registers in struct warp. Tables of these checks are constants of a
 * translation, which translator/entry.c makes. */
#ifndef VENTUS_NATIVE_ENTRY_H
#define VENTUS_NATIVE_ENTRY_H

#include <stdint.h>

struct warp;

enum entry_check_kind {
    CHECK_END,    /* of a table: everything holds */
    CHECK_NEVER,  /* nothing does */
    CHECK_SCALAR, /* x[reg] is `value`, in the bits of `mask` */
    CHECK_KNL,    /* x[reg] is CSR_KNL */
    CHECK_ARGS,   /* x[reg] is the address of the arguments */
    CHECK_ENTRY,  /* the metadata block says that the kernel begins at `value` */
    CHECK_LANES,  /* of a vector register */
};

struct entry_check {
    uint8_t kind; /* enum entry_check_kind */
    uint8_t reg;
    uint8_t period; /* lanes, of each so many word i is the first one + i * value, and the first one is `first`, in the
                     * bits of `mask`; 8, 16 or 32, 0: anything */
    uint8_t number; /* lanes: every NaN is the canonical one */
    uint8_t repeat; /* lanes: each so many hold the same words; 8 or 16, 0: anything */
    uint8_t zeros;  /* lanes: so many upper bits are 0 */
    uint32_t value, mask, first;
    uint32_t lanes; /* lanes: those that warps have */
};

/* Does all of a table hold, whose last check is CHECK_END or CHECK_NEVER? 1 then, else 0. The metadata block can be
 * read if the table asks for one of its words. */
uint32_t entry_holds(const struct warp *w, const struct entry_check *table);

#endif
