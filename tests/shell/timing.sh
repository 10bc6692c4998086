# The cycle model against the hardware: tests/timing/cases has launches that ran on the Verilog RTL, with its cycles.
# Prints the table of docs/timing.md and what differs, and fails when something does.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unpack_cases
cases=$PWD/cases
# With a sanitizer, which takes minutes for all: one launch of each micro-benchmark.
/usr/bin/python3 "$VENTUS_SOURCE/tests/timing/agreement" --build "$VENTUS_BUILD" ${VENTUS_FOREIGN:+--some} >agreement.txt || wrong 'the model differs from the hardware'
cat agreement.txt
[ -n "${VENTUS_FOREIGN:-}" ] || grep '^|' agreement.txt | while read -r line; do grep -qxF "$line" "$VENTUS_SOURCE/docs/timing.md" || echo "$line"; done >missing.txt
[ ! -s missing.txt ] || wrong 'docs/timing.md has another table'

# Runs launches with the model, and once more without it: they must leave the same memory and counters.
compare() { # NAME CONFIGURATION CASE-OPTION...
    what=$1 configuration=$2
    shift 2
    "$ventus" run --timing "$configuration" --json timed.json --dump 0x90000000:0x50000:timed.bin "$@"
    "$ventus" run --json plain.json --dump 0x90000000:0x50000:plain.bin "$@" >plain.txt
    cmp -s timed.bin plain.bin || wrong "$what: another memory with the model" >&2
    for f in timed plain; do grep '"counters"' $f.json >$f.counters; done
    cmp -s timed.counters plain.counters || wrong "$what: other counters with the model" >&2
}

# All programs, and one launch of each micro-benchmark; but those of local memory, which lies at address 0 for the model
# alone. A line of cycles.tsv is: program, launch, .metadata, .data, cycles; launches of one program share their memory.
compare_all() {
    program= options= last=
    while read -r group name metadata data cycles; do
        if [ "$group" != "$program" ] || [ "$group" = - ]; then
            [ -z "$options" ] || compare "$last" verilog $options
            program=$group options=
        fi
        last=$data options="$options --case $cases/$metadata.metadata:$cases/$data.data"
    done
    compare "$last" verilog $options
}
awk '$1 != "-" || !seen[$4]++ && $4 !~ /^lds_/' "$cases/cycles.tsv" | compare_all >all.txt

# When instructions issue: tests/timing/issues has those of some launches as the hardware issued them.
pairs=
for recorded in "$VENTUS_SOURCE"/tests/timing/issues/*.csv; do
    launch=$(basename "$recorded" .csv)
    files=$(awk -v launch="$launch" -v folder="$cases" '$2 == launch { print folder "/" $3 ".metadata:" folder "/" $4 ".data" }' "$cases/cycles.tsv")
    "$ventus" run --timing verilog --case "$files" --timeline "$launch.csv" >out.txt || wrong "$launch: no timeline"
    pairs="$pairs $recorded $launch.csv"
done
/usr/bin/python3 "$VENTUS_SOURCE/tests/timing/compare.py" --within 0 --least 100 $pairs >issues.txt || { wrong 'instructions issue at other times'; cat issues.txt; }

# Loads that the hardware sends to the wrong memory get what is there, so that the launch computes something else and takes
# another time. A parameter switches that off: then results are those of a model without the fault.
printf 'base = verilog\nfault_lds_data = 0\n' >right.timing
printf 'base = ideal\nlds_base = 0\nlds_window = 1024\n' >without.timing
for n in verilog right.timing without.timing; do
    "$ventus" run --timing $n --case "$cases/lds_random.metadata" --dump 0x90000000:0x5000:$n.bin >$n.txt || wrong "lds_random with $n"
done
cmp -s right.timing.bin without.timing.bin || wrong 'lds_random: other results with the right data'
cmp -s verilog.bin right.timing.bin && wrong 'lds_random: the same results with the wrong data'
grep -q ': 7104 cycles' right.timing.txt && wrong 'lds_random takes as long with the right data'

# What the hardware does not decode reads no register, and writes none that anybody could wait for.
cat >moves.s <<'END'
        .kernel k
k:      csrr    t0, CSR_KNL
        lw      t1, 0(t0)
        fmv.w.x t2, t1
        ret
END
check 0 '' "$ventus" as moves.s -o moves.elf
for n in verilog ideal; do
    "$ventus" run --timing $n moves.elf -g 4 --lanes 4 --timeline moves.csv --json moves.json >out.txt
    grep -q '"rows_per_access": 0\.0000' moves.json || wrong "$n: rates of a launch without local memory"
    awk -F , -v fault=$([ $n = verilog ] && echo 1 || echo 0) '
        $6 == "f00303d3" { issued = 1; pc = $5 } # fmv.w.x
        /wb_x.*x6 lsu/ { early = issued } # t1
        /oc_out/ && $5 == pc { unit = $6 }
        issued && /wb_x.*x7 / { written = 1 } # t2
        END { exit early != fault || unit != (fault ? "salu" : "fpu") || !written != fault }' moves.csv ||
        { wrong "$n: fmv.w.x"; grep -e issue -e oc_out -e wb_x moves.csv; }
done

# The same for a launch in every configuration, and the same again.
case=$cases/gpgpu-adv-gaussian__Fan2_0.metadata
for n in verilog chisel ideal large; do
    compare $n $n --case "$case" >out.txt
    for i in 1 2; do "$ventus" run --timing $n --case "$case" --json $i.json --timeline $i.csv >again.txt; done
    cmp -s 1.json 2.json && cmp -s 1.csv 2.csv || wrong "$n: not the same again"
    grep -q '"cycles": [1-9]' timed.json || wrong "$n: no cycles"
done
[ "$(grep -c ',issue,' 1.csv)" -gt 100 ] || wrong 'a timeline without instructions'

# A launch that fails ends, also on the SMs that had nothing to do with it.
cat >failing.s <<'END'
        .kernel k
k:      csrr    t0, CSR_GIDX
        lui     t1, 0x20000
        add     t0, t0, t1
        lw      t0, 0(t0)
        ret
END
check 0 '' "$ventus" as failing.s -o failing.elf
for n in verilog ideal; do check 1 'read of unmapped memory' timeout 20 "$ventus" run --timing $n failing.elf -g 256 -l 32; done

# Files of parameters, and nonsense.
printf 'base = ideal # comment\nstart_cycles = 100\n' >slow.timing
check 0 "$case: [0-9]* cycles" "$ventus" run --case "$case" --timing slow.timing
check 2 'neither a configuration' "$ventus" run --case "$case" --timing nowhere
for line in 'x = 1:there is no parameter' 'base = x:there is no configuration' 'l1d_ways = 99:l1d_ways is a number from 1 to 16' \
    'banks = 0:banks is a number' 'banks = 99999999999999999999:banks is a number' 'l1d_sets = 8X:not .8X.' 'line_bytes = 24:line_bytes must be a power of two' 'nonsense:a line is' 'l1d_ways = -1:not .-1'; do
    printf '%s\n' "${line%%:*}" >bad.timing
    check 2 "${line#*:}" "$ventus" run --case "$case" --timing bad.timing
done
# Each parameter of the table is read by the model, takes no more than the table says, and is named in the message.
parameters() { sed -n 's/^PARAMETER(\([a-z0-9_]*\), *\([0-9]*\), *\([0-9a-fx]*\),.*/\1 \2 \3/p' "$VENTUS_SOURCE/timing/parameters.def"; }
parameters | while read -r name least most; do
    grep -qE "(\.|->)$name\b" "$VENTUS_SOURCE"/timing/*.c || echo "$name: the model does not read it"
    for value in x $((most + 1)) $((least - 1)); do
        echo "$name = $value" >bad.timing
        "$ventus" run --case "$case" --timing bad.timing >out.txt 2>&1 && echo "$name = $value: taken"
        grep -q "bad.timing:1: $name is a number from $least to $((most)), not '$value'" out.txt || { echo "$name = $value:"; cat out.txt; }
    done
done >parameters.txt
cat parameters.txt
[ ! -s parameters.txt ] && [ "$(parameters | wc -l)" = "$(grep -c '^PARAMETER' "$VENTUS_SOURCE/timing/parameters.def")" ] || wrong 'the table of parameters'
cp "$VENTUS_SOURCE/timing/parameters.def" "$cases"
[ -n "${VENTUS_FOREIGN:-}" ] || /usr/bin/python3 "$VENTUS_SOURCE/tests/timing/effects.py" "$ventus" "$cases" >effects.txt || { wrong 'a parameter without an effect'; cat effects.txt; }
printf 'banks = 1\nbase = ideal\n' >bad.timing
check 2 'bad.timing:2: base belongs before' "$ventus" run --case "$case" --timing bad.timing
check 2 'timeline goes with --timing' "$ventus" run --case "$case" --timeline x.csv
exit $status
