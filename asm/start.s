# The first instructions of every warp, as docs/architecture.md ("Start code") says.
#
# A warp finds here its stack, the group's own local memory and the argument buffer, calls the kernel
# that the metadata block names, and ends when it returns. gp is left alone.

.set WARP_STACK_SHIFT, 10       # abi.h: ABI_WARP_STACK is 1024
.set META_ENTRY, 0              # abi.h: enum abi_metadata
.set META_ARGS, 4

        .text
_start:
        li      t0, 32
        vsetvli t0, t0, e32, m1, ta, ma
        li      t0, 1 << 13             # vector unit on
        csrs    mstatus, t0
        csrr    t0, CSR_LDS
        csrr    t1, CSR_WID
        slli    t1, t1, WARP_STACK_SHIFT
        add     sp, t0, t1
        csrr    t1, CSR_NUMW
        slli    t1, t1, WARP_STACK_SHIFT
        add     s0, t0, t1              # behind the stacks of all warps
        mv      tp, zero                # private memory is used from offset 0
        csrr    t0, CSR_KNL
        lw      a0, META_ARGS(t0)
        lw      t1, META_ENTRY(t0)
        jalr    ra, 0(t1)
        endprg
