/* Extensions of this device, cl_ventus_counters and cl_ventus_range.
 *
 * cl_ventus_counters: what the device counted while a kernel ran.
 *
 * The codes below are parameters of clGetEventProfilingInfo for events of clEnqueueNDRangeKernel and
 * clEnqueueTask; each answers a cl_ulong, under the same conditions as CL_PROFILING_COMMAND_END. Any
 * other device answers CL_INVALID_VALUE, so a program may simply try. The platform's extension string
 * names the extension. It has nothing to offer to device code and hence no macro there. */
#ifndef CL_VENTUS_H
#define CL_VENTUS_H

#include <CL/cl.h>

#define cl_ventus_counters 1

/* Instructions executed, counted once per warp. */
#define CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS 0x4F00
/* Of these the vector instructions ... */
#define CL_PROFILING_COMMAND_VECTOR_INSTRUCTIONS_VENTUS 0x4F01
/* ... and the sum of the lanes active in them: active lanes on average = this / the one above. */
#define CL_PROFILING_COMMAND_ACTIVE_LANES_VENTUS 0x4F02
/* Vector branches executed, and those whose lanes went both ways. */
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
/* Deepest stack of diverged branches of any warp. */
#define CL_PROFILING_COMMAND_MAX_SIMT_DEPTH_VENTUS 0x4F0B

/* Cycles from the launch's request to its response, by the model of the hardware that the device's machine file asks
 * for (timing = NAME); 0 when it has none. With a model the times of all events are those of its clock, too. */
#define CL_PROFILING_COMMAND_CYCLES_VENTUS 0x4F0C

/* Extension cl_ventus_range: what a thread of the program is doing, by names of the program's own, which a timeline of
 * the program shows (ventus exec --timeline). Without a timeline nothing happens. Ranges lie within one another and are
 * ended by the thread that has begun them. The name is copied. clGetExtensionFunctionAddressForPlatform has the
 * functions; CL_INVALID_CONTEXT, CL_INVALID_VALUE: no name, CL_INVALID_OPERATION: this thread is in no range; in a
 * callback or a native kernel: in none that it has begun. Those that one leaves open end with it. */
#define cl_ventus_range 1

typedef cl_int(CL_API_CALL *clBeginRangeVENTUS_fn)(cl_context context, const char *name);
typedef cl_int(CL_API_CALL *clEndRangeVENTUS_fn)(cl_context context);

#endif
