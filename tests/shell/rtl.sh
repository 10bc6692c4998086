# examples/rtl: the small design, by Verilator, behind the driver and in lock step with the reference. Every case of tests/cl but a
# long one runs on it, or needs what it says it has not: atomics, doubles, halves, images. Each of the instruction table's rows that it
# has is right, and each other one an error; random programs leave what they leave on the machine; each planted bug is found where bugs.txt
# says; four lanes do as well as 32.
command -v verilator >/dev/null && command -v g++ >/dev/null || { echo "no verilator, or no g++"; exit 77; }
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'the design is not sanitized'; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_BACKEND VENTUS_CHECK VENTUS_PROFILE VENTUS_TIMEOUT
rtl=$VENTUS_SOURCE/examples/rtl
on() { device=$1; shift; env VENTUS_BACKEND="$device" "$@"; }
make="make -s -j2 build=$VENTUS_BUILD"

check 0 '' $make -f "$rtl/Makefile" lint
small='LANES=4 WARPS=16 LINE_WORDS=4'
check 0 '' $make -f "$rtl/Makefile" lint $small
check 2 'WARPS must be a power of two' $make -f "$rtl/Makefile" lint WARPS=6
check 2 'LANES must be' $make -f "$rtl/Makefile" lint LANES=64
check 2 'LINE_WORDS must be' $make -f "$rtl/Makefile" lint LINE_WORDS=1
check 0 '' $make -f "$rtl/Makefile" CXXFLAGS=-O1
[ $status = 0 ] || exit 1
[ "$(cat "$rtl"/*.sv | wc -l)" -lt 1500 ] || wrong 'the design has 1500 lines and more'

# ---- halving a random program, as docs/hardware.md does it: only the last three of its nine steps ----
(
    ln -s "$VENTUS_SOURCE/examples" examples
    PATH=$VENTUS_BUILD:$PATH
    awk '/^make_p\(\)/ { on = 1 } /^```/ { on = 0 } on' "$VENTUS_SOURCE/docs/hardware.md" | sed 's/^low=0 high=400$/low=40 high=48/' >halve.sh
    grep -q '^low=40' halve.sh && . ./halve.sh >halve.txt 2>&1
    [ "${high-}" = 44 ]
) || { wrong "docs/hardware.md: not 44 statements are left"; cat halve.txt; }

# ---- every case that fits ----

check 0 '' on ./simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" "$rtl/kernels.cl"
check 0 '' "$VENTUS_BUILD/tests/clrun" "$rtl/kernels.cl"
check 0 'correct' on "$PWD/simt.so,cosim=1" "$VENTUS_BUILD/examples/vecadd" --size 64
check 0 'correct' on "$PWD/simt.so,cosim=1" "$VENTUS_BUILD/examples/matmul" --size 48
fit=0
# extended.cl is one work-item in long loops, of instructions that others have: a third of all the time.
for case in "$VENTUS_SOURCE"/tests/cl/*.cl "$VENTUS_SOURCE"/tests/cl/*.spvasm; do
    case $case in */extended.cl) continue ;; esac
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
printf '//! run k global=1009\n//! arg a int[1009] -> i + 1\nkernel void k(global int *a) { a[get_global_id(0)] = get_global_id(0) + 1; }\n' >prime.cl
check 0 '' on ./simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" prime.cl # the last work-group is smaller

# ---- the instruction table ----

/usr/bin/python3 "$VENTUS_SOURCE/tests/cosim/rows.py" "$VENTUS_SOURCE" . || wrong rows.py
check 0 '' "$ventus" as --profile r2.0 has.s -o has.elf
check 0 '' on ./simt.so,cosim=1 "$ventus" run has.elf -g 128 -l 128 -a buf:@in -a buf:32768
while read -r word; do
    printf '.kernel k\n.arg global, a\nk:\n.word 0x%s\nret\n' "$word" >k.s
    "$ventus" as --profile r2.0 k.s -o k.elf || wrong "$word"
    check 1 "illegal instruction at 0x8[0-9a-f]*, word $word" on ./simt.so "$ventus" run k.elf -g 32 -a buf:4
done <lacks

# ---- random programs, without what it does not have ----

for seed in 1 2 3 4 5 6 7 8; do
    check 0 '' "$ventus" random --seed $seed --length 400 --profile r2.0 --without "$(cat "$rtl/without.txt")" -o random.s
    check 0 '' "$ventus" as random.s -o random.elf
    check 0 '' "$ventus" run random.elf -g 128 -l 64 -a iota:16384 --save 0:machine.bin
    check 0 '' on ./simt.so,cosim=1 "$ventus" run random.elf -g 128 -l 64 -a iota:16384 --save 0:design.bin
    cmp machine.bin design.bin || wrong "seed $seed: another result on the design"
done

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
for bug in 24 024 999 18446744073709551617; do
    check 1 'the design has no such bug' bugs ./simt.so,bug=$bug --show 1:i
done

# The report knows the kernel and its lines.
check 0 '' "$ventus" cc --profile r2.0 "$rtl/kernels.cl" -o kernels.elf
line=$(awk '/if \(l < n\)/ { print NR }' "$rtl/kernels.cl")
check 1 'first difference: the mask' on ./simt.so,cosim=1,bug=12,program=kernels.elf,report=report "$ventus" run kernels.elf -k sum -g 256 -l 256 -a iota:256 -a buf:4
grep -q "^  kernel sum, line $line\$" report || { wrong 'no kernel and line in the report'; cat report; }
check 1 'no.elf: cannot be read' bugs ./simt.so,cosim=1,program=no.elf --show 1:i

# ---- options, and another size ----

check 1 "'speed=3' is no option, or has no such value; there are cosim=0 or 1" bugs ./simt.so,speed=3 --show 1:i
for item in cosim= cosim=2 cycles=abc cycles=1e3 latency=0 bug=-1 =1 x; do
    check 1 "'$item' is no option" bugs ./simt.so,$item --show 1:i
done
check 1 "'' is no option" bugs ./simt.so,cosim=1,,bug=12 --show 1:i
check 1 "'' is no option" bugs ./simt.so,,bug=99 --show 1:i
check 1 'it has taken 100 cycles' bugs ./simt.so,cycles=100 --show 1:i
check 0 '' "$ventus" cc --profile r2.0 "$rtl/lines.cl" -o lines.elf
check 0 '' on ./simt.so,latency=100,cycles=4000 "$ventus" run lines.elf -k row -g 32 -a buf:4096
check 1 'it has taken 4000 cycles' on ./simt.so,latency=100,cycles=4000 "$ventus" run lines.elf -k column -g 32 -a buf:4096
# 32 lines, one after the other: it waits, and is not stuck.
check 0 '' on ./simt.so,latency=5000 "$ventus" run lines.elf -k column -g 32 -a buf:4096
bugs ./simt.so --show 1:i >near.txt
bugs ./simt.so,latency=50 --show 1:i >far.txt
cmp near.txt far.txt || wrong 'memory that is far gives other results'
check 0 '' bugs ./simt.so,trace=waves.vcd --show 1:i
grep -q 'enddefinitions' waves.vcd || wrong 'no waveform'
check 1 'the waveform cannot be written: no/x.vcd' bugs ./simt.so,trace=no/x.vcd --show 1:i
check 0 'lanes of a warp' on ./simt.so,trace=info.vcd "$ventus" info
[ ! -e info.vcd ] || wrong 'a waveform without a launch'

# Each process has a file of its own: by its number, or nobody overwrites that of another one.
number=$(sh -c 'echo $$; VENTUS_BACKEND=./simt.so,trace=waves-%p.vcd exec "$1" run bugs.elf -g 96,2 -l 48,1 -a iota:96 -a buf:1024' sh "$ventus" 2>&1)
grep -q enddefinitions "waves-$number.vcd" || wrong "no waveform of the process $number: $(ls)"
check 1 'another process writes the waveform waves.vcd; with %p in its name each has its own' flock waves.vcd env VENTUS_BACKEND=./simt.so,trace=waves.vcd "$ventus" run bugs.elf -g 96,2 -l 48,1 -a iota:96 -a buf:1024
check 0 '' bugs ./simt.so,trace=/dev/null --show 1:i

# A launch that was stopped keeps its waveform: the device that is opened anew has another file.
printf '.kernel k\n.arg global, a\nk:\nj k\n' >spin.s
check 0 '' "$ventus" as --profile r2.0 spin.s -o spin.elf
VENTUS_TIMEOUT=1 check 1 'had not ended in time' on ./simt.so,cosim=1 "$ventus" run spin.elf -g 32 -a buf:4
printf '//! run k global=32\n//! arg a int[32]\n//! run k global=32\n//! arg a int[32]\nkernel void k(global int *a) { a[get_global_id(0)]++; }\n' >twice.cl
on ./simt.so,cycles=50,trace=stopped.vcd "$VENTUS_BUILD/tests/clrun" twice.cl >out.txt 2>&1 && wrong 'no time-out'
grep -q 'it has taken 50 cycles' out.txt || { wrong 'another end'; cat out.txt; }
grep -q enddefinitions stopped.vcd && grep -q enddefinitions stopped.vcd.2 || { wrong 'not two waveforms'; ls; }

# A copy of the folder, as for a design of one's own: four lanes, short lines, and no waveforms.
mkdir small
cp -p "$rtl/Makefile" "$rtl"/*.sv verilated*.o small
check 0 '' $make -f Makefile -C small root="$VENTUS_SOURCE" $small OPT=-O0 CXXFLAGS=-O1 WAVEFORMS=
check 1 "'trace=waves.vcd' is no option" on ./small/simt.so,trace=waves.vcd "$ventus" info
for case in control divergence narrow; do
    check 0 '' on ./small/simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
done
# The first two kernels; all of them have run with 32 lanes, and take a minute with four.
sed '/^\/\/ More code/,$d' "$VENTUS_SOURCE/tests/cl/reconverge.cl" >small/reconverge.cl
[ "$(grep -c '^kernel void' small/reconverge.cl)" = 2 ] || wrong 'reconverge.cl'
check 0 '' on ./small/simt.so,cosim=1 "$VENTUS_BUILD/tests/clrun" small/reconverge.cl
exit $status
