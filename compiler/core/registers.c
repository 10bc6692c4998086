/* Sets of registers. */
#include "compiler/core/registers.h"

void registers_add(struct isa_registers *set, bool vector, unsigned number)
{
    *(vector ? &set->v[number / 64] : &set->x) |= 1ull << number % 64;
}

void registers_add_all(struct isa_registers *set, const struct isa_registers *more)
{
    set->x |= more->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) set->v[i] |= more->v[i];
}
