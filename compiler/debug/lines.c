/* Which place of the source the words of a kernel were made of: of each word's IR instruction, its debug location. */
#include "compiler/debug/debug.h"

static LLVMMetadataRef location_of(const struct func *f, uint32_t place)
{
    LLVMValueRef ref = place ? f->values[place - 1].ref : NULL;
    return ref && LLVMIsAInstruction(ref) ? LLVMInstructionGetDebugLoc(ref) : NULL;
}

/* Code without a location of its own belongs to that of the code before. */
static void add_row(struct func *f, struct debug_code *d, uint32_t word, uint32_t place)
{
    LLVMMetadataRef location = location_of(f, place);
    if (!location || (d->nrows && d->rows[d->nrows - 1].location == location)) return;
    if (d->nrows && d->rows[d->nrows - 1].word == word) d->nrows--; /* nothing was emitted for it */
    d->rows = cc_grow(f->cc, d->rows, d->nrows, &d->rows_room, sizeof *d->rows);
    d->rows[d->nrows++] = (struct debug_row){word, location};
}

void debug_lines(struct func *f)
{
    struct debug_code *d = f->kernel->code.debug = cc_alloc(f->cc, sizeof *d);
    d->subprogram = LLVMGetSubprogram(f->kernel->function);
    d->locals = f->locals;
    d->nlocals = f->nlocals;
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++) add_row(f, d, k ? b->code[k].word : b->word, b->code[k].place);
        add_row(f, d, b->n ? b->term_word : b->word, b->place);
    }
}
