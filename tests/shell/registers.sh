# Kernels whose instructions use registers that they do not name: the counts that the assembler and the linker
# make suffice to run them, and are those of what is used.
ventus=$VENTUS_BUILD/ventus
work=$VENTUS_RESULTS/registers
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
status=0
fail() { echo "$*"; status=1; }

# kernel PROFILE COUNTS RESULT: the instructions on standard input, between one that puts the address of each
# lane's word into v1 and 0 into v0, and one that stores v0 there; both ways to an executable
kernel() {
    { printf '.kernel k\n.arg global, out\nk: lw t0, 0(a0)\nvid.v v0\nvsll.vi v0, v0, 2\nvadd.vx v1, v0, t0\nvmv.v.i v0, 0\n'
      cat
      printf 'vsw12.v v0, 0(v1)\nret\n'; } >k.s
    "$ventus" as --profile $1 k.s -o as.elf && "$ventus" as --profile $1 -c k.s -o k.o && "$ventus" ld --profile $1 k.o -o ld.elf || { fail "no program"; cat k.s; }
    for elf in as.elf ld.elf; do
        "$ventus" objdump $elf >$elf.s
        grep -q "kernel.* $2 " $elf.s || fail "$elf: not $2 but $(grep kernel $elf.s)"
        "$ventus" run --profile $1 $elf -g 32 -a iota:32 --show 0:u >out 2>&1 || fail "$elf does not run: $(cat out)"
        grep -q "^  $3 $3" out || fail "$elf: not $3: $(cat out)"
    done
}

# m16n8k16 of ones, D from 0: every sum is 16 as binary32. D is v11 to v14.
kernel default 'vgpr=16 sgpr=32' 1098907648 <<'END'
        li t1, 0x3c003c00
        vmv.v.x v2, t1
        vmv.v.x v3, t1
        vmv.v.x v4, t1
        vmv.v.x v5, t1
        vmv.v.i v11, 0
        mma.m16n8k16.row.row.f32.f16.f16.f32 v11, v2, v2
        vadd.vv v0, v11, v0
END
# The same with C in v6 to v9.
kernel r2025 'vgpr=16 sgpr=32' 1098907648 <<'END'
        li t1, 0x3c003c00
        vmv.v.x v2, t1
        vmv.v.x v3, t1
        vmv.v.x v4, t1
        vmv.v.x v5, t1
        vmv.v.i v6, 0
        mma64 v11, v2, v2, v6 {dt=1, shape=1, ct}
        vadd.vv v0, v11, v0
END
# Four words for each lane, and four for the warp.
kernel r2025 'vgpr=16 sgpr=32' 1 <<'END'
        vmv.v.x v2, t0
        vlw12.v v11, 4(v2) {pre_m_128}
        vadd.vv v0, v11, v0
END
kernel r2.1 'vgpr=4 sgpr=36' 2 <<'END'
        lw t6, 8(t0) {pre_m_128}
        vmv.v.x v0, t6
END
exit $status
