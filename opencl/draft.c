/* Drafts: of a program of many kernels the compiler may have made only a list, and compiles each when it is launched or
 * asked about for the first time (docs/architecture.md, "Drafts").
 *
 * A draft keeps what has been compiled of it as long as it lives. Kernels that are compiled by themselves do not share
 * the machine at a time, and each costs a run of the compiler; so when a quarter of them has been asked for, the next
 * one gets the whole program, as does who asks for its binary. Called by kernel.c and program.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* One in so many kernels. Of 24 kernels, 45 ms each by itself and 0.65 s together, the first four take 0.2 s and all of
 * them 1.0; when the second one gets the whole program 0.6 and 0.75, when none does 0.2 and 1.1. */
enum { WHOLE_AT = 4 };

/* `kernel` NULL: all of them. The program has been checked, so only the host can fail here, for want of memory or of
 * the compiler. */
static struct executable *compile(struct executable *draft, const ventus_device *device, const char *kernel)
{
    struct executable *made = NULL;
    char why[EXECUTABLE_WHY] = "";
    struct build b = {.source = "", .objects = &draft, .nobjects = 1, .kernel = kernel};
    build_for(&b, device);
    cl_int error = build_debugged(&b);
    if (!error) executable_new(device, b.bytes, b.size, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, why, &made);
    if (made && made->draft) { /* a compiler that does not know --kernel */
        executable_drop(made);
        made = NULL;
    }
    if (!made && !debug("kernel %s: compiling failed: %s%s", kernel ? kernel : "*", b.log ? b.log : "", why) && b.log)
        compiler_complain(error, b.log);
    free(b.log);
    return made;
}

static const struct part *find(const struct draft *d, const char *kernel)
{
    const struct part *p = d->parts;
    while (p && strcmp(p->name, kernel)) p = p->next;
    return p;
}

/* Compiles one kernel. */
static const struct part *add(struct executable *e, const ventus_device *device, const char *kernel)
{
    struct part *p = malloc(sizeof *p + strlen(kernel) + 1);
    if (!p || !(p->executable = compile(e, device, kernel))) {
        free(p);
        return NULL;
    }
    strcpy(p->name, kernel);
    p->next = e->draft->parts;
    e->draft->nparts++;
    return e->draft->parts = p;
}

/* Called with the draft's lock held. */
static struct executable *whole(struct executable *e, const ventus_device *device)
{
    if (!e->draft->whole) e->draft->whole = compile(e, device, NULL);
    return e->draft->whole;
}

struct executable *draft_kernel(struct executable *e, const ventus_device *device, const char *kernel)
{
    struct draft *d = e->draft;
    if (!d) return e;
    pthread_mutex_lock(&d->lock);
    const struct part *p = find(d, kernel);
    const bool alone = !p && !d->whole && (d->nparts + 1) * WHOLE_AT <= ventus_module_kernels(e->module);
    if (alone) p = add(e, device, kernel);
    struct executable *found = p ? p->executable : alone ? NULL : whole(e, device);
    pthread_mutex_unlock(&d->lock);
    return found;
}

struct executable *draft_whole(struct executable *e, const ventus_device *device)
{
    if (!e->draft) return e;
    pthread_mutex_lock(&e->draft->lock);
    struct executable *found = whole(e, device);
    pthread_mutex_unlock(&e->draft->lock);
    return found;
}
