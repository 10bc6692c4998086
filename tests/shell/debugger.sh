# The sessions of docs/debugger.md print what the page shows, but for where in an endless loop a kernel is interrupted.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
command -v gdb-multiarch >/dev/null || { echo "SKIPPED: no gdb-multiarch (package gdb-multiarch)"; exit 77; }
PATH=$VENTUS_BUILD:$PATH
unset VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_ENGINE VENTUS_THREADS
mkdir temporary
export XDG_RUNTIME_DIR="$PWD/temporary" TMPDIR="$PWD/temporary"
page docs/debugger.md 's/^0x[0-9a-f]* in //; s/^0x[0-9a-f]*\t/\t/; s/^[47]\t/\t/; s/ 0x8000[0-9a-f]* line / PC line /'
[ "$n" -ge 15 ] || wrong "only $n commands found"

# So do the beginnings of commands that it lists, but for those with dots, until the debugger has no more input.
printf 'kernel void saxpy(float a, global const float *x, global float *y) { y[get_global_id(0)] += a * x[get_global_id(0)]; }\n' >saxpy.cl
"$ventus" cc --options -g saxpy.cl || wrong 'saxpy'
ln -s "$VENTUS_BUILD/examples/vecadd" program
sed -n '1,/^## /s/^    \(ventus debug .*\)/\1/p' "$VENTUS_SOURCE/docs/debugger.md" | sed 's/ *#.*//; s/ arguments$//; /\.\.\./d' >commands.txt
[ "$(wc -l <commands.txt)" = 3 ] || { wrong 'docs/debugger.md lists other commands'; cat commands.txt; }
while read -r command; do
    echo "info threads" | timeout 100 sh -c "$command" >out.txt 2>&1 || { wrong "$command"; cat out.txt; }
    grep -q 'GNU gdb\|^(gdb)\|"(0,0,0)"\|No threads' out.txt || { wrong "no debugger: $command"; cat out.txt; }
done <commands.txt

# The socket is the user's alone; a place that is none, and a model that decides itself, are refused.
check 2 "neither :PORT nor the path" "$ventus" run race.elf -g 64 --gdb 1234x
check 2 "each decide which warp runs next" "$ventus" run race.elf -g 64 -a iota:64 -a buf:4 -a local:256 --gdb :0 --timing verilog
"$ventus" run race.elf -g 64 -l 64 -a iota:64 -a buf:4 -a local:256 --gdb "$PWD/socket" >log.txt 2>&1 &
pid=$!
await [ -S socket ]
[ "$(stat -c %a socket)" = 600 ] || wrong "the socket has the rights $(stat -c %a socket)"
kill $pid
check 1 "the program has ended without the GPU" "$ventus" debug -x /dev/null -- true
check 2 "is needed" "$ventus" debug

# By hand, at a port of this host, without the files of commands.
by_hand() { # the debugger's command, from a port
    rm -f log.txt # else the port could be the last one's
    timeout 100 "$ventus" run race.elf -g 64 -l 64 -a iota:64 -a buf:4 -a local:256 --gdb :0 >log.txt 2>&1 &
    await grep -q 'target remote :[0-9]' log.txt || { cat log.txt; return 1; }
    port=$(sed -n 's/.*target remote :\([0-9]*\).*/\1/p' log.txt)
    "$@"
    wait $!
}
with_gdb() { timeout 60 gdb-multiarch -nx -batch -ex "target remote :$port" -ex sharedlibrary -ex 'break sum' -ex continue -ex 'info args' -ex detach; }
with_lldb() {
    timeout 60 lldb-19 --no-lldbinit -b -o 'settings set target.process.disable-memory-cache true' -o "gdb-remote $port" \
        -o 'breakpoint set -n sum' -o continue -o 'frame variable in' -o 'process plugin packet monitor info warps' -o detach race.elf
}
check 0 'in = 0x90000000' by_hand with_gdb
if command -v lldb-19 >/dev/null; then
    check 0 '(const int \*) in = 0x90000000' by_hand with_lldb
    grep -q 'group (0,0,0) warp 1' out.txt || wrong 'lldb shows no warps'
fi

# --check: of a kernel, and of a program's kernels.
cp "$VENTUS_SOURCE/tests/debug/mistakes.cl" .
"$ventus" cc --options -g mistakes.cl
printf 'continue\np $gid(0)\n' >commands
check 0 '^$1 = 69' "$ventus" debug --check=bounds -x commands mistakes.elf -g 128 -l 64 -a buf:512 -a iota:128 -a local:384
check 2 "'nothing' is none of" "$ventus" debug --check=nothing mistakes.elf
cat >far.py <<'EOF'
import numpy
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.zeros(64, numpy.int32))
cl.Program(context, "kernel void far(global int *a) { a[get_global_id(0) + 1] = 3; }").build().far(queue, (64,), (32,), buffer)
queue.finish()
EOF
if /usr/bin/python3 -c 'import pyopencl' 2>/dev/null; then
    check 0 '^$1 = 63' "$ventus" debug --check --check=bounds -x commands -- \
        "$ventus" exec ${VENTUS_FOREIGN-} /usr/bin/python3 far.py
fi
# The machine in a process of its own has virtual addresses, too: its memory is physical, and lies elsewhere.
if ${CC:-cc} -g -O0 "$VENTUS_SOURCE/tests/debug/both.c" -o both -lOpenCL 2>/dev/null; then
    echo 'translation = sv39' >sv39.conf
    printf "${VENTUS_FOREIGN:+set exec-wrapper $VENTUS_FOREIGN\n}"'set confirm off\nbreak twice if $gid(0) == 40\nrun\nprint a[40] = 7\ndelete\ncontinue\n' >commands
    check 0 '^sum 11898' env VENTUS_CONFIG=sv39.conf timeout 60 "$ventus" debug --host -x commands -- ./both
    grep -q '^$1 = 7' out.txt || wrong 'memory with virtual addresses in another process'
fi
# A signal ends the debugger, the machine and the folder, too.
cp "$VENTUS_SOURCE/tests/debug/endless.cl" .
"$ventus" cc --options -g endless.cl
printf 'info connections\nshell touch begun\ncontinue\n' >commands.endless
"$ventus" debug -x commands.endless endless.elf -g 32 -l 32 -a buf:128 -a buf:128 >log.txt 2>&1 &
await [ -e begun ] || wrong 'an endless kernel'
sleep 0.2
kill -TERM $!
wait $!
[ $? = 143 ] || wrong 'the exit code of a signal'
folder=$(grep -o "$PWD/temporary/ventus-session-[A-Za-z0-9]*" log.txt | head -n 1)
[ -n "$folder" ] && [ ! -e "$folder" ] || { wrong "the folder of a debugger: '$folder'"; cat log.txt; }
pgrep -f "${folder:-/nowhere}/gdb" >/dev/null && { wrong 'the machine goes on'; pkill -f "${folder:-/nowhere}/gdb"; }
# So does one that nothing can be done about: the machine ends, and the folders go with the next session.
rm -f begun
"$ventus" debug -x commands.endless endless.elf -g 32 -l 32 -a buf:128 -a buf:128 >log.txt 2>&1 &
await [ -e begun ] || wrong 'an endless kernel'
kill -KILL $!
wait $! 2>/dev/null
folder=$(grep -o "$PWD/temporary/ventus-session-[A-Za-z0-9]*" log.txt | head -n 1)
for i in $(seq 500); do pgrep -f "${folder:-/nowhere}/gdb" >/dev/null || break; sleep 0.02; done
pgrep -f "${folder:-/nowhere}/gdb" >/dev/null && { wrong 'the machine goes on'; pkill -f "${folder:-/nowhere}/gdb"; }
check 1 'ended without the GPU' "$ventus" debug -x /dev/null -- true
# The machines of all these sessions, most of which a signal has ended, have left nothing.
left=$(find temporary -name 'ventus-session-*')
[ -z "$left" ] || wrong "sessions leave files: $left"
exit $status
