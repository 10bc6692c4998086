# `ventus backend build --gvmref`: the reference functions of the public RTL simulation by this machine, for a program that calls them as
# the simulation does (tests/cosim/gvmref.cc).
command -v c++ >/dev/null || { echo "no c++"; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'what c++ makes is not sanitized'; exit 77; }
unset VENTUS_CONFIG
header=$VENTUS_SOURCE/tests/cosim/gvmref_fake.h
check 0 'libgvmref.so: the gvmref_ functions by this machine' "$ventus" backend build --gvmref "$header"
c++ -std=c++17 -I"$VENTUS_SOURCE/tests/cosim" "$VENTUS_SOURCE/tests/cosim/gvmref.cc" -L. -lgvmref -Wl,-rpath,"$PWD" -o simulation || wrong 'the simulation'

cat >p.s <<'S'
        .text
        .globl _start
_start: lui t0, 0x90000
        lw t1, 4(t0)
        csrr t2, CSR_WID
        vid.v v1
        vadd.vx v40, v1, t1
        barrier 1
        addi s1, s1, 1
        endprg
S
check 0 '' "$ventus" as p.s -o p.elf
./simulation p.elf 3 2 4 >out.txt || wrong "the simulation: exit code $?: $(cat out.txt)"
expect() { grep -q -x -e "$1" out.txt || wrong "no line '$1': $(cat out.txt)"; }
expect 'buffers 90000000 90001000'
expect '0.0 80000004 0042a303 x6 11'
expect '0.1 80000008 [0-9a-f]* x7 1'
expect '2.1 8000000c [0-9a-f]* v1 f 0 1'
expect '0.0 80000010 0010200b' # a prefix is a step of its own
expect '0.0 80000014 [0-9a-f]* v40 f 11 12'
expect '0.0 8000001c 00148493 x9 78' # what the design had in the register
expect '1.0 8000001c 00148493 x9 1'
expect '2.1 80000020 0000400b done'
# Nine words of code for each of six warps.
[ "$(grep -c '^[0-9]\.[0-9] 8' out.txt)" = 54 ] || wrong "not 54 steps: $(wc -l <out.txt)"
[ "$(grep -c ' done$' out.txt)" = 3 ] || wrong 'not three work-groups have ended'

# More work-groups than run at a time are no difficulty when those before have ended; what cannot be is an error.
./simulation p.elf 100 1 32 >out.txt || wrong "a hundred work-groups: exit code $?"
expect '99.0 80000020 0000400b done'
check 2 'the kernel file: it cannot be read' ./simulation missing.elf 1 1 4
head -c 60 p.elf >cut.elf
check 2 'the kernel file: it is cut off' ./simulation cut.elf 1 1 4
echo text >text.elf
check 2 'the kernel file: it is no executable' ./simulation text.elf 1 1 4
check 3 'the launch: ' ./simulation p.elf 1 100 4
check 1 'the machine: ' env VENTUS_CONFIG=missing.conf ./simulation p.elf 1 1 4

# ---- the command ----
echo 'int x;' >none.h
check 1 'the adaptor cannot be built with .*none.h; the compiler has said why' "$ventus" backend build --gvmref none.h -o none.so
[ ! -e none.so ] && [ ! -e none.so.part ] || wrong 'a build that fails leaves something'
check 2 '.*gvmref goes without' "$ventus" backend build --gvmref "$header" --rtlsim "$header" library.so
exit $status
