/* A kernel in the back end: what every stage needs to build machine code, and to give up.
 *
 * Whatever stage makes an instruction, a register or a block gets it here. Called by the whole back end. */
#include "compiler/machine/machine.h"

#include <stdarg.h>

void fail(struct func *f, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    cc_error(f->cc, CC_FAILED, f->at, "kernel %s: unsupported: %s", f->kernel->name, text);
}

uint32_t source_line(const struct func *f, uint32_t place) { return place ? f->values[place - 1].line : 0; }

int32_t new_vreg(struct func *f, enum reg_class cls)
{
    f->vregs = cc_grow(f->cc, f->vregs, f->nvregs, &f->vregs_cap, sizeof *f->vregs);
    f->vregs[f->nvregs] =
        (struct vreg){.cls = (uint8_t)cls, .zbits = 32, .sbits = 32, .phys = -1, .hint = NOREG, .home = NOREG};
    return (int32_t)f->nvregs++;
}

uint32_t new_block(struct func *f, uint32_t depth)
{
    f->mblocks = cc_grow(f->cc, f->mblocks, f->nmblocks, &f->mblocks_cap, sizeof *f->mblocks);
    f->mblocks[f->nmblocks] = (struct mblock){.depth = depth, .place = f->place};
    return f->nmblocks++;
}

struct minsn *emit_to(struct func *f, uint32_t block, unsigned op, int32_t rd, int32_t rs1, int32_t rs2, int32_t imm)
{
    struct mblock *b = &f->mblocks[block];
    b->code = cc_grow(f->cc, b->code, b->n, &b->cap, sizeof *b->code);
    b->code[b->n] =
        (struct minsn){.op = (uint16_t)op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .imm = imm, .place = f->place, .rm = 7};
    return &b->code[b->n++];
}

struct minsn *emit(struct func *f, unsigned op, int32_t rd, int32_t rs1, int32_t rs2, int32_t imm)
{
    return emit_to(f, f->cur, op, rd, rs1, rs2, imm);
}

uint32_t block_successors(const struct mblock *b, uint32_t out[2])
{
    if (b->term == TERM_RETURN) return 0;
    out[0] = b->succ[0];
    out[1] = b->succ[1];
    return b->term == TERM_BRANCH ? 2 : 1;
}

struct graph machine_graph(struct func *f)
{
    struct edge *edges = cc_alloc(f->cc, 2 * (f->nmblocks + 1) * sizeof *edges);
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        uint32_t s[2], k = block_successors(&f->mblocks[b], s);
        bool swap = k == 2 && f->mblocks[s[1]].depth < f->mblocks[s[0]].depth;
        for (uint32_t i = 0; i < k; i++) edges[n++] = (struct edge){b, s[swap ? k - 1 - i : i]};
    }
    return graph_make(f->cc, f->nmblocks, edges, n);
}
