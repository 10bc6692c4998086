# `ventus backend build --rtlsim`: the adaptor for the public RTL library, with fakes of the header's three shapes whose RTL is
# our machine (tests/device/).
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_BACKEND VENTUS_CHECK VENTUS_PROFILE VENTUS_TIMEOUT
export FAKE_MACHINE=$VENTUS_BUILD/tests/device/ventus-machine.so
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'the fakes are not sanitized'; exit 77; }
printf 'kernel void f(global int *a, int n) { int p[40]; for (int i = 0; i < 40; i++) p[i] = a[get_global_id(0)] + i; a[get_global_id(0)] = p[n] * 3; }\n' >k.cl
"$ventus" cc k.cl -o k.elf || wrong 'cc'
printf 'sms = 1\nwarps_per_sm = 8\nthreads_per_warp = 16\nlds_bytes = 65536\nvgpr_rows = 1024\nsgpr_rows = 1024\n' >m.conf
cat >launches.cl <<'END_OF_CASES'
//! run one global=64 local=32
//! arg a int[64] = i -> i * 2
kernel void one(global int *a) { a[get_global_id(0)] *= 2; }

//! run two global=128 local=16
//! arg a int[128] = 127 - i -> i
kernel void two(global int *a)
{
    local int t[16];
    int l = get_local_id(0), from = a[get_global_id(0)];
    t[l] = 127 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - l] - 15 + 2 * l;
}
END_OF_CASES
run() { on=$1; shift; env VENTUS_BACKEND="$on" "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2 "$@"; }

for shape in 1 2 3; do
    printf '#define SHAPE %s\n#include "%s/tests/device/rtlsim_fake.h"\n' $shape "$VENTUS_SOURCE" >shape$shape.h
    ${CC:-cc} -shared -fPIC -DHEADER="\"$PWD/shape$shape.h\"" -DSHAPE=$shape -include stdbool.h -I"$VENTUS_SOURCE/driver" \
        "$VENTUS_SOURCE/tests/device/rtlsim_fake.c" -o libfake$shape.so -w || wrong "shape $shape: the fake"
    check 0 'VENTUS_BACKEND=./rtl' "$ventus" backend build --rtlsim shape$shape.h -o rtl$shape.so libfake$shape.so
    check 0 '  6 9 12 15 18' run ./rtl$shape.so --show 0:i --stats
    # Several launches, of several programs, and their memory.
    check 0 'correct' env VENTUS_CONFIG=m.conf VENTUS_BACKEND=./rtl$shape.so "$VENTUS_BUILD/examples/vecadd"
    check 0 '' env VENTUS_CONFIG=m.conf VENTUS_BACKEND=./rtl$shape.so "$VENTUS_BUILD/tests/clrun" launches.cl
    check 0 '' run ./rtl$shape.so,waveform=w.fst,from=100,to=200
    [ "$(cat w.fst)" = 'from 200 to 400' ] || wrong "shape $shape: the waveform's range: $(cat w.fst)"
    # Each process has its file: by its number, or nobody overwrites that of another one. So has each device of a process.
    number=$(sh -c 'echo $$; exec env VENTUS_BACKEND=$1,waveform=p-%p-%%p.fst "$2" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2' sh ./rtl$shape.so "$ventus" 2>&1)
    [ -s "p-$number-%p.fst" ] || wrong "shape $shape: the process $number has no waveform of its own: $(ls)"
    check 1 'another process writes w.fst; with %p in its name each has its own' flock w.fst env VENTUS_BACKEND=./rtl$shape.so,waveform=w.fst "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
    check 1 'another process writes s.fst' flock s.fst env VENTUS_BACKEND=./rtl$shape.so,snapshot=s.fst "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
    check 1 'no/w.fst: No such file' run ./rtl$shape.so,waveform=no/w.fst
    check 0 '' run ./rtl$shape.so,waveform=/dev/null
    env FAKE_OPTIONS=hang=1 VENTUS_CONFIG=m.conf VENTUS_BACKEND=./rtl$shape.so,timeout=20,waveform=two.fst "$VENTUS_BUILD/tests/clrun" launches.cl >out.txt 2>&1
    [ -s two.fst ] && [ -s two.fst.2 ] || wrong "shape $shape: two devices have one waveform: $(ls)"
    rm -f s.fst two.fst*
    mkdir two.fst.2
    sed '1,/^kernel/d; s/two/three/' launches.cl | cat launches.cl - >more.cl
    env FAKE_OPTIONS=hang=1 VENTUS_CONFIG=m.conf VENTUS_BACKEND=./rtl$shape.so,timeout=20,waveform=two.fst "$VENTUS_BUILD/tests/clrun" more.cl >out.txt 2>&1
    grep -q 'two.fst.2: Is a directory' out.txt || wrong "shape $shape: a file that cannot be written: $(cat out.txt)"
    [ ! -e two.fst.2.2 ] || wrong "shape $shape: a name has grown"
    rm -rf two.fst*
    # With the number of a process for each %p, which is not longer than that when it has three digits.
    check 1 'options are too long' sh -c '[ $$ -gt 999 ] || { echo "no options are too long"; exit 1; }; VENTUS_BACKEND=$1 exec "$2" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2' \
        sh "./rtl$shape.so,waveform=$(printf '%%p%.0s' $(seq 150))" "$ventus"
    # OpenCL keeps devices for contexts to come: the end of the process closes them, which writes the waveform.
    rm -f w.fst
    mkdir scratch
    check 0 'correct' env TMPDIR="$PWD/scratch" VENTUS_CONFIG=m.conf VENTUS_BACKEND=./rtl$shape.so,waveform=w.fst "$VENTUS_BUILD/examples/vecadd"
    [ -s w.fst ] || wrong "shape $shape: no waveform of an OpenCL program"
    rmdir scratch || wrong "shape $shape: files are left in TMPDIR: $(ls scratch)"
    check 1 'the launch has not ended (timeout) after' env FAKE_OPTIONS=hang=1 VENTUS_BACKEND=./rtl$shape.so,timeout=20,snapshot=s.fst "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
    grep -q 'waveform of its end is in s.fst' out.txt && grep -q 'once more' s.fst || wrong "shape $shape: no snapshot"
    rm -f s.fst
    check 1 'was stopped: the launch had not ended' env FAKE_OPTIONS=hang=1 VENTUS_TIMEOUT=1 VENTUS_BACKEND=./rtl$shape.so "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
    check 1 "'speed=3' is no option\|'speed' is no option" run ./rtl$shape.so,speed=3
    check 1 "'to' is no option, or has no such value; there are: waveform=FILE" run ./rtl$shape.so,to=soon
    check 1 'the simulation cannot be begun' env FAKE_NOTHING=1 VENTUS_BACKEND=./rtl$shape.so "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
    check 1 'warps with fewer work-items than lanes' env VENTUS_BACKEND=./rtl$shape.so "$ventus" run k.elf --config m.conf -g 20 -a iota:64 -a i:2
done
# The third has counters, and knows its own size; a stray access is an error of the RTL's.
check 0 'warp instructions  *123$' run ./rtl3.so --stats
check 0 '^threads_per_warp = 16' env VENTUS_BACKEND=./rtl3.so "$ventus" info
VENTUS_BACKEND=./rtl3.so clinfo 2>/dev/null | grep -q 'Max compute units  *1$' || wrong 'clinfo: not the size that the RTL says'
check 1 'nothing has gone on for too long (hang)' env FAKE_OPTIONS=hang=1 VENTUS_BACKEND=./rtl3.so,hang=10 "$ventus" run k.elf --config m.conf -g 64 -l 32 -a iota:64 -a i:2
check 1 'the RTL has stopped with an error' env VENTUS_BACKEND=./rtl3.so "$ventus" run k.elf --config m.conf -g 64 -l 32 -a null -a i:2

# ---- the command ----
echo 'int x;' >none.h
check 1 'none.h is not the ventus_rtlsim.h of any version that is known' "$ventus" backend build --rtlsim none.h libfake1.so
check 1 'missing.h: No such file' "$ventus" backend build --rtlsim missing.h libfake1.so
echo 'int x;' | ${CC:-cc} -shared -fPIC -x c - -o libnone.so
check 1 'the adaptor cannot be built with' "$ventus" backend build --rtlsim shape1.h -o no.so libnone.so
cp libfake1.so same.so
# Names that a shell, the linker or VENTUS_BACKEND would read otherwise; several words as a compiler; what works stays.
mkdir "a folder,too"
cp shape1.h "a folder,too/it's a header"
cp libfake1.so "a folder,too/libfake one.so"
check 0 "a folder.so: VENTUS_BACKEND='./a folder.so' makes" "$ventus" backend build --rtlsim "a folder,too/it's a header" -o 'a folder.so' "a folder,too/libfake one.so"
check 0 '  6 9 12 15 18' run './a folder.so' --show 0:i
check 0 '' env CC='env PATH=/usr/bin:/bin cc' "$ventus" backend build --rtlsim shape1.h -o words.so libfake1.so
check 1 'a comma in its name would begin the options in VENTUS_BACKEND' "$ventus" backend build --rtlsim shape1.h -o rtl,1.so libfake1.so
check 1 'same.so is the RTL library itself' "$ventus" backend build --rtlsim shape1.h -o same.so same.so
cp rtl1.so works.so
check 1 'the adaptor cannot be built with' "$ventus" backend build --rtlsim shape1.h -o works.so libnone.so
cmp -s rtl1.so works.so && [ ! -e works.so.part ] || wrong 'a build that fails leaves something else than there was'
printf 'int missing(void);\n__attribute__((constructor)) static void use(void) { missing(); }\n' | ${CC:-cc} -shared -fPIC -x c - -o libholes.so
${CC:-cc} -shared -fPIC -DHEADER="\"$PWD/shape1.h\"" -DSHAPE=1 -include stdbool.h -I"$VENTUS_SOURCE/driver" \
    "$VENTUS_SOURCE/tests/device/rtlsim_fake.c" -Wl,--no-as-needed ./libholes.so -o libmore.so -w
check 1 'the device library cannot be loaded: .*missing' "$ventus" backend build --rtlsim shape1.h -o more.so libmore.so
check 1 'cannot run /nowhere/cc.*install a C compiler' env CC=/nowhere/cc "$ventus" backend build --rtlsim shape1.h libfake1.so
check 2 "'build' is meant" "$ventus" backend make
check 2 'rtlsim HEADER and LIBRARY are needed' "$ventus" backend build
exit $status
