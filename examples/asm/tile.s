# One 16x16 tile on the tensor unit: C = A x B, with A and B of binary16 and C of binary32, all row after row.
#
#   ventus as tile.s && ventus run tile.elf -g 32 -a buf:@a.bin -a buf:@b.bin -a out:1024:c.bin
#
# A matrix lies in consecutive vector registers, 32 words in each, in the order of memory: A and B have
# 256 halves = 128 words = 4 registers, C has 256 words = 8. So loads and stores of a whole warp are all it
# takes. "row" is an A, and "col" a B, that lie row after row; with
# --profile r2025 it is "row" for both (docs/machine.md, "Matrices and copies").

        .kernel tile
        .arg    global, a
        .arg    global, b
        .arg    global, c

tile:   lw      t0, 0(a0)               # a0: the arguments
        lw      t1, 4(a0)
        lw      t2, 8(a0)
        vid.v   v0
        vsll.vi v0, v0, 2               # 4 * lane
        vadd.vx v1, v0, t0
        vadd.vx v2, v0, t1
        vadd.vx v3, v0, t2

        vlw12.v v4, 0(v1)               # A: v4 to v7
        vlw12.v v5, 128(v1)
        vlw12.v v6, 256(v1)
        vlw12.v v7, 384(v1)
        vlw12.v v8, 0(v2)               # B: v8 to v11
        vlw12.v v9, 128(v2)
        vlw12.v v10, 256(v2)
        vlw12.v v11, 384(v2)

        # C, and the sum to begin with, which is zero because registers are when a warp starts: v16 to v23.
        mma.m16n16k16.row.col.f32.f16.f16.f32 v16, v4, v8

        vsw12.v v16, 0(v3)
        vsw12.v v17, 128(v3)
        vsw12.v v18, 256(v3)
        vsw12.v v19, 384(v3)
        vsw12.v v20, 512(v3)
        vsw12.v v21, 640(v3)
        vsw12.v v22, 768(v3)
        vsw12.v v23, 896(v3)
        ret
