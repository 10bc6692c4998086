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

# What a cache of compiled programs asks: which files make up the compiler, and what becomes of a source's includes.
check 0 '^/.*clang' "$cc" --files
grep -q 'ventus-builtins.bc$' out.txt && grep -q libLLVM out.txt || wrong "not all files: $(cat out.txt)"
xargs ls <out.txt >ls.txt || wrong "names of files that are none"
echo '#define N 3' >n.h
echo '#include <n.h>
kernel void k(global int *a) { a[0] = N; }' >n.cl
check 0 'a\[0\] = 3;' "$cc" --preprocess --options '-I .' n.cl
check 1 "'n.h' file not found" "$cc" --preprocess n.cl
[ ! -e x.elf ] || wrong "a file was written in spite of errors"
# A listing of what was selected, for whoever works on the compiler.
VENTUS_CC_DUMP=machine "$cc" k.cl -o x.elf 2>dump || wrong "a dump of the machine code"
grep -q '^k: [1-9][0-9]* words, .* scalar and .* vector registers, 0 bytes local' dump || wrong "no summary: $(head -n 1 dump)"
[ "$(sed -n 's/^ *\([0-9a-f]*\):.\([a-z]*\).*/\1 \2/p' dump | tr '\n' ',')" = '0 lw,4 addi,8 sw,c jalr,' ] ||
    wrong "a dump that is no listing: $(cat dump)"
rm x.elf

# A message longer than there is room for ends with dots, and what is said next follows.
VENTUS_CLANG=/$(printf '%03000d' 0) "$cc" k.cl -o x.elf 2>long.err
[ $? = 3 ] && [ "$(wc -c <long.err)" -gt 2000 ] && [ "$(wc -c <long.err)" -lt 2200 ] || wrong "a long message: $(wc -c <long.err) bytes"
head -n 1 long.err | grep -q '^ventus-cc: error: VENTUS_CLANG names "/000*0 \.\.\.$' || wrong "a long message: $(cut -c 1-60 long.err)"
exit $status
