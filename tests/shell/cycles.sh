# What is built upon the cycle model: work-groups on all SMs.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# Each work-item multiplies its word: a[i] *= factor.
cat >scale.s <<'END'
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
END
"$ventus" as scale.s -o scale.elf || wrong 'ventus as'
scale() { "$ventus" run scale.elf -g 2048 -l 64 -a iota:2048 -a i:3 "$@"; }
cycles() { sed -n 's/^scale: \([0-9]*\) cycles$/\1/p'; }

# 32 groups of two warps, more than the hardware has collectors for: they all end, sooner on more SMs.
before=1000000
for sms in 1 2 4; do
    echo "sms = $sms" >$sms.conf
    now=$(scale --config $sms.conf --timing large | cycles)
    [ "${now:-$before}" -lt $before ] || wrong "$sms SMs take ${now:-for ever}, fewer take $before"
    before=$now
done
for name in verilog chisel ideal; do [ -n "$(scale --timing $name | cycles)" ] || wrong "$name: does not end"; done
exit $status
