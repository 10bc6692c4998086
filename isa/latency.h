/* How long instructions take in the pipeline, for those who order them or model it: latency.def. */
#ifndef VENTUS_ISA_LATENCY_H
#define VENTUS_ISA_LATENCY_H

#include "isa.h"

/* Which part of the pipeline executes an instruction. */
enum isa_execution {
#define EXECUTION(id, cycles, text) EXECUTION_##id,
#include "latency.def"
#undef EXECUTION
};

/* Cycles from operands to result. */
enum isa_cycles {
#define EXECUTION(id, cycles, text) CYCLES_##id = (cycles),
#include "latency.def"
#undef EXECUTION
    CYCLES_ISSUE = 5,   /* from one instruction of a warp to the next: 3 to 8, by the registers that it reads */
    CYCLES_COLLECT = 4, /* of these to fetch the operands: 2 to 8 */
};

enum isa_execution isa_execution(enum isa_op op);

/* Cycles from the issue of an instruction to that of one that needs its result, if nothing else holds up either. */
unsigned isa_latency(enum isa_op op);

#endif
