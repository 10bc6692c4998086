/* Random programs for the engine `native`: program number n is the same every time. native_test.c runs them. */
#ifndef NATIVE_PROGRAMS_H
#define NATIVE_PROGRAMS_H

#include "pair.h"

enum { PROGRAM_WORDS = 0x4000 / 4 };

/* A program, and the launch for it in `pair`, whose pointers point into the structure. */
struct program {
    char text[1 << 16];
    uint32_t words[PROGRAM_WORDS];
    struct pair pair;
    size_t n;        /* characters of text */
    unsigned labels; /* that have been named */
    unsigned functions;
    uint32_t kinds; /* of instructions, in programs.c */
    bool calm;      /* nothing that translated code leaves to `step`, and no barriers: groups follow in stretches */
    bool plain;     /* in a loop in which a lane may come to be alone */
    bool inner;     /* in a function */
};

void program_make(struct program *p, uint32_t number);

/* Other data for it. */
void program_fill(struct program *p);

#endif
