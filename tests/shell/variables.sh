# Every variable of the environment that the product reads is in docs/opencl.md, those for work on compiler and translator in
# the folders' own pages; and no page tells of one that nothing reads.
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1
# Whatever reads one names it by a text of its own.
grep -rhoE '"VENTUS_[A-Z_]+"' --include=*.c --exclude=*_test.c asm compiler driver isa native opencl sim timing tools vt |
    tr -d '"' | sort -u >"$dir/read"
[ "$(wc -l <"$dir/read")" -gt 25 ] || wrong "only $(wc -l <"$dir/read") variables found"
sed -n '/^## Environment/,/^## Troubleshooting/s/^| \(.*\) | .* |$/\1/p' docs/opencl.md | grep -o 'VENTUS_[A-Z_]*' >"$dir/table"
while read -r name; do
    grep -q -x -e "$name" "$dir/table" || grep -q -w -e "$name" compiler/README.md native/README.md docs/driver.md ||
        wrong "$name: read by $(grep -rlw --include=*.c --exclude=*_test.c -e "\"$name\"" */ | head -n 1), and no page says so"
done <"$dir/read"
while read -r name; do
    grep -q -x -e "$name" "$dir/read" || wrong "$name: in docs/opencl.md, and nothing reads it"
done <"$dir/table"
exit $status
