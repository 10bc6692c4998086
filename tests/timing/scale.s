# Each work-item multiplies its word: a[i] *= factor.
.kernel scale
.arg global, data
.arg value, factor
scale:  lw      t0, 0(a0)
        lw      t1, 4(a0)
        csrr    t2, CSR_KNL
        lw      t2, 24(t2)
        csrr    t3, CSR_GIDX
        mul     t2, t2, t3
        csrr    t3, CSR_TID
        add     t2, t2, t3
        vid.v   v0
        vadd.vx v0, v0, t2
        vsll.vi v0, v0, 2
        vadd.vx v0, v0, t0
        vlw12.v v1, 0(v0)
        vmul.vx v1, v1, t1
        vsw12.v v1, 0(v0)
        ret
