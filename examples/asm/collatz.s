# Each work-item halves its number when it is even, else triples it and adds one, and counts the steps to 1. The
# lanes of a warp leave the loop one after another.
#
#   ventus as collatz.s && ventus run collatz.elf -g 8 -a ints:1,2,3,6,7,9,18,27 --show 0
#   argument 0, 8 of 8 words:
#     0 1 7 8 16 19 20 111

        .kernel collatz
        .arg    global, data            # the numbers, and then their steps

collatz: lw     t0, 0(a0)               # a0: the arguments
        csrr    t1, CSR_KNL             # global id = group * work-items of a group
        lw      t1, 24(t1)
        csrr    t2, CSR_GIDX
        mul     t1, t1, t2
        csrr    t2, CSR_TID             #             + warp's first + lane
        add     t1, t1, t2
        vid.v   v1
        vadd.vx v1, v1, t1
        vsll.vi v1, v1, 2
        vadd.vx v1, v1, t0
        vlw12.v v2, 0(v1)               # the number
        vmv.v.i v3, 0                   # its steps
        vmv.v.i v4, 1

        # Lanes part at vbeq and meet again at the join, which setrpc has to name before.
        la      t0, done
        setrpc  zero, t0, 0
loop:   vbeq    v2, v4, done
        vand.vi v5, v2, 1               # 1 in lanes with an odd number
        vrsub.vi v6, v5, 0              # all ones in these: a choice without a branch
        vsrl.vi v7, v2, 1
        vsll.vi v8, v2, 1
        vadd.vv v8, v8, v2
        vadd.vi v8, v8, 1
        vxor.vv v8, v8, v7
        vand.vv v8, v8, v6
        vxor.vv v2, v8, v7
        vadd.vi v3, v3, 1
        j       loop                    # a scalar jump: of the lanes that are left
done:   join

        vsw12.v v3, 0(v1)
        ret
