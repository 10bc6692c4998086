#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "host/spares.h"

/* In front of each block. */
struct spare {
    _Alignas(max_align_t) struct spare *next;
    bool fits; /* it is of the size that is kept */
};

/* The sanitizer sees a use of what was given back only if that is freed. */
#if defined __SANITIZE_ADDRESS__
#define KEEPS false
#elif defined __has_feature
#define KEEPS !__has_feature(address_sanitizer)
#else
#define KEEPS true
#endif

bool spares_open(struct spares *s, size_t size, size_t most)
{
    *s = (struct spares){.size = size, .most = KEEPS ? most : 0};
    return pthread_mutex_init(&s->lock, NULL) == 0;
}

static struct spare *take_kept(struct spares *s)
{
    pthread_mutex_lock(&s->lock);
    struct spare *block = s->first;
    if (block) {
        s->first = block->next;
        s->count--;
    }
    pthread_mutex_unlock(&s->lock);
    return block;
}

void *spares_take(struct spares *s, size_t size)
{
    const bool fits = size <= s->size;
    struct spare *block = fits ? take_kept(s) : NULL;
    if (block) return memset(block + 1, 0, size);
    block = calloc(1, sizeof *block + (fits ? s->size : size));
    if (!block) return NULL;
    block->fits = fits;
    return block + 1;
}

enum { TRIM_AFTER = 32768 }; /* a guess */

/* With the lock held: is it time to give memory back to the host? */
static bool is_untidy(struct spares *s)
{
    if (s->most == 0 || ++s->freed < TRIM_AFTER) return false;
    s->freed = 0;
    return true;
}

void spares_give(struct spares *s, void *memory)
{
    struct spare *block = (struct spare *)memory - 1;
    pthread_mutex_lock(&s->lock);
    const bool kept = block->fits && s->count < s->most;
    if (kept) {
        block->next = s->first;
        s->first = block;
        s->count++;
    }
    const bool untidy = !kept && is_untidy(s);
    pthread_mutex_unlock(&s->lock);
    if (!kept) free(block);
#ifdef __GLIBC__
    if (untidy) malloc_trim(0);
#else
    (void)untidy;
#endif
}

void spares_close(struct spares *s)
{
    for (struct spare *next; s->first; s->first = next) {
        next = s->first->next;
        free(s->first);
    }
    pthread_mutex_destroy(&s->lock);
}
