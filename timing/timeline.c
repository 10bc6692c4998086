/* The event timeline: lines "cycle,event,sm,warp,pc,extra". Called through EVENT. */
#include <stdarg.h>

#include "timing/model.h"

void timeline_write(const struct core *c, const char *event, unsigned warp, uint32_t pc, bool has_pc,
                    const char *format, ...)
{
    FILE *out = c->model->timeline;
    va_list arguments;
    fprintf(out, "%llu,%s,%u,%u,", (unsigned long long)(c->model->now - c->model->begun), event, c->number, warp);
    if (has_pc) fprintf(out, "%08x,", pc);
    else fputs("-,", out);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    putc('\n', out);
}
