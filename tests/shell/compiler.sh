# The command line of ventus-cc: where the source comes from and the program goes to, and what is refused.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cc=$VENTUS_BUILD/ventus-cc
echo 'kernel void k(global int *a) { a[0] = 1; }' >k.cl
echo 'int f(int x) { return x + 1; }' >f.cl
echo 'int f(int); kernel void k(global int *a) { a[0] = f(a[0]); }' >user.cl

check 0 '' "$cc" k.cl -o want.elf
"$VENTUS_BUILD/ventus" objdump --text want.elf >want.s
for source in '' -; do # standard input
    "$cc" $source <k.cl >got.elf || wrong "ventus-cc $source fails"
    "$VENTUS_BUILD/ventus" objdump --text got.elf | cmp want.s - || wrong "ventus-cc $source makes another program"
done
check 0 '' "$cc" --compile f.cl -o f.o
check 0 '' "$cc" --compile user.cl -o user.o
check 1 'undefined function "f"' "$cc" user.cl -o x.elf
check 0 '' "$cc" --link user.o f.o -o linked.elf
check 0 '' "$cc" --link --compile user.o f.o -o both.o
check 0 '' "$cc" --link both.o -o again.elf
cmp linked.elf again.elf || wrong "linking in two steps gives another program"
check 1 'f' "$cc" --link user.o -o x.elf
check 0 '^usage: ventus-cc' "$cc" --help
for line in '--bogus' '-o' '--options' '-x k.cl'; do check 2 'unknown option, or no value behind it' "$cc" $line; done
check 2 'f.cl: one source at a time; this is the second' "$cc" k.cl f.cl -o x.elf
check 2 '-: one source at a time' "$cc" k.cl - -o x.elf
check 2 'k.cl: --link comes before the objects' "$cc" k.cl --link f.o -o x.elf
check 2 '--link: it needs objects' "$cc" --link -o x.elf
check 3 'cannot open none.cl: No such file' "$cc" none.cl -o x.elf
check 3 'none' "$cc" k.cl -o none/x.elf

# Stack and base of local memory are made by the start code only where inline assembly may want them.
"$VENTUS_BUILD/ventus" objdump --text want.elf | grep -q 'CSR_LDS' && wrong "the start code makes what nothing uses"
echo 'kernel void k(global int *a) { __asm__ volatile ("sw %0, 0(s0)" : : "r"(1)); }' >asm.cl
check 0 '' "$cc" asm.cl -o asm.elf
"$VENTUS_BUILD/ventus" objdump --text asm.elf | grep -q 'add	s0, t0, t1' || wrong "inline assembly finds no local memory"

# Vectors of halves are words of two. What is rounded to the nearest half is one conversion.
{
    echo '#pragma OPENCL EXTENSION cl_khr_fp16 : enable'
    echo 'kernel void k(global half4 *a, global half4 *b) { int i = get_global_id(0); b[i] = fma(a[i], b[i], -a[i]); }'
} >packed.cl
check 0 '' "$cc" packed.cl -o packed.elf
[ "$("$VENTUS_BUILD/ventus" objdump --text packed.elf | grep -c 'vfma.f16x2')" = 2 ] || wrong 'halves are not packed'
"$VENTUS_BUILD/ventus" objdump --text packed.elf | grep -q 'v[ls]h' && wrong 'packed halves are accessed one by one'
echo 'kernel void k(global float *a, global half *h) { int i = get_global_id(0); vstore_half_rte(a[i], i, h); }' >nearest.cl
check 0 '' "$cc" nearest.cl -o nearest.elf
"$VENTUS_BUILD/ventus" objdump --text nearest.elf | grep -q '[[:space:]]vb' && wrong 'a store of a half branches'

# Sine and cosine of one number cost little more than either.
count() { # of the instructions of a kernel whose result is the expression
    echo "kernel void k(global float *a) { int i = get_global_id(0); float x = a[i]; a[i] = $1; }" >sine.cl
    "$cc" sine.cl -o sine.elf || wrong "$1 does not compile"
    "$VENTUS_BUILD/ventus" objdump --text sine.elf | grep -c '^[0-9a-f]*:'
}
[ "$(count 'sin(x) + cos(x)')" -lt $(($(count 'sin(x)') + 20)) ] || wrong 'sine and cosine are computed one by one'

# A draft of a program of many kernels: each comes out of it as it is in the program, all of them as the program.
{
    echo '#define STEPS '"$(seq 150 | sed 's/.*/x = x * 3 + a[x \& &];/' | tr '\n' ' ')"
    seq 12 | sed 's/.*/kernel void k&(global int *a) { int x = a[get_global_id(0)]; STEPS for (int i = 0; i < & * x; i++) a[i]++; }/'
} >many.cl
"$cc" -o many.elf <many.cl && "$cc" --draft -o draft.elf <many.cl || wrong "a program of many kernels"
check 0 '' "$cc" --link draft.elf -o all.elf
cmp many.elf all.elf || wrong "a draft as a whole is another program"
kernel_of() { "$VENTUS_BUILD/ventus" objdump --text "$1" | awk -F'\t' -v k="$2:" 'NF == 1 && /:$/ { on = $0 == k } on { print $3 }'; }
for k in k1 k7; do
    check 0 '' "$cc" --link --kernel $k draft.elf -o one.elf
    kernel_of many.elf $k >want.s
    [ "$(wc -l <want.s)" -gt 150 ] || wrong "no listing of $k"
    kernel_of one.elf $k | cmp want.s - || wrong "$k of a draft is another kernel"
    kernel_of one.elf k2 | grep . && wrong "a kernel that nobody asked for"
done
check 1 'draft.elf has no kernel none' "$cc" --link --kernel none draft.elf -o x.elf
check 1 'many.elf is no draft' "$cc" --link --kernel k1 many.elf -o x.elf
check 1 'f.o is no draft' "$cc" --link --kernel f f.o -o x.elf
check 2 'k1: it is a kernel of a draft to be linked' "$cc" --kernel k1 many.cl -o x.elf
check 1 'not a program for this device' "$VENTUS_BUILD/ventus" run --kernel k1 --global 1 --arg buf:64 draft.elf
check 0 '' "$cc" --draft k.cl -o few.elf
cmp want.elf few.elf || wrong "a program of one kernel is no draft"

# What a cache of compiled programs asks: which files make up the compiler, and what becomes of a source's includes.
check 0 '^/.*clang' "$cc" --files
grep -q 'ventus-builtins.bc$' out.txt || wrong "not all files: $(cat out.txt)"
# Those of LLVM, too, if there is one: it may be a part of the compiler, whose file the cache knows.
ldd "$cc" | sed -n 's/.*=> \(.*libLLVM[^ ]*\).*/\1/p' >llvm.txt
grep libLLVM out.txt | cmp - llvm.txt || wrong "not the LLVM that it uses: $(cat out.txt)"
xargs ls <out.txt >ls.txt || wrong "names of files that are none"
echo '#define N 3' >n.h
echo '#include <n.h>
kernel void k(global int *a) { a[0] = N; }' >n.cl
check 0 'a\[0\] = 3;' "$cc" --preprocess --options '-I .' n.cl
check 1 "'n.h' file not found" "$cc" --preprocess n.cl
# An empty element of the search path, or ., does not stand for the folder that somebody happens to be in.
printf '#!/bin/sh\necho taken >&2\nexit 1\n' >clang-19
chmod +x clang-19
for path in '' : :/nowhere .:/nowhere /nowhere:; do
    check 3 'clang-19 was not found' env PATH="$path" "$cc" k.cl -o x.elf
done
# clang can make no file and connect to nobody, if the kernel can see to that.
cat >evil <<'END'
#!/usr/bin/python3
import os, socket
for name, act in [("make", lambda: os.open("made", os.O_CREAT | os.O_WRONLY)), ("unlink", lambda: os.unlink("k.cl")),
                  ("connect", lambda: socket.create_connection(("127.0.0.1", 1)))]:
    try:
        act()
        os.write(2, b"%s: done\n" % name.encode())
    except OSError as e:
        os.write(2, b"%s: %s\n" % (name.encode(), e.strerror.encode()))
os._exit(1)
END
chmod +x evil
landlock=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))') # its version
if [ "$landlock" -ge 4 ]; then
    VENTUS_CLANG=$dir/evil check 1 '^make: Permission denied' "$cc" k.cl -o x.elf
    grep -q '^unlink: Permission denied' out.txt || wrong "clang may remove files: $(cat out.txt)"
    grep -q '^connect: Permission denied' out.txt || wrong "clang may connect: $(cat out.txt)"
fi
# It can read what lies below the current folder, the folders of -I and those of the system, and nothing else.
mkdir -p here/sub secret
echo '#define N 1' >here/sub/n.h
echo 'topsecret' >secret/s.h
ln -s "$dir/secret/s.h" here/link.h
includes() { # CODE TEXT NAME [OPTION]: a source in the folder `here` that includes this
    printf '#include "%s"\nkernel void k(global int *a) { a[0] = N; }\n' "$3" >here/i.cl
    check "$1" "$2" sh -c 'cd here && exec "$0" --options "$1" i.cl -o ../x.elf' "$cc" "${4-}"
}
includes 0 '' sub/n.h
includes 0 '' n.h '-I sub'
includes 0 '' "$dir/here/sub/n.h"
includes 1 'topsecret' ../secret/s.h '-I ../secret'
if [ "$landlock" -ge 1 ]; then
    for name in ../secret/s.h "$dir/secret/s.h" link.h /etc/passwd /proc/self/environ; do
        includes 1 'file not found' "$name"
        grep -q 'topsecret\|root:\|PATH=' out.txt && wrong "a source reads $name: $(cat out.txt)"
    done
fi
# A pipe into which nobody writes does not hold the compiler up.
mkfifo here/sub/pipe
VENTUS_CC_SECONDS=1 includes 1 'is one that the source includes a pipe' sub/pipe
VENTUS_CC_SECONDS=1 includes 1 'is one that the source includes a pipe' pipe '-I sub'
# Nor does a clang that works now and then, but never ends.
printf '#!/bin/sh\nwhile :; do sleep 0.3; done\n' >never
chmod +x never
VENTUS_CLANG=$dir/never VENTUS_CC_PATIENCE=2 "$cc" k.cl -o never.elf >never.txt 2>&1 & # looked at in the end
# clang has as much memory as the page says; a sanitized ventus-cc has no limit to hand on.
printf '#!/bin/sh\nulimit -v >&2\nexit 1\n' >limits
chmod +x limits
[ -n "${VENTUS_FOREIGN-}" ] || VENTUS_CLANG=$dir/limits check 1 '^4194304$' "$cc" k.cl -o x.elf
# What never ends, ends; with no memory, or nowhere to write, it is said.
{
    echo '#define A0 x = x * 3 + a[x & 7];'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo "#define A$i A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1))"; done
    echo 'kernel void f(global int *a) { int x = a[0]; A14 a[0] = x; }'
} >bomb.cl
VENTUS_CC_SECONDS=1 check 1 'took too long or too much memory' "$cc" bomb.cl -o x.elf
{
    echo 'kernel void f(global int *a) { int x = a[get_global_id(0)]; switch (x) {'
    seq 20000 | sed 's/.*/case &: x = a[&] * 3; break;/'
    echo '} a[0] = x; }'
} >cases.cl
VENTUS_CC_SECONDS=1 check 1 'takes too much processor time to compile' "$cc" cases.cl -o x.elf
# What is nested in thousands has a stack for it, to a depth; what is deeper is refused without clang's own report.
nested() { echo "kernel void f(global int *a) { int x = a[0]; x = $(head -c "$2" /dev/zero | sed "s/\x00/$1/g") 1; a[0] = x; }"; }
nested 'x = ' 15000 >deep.cl
check 0 '' "$cc" deep.cl -o x.elf
nested '- ' 100000 >deep.cl
check 1 'clang-19 crashed; are statements or expressions nested in thousands?' "$cc" deep.cl -o x.elf
[ "$(wc -l <out.txt)" -le 4 ] || wrong "a report of $(wc -l <out.txt) lines"
# Many statements are no attack.
{
    echo 'kernel void f(global int *a) { int x = a[get_global_id(0)];'
    seq 2000 | sed 's/.*/if (x \& &) x = x * 3 + a[&];/'
    echo 'a[0] = x; }'
} >ifs.cl
VENTUS_CC_SECONDS=5 check 0 '' "$cc" ifs.cl -o x.elf
# A function of very many loops, here of calls, does not take the square of their number.
{
    echo 'int f(int x, global int *a) { for (int i = 0; i < (x & 3); i++) x += a[i] > x ? a[i] : 1; return x; }'
    echo 'kernel void k(global int *a) { int x = a[0];'
    seq 2000 | sed 's/.*/x = f(x + &, a);/'
    echo 'a[0] = x; }'
} >calls.cl
VENTUS_CC_SECONDS=6 check 0 '' "$cc" calls.cl -o x.elf
# Calls that double at every step: refused when they are too many, by what is left of the functions when simplified, if
# they have to be inlined.
doubling()
{
    echo "int f0(int x) { $(seq "$2" | sed 's/.*/x = x * 1;/') $3 return x * 3 + 1; }"
    seq "$1" | sed 's/.*/int f&(int x) { return f@(x) + f@(x ^ &); }/' | awk '{ gsub("@", NR - 1); print }'
    echo "kernel void k(global int *a) { a[0] = f$1(a[0]); }"
}
doubling 12 400 '' >double.cl
check 0 '' "$cc" double.cl -o x.elf
for deep in 25 100; do
    doubling $deep 1 '__asm__ volatile("");' >double.cl
    check 1 'too large once its function calls are inlined' "$cc" double.cl -o x.elf
done
# Who starts it may ignore the ends of children, and this is inherited.
env --ignore-signal=CHLD "$cc" k.cl -o x.elf || wrong "with SIGCHLD ignored"
rm -f x.elf
(ulimit -f 0; "$cc" k.cl -o x.elf 2>&1) | cat >limit.txt
grep -q 'cannot make the program file' limit.txt || wrong "a limit of file sizes: $(cat limit.txt)"
[ ! -e x.elf ] || wrong "a file was written in spite of errors"
# A listing of what was selected, for whoever works on the compiler.
VENTUS_CC_DUMP=machine "$cc" k.cl -o x.elf 2>dump || wrong "a dump of the machine code"
grep -q '^k: [1-9][0-9]* words, .* scalar and .* vector registers, 0 bytes local' dump || wrong "no summary: $(head -n 1 dump)"
[ "$(sed -n 's/^ *\([0-9a-f]*\):.\([a-z]*\).*/\1 \2/p' dump | tr '\n' ',')" = '0 lw,4 addi,8 sw,c endprg,' ] ||
    wrong "a dump that is no listing: $(cat dump)"
rm x.elf

# An object may name any type as the one that a kernel is best made vectors of.
echo '__attribute__((vec_type_hint(float4))) kernel void k(global int *a) { a[0] = 1; }' >hint.cl
check 0 '' "$cc" --compile hint.cl -o hint.o
llvm-dis-19 hint.o -o hint.ll
for type in 'i128 ulong' 'i7 uchar' 'ptr ' '<3 x i1> uchar3' '<2 x double> double2'; do
    sed "s/<4 x float> undef/${type% *} undef/" hint.ll | llvm-as-19 -o other.o
    check 0 '' "$cc" --link other.o -o other.elf
    [ "$(grep -a -o 'vechint=.*' other.elf | tr -d '\0')" = "vechint=${type##* }" ] || wrong "$type: $(grep -a -o 'vechint=.*' other.elf)"
done

# A message longer than there is room for ends with dots, and what is said next follows.
VENTUS_CLANG=/$(printf '%03000d' 0) "$cc" k.cl -o x.elf 2>long.err
[ $? = 3 ] && [ "$(wc -c <long.err)" -gt 2000 ] && [ "$(wc -c <long.err)" -lt 2200 ] || wrong "a long message: $(wc -c <long.err) bytes"
head -n 1 long.err | grep -q '^ventus-cc: error: VENTUS_CLANG names "/000*0 \.\.\.$' || wrong "a long message: $(cut -c 1-60 long.err)"
wait
grep -q 'compiling takes too long' never.txt || wrong "a compiler without end: $(cat never.txt)"
# Lanes that continue a loop from different places meet at the end of each iteration, and a loop around a stack, whose
# pointer moves as the data wants, is not unrolled.
cat >continue.cl <<'END'
kernel void place(global int *out)
{
    int i = get_global_id(0), row = 2, count = 0;
    uint columns[9], left[9], right[9], open[9];
    uint a = 1u << i % 8, b = 1u << i / 8 % 8;
    columns[2] = a | b, left[2] = (a << 1 | b) << 1, right[2] = (a >> 1 | b) >> 1;
    open[2] = 255 & ~(columns[2] | left[2] | right[2]);
    if ((b & (a | a << 1 | a >> 1)) != 0) row = 1;
    while (row >= 2) {
        if (!open[row]) {
            row--;
            continue;
        }
        uint bit = open[row] & -open[row];
        open[row] ^= bit;
        if (row == 7) {
            count++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = 255 & ~(columns[row] | left[row] | right[row]);
    }
    out[i] = count;
}
END
check 0 '' "$ventus" cc continue.cl -o continue.elf
"$ventus" run continue.elf -g 32 -a buf:128 --stats >continue.txt 2>&1 || wrong 'continue.elf'
lanes=$(sed -n 's/^lanes active on average *//p' continue.txt)
[ "${lanes%.*}" -ge 4 ] || wrong "lanes that continue do not meet: $lanes active on average"
[ "$("$ventus" objdump continue.elf | grep -c vbeq)" -le 4 ] || wrong 'the loop around a stack is unrolled'

# Lanes that stay in a loop meet in each iteration although others leave it from a branch, and lanes that leave it meet
# behind it although others leave the loop around it, too.
cat >leave.cl <<'END'
kernel void nested(global uint *out)
{
    uint i = get_global_id(0), x = i * 2654435761u;
    for (int k = 0; k < 64; k++) {
        for (int j = 0; j < 16; j++) {
            x = x * 1664525u + 1013904223u;
            if (x >> 24 == 7) { out[i] = k; return; }
            if (x >> 28 == 3) continue;
            x ^= x >> 13;
            if (x >> 27 == 9) break;
        }
        x += k;
    }
    out[i] = x;
}
kernel void jumps(global uint *out)
{
    uint i = get_global_id(0), x = i * 2654435761u, n = 0;
again:
    x = x * 1664525u + 1013904223u;
    n++;
    if (x & 0x100) goto again;
    x ^= x >> 9;
    if (x & 0x400) goto again;
    if (n < 100) { x += n; goto again; }
    out[i] = x + n;
}
END
check 0 '' "$ventus" cc leave.cl -o leave.elf
for kernel in 'nested 5' 'jumps 12'; do
    "$ventus" run leave.elf --kernel "${kernel% *}" -g 256 -l 32 -a buf:1024 --stats >leave.txt 2>&1 || wrong "${kernel% *}"
    lanes=$(sed -n 's/^lanes active on average *//p' leave.txt)
    [ "${lanes%.*}" -ge "${kernel#* }" ] || wrong "${kernel% *}: $lanes lanes active on average"
done
exit $status
