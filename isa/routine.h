/* Routines that stand for one operation, which a host may have an instruction for although the machine has none.
 *
 * The compiler puts two words in front of such a routine, which nothing executes: hints of RISC-V's kind for custom
 * use, `slti zero, zero, ROUTINE_MARK` and `slti zero, zero, number`. They promise that the code behind them, up to its
 * return, leaves in its result registers what the operation of the table gives, bit by bit, whatever the operands, and
 * that nobody reads what else it has left in registers. Nobody need look at them. */
#ifndef VENTUS_ISA_ROUTINE_H
#define VENTUS_ISA_ROUTINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum routine_number {
#define ROUTINE(id, name, operands, result, level) ROUTINE_##id,
#include "isa/routine.def"
#undef ROUTINE
    ROUTINES
};

enum { ROUTINE_MARK = 0x5d0, ROUTINE_MARK_WORDS = 2 };

struct routine_row {
    const char *name, *operands;
    char result;
    uint8_t level;
};

static const struct routine_row routine_rows[ROUTINES] = {
#define ROUTINE(id, name, operands, result, level) {name, operands, result, level},
#include "isa/routine.def"
#undef ROUTINE
};

/* slti zero, zero, n */
static inline uint32_t routine_word(uint32_t n) { return n << 20 | 0x2013; }

/* The number in the two words in front of a routine; ROUTINES: they are none of ours. */
static inline uint32_t routine_marked(const uint32_t *words)
{
    uint32_t n = words[1] >> 20;
    return words[0] == routine_word(ROUTINE_MARK) && n < ROUTINES && words[1] == routine_word(n) ? n : ROUTINES;
}

/* The number of a function's name; ROUTINES: it is none of them. */
static inline uint32_t routine_named(const char *name)
{
    static const char prefix[] = "__ventus_routine_";
    uint32_t n = 0;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return ROUTINES;
    while (n < ROUTINES && strcmp(name + sizeof prefix - 1, routine_rows[n].name) != 0) n++;
    return n;
}

/* Is it one of those on integers? The others are on doubles. */
static inline bool routine_divides(uint32_t number) { return number >= ROUTINE_UDIV64 && number <= ROUTINE_SREM_WORD; }

/* Registers of an operand or result. */
static inline unsigned routine_width(char letter) { return letter == 'b' || letter == 'l' ? 2 : 1; }

/* The first register of the result, which is also the number of those that operands are in. */
static inline unsigned routine_result(uint32_t number)
{
    unsigned n = 0;
    for (const char *letter = routine_rows[number].operands; *letter; letter++) n += routine_width(*letter);
    return n;
}

#endif
