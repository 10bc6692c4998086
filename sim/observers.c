/* The list of observers that have a name. Called by tools. */
#include "sim/observers.h"

#define ENTRY(name) &observer_##name,
const struct observer_kind *const observer_kinds[OBSERVER_KINDS] = {OBSERVERS(ENTRY)};
