# `ventus diff`: its page; each difference of traces, in both forms and mixed; recorded logs; memory, launches, timelines; files that
# are damaged, or not of one kind.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
PATH=$VENTUS_BUILD:$PATH
unset VENTUS_EXPORT VENTUS_TIMELINE VENTUS_BACKEND
page docs/diff.md
[ "$n" -ge 19 ] || wrong "docs/diff.md: only $n commands found"

# ---- traces: two work-groups of two warps, with branches, atomics, barriers, local memory and prefixes ----
cat >all.cl <<'END_OF_KERNEL'
kernel void all(global int *out, global float *f)
{
    int i = get_local_id(0), g = get_global_id(0);
    local int t[64];
    int p[40];
    for (int k = 0; k < 40; k++) p[k] = i + k;
    t[i] = i * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i & 1) out[g] = t[63 - i] + p[out[g] & 31];
    else atomic_add(&out[g], i);
    f[g] = sqrt(f[g]) * 1.5f;
    ((global char *)out)[4 * g + 512] = (char)i;
}
END_OF_KERNEL
check 0 '' ventus cc all.cl -o all.elf
mkdir l
VENTUS_EXPORT=l ventus run all.elf -g 128 -l 64 -a buf:1024 -a buf:512 || wrong 'the example does not run'
check 0 '' ventus run --config l/machine.conf --case l/all_0.metadata --trace a.log --trace-binary a.vtrace
check 0 '^equal: [1-9]' ventus diff a.log a.log
check 0 '^equal: [1-9]' ventus diff a.vtrace a.vtrace
check 0 '^equal: [1-9]' ventus diff a.log a.vtrace
check 0 '^equal: [1-9]' ventus diff a.vtrace a.log
cp a.log whatever.json
check 0 '^equal' ventus diff whatever.json a.vtrace
cat a.log >pipe.txt
check 0 '^equal' sh -c 'cat a.log | ventus diff /dev/stdin a.vtrace'

# Of a changed log: what differs, against the log and against the trace.
changed() { # SED TEXT
    sed "$1" a.log >b.log
    cmp -s a.log b.log && wrong "$1 changes nothing"
    check 1 "first difference: $2" ventus diff -p all.elf a.log b.log
    grep -q '^  kernel all, line [1-9]' out.txt || grep -q '^  kernel all$' out.txt || wrong "$1: no kernel"
    check 1 "first difference: $2" ventus diff -p all.elf a.vtrace b.log
    grep -q '^  work-group ([01], 0, 0), warp [01] of 2, its instruction number' out.txt || wrong "$1: no place"
    check 1 'first difference: ' ventus diff -p all.elf b.log a.vtrace
}
number=$(grep -n ': 3 .* x6 ' a.log | sed -n '5s/:.*//p')
changed "${number}s/ x6  0x......../ x6  0x12345678/" 'the value of x6 (t1)'
changed "${number}s/ x6 / x7 /" 'x7 has been written, which is no result'
changed "${number}s/ x6  0x........//" 'x6 has not been written'
number=$(grep -n ': 3 .*vstart.* v[0-9]* ' a.log | sed -n '9s/:.*//p')
changed "${number}s/[0-9a-f]* *\$/deadbeef /" 'the value of v[0-9]* in 1 of'
number=$(grep -n ': 3 .* mem 0x[0-9a-f]* 0x' a.log | sed -n '9s/:.*//p')
changed "${number}s/\\(mem 0x[0-9a-f]* 0x\\)......../\\1abcdef01/" 'the data of a store'
changed "${number}s/mem 0x......../mem 0x91111110/" 'the addresses of a memory access'
changed "${number}s/mem 0x[0-9a-f]* 0x[0-9a-f]*//" 'the number of memory accesses, of all lanes: expected'
number=$(grep -n ': 3 .* mem 0x[0-9a-f]*$' a.log | sed -n '9s/:.*//p')
changed "${number}s/\$/ 0x00000001/" 'the form of a memory access'
number=$(grep -n ': 3 0x800000[4-9]' a.log | sed -n '40s/:.*//p')
changed "${number}s/: 3 0x800000/: 3 0x800010/" 'the address of the instruction'
changed "${number}s/(0x./(0x5/" 'the instruction word'
changed "$((number - 1)),${number}d" 'the address of the instruction\|b.log has no more'
number=$(grep -n 'current mask' a.log | sed -n '3s/:.*//p')
sed "${number}s/current mask:\t......../current mask:\t00000003/" a.log >b.log
check 1 'the mask of lanes after the instruction' ventus diff a.log b.log
sed "${number}s/stack size: [0-9]/stack size: 7/" a.log >b.log
check 1 'the depth of the SIMT stack' ventus diff a.log b.log
sed "s/c8_vstart 0x00000000/c8_vstart 0x00000001/" a.log >b.log
check 1 'what the log says besides' ventus diff a.log b.log
check 0 '^equal' ventus diff a.vtrace b.log

# Of a loaded value that is wrong: who has written it.
number=$(grep -n ': 3 .* v[0-9]* .*mem 0x7000' a.log | grep -v 'mem 0x[0-9a-f]* 0x' | sed -n '1s/:.*//p')
sed "${number}s/[0-9a-f]\{8\} \([0-9a-f]\{8\} *c8_vstart\)/deadbeef \1/" a.log >b.log # lane 1
for file in a.log a.vtrace; do
    check 1 'the word at 0x7000....: last written by warp [01] of work-group number [01] at 0x8.*, line 7: 0x0' ventus diff -p all.elf $file b.log
done
number=$(grep -n ': 3 .* x[1-9][0-9]* .*mem 0xfc00' a.log | sed -n '2s/:.*//p')
sed "${number}s/\( x[0-9]* *\)0x......../\10x77777777/" a.log >b.log
check 1 'the word at 0xfc00....: no instruction before has written it' ventus diff a.log b.log

# ---- another instruction set: of a log, the program says it ----
cat >r2025.s <<'END_OF_KERNEL'
.kernel k
.arg global, out
k:  vid.v v40
    vadd.vv v41, v40, v40
    lw t0, 0(a0)
    sw t0, 0(t0)
    ret
END_OF_KERNEL
if ventus as --profile r2025 r2025.s -o r2025.elf >out.txt 2>&1; then
    mkdir r
    VENTUS_EXPORT=r ventus run --config "$VENTUS_SOURCE/configs/r2025.conf" r2025.elf -g 32 -a buf:64 || wrong 'r2025 does not run'
    check 0 '' ventus run --config r/machine.conf --case r/k_0.metadata --trace r.log --trace-binary r.vtrace
    check 0 '^equal' ventus diff r.log r.vtrace
    check 0 '^equal' ventus diff -p r2025.elf r.log r.log
    sed 's/v41 ffffffff 0x......../v41 ffffffff 0x12345678/' r.log >r2.log
    check 1 "vadd.vv v41, v40, v40" ventus diff -p r2025.elf r.log r2.log
else
    wrong "r2025: $(cat out.txt)"
fi

# ---- recorded logs of the public simulator, the oldest layout, too ----
corpus=${VENTUS_CORPUS:-$VENTUS_SOURCE/../shared/corpus}
if [ -f "$corpus/index.tsv" ]; then
    for launch in rtl-matadd-4w4t/matadd_0 gpgpu-adv-matadd/matadd rtl-bfs-4x8/BFS_1_0; do
        check 0 '' ventus run --case "$corpus/$launch.metadata" --trace-binary c.vtrace
        check 0 '^equal: [1-9]' ventus diff "$corpus/$launch.log" c.vtrace
    done
fi

# ---- launches and memory ----
cp -r l m
check 0 '^equal: .* words of m/all_0.expect' ventus diff l m
check 0 '^equal: .* words$' ventus diff l/all_0.metadata m/all_0.expect
sed -i '3s/^......../0badcafe/' m/all_0.expect
check 1 'first difference: the byte of memory at 0x' ventus diff -p all.elf l m
grep -q '^  kernel all, buffer [1-9] of [1-9] at 0x.*, of m/all_0.expect' out.txt || wrong 'no buffer'
# Private memory lies elsewhere on another device.
cp l/all_0.expect m/all_0.expect
check 0 '' env VENTUS_BACKEND="$VENTUS_BUILD/tests/device/ventus-machine.so,lack=1024" VENTUS_EXPORT=m ventus run all.elf -g 128 -l 64 -a buf:1024 -a buf:512
cmp -s l/all_0.metadata m/all_0.metadata && wrong 'private memory is the same'
check 0 '^equal' ventus diff l m
rm m/all_0.expect
check 2 'm: there are no results of launches' ventus diff l m
cp l/all_0.expect m/all_1.expect
check 1 'first difference: m has no all_0.expect' ventus diff l m
check 2 'm/all_0.metadata: there is no m/all_0.expect' ventus diff m/all_0.metadata m/all_0.metadata
printf 'abcd\0efgh' >a.bin
printf 'abcd\0efghij' >b.bin
check 1 'a.bin has 9 bytes, b.bin has 11; those that both have are equal' ventus diff a.bin b.bin
check 1 'the byte of memory at offset 0x00000002' sh -c 'printf "abxd\0efgh" | ventus diff a.bin /dev/stdin'
printf '64636261\n66656400\n' >words.txt
printf 'abcd\0def' >same.bin
check 0 '^equal: 8 bytes' ventus diff words.txt same.bin

# ---- timelines ----
ventus run all.elf -g 128 -l 64 -a buf:1024 -a buf:512 --timing=verilog --timeline=a.csv >/dev/null || wrong timeline
for form in json kanata; do ventus run all.elf -g 128 -l 64 -a buf:1024 -a buf:512 --timing=verilog --timeline=a.$form >/dev/null; done
for file in a.csv a.json a.kanata; do check 0 '^equal: [1-9]' ventus diff $file $file; done
sed '100s/,[^,]*$/,changed/' a.csv >b.csv
check 1 'first difference: what is said of an event' ventus diff a.csv b.csv
sed '100d' a.csv >b.csv
check 1 'first difference: ' ventus diff a.csv b.csv
sed '100s/^[0-9]*/77777/' a.csv >b.csv
check 1 'the cycle of an event' ventus diff a.csv b.csv
check 0 '^equal' ventus diff --no-times a.csv b.csv
sed '/"ph":"X"/s/"dur":[0-9]*/"dur":77777.5/' a.json >b.json
check 1 "'dur' of event 1" ventus diff a.json b.json
grep -q 'found    at .* for 77777.5, ' out.txt || wrong 'the event'
check 0 '^equal' ventus diff --no-times a.json b.json
sed '100s/^/X/' a.kanata >b.kanata
check 1 'first difference: line 100, behind cycle' ventus diff a.kanata b.kanata

# ---- errors ----
: >empty
check 0 'equal: both files are empty' ventus diff empty empty
check 1 'empty has no more instructions of the warp' ventus diff a.log empty
check 1 'the byte of memory\|a.bin has 9 bytes, empty has 0' ventus diff a.bin empty
check 2 'a.csv is a timeline as CSV, and a.log is a log of instructions: these cannot be compared' ventus diff a.csv a.log
check 2 "cannot open 'missing'" ventus diff missing a.log
check 2 'two files are needed' ventus diff a.log
check 2 'a.log.* is the third' ventus diff a.log a.log a.log
check 2 'l is a folder, and a.log is none' ventus diff l a.log
check 2 'all.elf is an executable; ' ventus diff all.elf all.elf
check 2 'a.log: ' ventus diff -p a.log a.log a.log
echo '{"kernels": []}' >profile.json
check 2 'this JSON is no timeline; ' ventus diff profile.json profile.json
echo '[1, 2' >bad.json
check 2 'bad.json: ' ventus diff bad.json bad.json
number=$(grep -n ': 3 .* x6 ' a.log | sed -n '5s/:.*//p')
head -n "$number" a.log | head -c -3 >cut.log
check 2 "cut.log:$number: the file ends within a line" ventus diff a.log cut.log
(head -n $((number - 1)) a.log && printf 'core   0: 3 0x80') >cut.log
check 2 "cut.log:$number: the file ends within a line" ventus diff a.log cut.log
head -c 47 a.vtrace >cut.vtrace # the header, a launch, a warp, and a part of its first instruction
check 2 'cut.vtrace: byte 47: the file ends within a record' ventus diff a.vtrace cut.vtrace
printf 'cycle,event,sm,warp,pc,extra\n1,2\n' >bad.csv
check 2 'bad.csv:2: this is no event' ventus diff bad.csv bad.csv
check 2 'standard input cannot be both files' ventus diff - - <a.log
# What stands behind a zero byte, far from the beginning, is not equal without being looked at.
zero() { (head -c 5000 "$1"; printf '\0\n'; tail -c +5001 "$1") >zero; check 2 'zero:.*zero byte' ventus diff "$1" zero; }
zero a.log
zero a.csv
zero a.json
seq 1000000 1001000 >a.words
zero a.words
printf '{"version": 1, "profile": "default", "instructions": []}\0' >zero.json
check 1 'zero.json: it has a zero byte' ventus coverage zero.json
log() { printf 'core   0: 3 0x80000000 (0x00000013)%s\n' "$1" >bad.log; check 2 "bad.log:1: $2" ventus diff bad.log bad.log; }
log ' x5' 'no value behind the register'
log ' v5' 'no mask behind the vector register'
log ' v5 0x123' 'no values of 1 to 32 lanes'
log ' mem' "no address behind 'mem'"
log ' current mask: x' "no mask behind 'current'"
log ' stack' "no size behind 'stack'"
printf 'core 70000: 3 0x80000000 (0x00000013)\n' >bad.log
check 2 'bad.log:1: a hart of a number beyond 65535' ventus diff bad.log bad.log
exit $status
