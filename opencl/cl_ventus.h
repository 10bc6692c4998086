/* Extensions of this device, cl_ventus_counters and cl_ventus_range.
 *
 * cl_ventus_counters: what the device counted while a kernel ran.
 *
 * The codes below are parameters of clGetEventProfilingInfo for events of clEnqueueNDRangeKernel and
 * clEnqueueTask; each answers a cl_ulong, under the same conditions as CL_PROFILING_COMMAND_END. Any
 * other device answers CL_INVALID_VALUE, so a program may simply try. The platform's extension string
 * names the extension. It has no part in device code and hence no macro there. */
#ifndef CL_VENTUS_H
#define CL_VENTUS_H

#include <CL/cl.h>

#define cl_ventus_counters 1

/* Instructions executed, counted once per warp. */
#define CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS 0x4F00
/* The vector instructions among these ... */
#define CL_PROFILING_COMMAND_VECTOR_INSTRUCTIONS_VENTUS 0x4F01
/* ... and the sum of their active lanes: the average is this / the counter above. */
#define CL_PROFILING_COMMAND_ACTIVE_LANES_VENTUS 0x4F02
/* Vector branches executed, and those that diverged. */
#define CL_PROFILING_COMMAND_BRANCHES_VENTUS           0x4F03
#define CL_PROFILING_COMMAND_DIVERGENT_BRANCHES_VENTUS 0x4F04
/* Memory instructions, counted once per warp. */
#define CL_PROFILING_COMMAND_LOADS_VENTUS   0x4F05
#define CL_PROFILING_COMMAND_STORES_VENTUS  0x4F06
#define CL_PROFILING_COMMAND_ATOMICS_VENTUS 0x4F07
/* Arrivals of warps at barriers. */
#define CL_PROFILING_COMMAND_BARRIERS_VENTUS 0x4F08
/* Work-groups and warps dispatched. */
#define CL_PROFILING_COMMAND_GROUPS_VENTUS 0x4F09
#define CL_PROFILING_COMMAND_WARPS_VENTUS  0x4F0A
/* Greatest depth of any warp's SIMT stack. */
#define CL_PROFILING_COMMAND_MAX_SIMT_DEPTH_VENTUS 0x4F0B

/* Cycles from the launch's request to its response, by the cycle model that the device's machine file names (timing =
 * NAME); 0 if it names none. With a model, the times of all events are also those of its clock. */
#define CL_PROFILING_COMMAND_CYCLES_VENTUS 0x4F0C

/* Extension cl_ventus_range: a program names what its threads are doing, and a timeline of the program shows the names
 * (ventus exec --timeline). Without a timeline the functions do nothing. Ranges nest, and the thread that began one
 * ends it. The name is copied. clGetExtensionFunctionAddressForPlatform returns the functions. Errors:
 * CL_INVALID_CONTEXT; CL_INVALID_VALUE: no name; CL_INVALID_OPERATION: this thread, or this callback or native kernel,
 * has begun no range that is still open. Ranges that a callback or native kernel leaves open end with it. */
#define cl_ventus_range 1

typedef cl_int(CL_API_CALL *clBeginRangeVENTUS_fn)(cl_context context, const char *name);
typedef cl_int(CL_API_CALL *clEndRangeVENTUS_fn)(cl_context context);

#endif
