/* Programs for the tests of this folder: assembled here, one kernel "k" each, four words of arguments. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "driver/ventus.h"

/* A module of assembler text that begins with the kernel. `pds`: bytes of private memory. They fail the
 * running test when they cannot. */
ventus_module *program_build(const char *source);
ventus_module *program_build_private(const char *source, unsigned pds);

/* The words of its arguments in x10 to x13. */
#define ARGS " csrr x9, CSR_KNL\n lw x9, 4(x9)\n lw x10, 0(x9)\n lw x11, 4(x9)\n lw x12, 8(x9)\n lw x13, 12(x9)\n"

/* *a = b */
#define STORE ARGS " sw x11, 0(x10)\n endprg\n"
/* *a = *a * 3 + b */
#define STEP ARGS " lw x5, 0(x10)\n li x6, 3\n mul x5, x5, x6\n add x5, x5, x11\n sw x5, 0(x10)\n endprg\n"
/* Never ends. */
#define ENDLESS " nop\n1: j 1b\n"
/* *a = 1, then waits for b to be other than 0 */
#define MEET ARGS " li x5, 1\n sw x5, 0(x10)\n1: lw x5, 0(x11)\n beq x5, x0, 1b\n endprg\n"
/* Writes to address 0. */
#define FAULTY " li x5, 0\n sw x5, 0(x5)\n endprg\n"

/* A launch of `items` work-items in groups of `local`. */
struct ventus_launch program_launch(const ventus_module *module, const uint32_t args[4], uint32_t items,
                                    uint32_t local);

#endif
