# Two devices of one program: a server, and a debugger, for each.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
command -v gdb-multiarch >/dev/null || { echo "SKIPPED: no gdb-multiarch (package gdb-multiarch)"; exit 77; }
unset VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_ENGINE VENTUS_THREADS VENTUS_TIMING
cp "$VENTUS_SOURCE"/tests/debug/devices.c* .
"$ventus" cc --options -g devices.cl
${CC:-cc} -I"$VENTUS_SOURCE" devices.c -o devices -L"$VENTUS_BUILD" -lventus || { wrong devices.c; exit 1; }
printf 'sms = 1\n' >one.conf
printf 'sms = 2\n' >two.conf
VENTUS_CONFIG=one.conf:two.conf VENTUS_GDB=:0 LD_LIBRARY_PATH=$VENTUS_BUILD timeout -k 1 100 $VENTUS_FOREIGN ./devices devices.elf >log.txt 2>&1 &
pid=$!
both_listen() { [ "$(grep -c 'target remote :[0-9]' log.txt)" -ge 2 ]; }
await both_listen
at_port() { # number of the device, commands of gdb
    port=$(sed -n 's/.*target remote :\([0-9]*\).*/\1/p' log.txt | sed -n "$1p")
    printf 'set width 0\nventus attach :%s\n%b\n' "$port" "$2" >commands
    timeout -k 1 40 gdb-multiarch -nx -batch -x "$VENTUS_SOURCE/debug/ventus_gdb.py" -x commands
}
# The second one is stopped, and changed, while the first one waits for its debugger.
check 0 '^$1 = 2' at_port 2 'break devices.cl:4\ncontinue\nprint device\ninfo kernels\nprint device = 5\ndelete\ndetach'
grep -q 'launch 1: kernel devices' out.txt || wrong 'the kernel of the second device'
check 0 '^$1 = 1' at_port 1 'break devices.cl:4\ncontinue\nprint device\ndelete\nventus workitem 20\nprint a[20]\ndetach'
grep -q '^$2 = 0' out.txt || wrong 'memory of the first device'
wait $pid
[ "$(sed -n '/^sum/p' log.txt | tr '\n' ' ')" = 'sum 64 sum 224 ' ] || { wrong 'the results'; cat log.txt out.txt; }
exit $status
