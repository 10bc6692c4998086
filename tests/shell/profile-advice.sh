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
grep -q 'local   load .* 32.0      -       -      32.0  strided 100 %' p.txt || { wrong "bank conflicts"; cat p.txt; }
expect padded 32 32 ''
grep -q 'local   load .* 32.0      -       -       1.0  strided 100 %' p.txt || { wrong "padded rows"; cat p.txt; }
expect parted 128 32 divergence:41
expect together 128 32 ''
expect together 40 10 small-groups:0
case $(rules indexed 128 32) in private-memory:*) ;; *) wrong "private memory"; cat p.txt ;; esac

# Rules about what lanes, warps and groups do together.
cat >k.cl <<'CL'
kernel void per_warp(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[get_local_id(0) / 32 * n + k];
    out[get_global_id(0)] = sum;
}
kernel void per_sub_group(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[get_sub_group_id() * n + k];
    out[get_global_id(0)] = sum;
}
kernel void waits(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[k * 256 + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
kernel void shares(global float *out, global const float *in, int n)
{
    local float next[256];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        next[get_local_id(0)] = in[k * 256 + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += next[get_local_id(0) ^ 32];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
kernel void one_word(global int *out, global const int *in, int n)
{
    for (int k = 0; k < n; k++)
        atomic_add(&out[in[k] & 1], (int)get_global_id(0));
}
kernel void own_words(global int *out, global const int *in, int n)
{
    for (int k = 0; k < n; k++)
        atomic_add(&out[(in[k] & 1) + get_global_id(0)], 1);
}
kernel void doubles(global float *out, global const float *in, int n)
{
    double sum = in[get_global_id(0)];
    for (int k = 0; k < n; k++)
        sum = sum * 1.5 + 1;
    out[get_global_id(0)] = sum;
}
kernel void floats(global float *out, global const float *in, int n)
{
    float sum = in[get_global_id(0)];
    for (int k = 0; k < n; k++)
        sum = sum * 1.5f + 1;
    out[get_global_id(0)] = sum;
}
kernel void large_tile(global float *out, global const float *in, int n)
{
    local float tile[10000];
    int x = get_local_id(0);
    for (int k = 0; k < n; k++) tile[x + k * 64] = in[get_global_id(0) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[x ^ 32];
}
kernel void small_tile(global float *out, global const float *in, int n)
{
    local float tile[64];
    int x = get_local_id(0);
    for (int k = 0; k < n; k++) tile[x] = in[get_global_id(0) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[x ^ 32];
}
kernel void hashes(global uint *out, global const uint *in, int n)
{
    uint h = in[get_global_id(0)], c = 0;
    for (int k = 0; k < n; k++) { uint t = h + in[k]; c += t < h; h = mul_hi(t, 2654435761u) ^ t; }
    out[get_global_id(0)] = h + c;
}
kernel void spread(global float *out, global const float *in, int n)
{
    float sum = in[get_global_id(0)];
    for (int k = 0; k < n; k++) {
        sum = sum * 1.5f + 1;
        if (k % 64 == 63) barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
CL
check 0 '' "$ventus" cc k.cl --options "-g -cl-std=CL3.0" -o k.elf
rules() { # as above, with n = $4
    VENTUS_PROFILE=p.json,p.txt VENTUS_PROFILE_MEMORY=1 "$ventus" run k.elf --kernel $1 -g $2 -l $3 -a buf:131072 -a buf:131072 -a i:${4:-64} \
        >out.txt 2>&1 || { wrong "$1"; cat out.txt; }
    python3 -c 'import json; print(*(a["rule"] + ":" + str(a["line"]) for a in json.load(open("p.json"))["kernels"][0]["advice"]))'
}
fires() { # RULE:LINE KERNEL GLOBAL LOCAL N, and not: KERNEL GLOBAL LOCAL N
    for run in "$2" "$3"; do
        have=$(rules $run)
        case $run in "$2") [ "$have" = "$1" ] || { wrong "$2: advice '$have', not '$1'"; cat p.txt; } ;; *) [ -z "$have" ] || { wrong "$3: advice '$have'"; cat p.txt; } ;; esac
    done
}
fires uniform:5 "per_warp 256 128" "per_sub_group 256 128"
fires needless-barrier:20 "waits 256 128" "shares 256 128"
fires needless-barrier:20 "waits 64 32" "spread 64 32"
grep -q 'global  store' p.txt || { wrong "accesses"; cat p.txt; }
fires atomic-contention:39 "one_word 256 128" "own_words 256 128"
grep -q 'global atomic  *512   32.0    1.0 .* consecutive 100 %  1.0 lanes at one word' p.txt || { wrong "atomic accesses"; cat p.txt; }
fires double:0 "doubles 256 128" "floats 256 128"
# 64 bits where 32 would do; the same with int, and carries in a program that knows no long.
cp k.cl without.cl
cat >k.cl <<'CL'
kernel void wide(global int *out, global const int *in, int n)
{
    long sum = in[get_global_id(0)];
    for (int k = 1; k < n; k++) sum = sum * 3 + (sum ^ (sum >> 7)) + k;
    out[get_global_id(0)] = sum;
}
kernel void narrow(global int *out, global const int *in, int n)
{
    int sum = in[get_global_id(0)];
    for (int k = 1; k < n; k++) sum = sum * 3 + (sum ^ (sum >> 7)) + k;
    out[get_global_id(0)] = sum;
}
kernel void divided(global int *out, global const int *in, int n)
{
    ulong sum = in[get_global_id(0)] + 1000000000000ul;
    for (int k = 1; k < n; k++) sum = sum / (k + 1) + 1000000000000ul;
    out[get_global_id(0)] = sum;
}
CL
check 0 '' "$ventus" cc k.cl --options "-g -cl-std=CL3.0" -o k.elf
fires long:4 "wide 256 64" "narrow 256 64"
case $(rules divided 256 64) in long:16) ;; *) wrong "divisions of 64 bits"; cat p.txt ;; esac
mv without.cl k.cl
check 0 '' "$ventus" cc k.cl --options "-g -cl-std=CL3.0" -o k.elf
[ -z "$(rules hashes 256 64)" ] || { wrong "carries without long"; cat p.txt; }
fires low-occupancy:0 "large_tile 1024 64" "small_tile 1024 64"
rules large_tile 1024 64 >/dev/null
grep -q 'at most 6 of 32 warps .* needs 42048 bytes of local memory and an SM has 131072, so that 3 groups fit' p.txt || { wrong "what limits occupancy"; cat p.txt; }
python3 - <<'P' || wrong "the largest launch"
import json
largest = json.load(open("p.json"))["kernels"][0]["largest"]
registers = largest.pop("vgprs"), largest.pop("sgprs")
assert largest == {"groups": [16, 1, 1], "work_items": 64, "warps": 2, "local_bytes": 42048, "groups_per_sm": 3, "limit": "bytes of local memory"}
assert all(registers)
P
fires low-occupancy:0 "floats 2048 64" "floats 4096 256"
fires idle-sms:0 "floats 1024 1024 1000" "floats 1024 512 1000"

# Which barriers separate accesses, of global memory, too: only the last of these is for nothing.
cat >k.cl <<'CL'
kernel void barriers(global int *out, global const int *in, int n)
{
    local int bins[32];
    int x = get_local_id(0);
    if (x < 32) bins[x] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[in[get_global_id(0)] & 31], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[x & 31];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + (x ^ 32)] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4096 + get_global_id(0)] = x;
}
kernel void copied(global int *out, global const int *in, int n)
{
    local int inside[64] __attribute__((aligned(16)));
    for (int k = 0; k < 32; k++) {
        if (get_local_id(0) < 32) __asm__ volatile("cp_dma_bulk %0, %1, %2\n cp_dma_mbarrier" : : "vr"(inside), "r"(in), "r"(256) : "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = inside[get_local_id(0)];
}
CL
check 0 '' "$ventus" cc k.cl --options -g -o k.elf
rules barriers 256 64 >/dev/null
python3 - <<'P' || wrong "barriers"
import json
found = {i["line"]: i["barrier"] for i in json.load(open("p.json"))["kernels"][0]["instructions"] if "barrier" in i}
assert json.load(open("p.json"))["kernels"][0]["name"] == "barriers"
assert found == {6: {"groups": 4, "needless": 0}, 8: {"groups": 4, "needless": 0}, 10: {"groups": 4, "needless": 0},
                 12: {"groups": 4, "needless": 4}}, found
P

# Copies in the background write where nobody sees it.
case $(rules copied 64 64) in *needless*) wrong "a barrier behind copies"; cat p.txt ;; esac
grep -q 'barrier(CLK' p.txt || { wrong "copies"; cat p.txt; }

# Lines that are touched again: each of 17 lines is touched by one access first, and by its neighbour's again; then by later ones.
cat >k.cl <<'CL'
kernel void pairs(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[(get_global_id(0) + k * 32) & 1023];
    out[get_global_id(0)] = sum;
}
CL
check 0 '' "$ventus" cc k.cl --options -g -o k.elf
rules pairs 32 32 96 >/dev/null
python3 - <<'P' || wrong "lines touched again"
import json
m = [i["memory"] for i in json.load(open("p.json"))["kernels"][0]["instructions"] if i.get("memory") and i["line"] == 4]
sums = {key: sum(one[key] for one in m) for key in ("accesses", "lines", "again", "distance", "atomics")}
assert sums == {"accesses": 96, "lines": 96, "again": 64, "distance": 64 * 32, "atomics": 0}, sums
P

# What warps wait for on a cycle model.
cat >k.cl <<'CL'
kernel void far(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[(get_global_id(0) * 37 + k * 1009) & 32767];
    out[get_global_id(0)] = sum;
}
kernel void near(global float *out, global const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[(get_global_id(0) + k) & 511];
    out[get_global_id(0)] = sum;
}
kernel void uneven(global float *out, global const float *in, int n)
{
    local float sums[1024];
    float sum = in[get_global_id(0)];
    for (int k = 0; k < n; k++) {
        int most = get_local_id(0) < 32 ? 60 : 1;
        for (int i = 0; i < most; i++) sum = sum * 1.5f + i;
        sums[get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += sums[get_local_id(0) ^ 32];
    }
    out[get_global_id(0)] = sum;
}
kernel void even(global float *out, global const float *in, int n)
{
    local float sums[1024];
    float sum = in[get_global_id(0)];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 20; i++) sum = sum * 1.5f + i;
        sums[get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += sums[get_local_id(0) ^ 32];
    }
    out[get_global_id(0)] = sum;
}
CL
check 0 '' "$ventus" cc k.cl --options "-g -cl-std=CL3.0" -o k.elf
waits() { # RULES KERNEL GLOBAL LOCAL N
    VENTUS_PROFILE=p.json,p.txt check 0 '' "$ventus" run k.elf --kernel $2 -g $3 -l $4 -a buf:131072 -a buf:131072 -a i:$5 --timing large
    have=$(python3 -c 'import json; print(*(a["rule"] + ":" + str(a["line"]) for a in json.load(open("p.json"))["kernels"][0]["advice"]))')
    [ "$have" = "$1" ] || { wrong "$2 on a model: advice '$have', not '$1'"; cat p.txt; }
}
waits cache-misses:5 far 8192 256 32
waits '' near 2048 256 32
waits barrier-wait:23 uneven 2048 512 8
waits '' even 2048 512 8

# Every rule has its paragraph.
for rule in $(grep -o 'say(v, "[a-z-]*"' "$VENTUS_SOURCE/profile/advice.c" | cut -d '"' -f 2 | sort -u); do
    grep -q "^### $rule$" "$VENTUS_SOURCE/docs/profiler.md" || wrong "docs/profiler.md has nothing about $rule"
done

# Values without registers.
cat >k.cl <<'CL'
#define TEN(x, k) x(k##0) x(k##1) x(k##2) x(k##3) x(k##4) x(k##5) x(k##6) x(k##7) x(k##8) x(k##9)
#define HUNDRED(x, k) TEN(x, k##0) TEN(x, k##1) TEN(x, k##2) TEN(x, k##3) TEN(x, k##4) TEN(x, k##5) TEN(x, k##6) TEN(x, k##7) TEN(x, k##8) TEN(x, k##9)
#define LOAD(k) float v##k = in[i + (1##k - 10000)];
#define USE(k) v##k = v##k * sum + 1; sum += v##k;
#define STORE(k) out[i + (1##k - 10000)] = v##k;
#define MANY(x) HUNDRED(x, 00) HUNDRED(x, 01) HUNDRED(x, 02)
#define FEW(x) HUNDRED(x, 00)
kernel void many(global volatile float *out, global const volatile float *in, int n)
{
    int i = get_global_id(0);
    float sum = 0;
    MANY(LOAD)
    for (int r = 0; r < n; r++) { MANY(USE) }
    MANY(STORE)
}
kernel void few(global volatile float *out, global const volatile float *in, int n)
{
    int i = get_global_id(0);
    float sum = 0;
    FEW(LOAD)
    for (int r = 0; r < n; r++) { FEW(USE) }
    FEW(STORE)
}
CL
check 0 '' "$ventus" cc k.cl --options -g -o k.elf
fires spills:13 "many 64 32 4" "few 64 32 4"
grep -a -q '^kernel name=many .* spills=[1-9]' k.elf && ! grep -a -q '^kernel name=few .* spills=' k.elf || wrong "spills in the note"

cat >many.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
static char data[65536];
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
    cl_mem large = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof large, &large);
    for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) { /* the host changes what the kernel has left */
        if (argc > 3) clEnqueueWriteBuffer(queue, large, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, large, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    }
    return clFinish(queue) ? 3 : 0;
}
C
if ${CC:-cc} -w many.c -o many -lOpenCL; then
    check 0 'advice (small-launches): 100 launches' "$ventus" exec --profile ./many 100
    check 0 '' "$ventus" exec --profile ./many 4
    ! grep -q small-launches out.txt || wrong "few launches"
    check 0 'advice (round-trip): before a launch the host writes 58982 bytes' "$ventus" exec --profile ./many 0 10 write
    check 0 '' "$ventus" exec --profile ./many 0 10
    ! grep -q round-trip out.txt || wrong "reads alone are no round trip"
    check 0 '' "$ventus" exec --profile ./many 0 2 write
    ! grep -q round-trip out.txt || wrong "few round trips"
    # Of a hundred launches every 30th is watched.
    check 0 'accesses in 4 of the launches' "$ventus" exec --profile --profile-memory=30 ./many 100
    check 0 'accesses in 1 of the launches' "$ventus" exec --profile-memory ./many 100
fi
exit $status
