# Functions that C calls (docs/abi.md): arguments in v0, v1, ..., the result from v0 on, private memory from tp on. They may
# change the vector registers v0 to v31 and from v48 on without saving them.
#
# int weigh(struct window w, int scale): (left + 2 middle + right) * scale / 4. v0 is the private address of w.
        .globl  weigh
        .type   weigh, @function
weigh:  vadd.vi v2, v0, 4
        vadd.vi v3, v0, 8
        vlw.v   v4, 0(v0)
        vlw.v   v2, 0(v2)
        vlw.v   v3, 0(v3)
        vadd.vv v4, v4, v3
        vsll.vi v2, v2, 1
        vadd.vv v4, v4, v2
        vmul.vv v4, v4, v1
        vsra.vi v0, v4, 2
        ret

# long square(int x): x * x, the low word in v0, the high one in v1.
        .globl  square
        .type   square, @function
square: vmulh.vv v1, v0, v0
        vmul.vv v0, v0, v0
        ret
