/* Shared virtual memory: what is offered, and the allocations of a context, which kernels and the client's own code
 * know by the same address (ventus_alloc_shared). All of it is as fine-grained as buffers can be.
 *
 * A kernel's pointer has 32 bits and the client's 64, so that a structure with a pointer in it is laid out in one way
 * here and in another there: what shared virtual memory is for does not work between the two. So it is offered to those
 * alone who ask for it, by VENTUS_SVM=1, and know. Called by svm.c, and by buffer.c, context.c, device.c
 * and kernel.c. */
#include <stdlib.h>
#include <string.h>

#include "driver/ventus_backend.h"
#include "objects.h"

struct svm {
    struct svm *next;
    unsigned char *ptr;
    size_t size;
};

/* ---- what is offered ---- */

static pthread_once_t offer_once = PTHREAD_ONCE_INIT;
static cl_device_svm_capabilities offer;

bool svm_wanted(void)
{
    static struct host_word said = {"VENTUS_SVM", {"0", "1"}, false};
    return host_word(&said) == 1;
}

/* No CL_DEVICE_SVM_ATOMICS: the language lacks memory_scope_all_svm_devices. */
static void offer_init(void)
{
    const char *why = NULL;
    struct ventus_info info;
    if (!svm_wanted()) return;
    if (ventus_describe(0, &info, NULL, 0) == VENTUS_OK && info.translated) why = "the machine translates addresses";
    else if (!device_can(VENTUS_BACKEND_SVM)) why = "the device behind the driver does not have it";
    else if (!ventus_can_share()) why = "the process uses the addresses from 0x90000000 on itself";
    if (!why) offer = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    else complain("no shared virtual memory: %s", why);
}

cl_device_svm_capabilities svm_capabilities(void)
{
    pthread_once(&offer_once, offer_init);
    return offer;
}

/* ---- allocations ---- */

/* The allocation that `ptr` points into, or just behind. Called with the context's lock held. */
static struct svm **find(cl_context context, const void *ptr)
{
    struct svm **link = &context->svm;
    while (*link && (size_t)((uintptr_t)ptr - (uintptr_t)(*link)->ptr) > (*link)->size) link = &(*link)->next;
    return link;
}

bool svm_holds(cl_context context, const void *ptr, size_t size)
{
    pthread_mutex_lock(&context->lock);
    const struct svm *s = *find(context, ptr);
    bool holds = s && size <= s->size - (size_t)((uintptr_t)ptr - (uintptr_t)s->ptr);
    pthread_mutex_unlock(&context->lock);
    return holds;
}

void *svm_add(cl_context context, size_t size)
{
    uint32_t addr;
    struct svm *s = malloc(sizeof *s);
    enum ventus_status status = s ? ventus_alloc_shared(context->device, size, &addr) : VENTUS_NO_MEMORY;
    if (status != VENTUS_OK) {
        debug("no %zu bytes of shared memory: %s", size, ventus_status_text(status));
        free(s);
        return NULL;
    }
    pthread_mutex_lock(&context->lock);
    *s = (struct svm){context->svm, (unsigned char *)(uintptr_t)addr, size};
    context->svm = s;
    pthread_mutex_unlock(&context->lock);
    return (void *)(uintptr_t)addr;
}

static void memory_free(cl_context context, struct svm *s)
{
    ventus_free(context->device, (uint32_t)(uintptr_t)s->ptr);
    free(s);
}

bool svm_remove(cl_context context, const void *ptr)
{
    pthread_mutex_lock(&context->lock);
    struct svm **link = find(context, ptr), *s = *link;
    if (s && s->ptr == ptr) *link = s->next;
    else s = NULL;
    pthread_mutex_unlock(&context->lock);
    if (s) memory_free(context, s);
    return s != NULL;
}

void svm_warn_of_links(cl_context context, const struct ventus_kernel *kernel)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!kernel->links || sizeof(void *) == sizeof(uint32_t)) return;
    pthread_mutex_lock(&context->lock);
    const bool shares = context->svm;
    pthread_mutex_unlock(&context->lock);
    if (shares)
        complain_once(
            &said,
            "kernel %s has pointers in memory, which have 32 bits for it and 64 for this program: in shared memory "
            "the program has to see them as cl_uint (docs/opencl.md); without VENTUS_SVM=1 no shared memory is offered",
            kernel->name);
}

void svm_close(cl_context context)
{
    for (struct svm *s; (s = context->svm);) {
        context->svm = s->next;
        memory_free(context, s);
    }
}
