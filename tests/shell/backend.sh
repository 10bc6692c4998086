# Other devices behind the driver: programs run through OpenCL, `ventus run` and the drop-in library on a device library
# that is our machine; what a device cannot do is said; libraries that are wrong are errors that say in what way.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
machine=$VENTUS_BUILD/tests/device/ventus-machine.so
unset VENTUS_BACKEND VENTUS_CHECK VENTUS_PROFILE VENTUS_TIMEOUT
on() { device=$1; shift; env VENTUS_BACKEND="$device" "$@"; }

# ---- the same programs ----
for case in algorithms arguments atomic constant double-printf double half ids local printf private reconverge struct subgroup variables; do
    check 0 '' on $machine "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
done
for example in vecadd matmul histogram; do check 0 'correct' on $machine "$VENTUS_BUILD/examples/$example"; done
cp $machine here.so
check 0 'correct' "$ventus" exec --backend here.so -- sh -c "cd / && '$VENTUS_BUILD/examples/vecadd'"
[ "$(on $machine $VENTUS_FOREIGN clinfo 2>/dev/null | grep -c 'Image support  *Yes')" -ge 1 ] || wrong "clinfo says no images"

# What docs/hardware.md shows of a device library, with this one as ./mine.so: no launch differs.
mkdir page
cp $machine page/mine.so
ln -s "$VENTUS_BUILD/examples/vecadd" page/my-opencl-program
printf 'kernel void saxpy(float a, global const float *x, global float *y) { y[get_global_id(0)] += a * x[get_global_id(0)]; }\n' >page/saxpy.cl
"$ventus" cc page/saxpy.cl || wrong 'saxpy'
sed '/^```/,/^```/!d' "$VENTUS_SOURCE/docs/hardware.md" | awk '/^```/ { on = !on; if (!on && text ~ /mine\.so|launches/ && text ~ /ventus (run|exec)/) printf "%s", text; text = ""; next }
    { text = text $0 "\n" }' >page/commands
[ "$(grep -c . page/commands)" = 7 ] || { wrong 'docs/hardware.md has other commands'; cat page/commands; }
(cd page && PATH=$VENTUS_BUILD:$PWD:$PATH && export PATH && . ./commands) >out.txt 2>&1 || { wrong 'docs/hardware.md'; cat out.txt; }
[ "$(grep -c correct out.txt)" = 3 ] && [ -s page/y.bin ] || { wrong 'docs/hardware.md: a program'; cat out.txt; }
[ -n "$(ls page/launches/*.expect 2>/dev/null)" ] || wrong 'docs/hardware.md: no launches'
grep '^launches/' out.txt | grep -v instructions && wrong 'docs/hardware.md: a launch differs'

# The drop-in library: a word of memory, five more with each launch.
cat >five.s <<'END_OF_KERNEL'
    csrrs t0, CSR_KNL, zero
    lw t1, 4(t0)
    lw t2, 0(t1)
    lw t3, 0(t2)
    addi t3, t3, 5
    sw t3, 0(t2)
    endprg
END_OF_KERNEL
cat >five.c <<'END_OF_PROGRAM'
#include "vt/ventus_vt.h"
int main(void)
{
    vt_device_h h;
    uint64_t word, args, meta;
    uint32_t value = 100, block[16] = {0}, at;
    if (vt_dev_open(&h) || vt_upload_kernel_file(h, "five.elf", 0)) return 1;
    if (vt_buf_alloc(h, 4, &word, 0, 0, 0) || vt_buf_alloc(h, 4, &args, 0, 0, 0) || vt_buf_alloc(h, 64, &meta, 0, 0, 0)) return 2;
    at = (uint32_t)word;
    block[1] = (uint32_t)args;
    if (vt_copy_to_dev(h, word, &value, 4, 0, 0) || vt_copy_to_dev(h, args, &at, 4, 0, 0) || vt_copy_to_dev(h, meta, block, 64, 0, 0)) return 3;
    struct meta_data m = {.kernel_size = {1, 1, 1}, .wf_size = 32, .wg_size = 1, .metaDataBaseAddr = meta, .ldsSize = 4096};
    for (int i = 0; i < 3; i++)
        if (vt_start(h, &m, 0) || vt_ready_wait(h, 60000)) return 4;
    if (vt_copy_from_dev(h, word, &value, 4, 0, 0) || vt_dev_close(h)) return 5;
    return value == 115 ? 0 : 6;
}
END_OF_PROGRAM
check 0 '' "$ventus" as five.s -o five.elf
${CC:-cc} -I"$VENTUS_SOURCE" five.c -o five -L"$VENTUS_BUILD" -lventus-driver || wrong "five.c"
check 0 '' on $machine env LD_LIBRARY_PATH="$VENTUS_BUILD" $VENTUS_FOREIGN ./five
check 1 "there is no device 'rtl'" on rtl env LD_LIBRARY_PATH="$VENTUS_BUILD" $VENTUS_FOREIGN ./five

cat >k.cl <<'END_OF_KERNEL'
global int calls;
kernel void f(global int *a, int n)
{
    int i = get_global_id(0);
    a[i] += i * n;
    if (i == 5) calls++;
    if (i == 5) printf("call %d\n", calls);
}
kernel void stray(global int *a) { a[1 << 28] = 1; }
kernel void many(global int *a) { printf("%d %d %d %d\n", a[0], 1, 2, (int)get_global_id(0)); }
kernel void forever(global int *a) { for (volatile int i = 0;; i++) printf("%d %d %d %d\n", i, 1, 2, 3); }
kernel void sum(global int *a) { atomic_add(a, (int)get_global_id(0)); }
END_OF_KERNEL
check 0 '' "$ventus" cc --options -cl-std=CL3.0 k.cl -o k.elf
check 0 '  0 3 6 9 12 15' on $machine "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3 --show 0:i --stats
grep -q 'warp instructions  *[1-9]' out.txt || wrong "the counters of the device are not in --stats"
grep -q 'call 1' out.txt || wrong "printf does not come through"
grep -v '^cycles of the device' out.txt >device.txt
"$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3 --show 0:i --stats >own.txt 2>&1
diff own.txt device.txt || wrong "the machine behind the driver is another one"
# Of a device that counts something else that is what is there, and nothing that it has not counted.
check 0 'stalls of "memory" *77$' on $machine,count=1 "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3 --stats --json device.json
grep -q 'cycles of the device  *[1-9]' out.txt || wrong "no cycles of the device in --stats"
grep -q 'warp instructions  *[1-9]' out.txt || wrong "no instructions of the device in --stats"
grep -q -e work-groups -e lanes out.txt && wrong "what the device has not counted is in --stats"
/usr/bin/python3 - <<'END_OF_PROGRAM' || wrong "what the device counts is not in --json: $(cat device.json)"
import json
launch, = json.load(open("device.json"))["launches"]
instructions = launch["counters"]["instructions"]
assert launch["counters"] == {"instructions": instructions} and instructions > 0
assert launch["device"] == {"cycles": instructions, "counters": {'stalls of "memory"\n': 77}}
END_OF_PROGRAM
check 1 'the kernel failed: kernel stray failed at line 9: device .*write to unmapped' on $machine "$ventus" run k.elf -k stray -g 64 -a buf:256
# More output than the print buffer holds: the device stands still while the host makes room.
on $machine env VENTUS_TIMEOUT=200 "$ventus" run k.elf -k many -g 65536 -a buf:256 >many.txt || wrong "a full print buffer"
[ "$(wc -l <many.txt)" = 65536 ] || wrong "$(wc -l <many.txt) lines, not 65536"

check 0 'ventus-machine.so,lack=4 can do: faults print partial' on $machine,lack=4 "$ventus" info
check 1 "there is no device 'rtl'" on rtl "$ventus" info

# Launches as the device has run them, compared with the machine; and one that is wrong in a byte.
mkdir launches
check 0 '' on $machine env VENTUS_EXPORT=launches "$VENTUS_BUILD/examples/vecadd"
check 0 '' "$ventus" run --config launches/machine.conf --case launches/vecadd_0.metadata --expect
tac launches/vecadd_0.expect | sed '0,/^[1-9a-f][0-9a-f]*$/s//00000001/' | tac >launches/wrong
mv launches/wrong launches/vecadd_0.expect
check 1 'vecadd_0' "$ventus" run --config launches/machine.conf --case launches/vecadd_0.metadata --expect

# In the machine file, relative to it; and the variable goes before it.
mkdir -p conf
ln -s $machine conf/here.so
echo 'device = ./here.so,slow=1' >conf/m.conf
check 0 '  0 3 6 9 12 15' "$ventus" run k.elf --config conf/m.conf -k f -g 64 -a buf:256 -a i:3 --show 0:i
check 0 '' env VENTUS_CONFIG=conf/m.conf "$VENTUS_BUILD/examples/vecadd"
echo 'device = ./missing.so' >conf/m.conf
check 1 'the device library cannot be loaded: conf/./missing.so' "$ventus" run k.elf --config conf/m.conf -k f -g 64 -a buf:256 -a i:3
check 0 '' on none "$ventus" run k.elf --config conf/m.conf -k f -g 64 -a buf:256 -a i:3

# ---- what a device cannot do: bits of enum ventus_backend_feature ----
run() { features=$1; shift; on $machine,lack=$features "$ventus" run k.elf "$@"; }
check 1 'warps with fewer work-items than lanes: choose work-groups of whole warps' run 8 -k f -g 20 -a buf:256 -a i:3
check 0 '' run 8 -k f -g 64 -l 32 -a buf:256 -a i:3
check 1 'the program has atomic instructions, which it cannot do' run 4 -k sum -g 64 -l 32 -a buf:256
clinfo_of() { on $machine,lack=$1 $VENTUS_FOREIGN clinfo 2>/dev/null; }
clinfo_of 64 >out.txt; grep -q cl_khr_fp64 out.txt && wrong "doubles are offered by a device that has none"
clinfo_of 128 >out.txt; grep -q cl_khr_fp16 out.txt && wrong "halves are offered by a device that has none"
clinfo_of 256 >out.txt; grep -q 'Image support  *No' out.txt || wrong "images are offered by a device that has none"
clinfo_of 4 >out.txt; grep -q int32_base_atomics out.txt && wrong "atomics are offered by a device that has none"
clinfo_of 16 >out.txt; grep -q 'Max number of sub-devices  *0' out.txt || wrong "sub-devices are offered by a device that has none"
# What is not offered does not build, in any version of the language, as a module, or linked; the log says why.
builds_not() { # BITS TEXT: the program of standard input
    { echo "//! build_fails $2"; cat; } >not.cl
    check 0 '' on $machine,lack=$1 "$VENTUS_BUILD/tests/clrun" not.cl
    check 1 '' "$VENTUS_BUILD/tests/clrun" not.cl
}
echo 'kernel void k(global double *a) { a[0] *= 2; }' | builds_not 64 "use of type 'double' requires"
echo 'kernel void k(global double *a) { a[0] *= 2; }' | builds_not 64 'note: the device that this program is for has no doubles'
echo 'kernel void k(global half *a) { half x = a[0]; a[1] = x; }' | builds_not 128 'note: the device that this program is for has no halves'
for version in 1.2 2.0 3.0; do
    printf '//! options -cl-std=CL%s\nkernel void k(read_only image2d_t a, global float4 *b) { b[0] = read_imagef(a, (int2)(0)); }\n' $version | builds_not 256 'no images'
done
printf '#ifdef cl_khr_fp64\nkernel void k(global float *a) { double x = a[0]; a[0] = x; }\n#elif defined(cl_khr_fp16) || defined(__IMAGE_SUPPORT__)\n#error one is there\n#else\n//! run k global=32\n//! arg a float[32] = i -> i / 4.0\nkernel void k(global float *a) { a[get_global_id(0)] *= 0.25; if (get_global_id(0) == 3) printf("%%f", a[3]); }\n//! print 0.750000\n#endif\n' >without.cl
check 0 '' on $machine,lack=448 "$VENTUS_BUILD/tests/clrun" without.cl
printf '#ifdef cl_khr_int64_base_atomics\n#error it is there\n#endif\n//! run k global=32\n//! arg a int[32] = i -> i + 1\nkernel void k(global int *a) { a[get_global_id(0)]++; }\n' >without.cl
check 0 '' on $machine,lack=4 "$VENTUS_BUILD/tests/clrun" without.cl
printf 'kernel void k(global int *a)\n{\n    atomic_add(a, 1);\n}\n' | builds_not 4 '<source>:4: error: k needs the atomic instruction amoadd.w, and the device that the program is for has no atomics'
printf 'kernel void k(global int *a)\n{\n    printf("%%d", a[0]);\n}\n' | builds_not 4 'needs the atomic instruction'
cat >image.py <<'END_OF_PROGRAM'
import pyopencl as cl
context = cl.create_some_context(interactive=False)
rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
def error(call):
    try:
        call()
    except cl.LogicError as e:
        return e.code == cl.status_code.INVALID_OPERATION
print(error(lambda: cl.Image(context, 0, rgba, (4, 4))), error(lambda: cl.Sampler(context, False, cl.addressing_mode.NONE, cl.filter_mode.NEAREST)),
      cl.get_supported_image_formats(context, 0, cl.mem_object_type.IMAGE2D))
END_OF_PROGRAM
[ -n "${VENTUS_FOREIGN-}" ] || [ "$(on $machine,lack=256 /usr/bin/python3 image.py 2>/dev/null)" = 'True True []' ] || wrong "images can be made on a device that has none"
echo 'kernel void k(global double *a) { a[0] *= 2; }' >double.cl
check 0 '' "$ventus" cc --compile double.cl -o double.o
check 1 '<source>:1:4.*: error: this uses double, and the device that the program is for has no doubles' "$ventus" cc --lacks images,doubles --link double.o -o double.elf
check 0 '' "$ventus" cc --lacks images,halves --link double.o -o double.elf
check 2 'devices may lack doubles, halves, images, atomics' "$ventus" cc --lacks float double.cl
printf 'OpCapability Kernel\nOpCapability Addresses\nOpCapability Float64\nOpMemoryModel Physical32 OpenCL\n' | spirv-as --target-env opencl2.0 - -o double.spv
check 1 'the module needs capability Float64, which the device that it is for does not have' "$ventus" cc --lacks doubles double.spv -o double.elf

printf 'translation = sv39\n' >sv39.conf
check 1 'it does not translate addresses' run 32 --config sv39.conf -k f -g 64 -l 32 -a buf:256 -a i:3
check 0 '  0 3 6 9 12 15' run 0 --config sv39.conf -k f -g 64 -a buf:256 -a i:3 --show 0:i

# ---- a device with little memory, and one that there is once ----
on $machine,memory=64 $VENTUS_FOREIGN clinfo 2>/dev/null >out.txt
grep -q 'Global memory size  *58720256' out.txt || wrong "OpenCL offers more memory than there is"
check 0 '' on $machine,memory=64 "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/printf.cl"
check 0 '  0 3 6 9 12 15' on $machine,memory=16 "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3 --show 0:i
check 1 'out of device memory' on $machine,memory=64 "$ventus" run k.elf -k f -g 64 -a buf:70000000 -a i:3
check 1 'what it says of itself is wrong: memory_mib must be 16 to 1792' on $machine,memory=8 "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3
check 1 'it has too little memory for translation = sv39' on $machine,memory=64 "$ventus" run k.elf --config sv39.conf -k f -g 64 -a buf:256 -a i:3
check 0 'single=1 .* 1792 MiB' on $machine,single=1 "$ventus" info
cat >contexts.py <<'END_OF_PROGRAM'
import numpy, pyopencl as cl
for context in [cl.create_some_context(interactive=False) for _ in range(2)]:
    words = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    result = numpy.empty(64, dtype=numpy.int32)
    queue = cl.CommandQueue(context)
    cl.Program(context, "kernel void k(global int *a) { a[get_global_id(0)] = get_global_id(0); }").build().k(queue, (64,), None, words)
    cl.enqueue_copy(queue, result, words)
    print(result.sum())
END_OF_PROGRAM
[ -n "${VENTUS_FOREIGN-}" ] || [ "$(on $machine,single=1 /usr/bin/python3 contexts.py 2>&1 | grep -v -i warning | tr '\n' ' ')" = '2016 2016 ' ] || wrong "two contexts on a device that there is once"

# ---- what only the machine can do ----
for option in --check --timing=verilog --trace=t --order=taken; do
    check 2 "${option%%=*} needs the built-in machine, and launches are to run on device .*VENTUS_BACKEND" run 0 -k f -g 64 -a buf:256 -a i:3 $option
done
check 2 'case runs on the built-in machine, not on VENTUS_BACKEND=' on $machine "$ventus" run --case x.metadata
for variable in VENTUS_CHECK=1 VENTUS_PROFILE=1 VENTUS_TIMING=verilog; do
    check 1 "no device: .* needs the built-in machine, and launches are to run on device" env VENTUS_BACKEND=$machine $variable "$VENTUS_BUILD/examples/vecadd"
done

# ---- names ----
check 1 "there is no device 'spike'; none is installed in .*for the built-in machine name none" on spike "$VENTUS_BUILD/examples/vecadd"
check 1 "there is no device 'cyclesim'; .*VENTUS_TIMING" on cyclesim "$VENTUS_BUILD/examples/vecadd"
check 1 "there is no device 'rtl'; " on rtl "$VENTUS_BUILD/examples/vecadd"
check 1 'is no device library: it has no ventus_backend_table' on "$VENTUS_BUILD/libventus-opencl.so" "$VENTUS_BUILD/examples/vecadd"
check 1 'an option is none of lack, slow, hang, once, memory, single' on $machine,speed=3 "$VENTUS_BUILD/examples/vecadd"

# ---- a launch that does not end; the next one has a new device ----
check 1 'was stopped: the launch had not ended' env VENTUS_TIMEOUT=1 VENTUS_BACKEND=$machine,hang=1 "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3

for way in 'endless exit' 'endless atexit' return; do # what runs when the process ends does not let others go on
    for i in 1 2 3; do check 0 '' on $machine "$VENTUS_BUILD/tests/opencl/exit_test" "$way"; done
done
check 1 'was stopped: the launch had not ended in time' env VENTUS_TIMEOUT=1 VENTUS_BACKEND=$machine timeout 60 "$ventus" run k.elf -k forever -g 64 -a buf:256

# A launch that never begins has a reason of its own, not that of one before it.
cat >reasons.py <<'END_OF_PROGRAM'
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
words = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
program = cl.Program(context, """kernel void stray(global int *a, int n) { a[1 << 28] = n; }
kernel void large(global int *a, int n) { int p[400]; for (int i = 0; i < 400; i++) p[i] = a[i & 31]; a[get_global_id(0)] = p[n]; }""").build()
for kernel in program.stray, program.large:
    try:
        kernel(queue, (1 << 22,), (32,), words, numpy.int32(3)).wait()
    except cl.Error:
        pass
END_OF_PROGRAM
[ -n "${VENTUS_FOREIGN-}" ] || check 0 'kernel large: out of device memory: the device takes private memory for each work-group, here 131072 with [1-9]' on $machine,lack=1024 /usr/bin/python3 reasons.py

cat >twice.py <<'END_OF_PROGRAM'
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
numbers = numpy.arange(64, dtype=numpy.int32)
words = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
kernel = cl.Program(context, "kernel void k(global int *a) { a[get_global_id(0)] *= 2; }").build().k
for _ in range(2):
    try:
        kernel(queue, (64,), None, words).wait()
        print("ended")
    except cl.Error:
        print("failed")
result = numpy.empty_like(numbers)
cl.enqueue_copy(queue, result, words)
print("right" if (result == 2 * numbers).all() else result)
END_OF_PROGRAM
# With a sanitizer there is no room in Python for the variables of threads of a second machine.
[ -n "${VENTUS_FOREIGN-}" ] || VENTUS_TIMEOUT=1 on $machine,hang=1,once=1 /usr/bin/python3 twice.py >twice.txt 2>/dev/null
[ -n "${VENTUS_FOREIGN-}" ] || [ "$(tr '\n' ' ' <twice.txt)" = 'failed ended right ' ] || wrong "a device that was opened anew: $(cat twice.txt)"
# A program is told once, and once more to a device that was opened anew.
told() { VENTUS_MACHINE_TELLS=1 VENTUS_TIMEOUT=1 on $machine$1 /usr/bin/python3 twice.py 2>&1 | grep -c '^a program of [1-9][0-9]* bytes, ELF$'; }
[ -n "${VENTUS_FOREIGN-}" ] || [ "$(told '') $(told ,hang=1,once=1)" = '1 2' ] || wrong "who is told of a program: $(told '') $(told ,hang=1,once=1)"

# ---- libraries that are wrong ----
number=0
hostile() { ${CC:-cc} -shared -fPIC "$@" -I"$VENTUS_SOURCE/driver" "$VENTUS_SOURCE/tests/device/hostile.c" || wrong "hostile.c"; }
hostile -DWITHOUT_SYMBOL -o hostile1.so
hostile -o hostile.so
wrong_library() { # CODE TEXT
    number=$((number + 1))
    [ $number = 1 ] || ln -s hostile.so hostile$number.so
    check "$1" "$2" env HOSTILE=$number VENTUS_TIMEOUT=1 VENTUS_BACKEND=./hostile$number.so "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3
}
wrong_library 1 'is no device library: it has no ventus_backend_table'
wrong_library 1 'it gives no table from ventus_backend_table'
wrong_library 1 'was built for version 7 of ventus_backend.h'
wrong_library 1 'was built for version 1 of ventus_backend.h, 16 bytes'
wrong_library 1 "the table of the device has no function 'wait'"
wrong_library 1 "the table of the device has no function 'open'"
wrong_library 1 'the board is not plugged in'
wrong_library 1 'it cannot be opened, and does not say why'
wrong_library 1 'opening it gave no device'
wrong_library 1 'what it says of itself is wrong: sms must be 1 to 1024'
wrong_library 1 'the size of its description has changed'
wrong_library 1 'it has features that nobody knows'
wrong_library 1 'its name or profile has no end'
wrong_library 1 'its profile is none of default'
wrong_library 1 'its memory at 0x80000000 cannot be written: no such memory'
wrong_library 1 'too many groups'
wrong_library 1 'was stopped: the launch had not ended'
wrong_library 1 'its answer to a launch is none that there is'
wrong_library 1 'cannot be read: no such memory'
wrong_library 0 'it says it has 1073741824 counters, more than 256: none is taken'
wrong_library 1 'assertion 17'
wrong_library 1 'the launch has not ended within the time-out of the device'
wrong_library 1 'hostile23.so: xxxx'
wrong_library 1 'was stopped: the launch had not ended'
wrong_library 0 ''
wrong_library 0 '' # of an older header

# ---- the same in another process: a socket in front of a table ----
serve() { # LIBRARY [OPTIONS]
    rm -f socket
    "$VENTUS_BUILD/tests/device/serve" "$1" "$PWD/socket" ${2-} 2>serve.txt &
    server=$!
    await [ -S socket ]
}
unserve() { kill $server 2>/dev/null && { wait $server 2>/dev/null; [ $? = 143 ]; } || wrong "the server of $1 has ended: $(cat serve.txt)"; }
far=remote,$PWD/socket
serve $machine
for case in algorithms atomic double-printf printf private struct; do
    check 0 '' on "$far" "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
done
check 0 'correct' on "$far" "$VENTUS_BUILD/examples/vecadd"
check 1 'write to unmapped or read-only memory at 0xd0000000' on "$far" "$ventus" run k.elf -k stray -g 64 -a buf:256
on "$far" "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3 --show 0:i --stats 2>&1 | grep -v '^cycles of the device' >device.txt
diff own.txt device.txt || wrong "the machine behind a socket is another one"
check 0 '  0 3 6 9 12 15' on "$far" "$ventus" run k.elf --config sv39.conf -k f -g 64 -a buf:256 -a i:3 --show 0:i
check 1 'was stopped: the launch had not ended in time' env VENTUS_TIMEOUT=1 VENTUS_BACKEND="$far" timeout 60 "$ventus" run k.elf -k forever -g 64 -a buf:256
/usr/bin/python3 - <<'END_OF_PROGRAM' || wrong "the server answers what is no request"
import random, socket, struct
def ask(data, more=False): # more: there may be more to come, and the server ends it
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect("socket")
    try:
        s.sendall(data)
        if not more:
            s.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: s.recv(65536), b""))
    except ConnectionError: # it has not waited for the rest
        return b""
question = struct.pack("=IIIxxxxQ", 0, 112, 0, 0) # enum remote_call: REMOTE_DESCRIBE, without what follows
assert ask(question) == b"" and ask(struct.pack("=IIIxxxxQ", 99, 0, 0, 0), True) == b"" and ask(struct.pack("=IIIxxxxQ", 1, 1 << 31, 0, 0), True) == b""
assert b"another build" in ask(struct.pack("=IIIxxxxQ", 0, 0, 0, 0))
random.seed(7)
for i in range(100):
    call = [n for n in (random.randrange(7) for _ in range(4)) if n not in (0, 4)] # nothing is described, and nothing launched
    ask(b"".join(struct.pack("=IIIxxxxQ", n, 16, random.choice((0, 64, 1 << 31)), random.choice((0, 0x90000000, 0xfffffff0, 1 << 40))) +
                 random.randbytes(16) for n in call if n not in (1, 2)))
END_OF_PROGRAM
check 0 'correct' on "$far" "$VENTUS_BUILD/examples/vecadd"
/usr/bin/python3 - $server <<'END_OF_PROGRAM' || wrong "the server is busy while it has no descriptor for a program, or serves none then"
import os, resource, socket, sys, time
server = int(sys.argv[1])
def busy(): # seconds of the processor
    fields = open(f"/proc/{server}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
soft, hard = resource.prlimit(server, resource.RLIMIT_NOFILE)
there = set(map(int, os.listdir(f"/proc/{server}/fd")))
most = min(set(range(1000)) - there) + 1 # it has one in reserve for the first that comes
resource.prlimit(server, resource.RLIMIT_NOFILE, (most, hard))
programs = [socket.socket(socket.AF_UNIX) for _ in range(2)]
for s in programs:
    s.connect("socket")
begin = busy()
time.sleep(0.6)
took = busy() - begin
resource.prlimit(server, resource.RLIMIT_NOFILE, (soft, hard))
assert took < 0.1, took
END_OF_PROGRAM
check 0 'correct' on "$far" "$VENTUS_BUILD/examples/vecadd"
unserve machine
serve $machine lack=4
check 0 'can do: faults print partial' on "$far" "$ventus" info
unserve lack=4
serve $machine single=1 # the device of a program that has gone is closed
for i in 1 2; do check 0 'correct' on "$far" "$VENTUS_BUILD/examples/vecadd"; done
unserve single=1
wrong_far() { # the number and as of wrong_library
    export HOSTILE=$1
    serve ./hostile$1.so
    check "$2" "$3" env VENTUS_TIMEOUT=1 VENTUS_BACKEND="$far" "$ventus" run k.elf -k f -g 64 -a buf:256 -a i:3
    unserve hostile$1
}
wrong_far 7 1 'the device cannot be opened'
wrong_far 10 1 'sms must be 1 to 1024'
wrong_far 12 1 'it has features that nobody knows'
wrong_far 13 1 'its name or profile has no end'
wrong_far 14 1 'its profile is none of default'
wrong_far 15 1 'its memory at 0x80000000 cannot be written: no such memory'
wrong_far 16 1 'too many groups'
wrong_far 17 1 'was stopped: the launch had not ended'
wrong_far 18 1 'its answer to a launch is none that there is'
wrong_far 19 1 'cannot be read: no such memory'
wrong_far 21 1 'assertion 17'
wrong_far 22 1 'the launch has not ended within the time-out of the device'
wrong_far 25 0 ''
exit $status
