# The warps of a work-group share the registers of an SM: kernels are compiled so that the largest group has room.
. "$VENTUS_SOURCE/tests/shell/common"
cases=$VENTUS_SOURCE/tests/cl configs=$VENTUS_SOURCE/configs
for machine in r2.0 r2.1 r2025; do
    VENTUS_CONFIG=$configs/$machine.conf check 0 '' "$VENTUS_BUILD/tests/clrun" "$cases/largest.cl"
    check 0 '' "$ventus" cc --config "$configs/$machine.conf" "$cases/largest.cl" -o k.elf
    check 0 '' "$ventus" run --config "$configs/$machine.conf" k.elf --kernel uniforms -g 256 -a iota:64 -a i:3 -a buf:1024
done
# Without the machine's file the compiler knows nothing of that, and a launch says what is too much.
check 0 '' "$ventus" cc --profile r2.0 "$cases/largest.cl" -o k.elf
check 1 'at most 128 work-items on this machine: each warp of 32 has 64 scalar registers, all warps of a group together 256; the kernel' \
    "$ventus" run --config "$configs/r2.0.conf" k.elf --kernel uniforms -g 256 -a iota:64 -a i:3 -a buf:1024
check 1 'each warp of 32 has 184 vector registers, all warps of a group together 1024; --local' \
    "$ventus" run --config "$configs/r2.0.conf" k.elf --kernel values -g 256 -l 256 -a iota:435 -a buf:1024
# Arguments of a routine that take more than that.
cat >wide.cl <<'EOF'
__attribute__((noinline)) float16 mix(float16 a, float16 b, float16 c) { return a * b + c; }
kernel void wide(global const float16 *in, global float16 *out)
{
    int i = get_global_id(0);
    out[i] = mix(in[i], in[i + 1], mix(in[i + 2], in[i], in[i + 1]));
}
EOF
check 0 '' "$ventus" cc --pools 256,256,32,256 wide.cl -o wide.elf
# A register that the program itself names is there: then groups are smaller, and OpenCL says why.
cat >named.cl <<'EOF'
//! run named global=256 local=256
//! arg out int[256] -> i
kernel void named(global int *out)
{
    __asm__ volatile("vmv.v.i v200, 3" ::: "v200");
    out[get_global_id(0)] = get_global_id(0);
}
EOF
check 0 '' "$VENTUS_BUILD/tests/clrun" named.cl
export VENTUS_CONFIG=$configs/r2.0.conf
check 1 'named have at most 160 work-items on this machine: each warp of 32 has 204 vector registers' "$VENTUS_BUILD/tests/clrun" named.cl
check 1 'error -54' "$VENTUS_BUILD/tests/clrun" named.cl
for pools in '' 1 256,1024,32 0,1,1,1 256,1024,32,256, 1,2,3,x 256,1024,32,99999999; do
    check 2 'is not SCALARS,VECTORS,LANES,GROUP' "$ventus" cc --pools "$pools" "$cases/largest.cl" -o k.elf
done
check 1 'nowhere.conf: No such file' "$ventus" cc --config nowhere.conf "$cases/largest.cl" -o k.elf
exit $status
