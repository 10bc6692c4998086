/* A second engine, for tests: it shows that the contract (sim/engine.h) and what the machine offers to engines are
 * enough to write one. It runs every launch. */
#ifndef TOY_ENGINE_H
#define TOY_ENGINE_H

#include "sim/engine.h"

extern const struct engine engine_toy;

#endif
