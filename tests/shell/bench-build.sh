# The table of build times, of one program: numbers in all columns, and ratios that are their quotients.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
[ -n "$VENTUS_POCL" ] || { echo "pocl is missing"; exit 77; }
[ -z "$VENTUS_FOREIGN" ] || { echo "times mean nothing with a sanitizer"; exit 77; }

bench() { "$VENTUS_SOURCE/bench/build" --build "$VENTUS_BUILD" --output build.md --rounds 1 "$@"; }

bench saxpy >table.txt || [ $? = 1 ] || wrong "exit code $?"
awk -F'|' '$2 ~ /saxpy/ { rows++; quotient = $6 / $9; if ($3 != 1 || $6 <= 0 || $9 <= 0 || quotient / $11 > 1.2 || $11 / quotient > 1.2) bad = 1 }
           END { exit rows != 1 || bad }' build.md || wrong "$(cat build.md)"
check 1 "no program of the name nonsense" bench nonsense
exit $status
