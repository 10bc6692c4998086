# A kernel that meets every bug of bugs.txt, for two work-groups or more of 48 work-items, the second warp of which is not full:
#
#   ventus as --profile r2.0 bugs.s -o bugs.elf
#   VENTUS_BACKEND=./simt.so,cosim=1,bug=1 ventus run bugs.elf -g 96,2 -l 48,1 -a iota:96 -a buf:1024
.kernel bugs
.arg global, in
.arg global, out
bugs:
    lw a1, 0(a0)
    lw a2, 4(a0)
    csrr a3, CSR_GIDX
    csrr a4, CSR_GIDY
    vid.v v0

    # A line and a half of memory, which the host has written.
    vsll.vi v1, v0, 2
    vadd.vx v1, v1, a1
    vlw12.v v2, 64(v1)

    # Arithmetic of scalars and lanes.
    li t0, -8
    srai t1, t0, 1
    sltu t1, t0, zero
    mulhu t1, t0, t0
    divu t1, t0, zero
    j next
next:
    add t1, zero, t0
    vsub.vv v3, v2, v0
    li t2, 5
    vmsgtu.vx v3, v0, t2
    vmv.v.x v4, t2
    vmadd.vv v4, v0, v2

    # Registers that take a prefix; the store's is not for the instruction behind it.
    vadd.vi v40, v0, 1
    vadd.vx v5, v40, t0
    vmv.v.x v6, a2
    vsll.vi v7, v0, 2
    vadd.vv v6, v6, v7
    vsw12.v v40, 0(v6)
    vxor.vv v7, v7, v0

    # Bytes and halves. Each warp of each group has a word of its own.
    csrr t3, CSR_WID
    slli t4, a3, 1
    add t3, t3, t4
    slli t4, a4, 2
    add t3, t3, t4
    slli t3, t3, 2
    add t3, t3, a2
    sw zero, 512(t3)
    sb t0, 512(t3)
    lbu t1, 512(t3)
    sh t0, 514(t3)
    lw t1, 512(t3)

    # Private memory.
    vmv.v.i v8, 0
    vsw.v v0, 8(v8)
    vlw.v v9, 8(v8)

    # A branch on which lanes disagree: lanes 0 to 4 run first.
here:
    auipc t4, %pcrel_hi(meet)
    setrpc zero, t4, %pcrel_lo(here)
    vmv.v.x v10, t2
    vbge v0, v10, others
    vadd.vi v11, v0, 2
    j meet
others:
    vor.vi v11, v0, 1
meet:
    join

    # A barrier that the second warp reaches late.
    csrr t4, CSR_WID
    slli t4, t4, 6
late:
    beqz t4, there
    addi t4, t4, -1
    j late
there:
    barrier 1
    vand.vi v12, v0, 1
    ret
