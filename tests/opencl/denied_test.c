/* A client in a sandbox that denies system calls: it computes, or OpenCL says that it cannot. Each call is denied to a
 * client of its own, from its first moment on, with the error that a filter of its sandbox gives. */
#include "check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { COMPUTED = 0, REFUSED_TO = 7, WRONG = 8, NO_FILTER = 77 };

static bool deny(long number, int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* All of it without a word of cmocka's. */
static int compute(void)
{
    static const char *source = "kernel void k(global int *p) { p[get_global_id(0)] = 3 * get_global_id(0); }";
    cl_int err, out[8] = {0};
    if (clGetPlatformIDs(1, &platform, NULL)) return REFUSED_TO;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return REFUSED_TO;
    if (!(context = clCreateContext(NULL, 1, &device, NULL, NULL, &err))) return REFUSED_TO;
    if (!(queue = clCreateCommandQueue(context, device, 0, &err))) return REFUSED_TO;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (!program || clBuildProgram(program, 0, NULL, NULL, NULL, NULL)) return REFUSED_TO;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem mem = clCreateBuffer(context, 0, sizeof out, NULL, &err);
    if (!kernel || !mem || clSetKernelArg(kernel, 0, sizeof mem, &mem)) return REFUSED_TO;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){8}, NULL, 0, NULL, NULL)) return REFUSED_TO;
    if (clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL)) return REFUSED_TO;
    for (int i = 0; i < 8; i++)
        if (out[i] != 3 * i) return WRONG;
    if (clReleaseMemObject(mem) || clReleaseKernel(kernel) || clReleaseProgram(program)) return WRONG;
    return clReleaseCommandQueue(queue) || clReleaseContext(context) ? WRONG : COMPUTED;
}

static int denied(long number, int error)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        alarm(100); /* no end is a failure, too */
        _exit(number >= 0 && !deny(number, error) ? NO_FILTER : compute());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status)) fail_msg("system call %ld denied: signal %d", number, WTERMSIG(status));
    return WEXITSTATUS(status);
}

static void test_denied(void **state)
{
    static const struct {
        long number;
        bool needed; /* nothing can be computed without it */
    } calls[] = {
        {SYS_memfd_create, true},       {SYS_rt_sigaction, true}, {SYS_prlimit64, false}, {SYS_clone3, false},
        {SYS_sched_getaffinity, false}, {SYS_mkdir, false},       {SYS_rename, false},    {SYS_statx, false},
        {SYS_getrandom, false},         {SYS_membarrier, false},  {SYS_madvise, false},   {SYS_sigaltstack, false},
        {SYS_ftruncate, false},         {SYS_pwrite64, false},
    };
    (void)state;
    assert_int_equal(denied(-1, 0), COMPUTED);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int code = denied(calls[i].number, i % 2 ? EPERM : ENOSYS);
        if (code == NO_FILTER) skip();
        if (code == WRONG || (calls[i].needed && code == COMPUTED))
            fail_msg("system call %ld: %d", calls[i].number, code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_denied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
