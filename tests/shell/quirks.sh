# Known faults of hardware from outside: names, the machine file, counts, messages, OpenCL programs, and the page.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# ---- names: the list, the page and messages have all of them ----

"$ventus" info --quirks >list.txt
names=$(sed -n 's/^  \([a-z]\)/\1/p' list.txt)
[ "$(echo $names | wc -w)" = "$(grep -c '^QUIRK(' "$VENTUS_SOURCE/isa/quirk.def")" ] || wrong "names: $names"
for name in $names; do
    grep -q "^| \`$name\` |" "$VENTUS_SOURCE/docs/hardware.md" || wrong "docs/hardware.md has no $name"
    check 2 "there are: verilog-192d1e0, .*$name" "$ventus" run x.elf --quirks nothing
done
PATH=$VENTUS_BUILD:$PATH
page docs/hardware.md

# ---- a launch that is expected to be right ----

cat >byte.cl <<'CL'
kernel void byte(global const uchar *in, global int *out) { out[get_global_id(0)] = in[5]; }
CL
check 0 '' "$ventus" cc byte.cl -o byte.elf
printf '\201\202\203\204\205\206\207\210' >in
run() { "$ventus" run byte.elf -g 32 -a buf:@in -a buf:128 --show 1 "$@"; }
run | grep -q '134 134 134 134' || wrong "without faults: $(run)"
run --quirks unsigned-loads | grep -q -e '-122 -122' || wrong "unsigned-loads: $(run --quirks unsigned-loads)"
printf 'quirks = unsigned-loads,fmv\n' >m.conf
run --config m.conf | grep -q -e '-122 -122' || wrong 'quirks in a machine file'
run --config m.conf --stats 2>&1 | grep -q 'known fault unsigned-loads 1$' || wrong '--stats'
run --config m.conf --json r.json >/dev/null
grep -q '"quirks": {"unsigned-loads": 1, "fmv": 0}' r.json && grep -q '"quirks": "unsigned-loads,fmv"' r.json || wrong "JSON: $(cat r.json)"
run --config m.conf --quirks fmv | grep -q '134 134' || wrong 'the option does not go over the machine file'
printf 'quirks = lbu\n' >bad.conf
check 2 "no known fault 'lbu'" "$ventus" run byte.elf -g 4 -a buf:@in -a buf:128 --config bad.conf

# ---- launches that fail: which faults acted ----

cat >count.cl <<'CL'
kernel void count(global const uchar *in, global int *out) { atomic_add(out, in[5]); }
CL
check 0 '' "$ventus" cc count.cl -o count.elf
check 1 'the hardware hangs (atomics: .*' "$ventus" run count.elf -g 4 -a buf:@in -a buf:128 --quirks verilog-192d1e0
grep -q 'known faults of the hardware that acted: .*atomics once' out.txt || wrong "which acted: $(cat out.txt)"
"$ventus" run count.elf -g 4 -a buf:@in -a buf:128 --quirks verilog-192d1e0 --json - 2>/dev/null | grep -q '"kind": "hang"' || wrong 'kind of fault'

# Memory that the hardware has left: expected with its faults, and not without.
mkdir launches
VENTUS_EXPORT=launches run >/dev/null
metadata=$(ls launches/*.metadata)
check 0 '' "$ventus" run --case "$metadata" --expect
check 1 'known faults of the hardware that acted: unsigned-loads once' "$ventus" run --case "$metadata" --expect --quirks unsigned-loads
check 0 '' "$ventus" run --case "$metadata" --expect --quirks fmv

# ---- launches that have ended on the hardware do not hang here ----

unpack_cases
while read -r group name metadata data cycles; do
    "$ventus" run --quirks float-mix,vmv-x-s,atomics --case "cases/$metadata.metadata:cases/$data.data" >out.txt 2>&1
    grep -q 'hardware hangs' out.txt && { wrong "$name ends on the hardware"; cat out.txt; }
done <cases/cycles.tsv
[ "$(wc -l <cases/cycles.tsv)" -gt 100 ] || wrong "only $(wc -l <cases/cycles.tsv) launches"

# ---- OpenCL programs, by the machine file ----

printf 'quirks = atomics\n' >a.conf
VENTUS_CONFIG=a.conf "$VENTUS_BUILD/examples/vecadd" --size 100 >out.txt 2>&1 || { wrong 'vecadd'; cat out.txt; }
VENTUS_CONFIG=a.conf "$VENTUS_BUILD/examples/histogram" --size 100 >out.txt 2>&1 && wrong 'histogram has atomics'
grep -q 'the hardware hangs (atomics.*known faults of the hardware that acted: atomics once' out.txt || { wrong 'message'; cat out.txt; }
VENTUS_CONFIG=bad.conf "$VENTUS_BUILD/examples/vecadd" --size 100 >out.txt 2>&1 && wrong 'a fault that is not known'
grep -q "no known fault 'lbu'" out.txt || { wrong 'refused without a word'; cat out.txt; }

exit $status
