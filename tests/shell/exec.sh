# ventus exec: a program that uses OpenCL finds this device and nothing else; each option; what a kernel was at that does
# not end; variables that are misspelt; and that the list of variables (driver/environment.def) is complete.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_TIMEOUT
exec="$ventus exec"

cat >endless.cl <<'CL'
kernel void case_main(global int *a, int n)
{
    if (get_global_id(0) == 5)
        while (!a[0])
            a[1] = a[1] * 3 + get_global_id(0);
    a[get_global_id(0)] = n;
}
CL
cat >barriers.cl <<'CL'
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void barriers(global int *a, int n)
{
    local int l[64];
    for (int i = 0; n == 0; i++) {
        l[get_local_id(0)] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] += l[63 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
CL
cat >beyond.cl <<'CL'
kernel void beyond(global int *a) { a[get_global_id(0) + 1000000] = 1; }
CL
cat >host.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static char text[4096];
    const char *source = text;
    FILE *file = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!file || !fread(text, 1, sizeof text - 1, file)) return 9;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 8;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL)) return 7;
    cl_kernel kernel = clCreateKernel(program, argv[2], NULL);
    cl_int zero = 0;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 256, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof zero, &zero);
    size_t n = 64;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    cl_int error = clFinish(queue);
    puts(error ? "failed" : "done");
    return error ? 3 : 0;
}
C
${CC:-cc} -w host.c -o host -lOpenCL || { echo "no OpenCL headers: nothing has been tested"; exit 77; }

check 0 'Ventus GPGPU' $exec "$VENTUS_BUILD/examples/vecadd" --size 100
check 5 '' $exec -- sh -c 'exit 5'
check 0 "$VENTUS_BUILD/libventus-opencl.so" $exec -- sh -c 'echo $OCL_ICD_VENDORS'
check 0 '^:1234$' $exec --gdb :1234 -- sh -c 'cd /; echo $VENTUS_GDB'
check 0 "^$PWD/socket,nowait\$" $exec --gdb socket,nowait -- sh -c 'cd /; echo $VENTUS_GDB'
check 0 "^$PWD/rtl.so,waveform=a/b\$" $exec --backend rtl.so,waveform=a/b -- sh -c 'cd /; echo $VENTUS_BACKEND'
check 0 '^rtl,waveform=a/b$' $exec --backend rtl,waveform=a/b -- sh -c 'cd /; echo $VENTUS_BACKEND'
check 127 "cannot run './none'" $exec ./none
check 126 "cannot run './host.c'" $exec ./host.c
check 2 'which program' $exec --engine step
check 2 "did you mean '--engine'" $exec --engin step true
check 2 "not 'fast'" $exec --engine fast true
check 2 'is none of all' $exec --check=race true
check 2 'no number of seconds' $exec --timeout 0 true
check 2 'not in 1..255' $exec --error-exitcode 256 true
check 1 'none.conf' $exec --config none.conf true

# ---- checks ----

check 0 'check: nothing found in 1 launch' $exec --check "$VENTUS_BUILD/examples/vecadd" --size 100
check 3 '> kernel void beyond(global int \*a) { a\[get_global_id(0) + 1000000\] = 1; }' $exec --check --timeout 20 ./host beyond.cl beyond
grep -q '^check: 1 in all' out.txt || wrong "no summary"
check 42 'check: 1 in all' $exec --check=bounds --error-exitcode 42 ./host beyond.cl beyond
check 0 '' $exec --check-file r.txt --check --error-exitcode 42 "$VENTUS_BUILD/examples/vecadd" --size 100
grep -q 'nothing found' r.txt || wrong "--check-file"

# ---- what does not end ----

for engine in step native; do
    check 3 "the launch has not ended in time; it was at line [45], work-item (5,0,0), work-group (0,0,0) warp 0 lane 5, pc 0x80000.*active lanes 00000020" \
        $exec --engine $engine --timeout 0.3 ./host endless.cl case_main
    check 3 "kernel barriers.*the launch has not ended in time; it was at line [4-9], work-item (.*pc 0x80000" \
        $exec --engine $engine --timeout 0.3 ./host barriers.cl barriers
done
# To it alone: the second signal ends a program at once.
timeout --foreground -k 20 -s INT 1.5 $exec --timeline stopped.json ./host endless.cl case_main >out.txt 2>&1
[ $? = 124 ] || wrong "Ctrl-C does not end it"
grep -q 'ventus: interrupted: kernel case_main: the launch was interrupted; it was at line [45], work-item (5,0,0)' out.txt || { wrong "Ctrl-C"; cat out.txt; }
python3 -c 'import json; assert [e for e in json.load(open("stopped.json"))["traceEvents"] if e.get("name") == "case_main" and e["ph"] == "X" and e["args"]["status"] == "still running"]' ||
    wrong "the timeline after Ctrl-C"

# ---- the others ----

check 0 '' $exec --export launches "$VENTUS_BUILD/examples/vecadd" --size 100
ls launches/*_0.metadata >/dev/null || wrong "--export"
ls launches/*_0.expect >/dev/null || wrong "--export: no results"
: >file
check 1 'export: file is no folder' $exec --export file "$VENTUS_BUILD/examples/vecadd" --size 100
grep -q correct out.txt && wrong "--export: the program runs without its folder"
check 0 '' $exec --engine step --timing ideal "$VENTUS_BUILD/examples/vecadd" --size 100
echo 'threads_per_warp = 8' >m.conf
check 0 ' 8.0 lanes active' $exec --config m.conf "$VENTUS_BUILD/examples/vecadd" --size 100
check 1 '' $exec --timing none.timing "$VENTUS_BUILD/examples/vecadd" --size 100

# ---- variables ----

VENTUS_TIMEOT=1 check 0 'VENTUS_TIMEOT: there is no such variable; is VENTUS_TIMEOUT meant?' $exec "$VENTUS_BUILD/examples/vecadd" --size 100
[ "$(grep -c VENTUS_TIMEOT out.txt)" = 1 ] || wrong "said twice"
VENTUS_SOMETHING_ELSE=1 check 0 '' $exec "$VENTUS_BUILD/examples/vecadd" --size 100
! grep -q 'no such variable' out.txt || wrong "a variable of somebody else's"
(cd "$VENTUS_SOURCE" && grep -rhoE '"VENTUS_[A-Z_]+"' --include='*.c' asm check compiler driver host isa native opencl sim timing tools trace translator vt |
    tr -d '"' | sort -u) >read.txt
sed -n 's/^VARIABLE(\(.*\))$/VENTUS_\1/p' "$VENTUS_SOURCE/driver/environment.def" | sort -u >listed.txt
missing=$(comm -23 read.txt listed.txt)
[ -z "$missing" ] || wrong "not in driver/environment.def: $missing"
exit $status
