# The memory of a pipe (isa/pipe.h) while the numbers of its packets begin from 0 again, which takes a real pipe 2^31
# packets: here they do behind 9. Full and empty pipes leave it as it is.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

cat >pipe.cl <<'CL'
kernel void put(write_only pipe int p, global int *out)
{
    for (int i = 0, v = 11; i < 6; i++, v++) out[i] = write_pipe(p, &v);
}
kernel void take(read_only pipe int p, global int *out)
{
    reserve_id_t three = reserve_read_pipe(p, 3);
    for (int i = 0; i < 3; i++) read_pipe(p, three, i, &out[i]);
    commit_read_pipe(p, three);
    for (int i = 3; i < 6; i++) out[6 + i] = read_pipe(p, &out[i]);
}
CL
check 0 '' "$ventus" cc --options -cl-std=CL3.0 pipe.cl -o pipe.elf
words() { od -An -v -td4 -w4 "$1" | tr -d ' ' | paste -sd, -; }
# run KERNEL PIPE: leaves its memory and the kernel's results in files
run() {
    check 0 '' "$ventus" run pipe.elf -k "$1" -g 1 -a "$2" -a buf:64 --save 0:pipe.bin --save 1:out.bin
    memory=$(words pipe.bin) results=$(words out.bin)
}

# head: bytes of a packet, slots, numbers, offset of the packets, next to read, next to write; slots; packets
run put ints:4,5,10,72,8,8,0,0,0,0,1,0,2,0,8,0,9,0,0,0,0,0,0
[ "$results" = 0,0,0,0,0,-1,0,0,0,0,0,0,0,0,0,0 ] || wrong "writes give $results"
[ "$memory" = 4,5,10,72,8,3,0,0,-1,1,-2,1,-3,1,-9,1,-10,1,13,14,15,11,12 ] || wrong "writes leave $memory"
run take buf:@pipe.bin
[ "$results" = 11,12,13,14,15,0,0,0,0,0,0,-1,0,0,0,0 ] || wrong "reads give $results"
[ "$memory" = 4,5,10,72,3,3,0,0,5,1,6,1,7,1,3,3,4,1,13,14,15,11,12 ] || wrong "reads leave $memory"
exit $status
