# Checks of programs from outside: no reports of the examples and cases, which are right; options, environment, JSON and
# recorded launches; and the page that explains it. (unit/check_test looks for mistakes one by one.)
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_CHECK VENTUS_CHECK_FILE

# ---- programs that are right ----

# clean COMMAND...: it succeeds under all checks, which report nothing
clean() {
    rm -f reports.txt
    VENTUS_CHECK=1 VENTUS_CHECK_FILE=reports.txt "$@" >out.txt 2>&1 || { wrong "$*"; tail -n 20 out.txt; }
    grep -qx 'check: nothing found in [0-9]* launche*s*' reports.txt && [ "$(wc -l <reports.txt)" = 1 ] || { wrong "reports, or no checks: $*"; head -n 20 reports.txt; }
}

clean "$VENTUS_BUILD/examples/vecadd" --size 5000
clean "$VENTUS_BUILD/examples/histogram" --size 5000
clean "$VENTUS_BUILD/examples/matmul" --size 32
clean "$VENTUS_BUILD/examples/mandelbrot" --size 32 --output m.png
clean "$VENTUS_BUILD/examples/filter" --size 32 --output f.png
for name in algorithms arguments async atomic control divergence fence function local pointer pressure printf private struct \
        struct-copy traps vector; do
    clean "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$name.cl"
done

# ---- elements of 64 bits write both registers of their pair ----

cat >wide.s <<'S'
.kernel k
.arg global, a
k:  csrr t0, knl
    lw t0, 4(t0)
    lw t0, 0(t0)
    vid.v v1
    vsll.vi v2, v1, 3
    vadd.vx v2, v2, t0
    li t1, -5
    vsetvli t2, x0, e64, m2
    vmv.v.x v4, t1
    vadd.vi v6, v4, 3
    vsetvli t2, x0, e32, m1
    vadd.vi v8, v7, 1
    vadd.vv v2, v2, v8
    vsw12.v v6, 0(v2)
    vsw12.v v7, 4(v2)
    ret
S
check 0 '' "$ventus" as --profile r2.1 wide.s
clean "$ventus" run wide.elf --config "$VENTUS_SOURCE/configs/r2.1.conf" -g 8 -l 8 -a buf:64 --show 0:i
grep -q -e '-2 -1 -2 -1' out.txt || wrong "wide.s: $(cat out.txt)"

# ---- functions of groups exchange values in the last part of the warps' stacks ----

cat >groups.cl <<'CL'
kernel void groups(global int *out, global int *stray)
{
    int sum = work_group_reduce_add((int)get_local_id(0)) + sub_group_reduce_max(1) + work_group_broadcast(5, 0);
    out[get_global_id(0)] = sum + stray[get_global_id(0)];
}
CL
"$ventus" cc --options -cl-std=CL3.0 groups.cl -o groups.elf || wrong "compiling"
"$ventus" run --check groups.elf -g 128 -l 64 -a buf:512 -a buf:512 >groups.txt 2>&1 || { wrong "functions of groups"; cat groups.txt; }
"$ventus" run --check groups.elf -g 128 -l 64 -a buf:512 -a buf:508 >groups.txt 2>&1 && wrong "a stray access beside them"

# ---- virtual addresses: the same is found, at the same addresses ----

echo 'translation = sv39' >sv39.conf
cat >virtual.cl <<'CL'
kernel void virtual(global int *p, global int *q)
{
    local int x[64];
    x[get_local_id(0)] = p[0];
    q[0] = x[get_local_id(0) ^ 1] + q[get_global_id(0) + 3];
}
CL
"$ventus" cc virtual.cl -o virtual.elf || wrong "compiling"
"$ventus" run --check virtual.elf -g 64 -l 64 -a buf:4 -a buf:256 >physical.txt 2>&1
"$ventus" run --check --config sv39.conf virtual.elf -g 64 -l 64 -a buf:4 -a buf:256 >virtual.txt 2>&1
grep -q "right behind the 256 bytes of 'q'" virtual.txt && grep -q 'data race' virtual.txt || { wrong "checks of virtual addresses"; cat virtual.txt; }
cmp physical.txt virtual.txt || wrong "other reports with virtual addresses"

# ---- one kernel ----

cat >k.cl <<'CL'
kernel void k(global int *out, global const int *in)
{
    int i = get_global_id(0);
    out[i] = in[i] + in[0];
}
CL
check 0 '' "$ventus" cc k.cl -o k.elf
check 0 '' "$ventus" run k.elf -g 64 -l 32 -a buf:256 -a iota:64 --check
[ ! -s out.txt ] || wrong "a kernel that is right gives output"
check 1 'check: uninit: result of arithmetic with an uninitialised value' "$ventus" run k.elf -g 64 -a buf:256 -a new:256 --check
check 1 "right behind the 252 bytes of 'in' (argument 1)" "$ventus" run k.elf -g 64 -a buf:256 -a iota:63 --check=bounds
check 0 '' "$ventus" run k.elf -g 64 -a buf:256 -a iota:63 --check=races,align
check 0 '' "$ventus" run k.elf -g 64 -a buf:256 -a new:256
check 2 "'race' is none of all, bounds" "$ventus" run k.elf -g 64 -a buf:256 -a new:256 --check=race
check 1 '"checks": \[{"kind": "bounds", "kernel": "k"' "$ventus" run k.elf -g 64 -a buf:256 -a iota:63 --check=bounds --json -
check 0 '"checks": \[\]' "$ventus" run k.elf -g 64 -a buf:256 -a iota:64 --check --json -
check 1 'checks"' "$ventus" run k.elf -g 64 -a buf:256 -a iota:63 --check=bounds --trace t.log --json -
"$ventus" run k.elf -g 64 -a buf:256 -a iota:63 --check --json j.json 2>/dev/null
python3 -c 'import json; c = json.load(open("j.json"))["checks"]; assert c[0]["by"]["line"] == 4 and c[0]["by"]["global"] == [63, 0, 0], c' || wrong "JSON"

VENTUS_CHECK=nonsense check 1 "VENTUS_CHECK: 'nonsense' is none of" "$ventus" run k.elf -g 64 -a buf:256 -a iota:63
VENTUS_CHECK=0 check 0 '' "$ventus" run k.elf -g 64 -a buf:256 -a iota:63
VENTUS_CHECK=bounds VENTUS_CHECK_FILE=$dir/none/r.txt check 1 'VENTUS_CHECK_FILE: cannot write' "$ventus" run k.elf -g 64 -a buf:256 -a iota:63

# What is computed without an expression (here a row of the ray-tracing table) counts as defined, and nothing else by it.
for register in v2 v4; do
    sed "s/REGISTER/$register/g" >$register.s <<'S'
        vlrt.w  v2, 0
        vadd.vv v3, REGISTER, REGISTER
        li      t0, 0x90000000
        vmv.v.x v5, t0
        vsw12.v v3, 0(v5)
        endprg
S
    check 0 '' "$ventus" as --vmem $register.s -o $register.vmem
done
check 0 '' "$ventus" run v2.vmem -g 32 -a buf:128 --check
check 1 'in a register that has never been written' "$ventus" run v4.vmem -g 32 -a buf:128 --check

# Of instructions that widen or narrow one operand is a pair of registers, and the others are not.
pair() { # exit code, text, instructions
    { echo 'li t0, 0x90000000'; echo 'vmv.v.x v8, t0'; echo 'vmv.v.i v2, 1'; echo "$3" | tr ';' '\n'; echo 'vsw12.v v6, 0(v8)'; echo endprg; } >pair.s
    check 0 '' "$ventus" as --vmem pair.s -o pair.vmem
    check "$1" "$2" "$ventus" run pair.vmem -g 32 -a buf:128 --check
}
pair 0 '' 'vfwcvt.f.f.v v4, v2; vadd.vv v6, v4, v5'
pair 0 '' 'vmv.v.i v3, 0; vnsrl.wi v6, v2, 4'
pair 1 'in a register that has never been written' 'vnsrl.wi v6, v2, 4'
pair 1 'in a register that has never been written' 'vmv.v.i v3, 0; vnsrl.wi v5, v2, 4; vadd.vv v6, v6, v6'

# ---- recorded launches ----

corpus=${VENTUS_CORPUS:-$VENTUS_SOURCE/../shared/corpus}
if [ -f "$corpus/index.tsv" ]; then
    check 0 'warp instructions' "$ventus" run --check --case "$corpus/rtl-vecadd-8w4t/vecadd_0.metadata"
    check 1 'at 0x90000040: right behind the 64 bytes of the buffer at 0x90000000' \
        "$ventus" run --check --case "$corpus/cyc-matadd/matadd.metadata"
    set --
    for i in 0 1 2; do
        set -- "$@" --case "$corpus/gpgpu-adv-gaussian/Fan1_$i.metadata" --case "$corpus/gpgpu-adv-gaussian/Fan2_$i.metadata"
    done
    check 0 'warp instructions' "$ventus" run --check "$@"
fi

# ---- the page ----

# Commands and output of docs/check.md; the code of a kernel, behind "pc", is the compiler's.
PATH=$VENTUS_BUILD:$PATH
page docs/check.md 's/pc 0x[0-9a-f.]*: .*/pc/'
[ "$n" = 4 ] || wrong "docs/check.md: $n commands found"
exit $status
