/* Counts of instructions (sim/counts.h) of what runs in translated code: from executions of blocks (enum native_tally)
 * to those of instructions. */
#ifndef VENTUS_NATIVE_TALLY_H
#define VENTUS_NATIVE_TALLY_H

#include "native/units.h"

/* Makes room for a unit's tallies on each of the machine's SMs. False: the host has no memory. */
bool tallies_make(struct gpu *gpu, struct native_unit *unit);
void tallies_free(struct native_unit *unit);

/* Those of SM `sm`, for native_state.tallies, which from now on belong to these counts; NULL: the unit has none. On the
 * SM's thread. */
uint64_t *tallies_for(const struct native_unit *unit, uint32_t sm, struct counts *counts);

/* Adds what all SMs have in the unit to the counts that it belongs to, as if SM `as` had executed it. Nobody is in the
 * unit, and nobody but the caller counts for that SM. */
void tallies_settle(const struct native_unit *unit, uint32_t as);

/* Of the block that a site is in, whose lanes were `mask`: takes back what has been counted in advance for the
 * instructions behind the site, and with `own` for the site's as well. */
void tallies_take_back(const struct native_unit *unit, uint32_t sm, struct counts *counts, uint32_t pc, bool own,
                       uint32_t mask);

#endif
