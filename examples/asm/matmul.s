# C = A x B of any sizes that are multiples of 16, on the tensor unit, with tiles that the copy engine fetches.
# A (m x k) and B (k x n) are binary16, C (m x n) binary32, all row after row. A work-group is one warp and
# makes one tile of 16 x 16:
#
#   ventus as matmul.s && ventus run matmul.elf -g $((n / 16 * 32)),$((m / 16)) -l 32,1 \
#       -a buf:@a.bin -a buf:@b.bin -a out:$((m * n * 4)):c.bin -a i:$n -a i:$k
#
# tile.s is the same without loop and copies, and says how a matrix lies in registers. With --profile r2025 the mma must be
# that of "row.row", and the stride of rows is word 9 of a description.

        .kernel matmul, lds=1024        # a tile of A, then one of B
        .arg    global, a
        .arg    global, b
        .arg    global, c
        .arg    value, n
        .arg    value, k

# Lane INDEX of V becomes register VALUE: a compare gives 0 or 1 in each lane, to compute with. v1 is the number of the lane.
        .macro  put v, index, value
        li      t3, \index
        vmseq.vx v0, v1, t3
        vrsub.vx v11, \v, \value
        vmul.vv v11, v11, v0
        vadd.vv \v, \v, v11
        .endm

# V becomes the description of a matrix of binary16 at ADDRESS, with HEIGHT rows of WIDTH elements.
        .macro  tensor v, address, width, height
        li      t0, 6                   # type: f16
        put     \v, 0, t0
        li      t0, 2                   # rank
        put     \v, 1, t0
        put     \v, 2, \address
        put     \v, 3, \width
        put     \v, 4, \height
        slli    t0, \width, 1
        put     \v, 8, t0               # bytes from row to row; with --profile r2025 it is number 9
        .endm

matmul: lw      a1, 0(a0)               # a
        lw      a2, 4(a0)               # b
        lw      a3, 8(a0)               # c
        lw      a4, 12(a0)              # n
        lw      a5, 16(a0)              # k
        csrr    a6, CSR_GIDX            # the tile's column
        csrr    a7, CSR_GIDY            # and row
        slli    a6, a6, 4
        slli    a7, a7, 4
        csrr    t0, CSR_KNL
        lw      t4, 16(t0)              # work-items in y, one for each 16 rows
        slli    t4, t4, 4               # m
        vid.v   v1
        tensor  v2, a1, a5, t4          # A: k wide, m high
        tensor  v3, a2, a4, a5          # B: n wide, k high
        li      t0, 16
        put     v4, 1, t0               # the box: 16
        put     v4, 2, t0               # by 16 elements
        li      t0, 1
        put     v4, 6, t0               # of which each is copied
        put     v4, 7, t0

        mul     t1, a7, a5              # the first box of A begins in its row 16 * tile
        slli    t1, t1, 1
        add     t1, t1, a1
        slli    t2, a6, 1               # that of B in its column
        add     t2, t2, a2
        slli    s2, a4, 5               # 16 rows of B in bytes
        vmv.v.x v5, s0                  # where the tile of A goes: s0 is the group's own local memory
        li      t0, 512
        vadd.vx v6, v5, t0              # and that of B
        vsll.vi v8, v1, 2
        vadd.vx v8, v8, s0              # 4 * lane, in local memory

loop:   put     v4, 0, t1
        cp_dma_tensor v5, v2, v4
        put     v4, 0, t2
        cp_dma_tensor v6, v3, v4
        cp_dma_mbarrier                 # both are there
        vlw12.v v12, 0(v8)              # A: v12 to v15
        vlw12.v v13, 128(v8)
        vlw12.v v14, 256(v8)
        vlw12.v v15, 384(v8)
        vlw12.v v16, 512(v8)            # B: v16 to v19
        vlw12.v v17, 640(v8)
        vlw12.v v18, 768(v8)
        vlw12.v v19, 896(v8)
        mma.m16n16k16.row.col.f32.f16.f16.f32 v24, v12, v16   # C: v24 to v31
        addi    t1, t1, 32              # the next 16 columns of A
        add     t2, t2, s2              # and rows of B
        addi    a5, a5, -16
        bnez    a5, loop

        mul     t0, a7, a4              # word 32r + lane of C is row 2r + lane / 16, column lane % 16
        add     t0, t0, a6
        slli    t0, t0, 2
        add     t0, t0, a3
        vsrl.vi v9, v1, 4
        vmul.vx v9, v9, a4
        vand.vi v10, v1, 15
        vadd.vv v9, v9, v10
        vsll.vi v9, v9, 2
        vadd.vx v9, v9, t0
        slli    t1, a4, 3               # two rows of C in bytes
        .irp    r, 24, 25, 26, 27, 28, 29, 30, 31
        vsw12.v v\r, 0(v9)
        vadd.vx v9, v9, t1
        .endr
        ret
