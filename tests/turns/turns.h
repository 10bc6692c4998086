/* The whole state of a machine in the middle of programs, as a scheduler sees it between the turns of warps. For
 * tests/native/pair.c, corpus_test.c and tests/turns: two engines that run the same program with the same scheduler
 * must show it the same states. Without cmocka; where the host has no memory, the process ends.
 *
 * The scheduler takes warps in the default order, in turns of 1 to some thousand instructions, most of them short. It
 * looks at everything whenever it is asked for a warp, and when a group goes:
 *
 *   warps     that have not ended: pc, SIMT mask and stack, scalar registers, the lanes that exist of vector registers,
 *             control registers, reservations, whether they wait; of the others, that they have ended
 *   groups    of the SM: place in the grid, counters, local memory
 *   memory    the first 64 KiB for data, and the first page of metadata and arguments, as far as they are open
 *
 * Engines must store all registers (VENTUS_TRANSLATE_REGISTERS=all). Left out is what they need not agree on: what
 * warps that have ended hold, and those whose launch has failed; fflags and vxsat, which accrue only where a program
 * reads them; entries above the top of the SIMT stack; and where a warp is inside a turn. */
#ifndef TURNS_H
#define TURNS_H

#include <stdio.h>

#include "sim/launch.h"
#include "sim/schedule.h"

/* A piece of the state: `number` is that of a vector register or an entry, `words` of them follow from `at` on. */
struct turns_part {
    uint8_t kind;
    uint32_t group, warp, number;
    size_t at;
    uint32_t words;
};

struct turns {
    uint32_t seed;   /* of the lengths of turns; its lowest bits say whether there are rounds and turns go on behind
                      * barriers (struct scheduler) */
    bool longer;     /* turns, for programs of long blocks, which translated code executes as a whole or not at all */
    size_t wanted;   /* the look whose state is kept, SIZE_MAX: none */
    uint64_t *looks; /* a number for what each has seen */
    size_t count, room;
    /* Of the wanted look: */
    struct turns_part *parts;
    size_t nparts;
    uint32_t *words;
    size_t nwords;
    uint32_t behind; /* most instructions of the turn in front of it */
    /* In progress: */
    struct gpu *gpu;
    struct rotation *rotation;
    struct scheduler usual;
    bool keeps;
    uint64_t random;
    struct turn { /* the last one of each SM: its warp, NULL: none; and see struct scheduler */
        const struct warp *warp;
        uint32_t length;
        uint64_t keeps;
    } * last;
    uint64_t sum;
};

/* Makes the machine's scheduler one that notes what it sees; the other function ends that, before the machine goes. */
void turns_begin(struct turns *t, struct gpu *gpu);
void turns_end(struct turns *t);

/* Frees what has been noted. */
void turns_free(struct turns *t);

/* The first look at which two runs differ; SIZE_MAX: they do not. */
size_t turns_differ(const struct turns *a, const struct turns *b);

/* Prints how: of runs that have kept that look. */
void turns_print(const struct turns *a, const struct turns *b);

/* Writes all of the look that has been kept, a word a line. */
void turns_show(const struct turns *t, FILE *out);

#endif
