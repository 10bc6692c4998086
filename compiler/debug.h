/* Debug information (build option -g): from LLVM's metadata and what the back end knows of its code to DWARF.
 *
 *   debug_read.c   nodes of metadata, which LLVM's C interface shows only in part
 *   debug_lines.c  which place of the source the words of a kernel were made of
 *   debug_scope.c  functions, blocks and inlined calls, by what code they have
 *   debug.c        the sections of the ELF
 *
 * docs/debugging.md says what comes out. */
#ifndef VENTUS_DEBUG_H
#define VENTUS_DEBUG_H

#include <llvm-c/DebugInfo.h>

#include "compiler/cc.h"
#include "compiler/dwarf.h"

struct elf_section;
struct func;

/* ---- debug_read.c ---- */

/* Asks for debug information in the program that cc->module becomes a part of: linked objects remember it. */
void debug_request(struct cc *cc);
bool debug_requested(struct cc *cc);

/* Operand i of a node, NULL if there is none. */
LLVMMetadataRef node_operand(struct cc *cc, LLVMMetadataRef node, unsigned i);
uint32_t node_operands(struct cc *cc, LLVMMetadataRef node);
/* Operands that nodes of one kind all have. */
const char *node_text(struct cc *cc, LLVMMetadataRef node, unsigned i); /* "" if it is none */
const char *subprogram_name(struct cc *cc, LLVMMetadataRef subprogram);
LLVMMetadataRef subprogram_type(struct cc *cc, LLVMMetadataRef subprogram);
/* The scope around a function, a block or the like. */
LLVMMetadataRef scope_parent(struct cc *cc, LLVMMetadataRef scope);
/* The function that a scope is in. */
LLVMMetadataRef scope_subprogram(struct cc *cc, LLVMMetadataRef scope);
/* Folder and name of the file that a scope is in. */
void scope_file(struct cc *cc, LLVMMetadataRef scope, const char **folder, const char **name);

/* ---- debug_lines.c: called by emit.c and backend.c ---- */

/* From a word of a kernel on: a DILocation. */
struct debug_row {
    uint32_t word;
    LLVMMetadataRef location;
};
/* What is kept of a kernel for its debug information. */
struct debug_code {
    LLVMMetadataRef subprogram; /* NULL: nothing is known of the source */
    struct debug_row *rows;     /* by word */
    uint32_t nrows, rows_room;
};
/* Lists the rows of a kernel that has been emitted, in kernel->code.debug. */
void debug_lines(struct func *f);

/* ---- debug_scope.c ---- */

/* A function, or a block in it, as it stands in a kernel: once for each call that was inlined. */
struct scope {
    LLVMMetadataRef node, inlined_at; /* inlined_at: the DILocation of the call, NULL in the kernel itself */
    struct scope *parent, *next;      /* next: of all scopes of the kernel, parents first */
    struct span *spans;               /* its code, in bytes from the kernel's first word; parents have all of it */
    uint32_t nspans, room;
    struct die *die;
};
/* The scopes of a kernel, the kernel itself first. */
struct scope *scopes_collect(struct cc *cc, const struct kernel *kernel);
/* The scope with this node and call, NULL: no code was made of it. */
struct scope *scope_find(struct scope *first, LLVMMetadataRef node, LLVMMetadataRef inlined_at);

/* ---- debug.c ---- */

/* The sections of debug information, to be called when all kernels have their addresses; NULL and *n = 0 if it was not
 * asked for, or nothing is known of the source. */
const struct elf_section *debug_sections(struct cc *cc, uint32_t text_end, size_t *n);

#endif
