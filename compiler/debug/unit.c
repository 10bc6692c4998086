/* What all parts of the unit count with: its files, and code from its beginning on. */
#include "compiler/debug/debug.h"

uint32_t unit_file(struct unit *u, LLVMMetadataRef file)
{
    const char *folder, *name;
    file_text(u->cc, file, &folder, &name);
    return line_file(u->cc, &u->files, folder, name);
}

struct span *unit_spans(struct unit *u, const struct kernel *k, const struct span *spans, uint32_t n)
{
    struct span *out = cc_alloc(u->cc, (n + 1) * sizeof *out);
    uint32_t base = k->address - ABI_CODE_BASE;
    for (uint32_t i = 0; i < n; i++) out[i] = (struct span){base + spans[i].from, base + spans[i].to};
    return out;
}
