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
kernel void each(write_only pipe int p, global int *out)
{
    int i = get_global_id(0);
    out[i] = write_pipe(p, &i);
}
CL
check 0 '' "$ventus" cc --options -cl-std=CL3.0 pipe.cl -o pipe.elf
words() { od -An -v -td4 -w4 "$1" | tr -d ' ' | paste -sd, -; }
# run KERNEL PIPE: its memory and the kernel's results, as words
run() {
    check 0 '' "$ventus" run $program -k "$1" -g 1 -a "$2" -a buf:64 --save 0:pipe.bin --save 1:out.bin
    memory=$(words pipe.bin) results=$(words out.bin)
}

program=pipe.elf
# head: bytes of a packet, slots, numbers, offset of the packets, next to read, next to write; slots; packets
run put ints:4,5,10,72,8,8,0,0,0,0,1,0,2,0,8,0,9,0,0,0,0,0,0
[ "$results" = 0,0,0,0,0,-1,0,0,0,0,0,0,0,0,0,0 ] || wrong "writes give $results"
[ "$memory" = 4,5,10,72,8,3,0,0,-1,1,-2,1,-3,1,-9,1,-10,1,13,14,15,11,12 ] || wrong "writes leave $memory"
run take buf:@pipe.bin
[ "$results" = 11,12,13,14,15,0,0,0,0,0,0,-1,0,0,0,0 ] || wrong "reads give $results"
[ "$memory" = 4,5,10,72,3,3,0,0,5,1,6,1,7,1,3,3,4,1,13,14,15,11,12 ] || wrong "reads leave $memory"
# Work-items that write at once are no data race.
check 0 '' "$ventus" run pipe.elf -k each -g 96 -l 48 -a ints:4,5,10,72,8,8,0,0,0,0,1,0,2,0,8,0,9,0,0,0,0,0,0 -a buf:384 --check

# ---- the same by instructions of SPIR-V ----
command -v spirv-as >/dev/null || { echo "spirv-as is not installed: apt install spirv-tools"; exit $status; }
# $1: what takes the place of @
module() {
    sed "s/@/$1/" <<'S'
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Pipes
        OpCapability Groups
        OpMemoryModel Physical32 OpenCL
        OpEntryPoint Kernel %put "put"
        OpEntryPoint Kernel %take "take"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%id   = OpTypeReserveId
%own  = OpTypePointer Function %id
%data = OpTypePointer CrossWorkgroup %uint
%to   = OpTypePipe WriteOnly
%from = OpTypePipe ReadOnly
%puts = OpTypeFunction %void %to %data
%takes = OpTypeFunction %void %from %data
%u0   = OpConstant %uint 0
%u1   = OpConstant %uint 1
%u2   = OpConstant %uint 2
%u3   = OpConstant %uint 3
%u4   = OpConstant %uint 4
%u5   = OpConstant %uint 5
%u7   = OpConstant %uint 7
%u9   = OpConstant %uint 9
%none = OpConstantNull %id

%put  = OpFunction %void None %puts
%p    = OpFunctionParameter %to
%d    = OpFunctionParameter %data
%e1   = OpLabel
%kept = OpVariable %own Function
%d1   = OpInBoundsPtrAccessChain %data %d %u1
        OpStore %d %u7
        OpStore %d1 %u9
%two  = OpGroupReserveWritePipePackets %id %u2 %p %u2 %u4 %u4
        OpStore %kept %two
%same = OpLoad %id %kept
%w0   = OpReservedWritePipe %uint %p %same %u1 %d %u4 %u4
%w1   = OpReservedWritePipe %uint @ %same %u0 %d1 %u4 %u4
        OpGroupCommitWritePipe %u2 %p %same %u4 %u4
%one  = OpReserveWritePipePackets %id %p %u1 %u4 %u4
        OpCommitWritePipe %p %one %u4 %u4
%w2   = OpWritePipe %uint %p %d %u4 %u4
%max  = OpGetMaxPipePackets %uint %p %u4 %u4
        OpStore %d %max
        OpReturn
        OpFunctionEnd

%take = OpFunction %void None %takes
%q    = OpFunctionParameter %from
%o    = OpFunctionParameter %data
%e2   = OpLabel
%n    = OpGetNumPipePackets %uint %q %u4 %u4
        OpStore %o %n
%o1   = OpInBoundsPtrAccessChain %data %o %u1
%o2   = OpInBoundsPtrAccessChain %data %o %u2
%o3   = OpInBoundsPtrAccessChain %data %o %u3
%o4   = OpInBoundsPtrAccessChain %data %o %u4
%r0   = OpReadPipe %uint %q %o1 %u4 %u4
%sub  = OpGroupReserveReadPipePackets %id %u3 %q %u1 %u4 %u4
%r1   = OpReservedReadPipe %uint %q %sub %u0 %o2 %u4 %u4
        OpGroupCommitReadPipe %u3 %q %sub %u4 %u4
%five = OpReserveReadPipePackets %id %q %u5 %u4 %u4
        OpCommitReadPipe %q %five %u4 %u4
%ok   = OpIsValidReserveId %bool %sub
%bad  = OpIsValidReserveId %bool %five
%s1   = OpSelect %uint %ok %u4 %u5
%s2   = OpSelect %uint %bad %u4 %u5
%null = OpIsValidReserveId %bool %none
%s3   = OpSelect %uint %null %u4 %u5
%o5   = OpInBoundsPtrAccessChain %data %o %u5
        OpStore %o5 %s3
        OpCommitReadPipe %q %none %u4 %u4
        OpStore %o3 %s1
        OpStore %o4 %s2
        OpReturn
        OpFunctionEnd
S
}
module %p | spirv-as --target-env spv1.3 - -o module.spv || wrong "the module does not assemble"
check 0 '' "$ventus" cc module.spv -o module.elf
program=module.elf
run put ints:4,5,10,72,8,8,0,0,0,0,1,0,2,0,8,0,9,0,0,0,0,0,0
[ "$results" = 5,9,0,0,0,0,0,0,0,0,0,0,0,0,0,0 ] || wrong "writes of SPIR-V give $results"
[ "$memory" = 4,5,10,72,8,2,0,0,-1,1,-2,1,2,0,-9,2,-10,0,0,7,0,9,7 ] || wrong "writes of SPIR-V leave $memory"
run take buf:@pipe.bin
[ "$results" = 4,9,7,4,5,5,0,0,0,0,0,0,0,0,0,0 ] || wrong "reads of SPIR-V give $results"
module %d | spirv-as --target-env spv1.3 - -o wrong.spv || wrong "the wrong module does not assemble"
check 1 'is no pipe that it may be done to' "$ventus" cc wrong.spv -o wrong.elf
exit $status
