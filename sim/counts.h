/* Exact counts of instructions: how often warps have executed each instruction of a kernel, with how many lanes, and
 * where its branches went. Every engine keeps them for launches that ask for it (launch_options.counts): `step` adds
 * for each instruction, translated code for each block (native/native.h). Each SM has counts of its own, so that host
 * threads share nothing; who reads them adds them up.
 *
 * The sum of `executions` is counters.instructions, that of `lanes` over vector instructions counters.lanes. */
#ifndef VENTUS_SIM_COUNTS_H
#define VENTUS_SIM_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn_counts {
    uint64_t executions;  /* by warps; an instruction that has failed is one */
    uint64_t lanes;       /* active ones, of all executions */
    uint64_t taken;       /* branches: executions in which all active lanes went to the target, ... */
    uint64_t diverged;    /* ... or some of them; */
    uint64_t taken_lanes; /* lanes that went there */
};

struct counts;
struct gpu;

/* Of code in [first, end); what is executed elsewhere is not counted. For launches of one machine with so many SMs.
 * NULL: the host has no memory. */
struct counts *counts_new(uint32_t sms, uint32_t first, uint32_t end);
void counts_free(struct counts *counts);

/* What all SMs have counted for the instruction at pc. Not while a launch with these counts runs; what translated code
 * has counted is there after gpu_settle_counts. */
struct insn_counts counts_at(const struct counts *counts, uint32_t pc);

/* Makes engines add what they hold back to the counts of their launches. Nothing runs meanwhile. */
void gpu_settle_counts(struct gpu *gpu);

/* For engines: the counts of SM `sm` for the page of code in which pc is, by word; never NULL. */
struct insn_counts *counts_page(struct counts *counts, uint32_t sm, uint32_t pc);

#endif
