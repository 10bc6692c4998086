# A kernel in assembly that calls a function in C: int scaled(int value, int factor), of blur.cl. What has to outlive the
# call is in registers that the function keeps: v32 to v47 and s0 to s11.

        .kernel scale
        .arg    global, data
        .arg    value, factor

scale:  sw      ra, 4(sp)               # the stack of the warp grows upwards; sp is its last word in use
        addi    sp, sp, 4
        lw      s1, 0(a0)
        lw      t1, 4(a0)
        csrr    t2, CSR_KNL
        lw      t2, 24(t2)
        csrr    t3, CSR_GIDX
        mul     t2, t2, t3
        csrr    t3, CSR_TID
        add     t2, t2, t3
        vid.v   v32
        vadd.vx v32, v32, t2
        vsll.vi v32, v32, 2
        vadd.vx v32, v32, s1            # where this work-item's number is
        vlw12.v v0, 0(v32)
        vmv.v.x v1, t1
        call    scaled
        vsw12.v v0, 0(v32)
        addi    sp, sp, -4
        lw      ra, 4(sp)
        ret
