# examples/rtl with its memory behind AXI4 (tests/cosim/simt_axi.sv), by Verilator, in lock step: data of several widths, with bursts and
# beats narrower than the data, and instructions there or on a port of their own; answers in order and out of order, and channels
# that are not ready. Mistakes of the port are errors that say which.
command -v verilator >/dev/null && command -v g++ >/dev/null || { echo "no verilator, or no g++"; exit 77; }
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'the design is not sanitized'; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_BACKEND VENTUS_CHECK VENTUS_PROFILE VENTUS_TIMEOUT
rtl=$VENTUS_SOURCE/examples/rtl
on() { device=$1; shift; env VENTUS_BACKEND="$device" "$@"; }
cp "$rtl/Makefile" "$rtl"/*.sv "$VENTUS_SOURCE/tests/cosim/simt_axi.sv" .
modules="$(sed -n 's/^modules := //p' Makefile) simt_axi"
design() { # BITS LINE_WORDS FLAGS
    rm -rf made-* simt_axi.so
    for goal in lint simt_axi.so; do
        check 0 '' make -s root="$VENTUS_SOURCE" build="$VENTUS_BUILD" top=simt_axi memory=axi modules="$modules" LANES=4 WARPS=16 \
            LINE_WORDS="$2" VFLAGS="-DAXI_BITS=$1 $3" OPT=-O0 CXXFLAGS=-O1 WAVEFORMS= $goal
    done
    [ $status = 0 ] || exit 1
}
# The first two kernels: the others take a minute and a half with slow memory, and run in shell/rtl.
sed '/^\/\/ More code/,$d' "$VENTUS_SOURCE/tests/cl/reconverge.cl" >reconverge.cl
[ "$(grep -c '^kernel void' reconverge.cl)" = 2 ] || wrong 'reconverge.cl'
cases() { # OPTIONS CASE...
    options=$1
    shift
    for case; do
        [ -f "$case.cl" ] || cp "$VENTUS_SOURCE/tests/cl/$case.cl" .
        check 0 '' on "./simt_axi.so,cosim=1$options" "$VENTUS_BUILD/tests/clrun" "$case.cl"
    done
}

design 512 4 -DONE_ID # a line is a part of the data
cases '' control narrow
cases ,shuffle=3 divergence struct
design 32 32 -DFETCH_PORT # 32 beats
cases '' control narrow
cases ,shuffle=4 divergence struct
design 64 16 ''
cases '' control narrow vector
cases ,shuffle=1,latency=9 divergence struct narrow
cases ,shuffle=2,latency=18 reconverge struct

# The order of answers is another one, and results are not.
check 0 '' "$ventus" as --profile r2.0 "$rtl/bugs.s" -o bugs.elf
bugs() { on "./simt_axi.so,$1" "$ventus" run bugs.elf -g 96,2 -l 48,1 -a iota:96 -a buf:1024 --show 1:i --stats; }
for options in latency=1 shuffle=1 shuffle=2,latency=50; do
    check 0 '' bugs $options
    grep -v cycles out.txt >$options.txt
    cmp latency=1.txt $options.txt || wrong "$options: other results"
done

# What the design asks for that there is not; mistakes; options.
printf '.kernel k\n.arg global, a\nk:\nli t0, 0xff000000\nlw t0, 0(t0)\nret\n' >stray.s
check 0 '' "$ventus" as --profile r2.0 stray.s -o stray.elf
check 1 'an access where there is no memory at 0x80' on ./simt_axi.so "$ventus" run stray.elf -g 4 -a buf:4
sed 's/lw t0/sw t0/' stray.s >store.s
check 0 '' "$ventus" as --profile r2.0 store.s -o store.elf
check 1 'an access where there is no memory at 0x80' on ./simt_axi.so "$ventus" run store.elf -g 4 -a buf:4
check 1 'AXI: a burst that is not INCR' bugs bug=24
check 1 'AXI: beats that are wider than the data' bugs bug=25
check 1 'AXI: a burst that crosses a boundary of 4 KiB' bugs bug=26
check 1 'AXI: wlast is not at the last beat of its burst' bugs bug=27
check 1 'first difference' bugs bug=28,cosim=1
check 1 'the design has no such bug' bugs bug=29
check 1 "'shuffle=x' is no option, or has no such value; there are .*shuffle=SEED" bugs shuffle=x
exit $status
