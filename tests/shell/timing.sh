# The cycle model against the hardware: tests/timing/cases.tar.gz has launches that ran on the Verilog RTL, with its
# cycles. Prints the table of those that differ, and fails when they differ by more than the limits below.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
tar -xzf "$VENTUS_SOURCE/tests/timing/cases.tar.gz"

# Launches of one program share their memory, those without one (-) run alone.
run_all() { # CONFIGURATION
    program= options=
    while read -r group name cycles; do
        if [ "$group" != "$program" ] || [ "$group" = - ]; then
            [ -z "$options" ] || "$ventus" run --timing "$1" $options
            program=$group options=
        fi
        options="$options --case cases/$name.metadata"
    done <cases/cycles.tsv
    "$ventus" run --timing "$1" $options
}
run_all verilog | sed -n 's/^cases\/\(.*\)\.metadata: \([0-9]*\) cycles$/\1 \2/p' >ours.txt
awk 'FNR == NR { ours[$1] = $2; next }
    { n++; if (!($2 in ours)) { print $2 ": no result"; bad = 1; next }
      error = 100 * (ours[$2] - $3) / $3; size = error < 0 ? -error : error; micro = $1 == "-"
      if (size) printf "%-45s RTL %6d  model %6d  %+6.2f %%\n", $2, $3, ours[$2], error
      count[micro]++; sum[micro] += size; exact[micro] += !size; if (size > worst[micro]) worst[micro] = size }
    END { for (m = 0; m < 2; m++)
            printf "%s: %d, exact %d, mean %.3f %%, worst %.2f %%\n", m ? "micro-benchmarks" : "kernels", count[m], exact[m], sum[m] / count[m], worst[m]
          exit bad || sum[1] / count[1] > 0.5 || worst[1] > 11 || 2 * exact[1] < count[1] || sum[0] / count[0] > 1.4 || worst[0] > 5 }' \
    ours.txt cases/cycles.tsv || wrong 'the model differs too much from the hardware'

# Memory and counters are those without the model, and the same again.
case=cases/gpgpu-adv-gaussian__Fan2_0.metadata
for n in verilog chisel ideal large; do
    "$ventus" run --case "$case" --timing $n --json $n.json --dump 0x90000000:65536:$n.bin >$n.txt || wrong "$n"
    "$ventus" run --case "$case" --timing $n --json again.json --dump 0x90000000:65536:again.bin --timeline again.csv >again.txt
    cmp -s $n.json again.json || wrong "$n: not the same again"
    "$ventus" run --case "$case" --json none.json --dump 0x90000000:65536:none.bin >none.txt
    cmp -s $n.bin none.bin || wrong "$n: another memory"
    for f in $n none; do grep '"counters"' $f.json >$f.counters; done
    cmp -s $n.counters none.counters || wrong "$n: other counters"
    grep -q '"cycles": [1-9]' $n.json || wrong "$n: no cycles"
done
[ "$(grep -c ',issue,' again.csv)" -gt 100 ] || wrong 'a timeline without instructions'

# Files of parameters, and nonsense.
printf 'base = ideal # comment\nstart_cycles = 100\n' >slow.timing
check 0 "$case: [0-9]* cycles" "$ventus" run --case "$case" --timing slow.timing
check 2 'neither a configuration' "$ventus" run --case "$case" --timing nowhere
for line in 'x = 1:there is no parameter' 'base = x:there is no configuration' 'l1d_ways = 99:l1d_ways is a number from 1 to 16' \
    'banks = 0:banks is a number' 'line_bytes = 24:line_bytes must be a power of two' 'nonsense:a line is' 'l1d_ways = -1:not .-1'; do
    printf '%s\n' "${line%%:*}" >bad.timing
    check 2 "${line#*:}" "$ventus" run --case "$case" --timing bad.timing
done
check 2 'timeline goes with --timing' "$ventus" run --case "$case" --timeline x.csv
exit $status
