/* What the OpenCL API tests share: the Ventus device found through the ICD loader, and short forms.
 * The tests are plain OpenCL programs, linked with the loader only. Without OCL_ICD_VENDORS they use the
 * ventus.icd of the build they belong to; this form of the variable is ocl-icd's. */
#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "opencl/cl_missing.h"

#include <CL/cl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern cl_platform_id platform;
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue; /* with profiling */

/* Group fixtures: everything above. */
int check_setup(void **state);
int check_teardown(void **state);

/* Before check_setup: a machine of these parameters; the file is there until check_teardown. 0: it could be written. */
int check_machine(const char *parameters);

/* Succeeds with CL_SUCCESS, or fails with exactly this error. */
#define OK(call)           assert_int_equal((call), CL_SUCCESS)
#define FAILS(error, call) assert_int_equal((call), (error))
/* The same for functions that return an object and take &err as their last argument. */
// clang-format off
#define REFUSED(error, call) do { err = 1; assert_null(call); assert_int_equal(err, (error)); } while (0)

/* Value of a query, which must have exactly the type's size. */
#define QUERY(type, call, object, param) \
    ({ type v_; size_t n_; OK(call(object, param, sizeof v_, &v_, &n_)); assert_int_equal(n_, sizeof v_); v_; })
// clang-format on

cl_mem buffer_new(cl_mem_flags flags, size_t size, void *host);
cl_int event_status(cl_event event);
/* Builds a program of one kernel; a failure shows the log. */
cl_program program_build(const char *source, const char *options);

/* The folder of the build that the test belongs to. */
const char *build_folder(void);

/* Sets VENTUS_CC to a shell script of this text; NULL removes it. */
void fake_compiler(const char *script);

#endif
