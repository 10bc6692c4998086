# The machine of `ventus debug --host`: what it answers, what it leaves, and that launches end as they do without it.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_ENGINE VENTUS_THREADS VENTUS_TIMING VENTUS_BACKEND
export TMPDIR=$dir/tmp XDG_RUNTIME_DIR=$dir/tmp
mkdir tmp
sed 's/^    //' >sizes.c <<'END'
    #include "driver/remote.h"
    #include <stdio.h>
    int main(void)
    {
        printf("%zu %zu\n", sizeof(struct remote_launch), sizeof(struct ventus_backend_info));
        return sizeof(struct remote_request) != 24;
    }
END
${CC:-cc} -I"$VENTUS_SOURCE" sizes.c -o sizes || { wrong sizes.c; exit 1; }
./sizes >sizes.txt
read -r LAUNCH_BYTES INFO_BYTES <sizes.txt
export LAUNCH_BYTES INFO_BYTES
with_machine() { timeout -k 2 60 "$ventus" debug --host --debugger "$VENTUS_SOURCE/tests/shell/remote.py" -- "$@"; }

check 0 'the machine answers' with_machine hostile
! grep -q 'ERROR: ' out.txt || wrong 'a sanitizer'

# The end of a launch, with and without it.
cat >ends.cl <<'END'
constant int table[4] = {1, 2, 3, 4};
kernel void good(global int *a) { a[get_global_id(0)] = table[get_global_id(0) & 3]; }
kernel void null(global int *a) { *(volatile global int *)(get_global_id(0) == 40 ? 4 : (ulong)a) = 1; }
kernel void constants(global int *a) { *(volatile global int *)(ulong)&table[get_global_id(0) & 3] = (int)(ulong)a; }
kernel void code(global int *a) { *(volatile global int *)0x80000000 = (int)(ulong)a; }
END
"$ventus" cc ends.cl || wrong ends.cl
for kernel in good null constants code; do
    timeout 20 "$ventus" run ends.elf -k $kernel -g 64 -a buf:256 >want.txt 2>&1
    want=$?
    check $want "$(sed -n 's/.*\(write to .*\): v*s.*/\1/p' want.txt)" with_machine "$ventus" run ends.elf -k $kernel -g 64 -a buf:256
    [ $kernel = good ] || grep -q 'write to' want.txt || wrong "kernel $kernel"
done

# What programs see.
for case in atomic double-printf local printf private variables; do
    check 0 '' with_machine "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
done
check 0 '' with_machine "$VENTUS_BUILD/tests/opencl/event_test"

# Another machine file of the program does not make it another machine.
printf 'sms = 1\n' >one.conf
check 0 '^sms  *= 2 ' with_machine env VENTUS_CONFIG=one.conf "$ventus" info
check 1 'the machine is in use' with_machine second "$ventus" run ends.elf -k good -g 64 -a buf:256

# Answers of another length than they should have.
cat >liar.py <<'END'
import socket, struct
listener = socket.socket(socket.AF_UNIX)
listener.bind("liar")
listener.listen(1)
while True:
    wire = listener.accept()[0]
    size = struct.unpack("=IIIxxxxQ", wire.recv(24, socket.MSG_WAITALL))[1]
    wire.recv(size, socket.MSG_WAITALL)
    wire.sendall(struct.pack("=iI", 0, 4) + b"only")
    wire.close()
END
timeout 30 python3 liar.py &
await [ -S liar ]
check 1 'the machine has given 4 bytes' env VENTUS_BACKEND=remote,liar timeout 20 "$ventus" run ends.elf -k good -g 64 -a buf:256
kill $!

# What is left.
with_machine killed >killed.txt 2>&1
for i in $(seq 3000); do grep -q 'all files have gone' killed.txt && break; sleep 0.02; done
grep -q 'all files have gone' killed.txt || { wrong 'files of a session that was killed'; cat killed.txt; }
check 0 '' with_machine true
ls -d tmp/ventus-debug* 2>/dev/null && wrong "files of a session that has ended"
exit $status
