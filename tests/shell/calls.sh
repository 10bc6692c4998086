# Which functions stay calls: as symbols of the program, and as its size tells.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cc=$VENTUS_BUILD/ventus-cc
calls() { # function, in the program of FILE.cl
    check 0 '' "$cc" "$2.cl" -o "$2.elf"
    "$ventus" objdump --text "$2.elf" >"$2.s" && grep -q "^$1:" "$2.s"
}

cat >some.cl <<'END2'
#define CALLED __attribute__((noinline))
int small(int x) { return x * x; }
CALLED int wanted(int x) { return x / 3; }
CALLED int named(int x) { __asm__ volatile("" ::: "v5"); return x / 5; }
CALLED int drawn(read_only image2d_t i) { return read_imagei(i, (int2)(0, 0)).x; }
CALLED void waits(local int *p) { barrier(CLK_LOCAL_MEM_FENCE); *p = 1; }
CALLED float16 far(float16 a, float16 b, float16 c, float16 d) { return a * b + c * d; }
kernel void k(global int *a, read_only image2d_t i, local int *p, float16 v)
{
    waits(p);
    a[1] = small(a[0]) + wanted(a[2]) + named(a[3]) + drawn(i) + wanted(a[4]) + (int)far(v, v, v + 1, v).s3;
}
END2
for function in wanted waits; do calls $function some || wrong "$function is no call"; done
for function in small named drawn far; do calls $function some && wrong "$function is a call"; done
"$ventus" objdump --text some.elf | grep -q CSR_LDS || wrong "no start code for inline assembly"

# An argument that is the same for all at all calls is no vector: loops that it ends need no vector branch.
for n in n 'n + (int)get_local_id(0)'; do
    cat >uniform.cl <<END2
__attribute__((noinline)) int sum(global int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i * i];
    return s;
}
kernel void k(global int *a, int n) { a[get_global_id(0)] = sum(a + 1, $n) + sum(a, n + 1); }
END2
    calls sum uniform || wrong "sum is no call"
    sed -n '/^sum:/,/jalr/p' uniform.s | grep -q '\<vb[lg][te]' && branch=vector || branch=scalar
    case $n in n) want=scalar ;; *) want=vector ;; esac
    [ "$branch" = "$want" ] || wrong "a $branch branch for $n"
done

# Copies that double at each step: what is called at several places is there once from some size on.
{
    echo 'int f0(int x, global int *a) { return x * 3 + a[x & 7]; }'
    for i in $(seq 25); do
        echo "int f$i(int x, global int *a) { return f$((i - 1))(x + $i, a) ^ f$((i - 1))(x * $i, a); }"
    done
    echo 'kernel void k(global int *a) { a[9] = f25(a[8], a); }'
} >chain.cl
calls 'f[0-9]*' chain || wrong "a chain of 2^25 is inlined"
[ "$(grep -c '^f[0-9]*:' chain.s)" -lt 6 ] || wrong "small functions are calls"

# A fault in a called function names its line.
cat >fault.cl <<'END2'
__attribute__((noinline)) int get(global int *p)
{
    return p[0x30000000];
}
kernel void k(global int *a) { a[0] = get(a); }
END2
calls get fault || wrong "get is no call"
check 1 'line 3' "$ventus" run fault.elf -g 1 -a ints:1
exit $status
