/* The back end as a whole: one kernel through all stages. */
#include "compiler/backend.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fail(struct func *f, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    cc_error(f->cc, CC_FAILED, f->at, "kernel %s: unsupported: %s", f->kernel->name, text);
}

/* The test build can leave rules out and take registers away, to prove that tests would notice. */
#ifdef VENTUS_CC_MUTATION
static void read_mutation(struct func *f)
{
    const char *rules = getenv("VENTUS_CC_DISABLE"), *s = getenv("VENTUS_CC_SCALARS"), *v = getenv("VENTUS_CC_VECTORS");
    for (unsigned r = 1; rules && r < 10; r++)
        if (strstr(rules, (char[]){'R', (char)('0' + r), 0})) f->disabled |= 1u << r;
    if (s && atoi(s) > 0) f->nregs_s = (uint32_t)atoi(s);
    if (v && atoi(v) > 0) f->nregs_v = (uint32_t)atoi(v);
}
#else
static void read_mutation(struct func *f) { (void)f; }
#endif

void backend_kernel(struct cc *cc, struct kernel *kernel)
{
    struct func *f = cc_alloc(cc, sizeof *f);
    f->cc = cc;
    f->kernel = kernel;
    f->data = LLVMGetModuleDataLayout(cc->module);
    f->nregs_s = f->nregs_v = ISA_VREGS;
    read_mutation(f);
    flow_run(f);
    divergence_run(f);
    select_run(f);
    peephole_run(f);
    regalloc_run(f);
    emit_run(f);
    if (cc_dumps(cc, "machine")) dump_machine(f);
}
