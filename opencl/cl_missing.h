/* Constants of extensions that are younger than the OpenCL headers of Debian 12. For the library and its tests. */
#ifndef VENTUS_OPENCL_CL_MISSING_H
#define VENTUS_OPENCL_CL_MISSING_H

#include <CL/cl_ext.h>

#ifndef CL_MEM_IMMUTABLE_EXT /* cl_ext_immutable_memory_objects */
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR /* cl_khr_command_buffer 0.9.4 */
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif

#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR /* cl_khr_command_buffer 0.9.5 */
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR /* cl_khr_semaphore 1.0.0 */
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#endif

#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR /* cl_khr_kernel_clock */
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR     0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR  (1 << 2)
#endif

#endif
