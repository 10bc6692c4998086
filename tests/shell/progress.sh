# VENTUS_PROGRESS=1: what takes longer than a second says so on a terminal, and only there.
. "$VENTUS_SOURCE/tests/shell/common"
command -v script >/dev/null || { echo "script (bsdutils) is not installed: nothing has been tested"; exit 77; }

echo 'kernel void endless(global int *a) { while (!a[0]) a[1]++; }' >endless.cl
check 0 '' "$ventus" cc endless.cl -o endless.elf
export VENTUS_TIMEOUT=1.6 VENTUS_THREADS=1
run="$ventus run endless.elf -g 64 -l 32 -a buf:64"
VENTUS_PROGRESS=1 check 0 'ventus: endless: 0 of 2 work-groups, 1 s' script -qc "$run" /dev/null
check 0 'kernel endless' script -qc "$run" /dev/null
! grep -q 'work-groups, 1 s' out.txt || wrong "progress that nobody has asked for"
VENTUS_PROGRESS=1 check 1 'kernel endless' $run
! grep -q 'work-groups, 1 s' out.txt || wrong "progress in a file"

# A compiler that takes its time.
printf '#!/bin/sh\nsleep 1.3\nexit 1\n' >slow
chmod +x slow
export VENTUS_CC="$dir/slow" VENTUS_CACHE=0
VENTUS_PROGRESS=1 check 0 'ventus: compiling, 1 s' script -qc "$VENTUS_BUILD/examples/vecadd" /dev/null
exit $status
