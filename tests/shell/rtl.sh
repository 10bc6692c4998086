# examples/rtl: the small design, by Verilator, behind the driver and in lock step with the reference. Every case of tests/cl
# runs on it, or needs what it says it has not: atomics, doubles, halves, images. Each of the instruction table's rows that it has is
# right, and each other one an error; each planted bug is found where bugs.txt says; four lanes do as well as 32.
command -v verilator >/dev/null && command -v g++ >/dev/null || { echo "no verilator, or no g++"; exit 77; }
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'the design is not sanitized'; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_BACKEND VENTUS_CHECK VENTUS_PROFILE VENTUS_TIMEOUT
rtl=$VENTUS_SOURCE/examples/rtl
on() { device=$1; shift; env VENTUS_BACKEND="$device" "$@"; }
make="make -s -j2 build=$VENTUS_BUILD -f $rtl/Makefile"

check 0 '' $make lint
check 0 '' $make lint LANES=4 WARPS=16
check 0 '' $make CXXFLAGS=-O1
[ $status = 0 ] || exit 1
[ "$(cat "$rtl"/*.sv | wc -l)" -lt 1500 ] || wrong 'the design has 1500 lines and more'

# ---- every case that fits ----

check 0 '' on ./simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" "$rtl/kernels.cl"
check 0 '' "$VENTUS_BUILD/tests/clrun" "$rtl/kernels.cl"
check 0 'correct' on "$PWD/simt.so,cosim=1" "$VENTUS_BUILD/examples/vecadd" --size 64
check 0 'correct' on "$PWD/simt.so,cosim=1" "$VENTUS_BUILD/examples/matmul" --size 48
fit=0
for case in "$VENTUS_SOURCE"/tests/cl/*.cl "$VENTUS_SOURCE"/tests/cl/*.spvasm; do
    if on ./simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" "$case" >out.txt 2>&1; then
        fit=$((fit + 1))
    elif ! grep -q -e 'has no atomics' -e 'has no doubles, halves, images, atomics' -e 'unknown instruction' out.txt ||
        grep -q -e 'first difference' -e 'illegal instruction' out.txt; then
        wrong "$case"
        cat out.txt
    fi
done
[ $fit -ge 45 ] || wrong "only $fit cases run on the design"
echo "$fit cases in lock step"

# ---- the instruction table ----

/usr/bin/python3 "$VENTUS_SOURCE/tests/cosim/rows.py" "$VENTUS_SOURCE" . || wrong rows.py
check 0 '' "$ventus" as --profile r2.0 has.s -o has.elf
check 0 '' on ./simt.so,cosim=1 "$ventus" run has.elf -g 128 -l 128 -a buf:@in -a buf:32768
while read -r word; do
    printf '.kernel k\n.arg global, a\nk:\n.word 0x%s\nret\n' "$word" >k.s
    "$ventus" as --profile r2.0 k.s -o k.elf || wrong "$word"
    check 1 "illegal instruction at 0x8[0-9a-f]*, word $word" on ./simt.so "$ventus" run k.elf -g 32 -a buf:4
done <lacks

# ---- bugs ----

check 0 '' "$ventus" as --profile r2.0 "$rtl/bugs.s" -o bugs.elf
bugs() { on "$1" "$ventus" run bugs.elf -g 96,2 -l 48,1 -a iota:96 -a buf:1024 "$2" "$3"; }
check 0 '' bugs ./simt.so,cosim=1 --show 1:i
grep -v '^#' "$rtl/bugs.txt" >bugs
[ "$(wc -l <bugs)" = 23 ] || wrong 'bugs.txt has not 23 lines'
while read -r number file first rest; do
    text="; instruction 0x[0-9a-f]* *[0-9a-f]* *$first\\( \\|\$\\)"
    [ $first = groups ] && text='first difference: work-group 1 begins with local memory that work-group 0 has'
    check 1 "$text" bugs ./simt.so,cosim=1,bug=$number,report=report --show 1:i
    head -n 1 report | grep -q '^first difference: ' || wrong "bug $number: no report"
    grep -q "BUG_" "$rtl/$file" || wrong "bug $number is not in $file"
done <bugs
check 1 'the design has no such bug' bugs ./simt.so,bug=24 --show 1:i

# ---- options, and another size ----

check 1 "'speed=3' is no option, or has no such value; there are cosim=0 or 1" bugs ./simt.so,speed=3 --show 1:i
check 1 'it has taken 100 cycles' bugs ./simt.so,cycles=100 --show 1:i
bugs ./simt.so --show 1:i >near.txt
bugs ./simt.so,latency=50 --show 1:i >far.txt
cmp near.txt far.txt || wrong 'memory that is far gives other results'
check 0 '' bugs ./simt.so,trace=waves.vcd --show 1:i
grep -q 'enddefinitions' waves.vcd || wrong 'no waveform'
check 0 'lanes of a warp' on ./simt.so "$ventus" info
mkdir small
check 0 '' $make -C small LANES=4 WARPS=16 OPT=-O0
for case in control divergence reconverge narrow; do
    check 0 '' on ./small/simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
done
exit $status
