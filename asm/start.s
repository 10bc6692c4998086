# The first instructions of every warp, as docs/architecture.md ("Start code") says: they prepare what a kernel may rely
# on, call the kernel that the metadata block names, and end the warp when it returns.
#
# Programs of `ventus as` and `ventus ld` begin with all of it, which is what the documents print. The compiler leaves
# out (asm/embed.c defines the symbol):
#
#   WITHOUT_VARIABLES  what concerns variables and the host: variables of an OpenCL program keep their values from one
#                      launch to the next, so that no warp may clear them, and nothing of it uses gp, traps or tohost
#   WITHOUT_STACKS     sp, s0 and tp, where kernels find local memory without them
#   WITHOUT_RETURN     the way back: kernels end the warp themselves, and find CSR_KNL in ra
#   WITHOUT_CALL       the call: the only kernel follows

.set .Lwarp_stack_shift, 10     # abi.h: ABI_WARP_STACK is 1024
.set .Lmeta_entry, 0            # abi.h: enum abi_metadata
.set .Lmeta_args, 4
.set .Lmeta_print_addr, 48
.set .Lmeta_print_size, 52

        .text
        .globl  _start
_start:
        .ifndef WITHOUT_VARIABLES
        li      t0, 32
        vsetvli t0, t0, e32, m1, ta, ma
        .endif
        li      t0, 1 << 13             # vector unit on
        csrs    mstatus, t0
        .ifdef WITHOUT_VARIABLES
        vsetvli t0, t0, e32, m1, ta, ma # more than there are lanes: all
        .endif
        .ifndef WITHOUT_STACKS
        csrr    t0, CSR_LDS
        csrr    t1, CSR_WID
        slli    t1, t1, .Lwarp_stack_shift
        add     sp, t0, t1
        csrr    t1, CSR_NUMW
        slli    t1, t1, .Lwarp_stack_shift
        add     s0, t0, t1              # behind the stacks of all warps
        mv      tp, zero                # private memory is used from offset 0
        .endif
        .ifndef WITHOUT_VARIABLES
        la      gp, __global_pointer$
        la      t0, _edata              # .bss is zero when the kernel begins,
        la      t1, _end                # whatever an earlier launch has left there
        j       .Lstart_cleared
.Lstart_clear:
        sw      zero, 0(t0)
        addi    t0, t0, 4
.Lstart_cleared:
        bltu    t0, t1, .Lstart_clear
        la      t0, spike_end           # where a trap would go
        csrw    mtvec, t0
        .endif
        .ifdef WITHOUT_RETURN
        csrr    ra, CSR_KNL
        lw      a0, .Lmeta_args(ra)
        .ifndef WITHOUT_CALL
        lw      t1, .Lmeta_entry(ra)
        jr      t1
        endprg                          # the entry of what is no kernel yet (output_draft)
        .endif
        .else
        csrr    t0, CSR_KNL
        .ifndef WITHOUT_VARIABLES
        lw      t1, .Lmeta_print_addr(t0)
        la      t2, BUFFER_ADDR
        sw      t1, 0(t2)
        lw      t1, .Lmeta_print_size(t0)
        la      t2, BUFFER_SIZE
        sw      t1, 0(t2)
        .endif
        lw      a0, .Lmeta_args(t0)
        lw      t1, .Lmeta_entry(t0)
        jalr    ra, 0(t1)
        endprg
        .endif

        .ifndef WITHOUT_VARIABLES
        .globl  spike_end
        .type   spike_end, @function
spike_end:                              # ends the warp, and the run of a host that watches tohost
        li      t1, 1
        la      t0, tohost
        sw      t1, 0(t0)
        endprg

        .bss
        .balign 4               # so that whole words of it can be cleared

# What it writes to, unless the program brings that itself.
        .data
        .ifndef tohost
        .balign 64
        .weak   tohost
tohost: .quad   0               # a 1 tells a host that watches it that the program has ended
        .endif
        .ifndef fromhost
        .balign 64
        .weak   fromhost
fromhost: .quad 0
        .endif
        .ifndef BUFFER_ADDR
        .weak   BUFFER_ADDR
BUFFER_ADDR: .word 0            # of the print buffer
        .endif
        .ifndef BUFFER_SIZE
        .weak   BUFFER_SIZE
BUFFER_SIZE: .word 0            # bytes
        .endif
        .endif
