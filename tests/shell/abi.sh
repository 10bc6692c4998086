# Functions that other objects see (docs/abi.md): C with C, C with assembly, with objects of other tools, both ways.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
abi=$VENTUS_SOURCE/tests/abi examples=$VENTUS_SOURCE/examples/abi
words() { od -An -v -td4 "$1" | tr -s ' \n' ' '; }
gives() { # what, words
    [ "$(words out.bin)" = " $2 " ] || wrong "$1:$(words out.bin)not $2"
}

# One program, and the same in two objects.
cat "$abi/lib.cl" "$abi/main.cl" >whole.cl
options="-I$abi -cl-std=CL3.0"
arguments="-g 96 -l 48 -a buf:24576 -a iota:192 -a i:9 -a local:4096"
for profile in default r2025; do
    cc="$ventus cc --profile $profile"
    check 0 '' $cc --options "$options" whole.cl -o whole.elf
    check 0 '' $cc -c --options "$options" "$abi/main.cl" -o main.o
    check 0 '' $cc -c --options "$options" "$abi/lib.cl" -o lib.o
    check 0 '' "$ventus" ld main.o lib.o -o two.elf
    check 0 '' "$ventus" run whole.elf $arguments --save 0:want.bin --save 1:want1.bin
    check 0 '' timeout 60 "$ventus" run two.elf $arguments --save 0:have.bin --save 1:have1.bin
    cmp want.bin have.bin && cmp want1.bin have1.bin || wrong "two objects give something else, $profile"
done
check 0 '' "$ventus" run two.elf --check $arguments

# The examples.
for profile in default r2.0 r2.1 r2025; do
    case $profile in # which loads from private memory each in its own way
    r2.1) sed -E 's/vlw\.v(.*\))/vlw12.v\1 {pre_m_private_32}/' "$examples/sum.s" >sum.s ;;
    r2025) sed 's/vlw\.v/vlw_private.v/' "$examples/sum.s" >sum.s ;;
    *) cp "$examples/sum.s" sum.s ;;
    esac
    check 0 '' "$ventus" as --profile $profile -c sum.s
    check 0 '' "$ventus" as --profile $profile -c "$examples/scale.s" -o scale.o
    check 0 '' "$ventus" cc --profile $profile -c "$examples/blur.cl" -o blur.o
    check 0 '' "$ventus" ld blur.o sum.o scale.o -o abi.elf
    check 0 '' "$ventus" run abi.elf --kernel blur -g 6 -a ints:0,10,20,30,40,50 -a out:24:out.bin
    gives "blur, $profile" '2 40 80 120 160 47'
    check 0 '' "$ventus" run abi.elf --kernel scale -g 6 -a ints:0,10,20,30,40,50 -a i:3 --save 0:out.bin
    gives "scale, $profile" '0 2030 2060 2090 3120 3150'
done

# A function keeps v32 to v47, s0 to s11, sp and tp, and what lies in memory there; it finds its words beyond the first 32
# at tp, a long in an even pair.
cat >keep.cl <<'END'
int other(int x);
long many(int a, long b, int16 c, int16 d, int e)
{
    int sum[24], all = 0;
    for (int i = 0; i < 24; i++) sum[i] = i * a;
    int16 t = c * 3, u = d * 5;
    for (int i = 0; i < a % 5; i++) {
        t += other(t.s0 + i) * d;
        u ^= t + other(u.s1);
        sum[i] += u.s2;
    }
    for (int i = 0; i < 24; i++) all += sum[i];
    return b + all + t.s0 + t.sf + u.s0 + u.sf + e;
}
END
{
    echo '.kernel k'; echo '.arg global, out'
    echo 'k: sw ra, 4(sp)'; echo 'addi sp, sp, 4'
    echo 'lw t0, 0(a0)'; echo 'mv t1, s0'; echo 'sw t1, 4(sp)'; echo 'sw t0, 8(sp)'; echo 'addi sp, sp, 8'
    echo 'vid.v v49'; echo 'vmv.v.x v48, tp'; echo 'vsw.v v49, 4(v48)'; echo 'addi tp, tp, 8'
    for n in $(seq 32 47); do echo "vadd.vx v$n, v49, x0"; echo "li t2, $n"; echo "vadd.vx v$n, v$n, t2"; done
    for n in 8 9 $(seq 18 27); do echo "li x$n, $((n * 3))"; done
    echo 'vid.v v0'; echo 'vmv.v.i v1, 7' # v1 is left out: the long is in v2, v3
    echo 'vmv.v.i v2, 9'; echo 'vmv.v.i v3, 0'
    for n in $(seq 4 19); do echo "vmv.v.i v$n, $((n - 4))"; done
    for n in $(seq 20 31); do echo "vmv.v.i v$n, $((n - 20))"; done
    echo 'vmv.v.x v48, tp' # the last four words of d, then e
    for n in 0 1 2 3 4; do echo "vmv.v.i v50, $((12 + n))"; echo "vsw.v v50, $((4 * n))(v48)"; done
    echo 'mv s11, tp'; echo 'call many'; echo 'sub t3, s11, tp' # 0
    echo 'vid.v v49'
    for n in $(seq 32 47); do echo "li t2, $n"; echo "vsub.vx v48, v$n, t2"; echo 'vsub.vv v48, v48, v49'; echo 'vadd.vv v1, v1, v48'; done
    for n in 8 9 $(seq 18 26); do echo "addi t4, x$n, -$((n * 3))"; echo 'or t3, t3, t4'; done
    echo 'addi tp, tp, -8'; echo 'vmv.v.x v48, tp'; echo 'vlw.v v50, 4(v48)'; echo 'vsub.vv v50, v50, v49' # 0
    echo 'lw t0, 0(sp)'; echo 'lw s0, -4(sp)'; echo 'addi sp, sp, -8'; echo 'lw ra, 0(sp)'; echo 'addi sp, sp, -4'
    echo 'vadd.vx v50, v50, t3'; echo 'vadd.vv v1, v1, v50'; echo 'vsll.vi v51, v49, 3'; echo 'vadd.vx v51, v51, t0'
    echo 'vsw12.v v0, 0(v51)'; echo 'vsw12.v v1, 4(v51)'; echo 'ret'
    echo '.globl other'; echo 'other: vadd.vi v0, v0, 3' # and writes all that it may
    for n in $(seq 1 31) $(seq 48 63); do echo "vmv.v.i v$n, -1"; done
    for n in $(seq 5 7) $(seq 10 17) $(seq 28 63); do echo "li x$n, -1"; done
    echo 'ret'
} >keep.s
cat >same.cl <<'END'
int other(int x) { return x + 3; }
END
echo 'kernel void k(global long *out) { int g = get_global_id(0);
    out[g] = many(g, 9, (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 16); }' | cat same.cl keep.cl - >one.cl
check 0 '' "$ventus" cc one.cl -o one.elf && check 0 '' "$ventus" run one.elf -g 20 -a out:160:want.bin
check 0 '' "$ventus" as -c keep.s && check 0 '' "$ventus" cc -c keep.cl -o keepc.o && check 0 '' "$ventus" ld keep.o keepc.o -o keep.elf
check 0 '' timeout 60 "$ventus" run keep.elf -g 20 -a out:160:out.bin
cmp want.bin out.bin || { wrong 'registers or words are not where they belong'; words want.bin; words out.bin; }

# Objects of other tools: of their assembler, for RISC-V with vectors.
if command -v llvm-mc-19 >/dev/null; then
    printf '%s\n' '.globl theirs' '.type theirs, @function' 'theirs: vsll.vi v0, v0, 2' 'addi sp, sp, 8' 'sw ra, 0(sp)' \
        'call ours' 'lw ra, 0(sp)' 'addi sp, sp, -8' 'ret' >theirs.s
    echo 'int theirs(int x); int ours(int x) { return x + 1; }
        kernel void k(global int *out) { int g = get_global_id(0); out[g] = g % 3 ? theirs(g) : -1; }' >ours.cl
    check 0 '' llvm-mc-19 -triple=riscv32 -mattr=+v,+relax -filetype=obj theirs.s -o theirs.o
    check 0 '' "$ventus" cc -c ours.cl -o ours.o && check 0 '' "$ventus" ld ours.o theirs.o -o mixed.elf
    check 0 '' "$ventus" run mixed.elf -g 5 -a out:20:out.bin
    gives 'an object of LLVM' '-1 5 9 -1 17'
fi

# Variables that several objects see keep their values; printf of two objects; names of static variables may be the same.
printf '%s\n' 'extern global int count; extern constant int table[2]; void note(int x); static constant int own[3] = {1, 2, 3};
    kernel void k(global int *out) { note(own[count & 1] + table[1]); printf("k %d\n", count); out[0] = ++count; }' >a.cl
printf '%s\n' 'global int count = 40; constant int table[2] = {5, 60}; static constant int own[3] = {4, 5, 6};
    void note(int x) { printf("%s %d\n", "note", x + own[1]); }' >b.cl
for f in a b; do check 0 '' "$ventus" cc -c --options -cl-std=CL3.0 $f.cl -o $f.o; done
check 0 '' "$ventus" ld a.o b.o -o ab.elf && check 0 'k 40' "$ventus" run ab.elf -g 1 -a out:4:out.bin
[ "$(cat out.txt)" = 'note 66
k 40' ] || wrong 'printf of two objects'
gives 'a variable of another object' 41
if command -v readelf >/dev/null; then
    readelf -SsrW a.o >a.txt 2>a.err || wrong 'readelf does not read the object'
    [ -s a.err ] && wrong "readelf: $(cat a.err)"
    grep -q 'R_RISCV_CALL_PLT.* note ' a.txt || wrong 'the call has no relocation'
    grep -q 'FUNC *GLOBAL DEFAULT *1 k$' a.txt || wrong 'the kernel has no symbol'
fi

# Mistakes, by name.
refused() { echo "$1" >bad.cl; check 1 "$2" "$ventus" cc -c bad.cl -o bad.o; }
refused 'int f(int x) { return x ? f(x - 1) : 0; }' 'function "f" is recursive'
refused 'int g(int); int f(int x) { return x ? g(x - 1) : 0; } int g(int x) { return f(x); }' 'function "[fg]" is recursive'
refused 'void f(read_only image2d_t i); kernel void k(read_only image2d_t i) { f(i); }' 'function "f" is not defined'
for f in f:g g:h h:f; do
    echo "int ${f#*:}(int); int ${f%:*}(int x) { return x ? ${f#*:}(x - 1) : 0; }" >${f%:*}.cl
    check 0 '' "$ventus" cc -c ${f%:*}.cl
done
check 1 "function '[fgh]' is recursive" "$ventus" ld f.o g.o h.o -o bad.elf
printf '.globl h\nh: ret\n' | "$ventus" as -c -o h.o - && check 0 '' "$ventus" ld f.o g.o h.o -o good.elf
check 1 "undefined symbol 'ours'" "$ventus" ld a.o theirs.o -o bad.elf
check 2 'it goes without' "$ventus" cc -c --compile a.cl -o a.o
printf '.print_format 1, "a"\n' | "$ventus" as -c -o f1.o - && printf '.print_format 1, "b"\n' | "$ventus" as -c -o f2.o -
check 1 'print format number 1 has two texts' "$ventus" ld f1.o f2.o -o bad.elf
exit $status
