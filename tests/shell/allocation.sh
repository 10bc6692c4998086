# Where values live, with registers taken away (compiler/README.md): what kernels then need of private memory.
. "$VENTUS_SOURCE/tests/shell/common"
export VENTUS_BUILTINS="$VENTUS_BUILD/ventus-builtins.bc"

# private BYTES VECTORS: the kernel of the standard input, with so many vector registers, has so much private memory
private() {
    VENTUS_CC_VECTORS=$2 "$VENTUS_BUILD/ventus-cc-mutation" -o k.elf || { wrong "not compiled"; return; }
    "$ventus" objdump --resources k.elf >resources.txt
    grep -q "pds $1\$" resources.txt || wrong "not $1 bytes of private memory but $(cat resources.txt)"
}

# Of values that one way of a branch reads, the registers serve the other way, which lies between.
private 0 12 <<'EOT'
#define SUM(v) (((v[0] * v[1] + v[2]) * v[3] + v[4]) * v[5] + v[6]) * v[7]
#define LOAD(v, from) float v[8]; for (int k = 0; k < 8; k++) v[k] = (from)[k]
kernel void holes(global volatile float *a, int n)
{
    int i = get_global_id(0) * 8;
    float s;
    LOAD(p, a + i);
    if (p[0] < n) s = SUM(p);
    else { LOAD(q, a + i + 1024); s = SUM(q); }
    LOAD(r, a + i);
    if (r[0] < n) { LOAD(q, a + i + 1024); s += SUM(q); }
    else s += SUM(r);
    a[i] = s;
}
EOT
exit $status
