# ventus run: recorded launches in every form of metadata, programs without kernel records, arguments from
# files, machine files, statistics as JSON, traces, and what users and damaged files get wrong.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
same() { cmp "$1" "$2" || wrong "$3"; }

# ---- recorded launches ----

# Two warps of four lanes. Group number + 7, plus what was there, goes to the address in the metadata block,
# a word for each group; both warps meet at a barrier; then the code that stops the public simulator.
cat >case.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 0(t0)
        csrr    t1, CSR_GIDX
        slli    t2, t1, 2
        add     t0, t0, t2
        csrr    t3, CSR_WID
        bne     t3, x0, wait
        lw      t2, 0(t0)
        addi    t1, t1, 7
        add     t1, t1, t2
        sw      t1, 0(t0)
wait:   barrier 1
        endprg
        li      t1, 1
        auipc   t0, 1
        sw      t1, 0(t0)
S
check 0 '' "$ventus" as --vmem case.s -o case.vmem
pair() { for v; do printf '%08x\n00000000\n' "$v"; done; }
words=$(wc -l <case.vmem)
code=$((words * 4))
launch='0 2 1 1 4 2 0x90001000 4096 0 64 64 0x90002000'
# bases, sizes, allocations of result (not in the data), code, an empty buffer, metadata block of odd size
bases='0x90000000 0x80000000 0x90003000 0x90001000' sizes="0 $code 0 5" allocs="8 0x10000000 16 64"
{ cat case.vmem; echo 90000000; echo 000000ff; } >a.data
pair 0x80000000 $launch 4 $bases $sizes $allocs >a.metadata
for f in b c branch later notes; do cp a.data $f.data; done
pair $launch 4 $bases $sizes $allocs >b.metadata                        # no start pc
pair 0x80000000 $launch 1 16 1 1 8 1 1 0 0 0 4 $bases $sizes $allocs >branch.metadata
pair 0x80000000 $launch 1 16 1 1 8 1 1 0 0 0 3 2 4 $bases $sizes $allocs >later.metadata
{ echo '// made by hand'; echo; sed 's/$/   \/\/ a field/' a.metadata; } >notes.metadata
# no allocations either, so the result needs contents
{ printf '00000000\n00000000\n'; cat a.data; } >c.data
pair $launch 4 $bases 8 $code 0 5 >c.meta
mkdir sub
for f in a.metadata b.metadata c.meta branch.metadata later.metadata notes.metadata; do
    check 0 "$f: 44 warp instructions" "$ventus" run --case $f --dump 0x90000000:8:result.bin
    [ "$(od -An -tu4 result.bin | tr -s ' ')" = ' 7 8' ] || wrong "$f gave something else"
done
check 0 'pages of no buffer  *0$' "$ventus" run --stats --case a.metadata
check 0 '' "$ventus" run --case a.metadata --case b.metadata --case notes.metadata --dump 0x90000000:8:result.bin
[ "$(od -An -tu4 result.bin | tr -s ' ')" = ' 21 24' ] || wrong "launches do not share their memory"
check 0 '' "$ventus" run --strict --case a.metadata
check 0 '^a.metadata: ' "$ventus" run --case a.metadata:b.data
check 1 'none.data: No such file' "$ventus" run --case a.metadata:none.data
check 0 '' "$ventus" run --config "$VENTUS_SOURCE/configs/spike.conf" --case a.metadata
check 1 'more warps than an SM holds' "$ventus" run --warps 1 --case a.metadata

# The most warps, of each size: all stacks and turns at the barrier.
for lanes in 4 8 16 20; do
    sed "11s/.*/$lanes/; 13s/.*/40/" a.metadata >most.metadata # hexadecimal: 64 warps
    cp a.data most.data
    check 0 'most.metadata: 1160 warp' "$ventus" run --case most.metadata --dump 0x90000000:8:result.bin
    [ "$(od -An -tu4 result.bin | tr -s ' ')" = ' 7 8' ] || wrong "64 warps of 0x$lanes lanes give something else"
done

# The result at an address that no buffer covers: zeros, unless --strict.
sed 's/90000000/a0000000/' a.data >stray.data
cp a.metadata stray.metadata
check 0 'pages of no buffer  *1$' "$ventus" run --stats --case stray.metadata --dump 0xa0000000:8:result.bin
[ "$(od -An -tu4 result.bin | tr -s ' ')" = ' 7 8' ] || wrong "flat memory is not"
check 1 'stray.metadata: read of unmapped memory' "$ventus" run --strict --case stray.metadata --json fault.json
check 0 '"kind": "read"' cat fault.json
check 0 '"addr": 2684354560' cat fault.json
check 0 '"status": "fault"' cat fault.json

# Four bytes are enough to tell an ELF file, three are text.
printf '\177ELF' >cut
check 1 'cut: this is not an ELF file' "$ventus" run cut
printf '\177EL' >cut
check 1 'cut:1: this is neither an ELF file nor' "$ventus" run cut

# Files that are not right, with the line at fault.
sed '5s/.*/zzz/' a.metadata >bad.metadata
check 1 "bad.metadata:5: 'zzz' is not a word" "$ventus" run --case bad.metadata
cp a.data bad.data
sed '11s/.*/00000040/' a.metadata >bad.metadata
check 1 'bad.metadata:11: the number of threads of a warp is 0x40' "$ventus" run --case bad.metadata
sed '2s/.*/00000001/' a.metadata >bad.metadata
check 1 'bad.metadata:1: the start pc is' "$ventus" run --case bad.metadata
sed 1d a.metadata >bad.metadata
check 1 'bad.metadata: 51 words are no known layout' "$ventus" run --case bad.metadata
cp a.metadata bad.metadata
sed 1d a.data >bad.data
check 1 'bad.data: 17 words, but the buffers of bad.metadata take 18' "$ventus" run --case bad.metadata
: >bad.metadata
check 1 'no known layout' "$ventus" run --case bad.metadata
check 1 'none.metadata: No such file' "$ventus" run --case none.metadata
rm bad.data
cp a.metadata bad.metadata
check 1 'bad.data: No such file' "$ventus" run --case bad.metadata
for value in 0 ffffffff; do # any field may hold anything
    for line in 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 37 39 45 47; do
        sed "${line}s/.*/$value/" a.metadata >bad.metadata
        cp a.data bad.data
        timeout 20 "$ventus" run --strict --case bad.metadata >out.txt 2>&1
        [ $? -le 1 ] || { wrong "line $line with $value ends the program"; cat out.txt; }
    done
done

# ---- the log ----

check 0 '' "$ventus" run --case a.metadata --trace-dir sub
check 0 '' "$ventus" run --case a.metadata --trace a.log
same sub/a.log a.log "--trace-dir and --trace differ"

# Observers watch side by side: each finds what it finds alone.
mkdir all
check 0 '"checks": \[\]' "$ventus" run --case a.metadata --check=bounds,races --trace-dir all --trace all/one.log \
    --trace-binary all/a.vtrace --json -
same sub/a.log all/a.log "--trace-dir differs when others watch"
same a.log all/one.log "--trace differs when others watch"
check 0 '^# 44 instructions$' "$ventus" trace all/a.vtrace
check 1 'bounds: load of 4 bytes' "$ventus" run --case stray.metadata --check=bounds --trace-dir all
[ -s all/stray.log ] || wrong "--check keeps --trace-dir from writing"
# Per group: twice 5 of boot code, 13 and 9 instructions, four turns of hart 1 at the barrier, the end's 3.
[ "$(grep -c ': 3 0x' a.log)" = $((2 * (10 + 13 + 9 + 4 + 3))) ] || wrong "$(grep -c ': 3 0x' a.log) lines of effects"
[ "$(grep -c 'csrr    x10, mhartid' a.log)" = 4 ] || wrong "the boot code runs once for each hart and group"
check 0 'core   1: 3 0x00001008 (0xf1402573) x10 0x00000001' cat a.log
check 0 'core   0: 3 0x80000028 (0x0062a023) mem 0x90000004 0x00000008' cat a.log
check 0 'core   1: Executed 5 times' cat a.log
check 0 'core   0: 0x80000034 (0x00100313) li      x6, 1' cat a.log
check 0 'core   0: 3 0x8000003c (0x0062a023) mem 0x80001038 0x00000001' cat a.log
[ "$(awk '/: 3 0x/ {print $2}' a.log | sed -n '1,4p' | tr -d '\n')" = '0:1:0:1:' ] || wrong "harts do not take turns"
check 1 'trace: cannot write' "$ventus" run --case a.metadata --trace none/a.log
check 1 'trace-dir: cannot write' "$ventus" run --case a.metadata --trace-dir none
check 1 'an observer stopped the launch' "$ventus" run --case a.metadata --trace-dir none
check 1 'cannot write' "$ventus" run --case a.metadata --trace /dev/full

# The test that compares runs with recorded logs, on logs of two groups: one after another, and at once, when
# harts are numbered through and each group has local memory of its own.
cat >groups.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 0(t0)
        csrr    t1, CSR_GIDX
        csrr    t2, CSR_LDS
        csrr    t3, CSR_WID
        slli    t3, t3, 10
        add     t2, t2, t3
        sw      t1, 0(t2)
        lw      t4, 0(t2)
        slli    t5, t1, 2
        add     t0, t0, t5
        barrier 1
        sw      t4, 0(t0)
        endprg
S
check 0 '' "$ventus" as --vmem groups.s -o groups.vmem
mkdir corpus corpus/d
code=$(($(wc -l <groups.vmem) * 4))
{ cat groups.vmem; echo 90000000; } >corpus/d/g.data
pair 0x80000000 $launch 3 0x90000000 0x80000000 0x90001000 0 $code 4 8 0x10000000 64 >corpus/d/g.metadata
check 0 '' "$ventus" run --case corpus/d/g.metadata --trace serial.log
printf 'dir\tfiles\nd\tg.metadata g.data g.log\tk\t4\t2\t2\t2x1x1\tfull\tyes\t\t\t\n' >corpus/index.tsv
awk '/^core   0: 3 0x00001000/ { groups++ }
     groups == 2 && match($0, /^core   [01]/) { $0 = "core   " substr($0, 8, 1) + 2 substr($0, 9); gsub(/0x70000/, "0x70001") }
     { print }' serial.log >concurrent.log
for log in serial concurrent; do
    cp $log.log corpus/d/g.log
    check 0 '1 launches, 56 instructions equal' env VENTUS_CORPUS=corpus "$VENTUS_BUILD/tests/sim/corpus_test"
done
cmp -s serial.log concurrent.log && wrong "both logs are the same"
sed '$!s/x29 0x00000001/x29 0x00000002/' concurrent.log >corpus/d/g.log
# A test that fails leaves its memory.
check 1 'x29 is 0x00000001, the log says 0x00000002' \
    env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" VENTUS_CORPUS=corpus "$VENTUS_BUILD/tests/sim/corpus_test"

# ---- the compact trace ----

check 0 '' "$ventus" run --case a.metadata --case b.metadata --trace-binary a.vtrace
check 0 '# launch: 2x1x1 work-groups, 2 warps of 4 threads' "$ventus" trace a.vtrace
check 0 '^# 88 instructions$' "$ventus" trace a.vtrace
check 0 "^1	0	80000028	0000000f	sw t1, 0(t0)	store 32 at 90000004 = 10$" "$ventus" trace a.vtrace
cp a.vtrace whole
size=$(wc -c <a.vtrace)
for n in 0 3 8 15 16 17 20 40 45 50 $((size / 2)) $((size - 1)); do
    head -c $n whole >cut.vtrace
    timeout 20 "$ventus" trace cut.vtrace >out.txt 2>&1
    [ $? -le 1 ] || wrong "the first $n bytes of a trace end the program"
done
for at in 0 4 8 16 36 37 42 43 47 52 60 61 80; do
    { head -c $at whole; printf '\377'; tail -c +$((at + 2)) whole; } >broken.vtrace
    timeout 20 "$ventus" trace broken.vtrace >out.txt 2>&1
    [ $? -le 1 ] || wrong "byte $at broken in a trace ends the program"
done
head -c 20 whole >cut.vtrace
check 1 'cut.vtrace: byte 20: the file ends within a record' "$ventus" trace cut.vtrace
check 1 'not a trace of' "$ventus" trace case.s
check 2 'a file is needed' "$ventus" trace
check 1 'cannot open' "$ventus" trace none

# ---- programs without kernel records, arguments from files ----

cat >raw.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 4(t0)               # arguments: out, factor, table
        lw      t1, 0(t0)
        lw      t2, 4(t0)
        lw      t3, 8(t0)
        csrr    t4, CSR_TID
        vid.v   v0
        vadd.vx v0, v0, t4
        vsll.vi v1, v0, 2
        vadd.vx v2, v1, t3
        vlw12.v v3, 0(v2)
        vmul.vx v3, v3, t2
        vadd.vx v2, v1, t1
        vsw12.v v3, 0(v2)
        endprg
other:  endprg
S
check 0 '' "$ventus" as raw.s -o raw.elf
check 0 '' "$ventus" as --vmem raw.s -o raw.vmem
printf '10 20, 30\n40\n' >table.txt
echo 3 >factor.txt
for f in raw.elf raw.vmem; do
    check 0 '  30 60 90 120' "$ventus" run $f -g 4 -a out:16:out.bin -a i:@factor.txt -a ints:@table.txt --show 0
    [ "$(od -An -tu4 out.bin | tr -s ' ')" = ' 30 60 90 120' ] || wrong "$f gave something else"
done
# Lanes that share a word in an atomic: each with the value it wrote.
cat >amo.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 4(t0)
        lw      t0, 0(t0)
        vmv.v.x v1, t0
        vid.v   v2
        vadd.vi v2, v2, 1
        amoadd.w v3, v2, (v1)
        endprg
S
check 0 '' "$ventus" as amo.s -o amo.elf
check 0 '^  10$' "$ventus" run amo.elf -g 4 -a buf:4 --show 0 --trace amo.log --trace-binary amo.vtrace
check 0 'mem 0x90000000 mem 0x90000000 0x00000001 mem 0x90000000 0x00000003 mem 0x90000000 0x00000006 mem 0x90000000 0x0000000a$' cat amo.log
check 0 'v3 = 0 1 3 6; atomic 32 at 90000000 90000000 90000000 90000000 = 1 3 6 a$' "$ventus" trace amo.vtrace
# Instructions of the document profiles: scalar atomics, wide accesses and pairs with all their words.
cat >wide.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 4(t0)
        lw      t0, 0(t0)               # 32 words: 0 to 31
        li      t1, 5
        amoadd.w t2, t1, (t0)
        lr.w    t3, (t0)
        sc.w    t4, t2, (t0)
        lw      a0, 4(t0) {pre_m_96}
        sw      a0, 32(t0) {pre_m_64}
        vmv.v.x v1, t0
        vid.v   v2
        vsll.vi v2, v2, 3
        vadd.vv v1, v1, v2
        vlw12.v v4, 32(v1) {pre_m_64}
        vsw12.v v4, 64(v1) {pre_m_64}
        addw    a4, a0, a0
        vadd.vv v8, v4, v4 {prefix, pair}
        endprg
S
check 0 '' "$ventus" as --profile r2025 wide.s -o wide.elf
check 0 '^  1 2 10 11 12 13 14 15$' \
    "$ventus" run wide.elf --profile r2025 -g 4 -a iota:32 --show 0:u --trace wide.log --trace-binary wide.vtrace
"$ventus" trace wide.vtrace | cut -f 5,6 >wide.txt
b=0x900000
for want in "x7  0x00000000 mem ${b}00 mem ${b}00 0x00000005" "x28 0x00000005 mem ${b}00" "x29 0x00000000 mem ${b}00 mem ${b}00 0x00000000" \
    "x10 0x00000001 x11 0x00000002 x12 0x00000003 mem ${b}04 mem ${b}08 mem ${b}0c" "mem ${b}20 0x00000001 mem ${b}24 0x00000002" \
    "v4  0000000f 0x0.* 0000000e 0000000c 0000000a 00000001  v5  0000000f 0x0.* 0000000f 0000000d 0000000b 00000002  " \
    "mem ${b}20 mem ${b}28 mem ${b}30 mem ${b}38 mem ${b}24 mem ${b}2c" "mem ${b}58 0x0000000e mem ${b}44 0x00000002" \
    'x14 0x00000002 x15 0x00000004' 'v9  0000000f 0x0.* 0000001e 0000001a 00000016 00000004 '; do
    check 0 "$want" cat wide.log
done
while read -r want; do check 0 "$want" cat wide.txt; done <<'S'
t2 = 0; atomic 32 at 90000000 = 5$
t3 = 5; atomic 32 at 90000000$
t4 = 0; atomic 32 at 90000000 = 0$
a0 = 1; a1 = 2; a2 = 3; load 32 at 90000004; load 32 at 90000008; load 32 at 9000000c$
store 32 at 90000020 = 1; store 32 at 90000024 = 2$
v4 = 1 a c e; v5 = 2 b d f; load 32 at 90000020 90000028 90000030 90000038; load 32 at 90000024 9000002c 90000034 9000003c$
store 32 at 90000040 90000048 90000050 90000058 = 1 a c e; store 32 at 90000044 9000004c 90000054 9000005c = 2 b d f$
a4 = 2; a5 = 4$
v8 = 2 14 18 1c; v9 = 4 16 1a 1e$
S
cp wide.vtrace whole
size=$(wc -c <wide.vtrace)
at=16
while [ $at -lt "$size" ]; do
    { head -c $at whole; printf '\377'; tail -c +$((at + 2)) whole; } >broken.vtrace
    timeout 20 "$ventus" trace broken.vtrace >out.txt 2>&1
    [ $? -le 1 ] || wrong "byte $at broken in a wide trace ends the program"
    at=$((at + 7))
done
check 0 '  0 0 0 0' "$ventus" run raw.elf -k other -g 4 -a buf:16 -a i:1 -a iota:4 --show 0
check 2 "no symbol 'othr'; did you mean 'other'" "$ventus" run raw.elf -k othr -g 4
check 1 'table.txt:1: unexpected text' "$ventus" run table.txt -g 1
: >empty
check 1 'empty: no words' "$ventus" run empty -g 1
check 2 'the file has no numbers' "$ventus" run raw.elf -g 4 -a i:@empty
check 1 "cannot open 'none'" "$ventus" run raw.elf -g 4 -a ints:@none

# ---- options ----

check 0 'usage: ventus run' "$ventus" run --help
check 2 "did you mean '--trace-dir'" "$ventus" run --trace-dr x --case a.metadata
check 2 'goes with an executable' "$ventus" run --case a.metadata -g 4
check 2 'strict goes with --case' "$ventus" run raw.elf -g 1 --strict
check 2 'is default, toolchain' "$ventus" run raw.elf -g 1 --profile r9
check 2 'threads_per_warp must be' "$ventus" run raw.elf -g 1 --lanes 5
check 0 '"profile": "r2025"' "$ventus" run raw.vmem -g 4 -a buf:16 -a i:1 -a iota:4 --profile r2025 --json -
check 0 '"host_threads": 2' "$ventus" run raw.vmem -g 4 -a buf:16 -a i:1 -a iota:4 --threads 2 --json -
"$ventus" run --case a.metadata --case b.metadata --json - >two.json || wrong "--json fails"
/usr/bin/python3 - <<'P' || wrong "the JSON is not what it should be"
import json
r = json.load(open('two.json'))
assert r['version'] == 1 and r['config']['profile'] == 'default' and r['stray_pages'] == 0
assert [l['name'] for l in r['launches']] == ['a.metadata', 'b.metadata'] and r['launches'][1]['groups'] == [2, 1, 1]
assert r['launches'][0]['counters']['instructions'] == 44 and r['total']['instructions'] == 88
assert r['total']['barriers'] == 8 and r['total']['max_simt_depth'] == 0 and r['launches'][0]['fault'] is None
f = json.load(open('fault.json'))['launches'][0]['fault']
assert f['kind'] == 'read' and f['group'] == [0, 0, 0] and f['warp'] == 0 and f['lane'] is None and f['pc'] == 0x8000001c, f
P

# ---- machine files ----

"$ventus" info >info.conf || wrong "info fails"
"$ventus" info --config info.conf >again.conf || wrong "info does not read what it prints"
same info.conf again.conf "the printed machine is another one"
grep -v '^#' "$VENTUS_SOURCE/configs/default.conf" >want.conf
grep -v '^#' info.conf >have.conf
same want.conf have.conf "configs/default.conf is not the default machine"
for f in "$VENTUS_SOURCE"/configs/*.conf; do check 0 '' "$ventus" run raw.vmem --config "$f" -g 4 -a buf:16 -a i:1 -a iota:4; done
check 1 '/dev/zero:1: the line is too long' timeout 20 "$ventus" run raw.vmem --config /dev/zero -g 4 -a buf:16 -a i:1 -a iota:4
yes '' | check 1 'too many lines' timeout 20 "$ventus" run raw.vmem --config /dev/stdin -g 4 -a buf:16 -a i:1 -a iota:4
VENTUS_CONFIG=/dev/zero VENTUS_DEBUG=1 check 0 '/dev/zero:1: the line is too long' timeout 20 $VENTUS_FOREIGN clinfo
check 0 '"threads_per_warp": 8' "$ventus" run raw.vmem --config "$VENTUS_SOURCE/configs/rtl.conf" -g 4 -a buf:16 -a i:1 -a iota:4 --json -
check 0 '"threads_per_warp": 4' "$ventus" run raw.vmem --lanes 4 --config "$VENTUS_SOURCE/configs/rtl.conf" -g 4 -a buf:16 -a i:1 -a iota:4 --json -
conf() { # TEXT WHAT: a file with TEXT is refused with WHAT
    printf "$1" >bad.conf
    check 1 "$2" "$ventus" info --config bad.conf
}
conf '# one\nsms = two\n' "bad.conf:2: 'two' is no value of sms"
conf 'sms = 1\nsms = 1\n' 'bad.conf:2: the parameter is given twice'
conf 'smss = 1\n' "bad.conf:1: there is no parameter 'smss'; there are: sms"
conf 'sms 1\n' "bad.conf:1: a line is 'name = value'"
conf 'sms = 5000000000\n' 'no value of sms'
conf 'lds_bytes = 4096M\n' 'no value of lds_bytes'
conf 'profile = rtl\n' "'rtl' is no value of profile"
conf 'engine = quick\n' "bad.conf:1: there is no engine 'quick'; there are: auto, native, step"
conf 'sms = 0\n' 'bad.conf: sms must be'
conf "$(printf '%0600d' 0)" 'bad.conf:1: the line is too long'
conf '\377\001=' 'bad.conf:1: there is no parameter'
printf 'engine = step\n' >engine.conf
check 0 '# engine step ' "$ventus" info --config engine.conf
check 0 '"engine": "step"' "$ventus" run raw.vmem --config engine.conf -g 4 -a buf:16 -a i:1 -a iota:4 --json -
check 0 '"engine": "auto"' "$ventus" run raw.vmem --config engine.conf --engine auto -g 4 -a buf:16 -a i:1 -a iota:4 --json -
check 0 '"engine": "step"' "$ventus" run raw.vmem --engine step -g 4 -a buf:16 -a i:1 -a iota:4 --json -
check 2 "engine: 'quick' is none of auto, native, step" "$ventus" run raw.vmem --engine quick
check 1 'none.conf: No such file' "$ventus" info --config none.conf
check 1 'sub: ' "$ventus" info --config sub
exit $status
