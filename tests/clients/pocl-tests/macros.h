// Macros of pocl's compiler without which its tests' kernels do not compile.
#ifndef _CL_NOINLINE
#define _CL_NOINLINE
#define _CL_OVERLOADABLE __attribute__((overloadable))
#define __IF_INT64(...)  __VA_ARGS__
#define __IF_FP64(...)   __VA_ARGS__
#define cl_khr_int64
#endif
