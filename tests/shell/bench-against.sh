# bench/against: our code in the place of that of recorded launches leaves the same memory, in fewer instructions.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
corpus=${VENTUS_CORPUS:-$VENTUS_SOURCE/../shared/corpus}
[ -f "$corpus/index.tsv" ] || { echo "no corpus of recorded launches at $corpus (set VENTUS_CORPUS)"; exit 77; }

"$VENTUS_SOURCE/bench/against" --build "$VENTUS_BUILD" "$corpus" >table || wrong "it has failed"
awk -F'|' 'NF > 7 && $8 !~ /memory|---/ { n++; wrong += $8 !~ /equal/ || $6 + 0 >= $5 + 0 || $6 + 0 < 1 }
    END { exit wrong || n < 10 }' table || wrong "$(cat table)"
exit $status
