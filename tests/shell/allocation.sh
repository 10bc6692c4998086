# Where values live, with registers taken away (compiler/README.md): what kernels then need of private memory.
. "$VENTUS_SOURCE/tests/shell/common"
export VENTUS_BUILTINS="$VENTUS_BUILD/ventus-builtins.bc"

# compile VECTORS: the kernel of the standard input, with so many vector registers
compile() {
    VENTUS_CC_VECTORS=$1 "$VENTUS_BUILD/ventus-cc-mutation" -o k.elf || wrong "not compiled"
    "$ventus" objdump --text k.elf >k.s
}

# Of values that one way of a branch reads, the registers serve the other way, which lies between.
compile 12 <<'EOT'
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
"$ventus" objdump --resources k.elf >resources.txt
grep -q 'pds 0$' resources.txt || wrong "private memory: $(cat resources.txt)"

# Values that wait over a loop are loaded and saved outside of it, and the base of their slots is made once: 38
# instructions, where a load at each use and a store at each definition, with a base each, would be 66.
compile 14 <<'EOT'
kernel void waiting(global volatile float *a, int n)
{
    float v[12], t[6];
    global volatile float *p = a + get_global_id(0) * 32;
#pragma unroll
    for (int k = 0; k < 12; k++) v[k] = p[k];
#pragma unroll
    for (int k = 0; k < 6; k++) t[k] = v[k] + v[k + 6];
    for (int r = 0; r < n; r++)
#pragma unroll
        for (int k = 0; k < 6; k++) t[k] = t[k] * 0.5f + t[(k + 1) % 6];
#pragma unroll
    for (int k = 0; k < 12; k++) p[k] = v[k] * t[k % 6];
}
EOT
moves=$(grep -c -e 'v[ls]w\.v' -e 'vmv\.v\.i' k.s)
[ "$moves" -le 40 ] || wrong "$moves instructions move spilled values"
exit $status
