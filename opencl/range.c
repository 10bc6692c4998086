/* Extension cl_ventus_range: a program names what its threads are doing, and finds it in the timeline
 * (docs/profiler.md). Whether there is one changes no result. Called through icd.c. */
#include "driver/timeline.h"
#include "objects.h"
#include "cl_ventus.h"

/* Of this thread: ranges that are open, and how many of them lie around slices of the library's own. A function of the
 * client's that is called within such a slice must not end those. */
static _Thread_local uint32_t open_ranges, outer_ranges;

static void end_range(cl_context context)
{
    open_ranges--;
    timeline_end(context->device, NULL);
}

uint32_t ranges_enter(void)
{
    const uint32_t outer = outer_ranges;
    outer_ranges = open_ranges;
    return outer;
}

void ranges_leave(cl_context context, uint32_t outer)
{
    while (open_ranges > outer_ranges) end_range(context);
    outer_ranges = outer;
}

static cl_int begin(cl_context context, const char *name)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!name) return CL_INVALID_VALUE;
    open_ranges++;
    timeline_begin(context->device, name, NULL);
    return CL_SUCCESS;
}

static cl_int end(cl_context context)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    if (open_ranges == outer_ranges) return CL_INVALID_OPERATION;
    end_range(context);
    return CL_SUCCESS;
}

const struct extension_function range_functions[] = {
    {"clBeginRangeVENTUS", (void *)begin},
    {"clEndRangeVENTUS", (void *)end},
    {NULL, NULL},
};
