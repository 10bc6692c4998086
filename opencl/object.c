/* Reference counts of all objects. Two per object: what the client holds and sees in queries, and what
 * keeps the object alive. All client references together are one use, so an object outlives its last
 * clRelease for as long as a command, a child object or an event needs it, and no query shows that.
 * Called by every object's file. */
#include "objects.h"

/* How many forks lie between the first process and this one. Written only while the process has one thread. */
static uint32_t forks;

void object_disown_all(void) { forks++; }

void object_init(struct object *object, enum kind kind, void (*destroy)(struct object *object))
{
    object->dispatch = &dispatch_table;
    object->kind = kind;
    object->process = forks;
    atomic_init(&object->refs, 1);
    atomic_init(&object->uses, 1);
    object->destroy = destroy;
}

bool object_is(const void *handle, enum kind kind)
{
    const struct object *object = handle;
    return object && object->dispatch == &dispatch_table && object->kind == kind &&
           (!object->destroy || object->process == forks);
}

/* A handle without client references can come back: a query (the context of a queue) returns it. */
bool object_retain(void *handle, enum kind kind, bool *first)
{
    struct object *object = handle;
    if (!object_is(handle, kind)) return false;
    *first = atomic_fetch_add(&object->refs, 1) == 0;
    if (*first) object_use(object);
    return true;
}

bool object_release(void *handle, enum kind kind, bool *last)
{
    struct object *object = handle;
    if (!object_is(handle, kind)) return false;
    unsigned refs = atomic_load(&object->refs);
    do {
        if (refs == 0) return false;
    } while (!atomic_compare_exchange_weak(&object->refs, &refs, refs - 1));
    *last = refs == 1;
    return true;
}

void object_use(struct object *object) { atomic_fetch_add(&object->uses, 1); }

void object_drop(struct object *object)
{
    if (atomic_fetch_sub(&object->uses, 1) != 1) return;
    object->kind = 0;
    object->destroy(object);
}

cl_uint object_count(const struct object *object) { return atomic_load(&object->refs); }
