# Recorded launches: the most that each field of .metadata may be, and one more; the forms of the file.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
printf 'endprg\n' >case.s
check 0 '' "$ventus" as --vmem case.s -o case.vmem
cp case.vmem good.data
pair() { for v; do printf '%08x\n00000000\n' "$v"; done; }
# start, kernel, groups, threads, warps, metadata block, local, private memory, registers, private base, buffers
pair 0x80000000 0 1 1 1 4 1 0x80000000 4096 0 64 64 0x80000000 1 0x80000000 4 4096 >good.metadata
check 0 'good.metadata: 1 warp instructions' "$ventus" run --case good.metadata

field() { # VALUE-NUMBER MOST NAME: in the low word
    line=$((2 * $1 + 1))
    cp good.data edge.data
    sed "${line}s/.*/$(printf %08x $2)/" good.metadata >edge.metadata
    check 0 '' "$ventus" run --case edge.metadata
    sed "${line}s/.*/$(printf %08x $(($2 + 1)))/" good.metadata >edge.metadata
    check 1 "edge.metadata:$line: $3 is $(printf 0x%x $(($2 + 1))), more than $(printf 0x%x $2)" "$ventus" run --case edge.metadata
}
field 5 32 'the number of threads of a warp'
field 6 64 'the number of warps'
field 8 0x0fff0000 'the size of local memory'
for row in '0 the start pc' '2 the number of work-groups' '3 the number of work-groups' '4 the number of work-groups' \
    '7 the address of the metadata block' '9 the size of private memory' '12 the address of private memory' \
    "14 a buffer's address" "16 a buffer's allocation"; do
    line=$((2 * ${row%% *} + 1)) # a value beyond 32 bits; its line is that of the low word
    sed "$((line + 1))s/.*/00000001/" good.metadata >edge.metadata
    check 1 "edge.metadata:$line: ${row#* } is 0x1[0-9a-f]*, more than 0xffffffff" "$ventus" run --case edge.metadata
done
sed '29s/.*/fffff000/; 33s/.*/00001000/' good.metadata >edge.metadata
check 1 'illegal instruction' "$ventus" run --case edge.metadata
sed '29s/.*/fffff000/; 33s/.*/00001001/' good.metadata >edge.metadata
check 1 'edge.metadata:29: the buffer at 0xfffff000 leaves the address space' "$ventus" run --case edge.metadata
# What else a file may look like: a comment right behind a word; fields that nobody knows between the last known one and
# the number of buffers. What it may not: half a number, too few fields or too many of these.
sed '1s,$,//,; 3s,$, // a comment,; 5s,^,\t,' good.metadata >another-name.metadata
cp good.data another-name.data
check 0 '' "$ventus" run --case another-name.metadata
sed '1s,$,/,' good.metadata >another-name.metadata
check 1 'another-name.metadata:1: ' "$ventus" run --case another-name.metadata
more() { # COUNT: so many fields more
    head -26 good.metadata
    for i in $(seq "$1"); do pair $i; done
    tail -n +27 good.metadata
}
for n in 0 1 2 17 18; do
    more $n >another-name.metadata
    check 0 '' "$ventus" run --case another-name.metadata
done
more 19 >another-name.metadata
check 1 'words are no known layout' "$ventus" run --case another-name.metadata
head -n -1 good.metadata >another-name.metadata
check 1 '33 words are no known layout' "$ventus" run --case another-name.metadata
{ cat good.metadata; echo 0; } >another-name.metadata
check 1 '35 words are no known layout' "$ventus" run --case another-name.metadata
sed '1s,$,/,' good.metadata | tr / '\000' >another-name.metadata
check 1 'another-name.metadata:2: there is a zero byte' "$ventus" run --case another-name.metadata
head -4 good.metadata >another-name.metadata
check 1 '4 words are no known layout' "$ventus" run --case another-name.metadata

# What a launch leaves in memory: VENTUS_EXPORT writes it, --expect compares with it.
cat >twice.cl <<'end'
kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }
kernel void talk(global int *x) { for (int i = 0; i < 4000; i++) printf("%d %d\\n", i, x[get_global_id(0)]); }
kernel void stray(global int *x) { x[get_global_id(0) + 0x1000000] = 1; }
end
check 0 '' "$ventus" cc twice.cl -o twice.elf
mkdir launches
check 0 'VENTUS_EXPORT: nowhere: there is no such folder' env VENTUS_EXPORT=nowhere "$ventus" run twice.elf -k twice -g 32 -a iota:32
check 0 '' env VENTUS_EXPORT=launches "$ventus" run twice.elf -k twice -g 32 -a iota:32
again="$ventus run --config launches/machine.conf --case launches/twice_0.metadata"
check 0 'warp instructions' $again --expect
line=$(sed -n '/^0000003e$/=' launches/twice_0.expect) # 31 * 2
[ -n "$line" ] || wrong "the last of the words is not 62 in twice_0.expect"
sed -i "${line}s/.*/0000003f/" launches/twice_0.expect
check 1 'launches/twice_0.metadata: 0x9000[0-9a-f]* holds 0x0000003e, 0x0000003f is expected (1 of [0-9]* words' $again --expect
check 0 '' $again
sed -i '$d' launches/twice_0.expect
check 1 'twice_0.expect' $again --expect
rm launches/twice_0.expect
check 1 'twice_0.expect' $again --expect
check 2 '--expect goes with --case' "$ventus" run twice.elf --expect
# Bytes of the last word behind the buffer's end belong to nobody.
pair 0x80000000 0 1 1 1 4 1 0x80000000 4096 0 64 64 0x80000000 2 0x80000000 0x90000000 4 2 4096 4096 >odd.metadata
{ cat good.data; echo 00001234; } >odd.data
{ cat good.data; echo abcd1234; } >odd.expect
check 0 '' "$ventus" run --case odd.metadata --expect
{ cat good.data; echo 00001235; } >odd.expect
check 1 '0x90000000 holds 0x00001234, 0x00001235 is expected (1 of 1 words' "$ventus" run --case odd.metadata --expect
# A launch that fails leaves nothing that could be expected.
check 1 '' env VENTUS_EXPORT=launches "$ventus" run twice.elf -k stray -g 32 -a iota:32
[ -f launches/stray_0.data ] && [ ! -f launches/stray_0.expect ] || wrong "what a failed launch has left is expected"
# The host had to empty the print buffer: no run of the files alone comes to that end.
check 0 'talk: its print buffer was emptied' \
    sh -c "VENTUS_EXPORT=launches '$ventus' run twice.elf -k talk -g 32 -a iota:32 >talk.txt"
[ -f launches/talk_0.data ] && [ ! -f launches/talk_0.expect ] || wrong "a launch that the host has helped is expected"
# Run from the files, it is helped as well, though nobody can print.
check 0 'talk_0.metadata: what it prints is dropped when the print buffer is full' \
    timeout 60 "$ventus" run --config launches/machine.conf --case launches/talk_0.metadata
exit $status
