/* Memory of what is in flight: taken by the thread that submits, given back by the one that ends it.
 *
 * malloc() makes threads wait for one another when one frees what another has allocated, and after a rush of launches
 * it returns the memory to the host, page by page, to ask for it again in the next one. Here blocks of one size are
 * kept for the next taker instead. Any thread may call any of these.
 *
 * What is not kept lies between smaller blocks that others have freed, which malloc() keeps as if they were in use: so
 * that of a million events, say, nothing would go back to the host. After some ten thousands it is asked to see to
 * that. */
#ifndef VENTUS_HOST_SPARES_H
#define VENTUS_HOST_SPARES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct spares {
    pthread_mutex_t lock;
    struct spare *first;
    size_t size;  /* of a block, bytes */
    size_t most;  /* that are kept */
    size_t count; /* of them now */
    size_t freed; /* others that have been given to free() since memory was last given back to the host */
};

/* False: the host has no mutex left. */
bool spares_open(struct spares *s, size_t size, size_t most);

/* `size` bytes, all 0: a kept block if they fit into one. NULL: the host has no memory. */
void *spares_take(struct spares *s, size_t size);

/* Gives back what spares_take returned. */
void spares_give(struct spares *s, void *memory);

/* All has been given back. */
void spares_close(struct spares *s);

#endif
