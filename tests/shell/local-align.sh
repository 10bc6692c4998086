# Memory of __local arguments through `ventus run`: aligned as the type of an OpenCL kernel wants it, as .arg of a
# kernel in assembly says, and for any type where nobody says what it is for.
. "$VENTUS_SOURCE/tests/shell/common"
shown() { # words, command...
    words=$1
    shift
    check 0 '' "$@"
    got=$(tail -n 1 out.txt)
    [ "$got" = "  $words" ] || wrong "'$got' instead of '$words': $*"
}

# Through memory: the compiler would answer `(uint)b & 15` by itself.
cat >k.cl <<'C'
kernel void k(local char *a, local float4 *b, local long16 *c, local short *d, global volatile uint *at, global uint *odd)
{
    at[0] = (uint)b, at[1] = (uint)c, at[2] = (uint)d;
    odd[0] = at[0] % 16, odd[1] = at[1] % 128, odd[2] = at[2] % 2;
    *a = 0;
}
C
check 0 '' "$ventus" cc k.cl -o k.elf
for sizes in '5 20 128' '1 16 129' '127 1 1' '16 3 128'; do
    set -- $sizes
    shown '0 0 0' "$ventus" run k.elf -g 1 -a local:$1 -a local:$2 -a local:$3 -a local:2 -a buf:12 -a buf:12 --show 5
done

# A kernel in assembly: 5 bytes, then at multiples of 4, 128 and 1024, and of what suits all types.
cat >asm.s <<'S'
        .kernel k, lds=3
        .arg    global, out
        .arg    local, bytes, 4, 1
        .arg    local, words, 4, 4
        .arg    local, lines, 4, 64
        .arg    local, stack, 4, 1024
        .arg    local, any
k:      lw      t0, 0(a0)
        lw      t1, 4(a0)
        sw      t1, 0(t0)
        lw      t1, 8(a0)
        sw      t1, 4(t0)
        lw      t1, 12(a0)
        sw      t1, 8(t0)
        lw      t1, 16(a0)
        sw      t1, 12(t0)
        lw      t1, 20(a0)
        sw      t1, 16(t0)
        andi    t1, s0, 1023             # offsets count from here
        sw      t1, 20(t0)
        ret
S
check 0 '' "$ventus" as asm.s -o asm.elf
shown '3 8 64 1024 1152 0' "$ventus" run asm.elf -g 1 -a buf:24 -a local:5 -a local:1 -a local:1 -a local:1 -a local:1 --show 0
check 1 'the alignment must be a power of two' "$ventus" as - -o no.elf <<'S'
        .kernel k
        .arg    local, a, 4, 24
k:      ret
S
check 1 'the alignment must be 1 to 1024' "$ventus" as - -o no.elf <<'S'
        .kernel k
        .arg    local, a, 4, 2048
k:      ret
S

# A program without kernel records.
cat >raw.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 4(t0)
        lw      t1, 0(t0)
        lw      t2, 4(t0)
        sw      t2, 0(t1)
        lw      t2, 8(t0)
        sw      t2, 4(t1)
        lw      t2, 12(t0)
        sw      t2, 8(t1)
        endprg
S
check 0 '' "$ventus" as raw.s -o raw.elf
shown '4096 4224 4480' "$ventus" run raw.elf -g 1 -a buf:12 -a local:5 -a local:129 -a local:1 --show 0
# As much as the device reports and no byte more, also from a group of one warp.
check 0 '' "$ventus" run raw.elf -g 1 -a buf:12 -a local:1 -a local:1 -a local:93952
check 1 'needs 98305 bytes of local memory; a work-group can have 98304' "$ventus" run raw.elf -g 1 -a buf:12 -a local:1 -a local:1 -a local:93953
exit $status
