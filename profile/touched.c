/* Lines of memory that a launch has touched, and when (profile.h). Called by memory.c.
 *
 * Time is counted in lines that accesses have touched. A page of stamps is made when one of its lines is. */
#include <stdlib.h>

#include "profile/profile.h"

enum { PAGE_LINES = 8192, PAGES = (1ull << 32) / PROFILE_LINE / PAGE_LINES };

struct touched {
    uint32_t *pages[PAGES]; /* when each line was touched last; 0: never */
    uint32_t now;
};

struct touched *touched_new(void) { return calloc(1, sizeof(struct touched)); }

uint32_t touched_again(struct touched *t, uint32_t line)
{
    uint32_t **page = t ? &t->pages[line / PAGE_LINES % PAGES] : NULL;
    if (!t) return 0;
    if (!*page) *page = calloc(PAGE_LINES, sizeof **page);
    if (!*page) return 0;
    const uint32_t before = (*page)[line % PAGE_LINES];
    if (!++t->now) t->now = 1;
    (*page)[line % PAGE_LINES] = t->now;
    return before ? t->now - before : 0;
}

void touched_free(struct touched *t)
{
    for (size_t i = 0; t && i < PAGES; i++) free(t->pages[i]);
    free(t);
}
