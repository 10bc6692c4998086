# Advice of profiles: each rule fires on a kernel that is slow in its way, on the right line, and not on the same kernel
# without it. And what a watched launch says of accesses.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_PROFILE_MEMORY VENTUS_CHECK

cat >k.cl <<'CL'
kernel void rows(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[get_global_id(0) * n + k];
    out[get_global_id(0)] = sum;
}
kernel void columns(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[k * n + get_global_id(0)];
    out[get_global_id(0)] = sum;
}
kernel void same_bank(global float *out, global const float *in, int n)
{
    local float tile[32][32];
    int x = get_local_id(0);
    for (int k = 0; k < 32; k++) tile[k][x] = in[k * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[x][k];
    out[get_global_id(0)] = sum;
}
kernel void padded(global float *out, global const float *in, int n)
{
    local float tile[32][33];
    int x = get_local_id(0);
    for (int k = 0; k < 32; k++) tile[k][x] = in[k * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[x][k];
    out[get_global_id(0)] = sum;
}
kernel void parted(global float *out, global const float *in, int n)
{
    float sum = in[get_global_id(0)];
    int most = get_local_id(0) * 8;
    for (int k = 0; k < most; k++)
        sum = sum * 1.5f + 1;
    out[get_global_id(0)] = sum;
}
kernel void together(global float *out, global const float *in, int n)
{
    float sum = in[get_global_id(0)];
    int most = n;
    for (int k = 0; k < most; k++)
        sum = sum * 1.5f + 1;
    out[get_global_id(0)] = sum;
}
kernel void indexed(global float *out, global const float *in, int n)
{
    float values[16];
    for (int k = 0; k < 16; k++) values[k] = in[get_global_id(0)] + k;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += values[((int)in[k] + k) & 15];
    out[get_global_id(0)] = sum;
}
CL
check 0 '' "$ventus" cc k.cl --options -g -o k.elf

# rules KERNEL GLOBAL LOCAL: the rules that fire, with their lines
rules() {
    VENTUS_PROFILE=p.json,p.txt VENTUS_PROFILE_MEMORY=1 "$ventus" run k.elf --kernel $1 -g $2 -l $3 -a buf:65536 -a buf:65536 -a i:128 >out.txt 2>&1 ||
        { wrong "$1"; cat out.txt; }
    python3 -c 'import json; print(*(a["rule"] + ":" + str(a["line"]) for a in json.load(open("p.json"))["kernels"][0]["advice"]))'
}
expect() { # KERNEL GLOBAL LOCAL RULES
    have=$(rules $1 $2 $3)
    [ "$have" = "$4" ] || { wrong "$1: advice '$have', not '$4'"; cat p.txt; }
}

expect rows 128 32 uncoalesced:5
grep -q 'touches 32.0 lines of 128 bytes for 32.0 lanes, where 1.0 would do' p.txt || { wrong "lines of an access"; cat p.txt; }
expect columns 128 32 ''
grep -q 'global   load .* 32.0    1.0 .* consecutive 100 %' p.txt || { wrong "consecutive accesses"; cat p.txt; }
expect same_bank 32 32 bank-conflict:23
grep -q 'local   load .* 32.0      -      32.0  strided 100 %' p.txt || { wrong "bank conflicts"; cat p.txt; }
expect padded 32 32 ''
grep -q 'local   load .* 32.0      -       1.0  strided 100 %' p.txt || { wrong "padded rows"; cat p.txt; }
expect parted 128 32 divergence:41
expect together 128 32 ''
expect together 40 10 small-groups:0
case $(rules indexed 128 32) in private-memory:*) ;; *) wrong "private memory"; cat p.txt ;; esac

cat >many.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)]++; }";
    size_t n = 64;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 8;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL)) return 7;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    for (int i = atoi(argv[1]); i > 0; i--) clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    return clFinish(queue) ? 3 : 0;
}
C
if ${CC:-cc} -w many.c -o many -lOpenCL; then
    check 0 'advice (small-launches): 100 launches' "$ventus" exec --profile ./many 100
    check 0 '' "$ventus" exec --profile ./many 4
    ! grep -q small-launches out.txt || wrong "few launches"
    # Of a hundred launches every 30th is watched.
    check 0 'accesses in 4 of the launches' "$ventus" exec --profile --profile-memory=30 ./many 100
    check 0 'accesses in 1 of the launches' "$ventus" exec --profile-memory ./many 100
fi
exit $status
