/* Routines: functions that stay functions and are called (passes/routines.md), in the order in which they are
 * compiled: each behind those that it calls. Called by kernels.c. */
#include <stdlib.h>

#include "compiler/core/registers.h"
#include "compiler/ir/ir.h"

struct routine_place {
    LLVMValueRef function;
    struct kernel *routine; /* NULL: not listed yet */
};

static int by_function(const void *a, const void *b)
{
    const struct routine_place *x = a, *y = b;
    return (uintptr_t)x->function < (uintptr_t)y->function ? -1 : x->function != y->function;
}

static struct routine_place *place_of(const struct cc *cc, LLVMValueRef function)
{
    struct routine_place key = {.function = function};
    if (!cc->nroutines) return NULL;
    return bsearch(&key, cc->routine_places, cc->nroutines, sizeof key, by_function);
}

struct kernel *routine_find(const struct cc *cc, LLVMValueRef function)
{
    struct routine_place *p = place_of(cc, function);
    return p ? p->routine : NULL;
}

/* Is it a routine, or of another object? */
static bool is_called(LLVMValueRef f) { return is_external(f) || (is_routine(f) && !LLVMIsDeclaration(f)); }

/* Lists a routine behind those that it calls; returns the end of the list. */
static struct kernel *list_routine(struct cc *cc, struct routine_place *p, struct kernel *end)
{
    LLVMValueRef f = p->function;
    if (p->routine) return end;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct routine_place *called = LLVMIsACallInst(i) ? place_of(cc, LLVMGetCalledValue(i)) : NULL;
            if (called) end = list_routine(cc, called, end);
        }
    const char *name = LLVMGetValueName(f); /* modules of SPIR-V have functions without */
    name = *name ? cc_printf(cc, "%s", name) : cc_printf(cc, "function.%u", (unsigned)(end - cc->routines));
    *end = (struct kernel){.name = name, .function = f, .is_routine = true, .external = is_external(f)};
    if (LLVMIsDeclaration(f)) end->code = (struct code){.written = convention_written(), .sets_rpc = true};
    p->routine = end;
    return end + 1;
}

void routines_collect(struct cc *cc)
{
    uint32_t n = 0, room = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (!is_called(f)) continue;
        cc->routine_places = cc_grow(cc, cc->routine_places, n, &room, sizeof *cc->routine_places);
        cc->routine_places[n++] = (struct routine_place){.function = f};
    }
    struct kernel *end = cc->routines = cc_alloc(cc, (n + 1) * sizeof *cc->routines);
    cc->nroutines = n;
    if (n) qsort(cc->routine_places, n, sizeof *cc->routine_places, by_function);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (is_called(f)) end = list_routine(cc, place_of(cc, f), end);
}
