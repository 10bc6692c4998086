# What is set up wrongly is said on standard error: one line, once, with the cause and what to do, whatever VENTUS_DEBUG is but 0.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cat >two.c <<'END'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void)
{
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
    const size_t items = 1024;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0)) return 1;
    cl_context context = clCreateContext(0, 1, &device, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        cl_program program = clCreateProgramWithSource(context, 1, &source, 0, 0);
        cl_command_queue queue = clCreateCommandQueue(context, device, 0, 0);
        cl_mem words = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, 0, 0);
        if (clBuildProgram(program, 0, 0, "", 0, 0)) continue;
        cl_kernel kernel = clCreateKernel(program, "k", 0);
        clSetKernelArg(kernel, 0, sizeof words, &words);
        clEnqueueNDRangeKernel(queue, kernel, 1, 0, &items, 0, 0, 0, 0);
        clFinish(queue);
    }
    return 0;
}
END
${CC:-cc} -w two.c -o two -lOpenCL || { echo 'no C compiler, or no OpenCL'; exit 77; }
unset VENTUS_DEBUG

# says PATTERN VARIABLE=VALUE...: a program that needs all there is, twice, gets one line of this driver, which fits. The variables
# come behind what sanitizers set, which names a compiler, too, and is found in the path.
says() {
    pattern=$1
    shift
    $VENTUS_FOREIGN /usr/bin/env "$@" ./two >out.txt 2>&1
    grep -a '^ventus: \|^VENTUS_' out.txt >lines.txt
    [ "$(wc -l <lines.txt)" = 1 ] && grep -q -x -e "$pattern" lines.txt || { wrong "no single line '$pattern' with $*"; cat out.txt; }
}

says "ventus: no device: nofile: No such file or directory (VENTUS_CONFIG names the machine's file; .ventus info. prints one)" VENTUS_CONFIG=nofile
echo 'smss = 4' >typo.conf
says "ventus: no device: typo.conf:1: there is no parameter 'smss'; there are: .*" VENTUS_CONFIG=typo.conf
says 'ventus: no device: VENTUS_ENGINE=foo names no engine; there are: auto, .*step' VENTUS_ENGINE=foo
says "ventus: no device: VENTUS_TIMING: 'slow' is neither a configuration (verilog, .*) nor a file: No such file or directory" VENTUS_TIMING=slow
says "ventus: no device: the device library cannot be loaded: /nowhere: .* (VENTUS_BACKEND or the machine's file names it)" VENTUS_BACKEND=/nowhere
says 'ventus: no device: VENTUS_THREADS=many is not a number of threads from 0 to 256' VENTUS_THREADS=many
says 'ventus: no program can be compiled: cannot run the compiler /nowhere/cc: No such file or directory; set VENTUS_CC or install it' \
    VENTUS_CC=/nowhere/cc
says 'ventus: no program can be compiled: ventus-cc: error: VENTUS_CLANG names "/nowhere/clang", which cannot be executed' \
    VENTUS_CLANG=/nowhere/clang
says 'ventus: no program can be compiled: ventus-cc: error: clang-19 was not found; install it: apt install clang-19' PATH="$PWD"
says 'ventus: no program can be compiled: ventus-cc: error: cannot read the built-in library /nowhere/lib: No such file or directory' \
    VENTUS_BUILTINS=/nowhere/lib
says 'ventus: no program can be compiled: ventus-cc: error: VENTUS_CC_DUMP: tree is none of ir, machine, asm' VENTUS_CC_DUMP=ir,tree
limited=$VENTUS_FOREIGN
VENTUS_FOREIGN="sh limited.sh $limited"
printf 'ulimit -f 8\nexec "$@"\n' >limited.sh
says 'ventus: no program can be compiled: this process may not write files that are large enough to compile (RLIMIT_FSIZE)' VENTUS_CACHE=0
VENTUS_FOREIGN=$limited
says 'ventus: cannot run the translator /nowhere/translate: No such file or directory; kernels run slowly (VENTUS_TRANSLATE names it)' \
    VENTUS_ENGINE=native VENTUS_TRANSLATE=/nowhere/translate
# The translator has an answer without a translation: it does not end.
cp "$VENTUS_BUILD/ventus-translate" translate
VENTUS_ENGINE=native VENTUS_CACHE=0 VENTUS_TRANSLATE=$PWD/translate $VENTUS_FOREIGN ./two >out.txt 2>&1
if ! grep -q '^ventus-translate: row functions: No such file' out.txt || grep -q 'runtime error' out.txt; then
    wrong 'a translator without row functions'
    cat out.txt
fi
says 'VENTUS_NATIVE_LEVEL: foo is no level of hosts; there are: base v3 v4 v4fp16' VENTUS_ENGINE=native VENTUS_NATIVE_LEVEL=foo
says 'VENTUS_CACHE_LIMIT: lots is no number of MiB; the limit is 256' VENTUS_CACHE=1 VENTUS_CACHE_DIR="$PWD/cache" VENTUS_CACHE_LIMIT=lots
says 'VENTUS_TRANSLATE_PATIENCE: soon is no number of seconds from 1 to 100000; it counts as 60' \
    VENTUS_ENGINE=native VENTUS_TRANSLATE_PATIENCE=soon VENTUS_CACHE=0
says 'VENTUS_TRANSLATORS: 17 is no number of translators from 0 to 16; it counts as 0' VENTUS_TRANSLATORS=17 VENTUS_CACHE=0
for value in 0 -1 1e3 12s 99999999999999999999 2147483648; do
    says "VENTUS_CC_SECONDS: $value is no number of seconds from 1 to 2147483647; it counts as 120" VENTUS_CC_SECONDS=$value VENTUS_CACHE=0
done
says 'VENTUS_CC_PATIENCE: never is no number of seconds from 1 to 2147483647; it counts as 500' \
    VENTUS_CC_PATIENCE=never VENTUS_CC_SECONDS=50 VENTUS_CACHE=0
says 'VENTUS_TIMEOUT: soon is no number of seconds; kernels may run for ever' VENTUS_TIMEOUT=soon
says 'VENTUS_CACHE: off is none of 1, 0; it counts as 1' VENTUS_CACHE=off VENTUS_CACHE_DIR="$PWD/cache"
says 'VENTUS_CACHE_DIR: /proc/cache: No such file or directory; nothing is kept between runs' VENTUS_CACHE=1 VENTUS_CACHE_DIR=/proc/cache
mkdir everybody
chmod 777 everybody
says "VENTUS_CACHE_DIR: $PWD/everybody: not a folder that is yours and that nobody else may write; nothing is kept between runs" \
    VENTUS_CACHE=1 VENTUS_CACHE_DIR="$PWD/everybody"
for value in often -1 4294967296; do
    says "VENTUS_PROFILE_MEMORY: $value is no number of launches from 0 to 4294967295; it counts as 0" VENTUS_PROFILE_MEMORY=$value VENTUS_CACHE=0
done
says 'VENTUS_CHECK_EXITCODE: 256 is no exit code from 0 to 255; it counts as 0' VENTUS_CHECK_EXITCODE=256 VENTUS_CACHE=0
says 'VENTUS_CHECK_FILE: cannot write /nowhere/x: No such file or directory; reports come here' \
    VENTUS_CHECK=1 VENTUS_CHECK_FILE=/nowhere/x VENTUS_CACHE=0
says 'VENTUS_PROGRESS: yes is none of 0, 1; it counts as 0' VENTUS_PROGRESS=yes VENTUS_CACHE=0
for row in 'PERF yes 0, 1 0' 'DEBUG off 1, 0 1' 'INTERRUPT no 0, 1 0' 'SVM yes 0, 1 0' 'TRANSLATE_DUMP yes 0, 1 0' 'TRANSLATE_VERIFY yes 0, 1 0' 'TRANSLATE_LANES some all, convergent, divergent all' 'TRANSLATE_EFFORT most usual, least usual' \
    'TRANSLATE_REGISTERS few read, all read'; do
    variable=VENTUS_${row%% *} words=${row#* }
    value=${words%% *} words=${words#* }
    says "$variable: $value is none of ${words% *}; it counts as ${words##* }" VENTUS_ENGINE=native VENTUS_CACHE=0 "$variable=$value"
done
/usr/bin/env VENTUS_CACHE=0 VENTUS_PROGRESS=0 VENTUS_PERF= VENTUS_TRANSLATE_EFFORT=usual VENTUS_TRANSLATE_LANES=divergent VENTUS_CC_SECONDS=50 VENTUS_CC_PATIENCE= VENTUS_TRANSLATE_PATIENCE=1 VENTUS_TIMEOUT=9.5 \
    $VENTUS_FOREIGN ./two >out.txt 2>&1
[ -s out.txt ] && wrong "good values: $(cat out.txt)"

# The tools have the same words.
echo 'kernel void k(global int *a) { a[0] = 1; }' >k.cl
"$ventus" cc k.cl || wrong 'ventus cc'
check 0 'VENTUS_CC_SECONDS: x is no number of seconds from 1 to 2147483647; it counts as 120' env VENTUS_CC_SECONDS=x "$ventus" cc k.cl
check 0 '^VENTUS_STATS: some is neither 0 nor 1, nor a file with a slash; it counts as 1' \
    env VENTUS_STATS=some "$ventus" run k.elf -g 1 -a buf:4 --engine native
check 0 '^VENTUS_STATS: cannot write /nowhere/x: No such file or directory' \
    env VENTUS_STATS=/nowhere/x "$ventus" run k.elf -g 1 -a buf:4 --engine native
check 1 'cannot run the compiler /nowhere: No such file or directory; set VENTUS_CC or install it' env VENTUS_CC=/nowhere "$ventus" cc k.cl
for row in "CONFIG=nofile nofile: No such file or directory (VENTUS_CONFIG names the machine's file" \
    'ENGINE=foo VENTUS_ENGINE=foo names no engine; there are: auto' 'THREADS=many VENTUS_THREADS=many is not a number' \
    "TIMING=slow VENTUS_TIMING: 'slow' is neither a configuration"; do
    for command in info "run k.elf -g 1 -a buf:4"; do
        check 1 "ventus: ${row#* }" env "VENTUS_${row%% *}" "$ventus" $command
        [ "$(wc -l <out.txt)" = 1 ] || { wrong "more than a line: $command"; cat out.txt; }
    done
done
check 1 "ventus: nofile: No such file or directory (VENTUS_CONFIG" env VENTUS_CONFIG=nofile "$ventus" cc k.cl
for command in info 'cc k.cl' 'run k.elf -g 1 -a buf:4'; do
    check 0 'VENTUS_TIMEOT: there is no such variable; is VENTUS_TIMEOUT meant' env VENTUS_TIMEOT=1 "$ventus" $command
done
check 1 'ventus: nofile: No such file or directory' "$ventus" run k.elf --config nofile -g 1 -a buf:4

# They use the machine of the environment, and options go over it.
sed 's/^sms .*/sms = 3/' "$VENTUS_SOURCE/configs/r2.1.conf" >other.conf
export VENTUS_CONFIG=other.conf VENTUS_TIMING=verilog
check 0 '^sms  *= 3 ' "$ventus" info
grep -q '^timing  *= verilog ' out.txt || wrong 'ventus info does not obey VENTUS_TIMING'
check 1 'the program is of profile default, the machine of profile r2.1' "$ventus" run k.elf -g 1 -a buf:4
check 0 '' "$ventus" cc k.cl -o other.elf
check 0 '"sms": 3' "$ventus" run other.elf -g 1 -a buf:4 --json -
grep -q '"timing": "verilog"' out.txt || wrong 'ventus run does not obey VENTUS_TIMING'
echo 'sms = 2' >plain.conf
check 0 '"sms": 2' "$ventus" run k.elf -g 1 -a buf:4 --json - --config plain.conf
grep -q '"timing": "verilog"' out.txt && wrong '--config does not go over VENTUS_TIMING'
check 0 '^sms  *= 2 ' "$ventus" info --config plain.conf
check 0 '' "$ventus" cc k.cl --profile default -o default.elf
check 0 '' "$ventus" run default.elf -g 1 -a buf:4 --config plain.conf
check 0 '' env VENTUS_ENGINE=foo "$ventus" run other.elf -g 1 -a buf:4 --engine step
unset VENTUS_CONFIG VENTUS_TIMING

# 0 is for programs whose standard error must stay clean.
env VENTUS_CONFIG=nofile VENTUS_DEBUG=0 $VENTUS_FOREIGN ./two >out.txt 2>&1
grep -q '^ventus: ' out.txt && wrong 'VENTUS_DEBUG=0: a line all the same'
env VENTUS_TIMEOUT=soon VENTUS_DEBUG=0 $VENTUS_FOREIGN ./two >out.txt 2>&1
grep -q '^VENTUS_' out.txt && wrong 'VENTUS_DEBUG=0: a line on a variable all the same'
exit $status
