/* Constants of extensions that are younger than the OpenCL headers of Debian 12. For the library and its tests, which
 * include it before any other header of OpenCL's: newer ones hide what is experimental unless this macro is defined. */
#ifndef VENTUS_OPENCL_CL_MISSING_H
#define VENTUS_OPENCL_CL_MISSING_H

#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl_ext.h>

#ifndef CL_MEM_IMMUTABLE_EXT /* cl_ext_immutable_memory_objects */
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

#ifndef CL_UNORM_INT_2_101010_EXT /* cl_ext_image_unorm_int_2_101010 */
#define CL_UNORM_INT_2_101010_EXT 0x10E5
#endif

#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR /* cl_khr_command_buffer 0.9.4 */
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif

#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR /* cl_khr_command_buffer 0.9.5 */
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif

/* cl_khr_command_buffer_mutable_dispatch 0.9.5. Older headers lay out cl_mutable_dispatch_config_khr in another way,
 * and give CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR another number. */
#ifndef CL_MUTABLE_DISPATCH_ASSERTS_KHR
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR                  0x12A2
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR           0x12B7
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR                          0x12B8
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#endif
#ifndef CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2
#endif
enum { MUTABLE_DISPATCH_CONFIG = 0 };
struct mutable_dispatch_config {
    cl_mutable_command_khr command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const cl_mutable_dispatch_arg_khr *arg_list, *arg_svm_list;
    const cl_mutable_dispatch_exec_info_khr *exec_info_list;
    const size_t *global_work_offset, *global_work_size, *local_work_size;
};

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR /* cl_khr_semaphore 1.0.0 */
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#endif

#ifndef CL_DEVICE_SPIRV_CAPABILITIES_KHR /* cl_khr_spirv_queries */
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR                0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR              0x12BB
#endif

#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR /* cl_khr_kernel_clock */
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR     0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR  (1 << 2)
#endif

#endif
