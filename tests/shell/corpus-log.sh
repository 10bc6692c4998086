# Logs of recorded launches against those that the public simulator wrote: the same lines in the same order.
#
# One old log (adv-matadd) has a layout of its own: of it the order of instructions is compared alone. The
# corpus is at $VENTUS_CORPUS, else beside the source tree.
set -u
corpus=${VENTUS_CORPUS:-$VENTUS_SOURCE/../shared/corpus}
[ -f "$corpus/index.tsv" ] || { echo "SKIPPED: no corpus of recorded launches at $corpus"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0 compared=0

steps() { grep -o '^core .*: 3 0x[0-9a-f]* (0x[0-9a-f]*)' "$1"; }

# Lines "run<tab>position<tab>metadata<tab>log" of launches in order; launches of one run follow each other.
sed 1d "$corpus/index.tsv" | awk -F'\t' '{
    n = split($2, files, " "); metadata = log_file = "-"
    for (i = 1; i <= n; i++) { if (files[i] ~ /meta/) metadata = $1 "/" files[i]; if (files[i] ~ /\.log$/) log_file = $1 "/" files[i] }
    print $1 "-" ($10 == "" ? metadata : $10) "\t" $11 + 0 "\t" metadata "\t" log_file }' | sort -k1,1 -k2,2n >"$dir/launches"

for run in $(cut -f1 "$dir/launches" | uniq); do
    awk -F'\t' -v run="$run" '$1 == run' "$dir/launches" >"$dir/run"
    set --
    for metadata in $(cut -f3 "$dir/run"); do set -- "$@" --case "$corpus/$metadata"; done
    rm -rf "$dir/logs"
    mkdir "$dir/logs"
    "$VENTUS_BUILD/ventus" run "$@" --trace-dir "$dir/logs" >"$dir/out" 2>&1 || { cat "$dir/out"; status=1; }
    for log in $(cut -f4 "$dir/run"); do
        [ "$log" != - ] || continue
        ours=$dir/logs/${log##*/}
        if grep -q '^current mask' "$corpus/$log"; then
            steps "$corpus/$log" >"$dir/want"
            steps "$ours" >"$dir/have"
        else
            cp "$corpus/$log" "$dir/want"
            cp "$ours" "$dir/have"
        fi
        diff "$dir/want" "$dir/have" >"$dir/diff" || { echo "FAILED: $log"; head -n 10 "$dir/diff"; status=1; }
        compared=$((compared + $(wc -l <"$dir/want")))
    done
done
echo "$compared lines"
[ $compared -gt 30000 ] || status=1
exit $status
