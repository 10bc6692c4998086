/* What checks have found (--check, VENTUS_CHECK): kept for the user, and for going forward again after going back.
 *
 * A check tells of each mistake once. When a launch is run again the debugger itself stops where one was found. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"

enum { FINDINGS_MOST = 1000 }; /* 24 KB and their texts */

void findings_add(struct findings *f, uint64_t count, tid thread, const char *text)
{
    struct finding *list = f->n < FINDINGS_MOST ? realloc(f->list, (f->n + 1) * sizeof *list) : NULL;
    char *copy = list ? strdup(text) : NULL;
    if (list) f->list = list;
    if (copy) f->list[f->n++] = (struct finding){count, thread, copy};
}

void findings_launch(struct findings *f) { f->launch = f->n; }

const struct finding *findings_at(const struct findings *f, uint64_t count, struct text *all)
{
    const struct finding *first = NULL;
    for (size_t i = f->launch; i < f->n; i++) {
        if (f->list[i].count != count) continue;
        if (!first) first = &f->list[i];
        text_add(all, "%s", f->list[i].text);
    }
    return first;
}

uint64_t findings_next(const struct findings *f, uint64_t count)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = f->launch; i < f->n; i++)
        if (f->list[i].count > count && f->list[i].count < next) next = f->list[i].count;
    return next;
}

void findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->n; i++) free(f->list[i].text);
    free(f->list);
    *f = (struct findings){0};
}
