/* Steps of traces (steps.h): what readers put into them. */
#include <stdlib.h>
#include <string.h>

#include "steps.h"
#include "tool.h"

void step_free(struct step *s)
{
    free(s->writes);
    free(s->touches);
    free(s->rest);
}

/* Room for element n of `array`, which has a power of two or nothing. */
static void *with_room(void *array, size_t n, size_t size)
{
    if (n & (n - 1)) return array;
    array = realloc(array, (n ? 2 * n : 1) * size);
    if (!array) die("out of memory");
    return array;
}

struct step_write *step_add_write(struct step *s)
{
    s->writes = with_room(s->writes, s->nwrites, sizeof *s->writes);
    memset(&s->writes[s->nwrites], 0, sizeof *s->writes);
    return &s->writes[s->nwrites++];
}

struct step_touch *step_add_touch(struct step *s)
{
    s->touches = with_room(s->touches, s->ntouches, sizeof *s->touches);
    memset(&s->touches[s->ntouches], 0, sizeof *s->touches);
    return &s->touches[s->ntouches++];
}

enum isa_op step_text(const struct step *s, enum isa_profile profile, char *text, size_t size)
{
    struct insn in;
    snprintf(text, size, "unknown");
    if (!isa_decode_in(profile, s->words, s->nwords, &in)) return OP_INVALID;
    isa_print(&in, s->pc, 0, text, size);
    char *tab = strchr(text, '\t');
    if (tab) *tab = ' ';
    return (enum isa_op)in.op;
}
