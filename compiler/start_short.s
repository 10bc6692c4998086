# The first instructions of every warp in programs whose kernels make addresses of local memory themselves and need no
# stack: all programs of the compiler but those with inline assembly, which begin with asm/start.s.

.set META_ENTRY, 0              # abi.h: enum abi_metadata
.set META_ARGS, 4

        .text
_start:
        li      t0, 32
        vsetvli t0, t0, e32, m1, ta, ma
        li      t0, 1 << 13             # vector unit on
        csrs    mstatus, t0
        csrr    t0, CSR_KNL
        lw      a0, META_ARGS(t0)
        lw      t1, META_ENTRY(t0)
        jalr    ra, 0(t1)
        endprg
