/* The texts that are read: the source, and what it includes, expands and repeats.
 *
 * They form a stack; depth and the amount of expanded text are bounded. Called by macro.c to enter a text, and by
 * lex.c at the end of one. */
#include "asm/as.h"

enum { MAX_DEPTH = 100 };

bool source_enter(struct as *as, const char *name, const char *text, size_t size, const char *at)
{
    unsigned depth = as->in ? as->in->depth + 1 : 0;
    if (depth > MAX_DEPTH) return as_error(as, at, "includes and macros are nested too deep");
    as->sources.expanded += size + sizeof(struct source);
    if (as->sources.expanded > AS_MAX_BYTES) {
        as_error(as, at, "the expanded source is larger than %d MiB", AS_MAX_BYTES >> 20);
        longjmp(as->stop, 1);
    }
    struct source *s = as_alloc(as, sizeof *s);
    *s = (struct source){.outer = as->in,
                         .all = as->sources.all,
                         .name = name,
                         .text = text,
                         .end = text + size,
                         .cursor = text,
                         .at = at,
                         .conditions = as->sources.nconditions,
                         .depth = depth};
    as->sources.all = as->in = s;
    return true;
}

bool source_leave(struct as *as)
{
    struct source *s = as->in;
    if (s->repeat) {
        s->repeat--;
        s->cursor = s->text;
        return true;
    }
    if (as->sources.nconditions > s->conditions) {
        as_error(as, as->sources.conditions[as->sources.nconditions - 1].at, "there is no .endif for this");
        as->sources.nconditions = s->conditions;
    }
    if (!s->outer) return false;
    as->in = s->outer;
    return true;
}
