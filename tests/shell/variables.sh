# Every variable of the environment that the product reads is in docs/opencl.md, those for work on compiler and translator in
# the folders' own pages; and no page tells of one that nothing reads. Every parameter of a machine file is in
# docs/machine.md, with its default, and every option of `ventus run` on a page that tells how to use it.
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1
# Whatever reads one names it by a text of its own.
grep -rhoE '"VENTUS_[A-Z_]+"' --include=*.c --exclude=*_test.c asm check compiler driver host isa native opencl sim timing tools trace translator vt |
    tr -d '"' | sort -u >"$dir/read"
[ "$(wc -l <"$dir/read")" -gt 25 ] || wrong "only $(wc -l <"$dir/read") variables found"
sed -n '/^## Environment/,/^## Troubleshooting/s/^| \(.*\) | .* |$/\1/p' docs/opencl.md | grep -o 'VENTUS_[A-Z_]*' >"$dir/table"
while read -r name; do
    grep -q -x -e "$name" "$dir/table" || grep -q -w -e "$name" compiler/README.md translator/README.md docs/driver.md ||
        wrong "$name: read by $(grep -rlw --include=*.c --exclude=*_test.c -e "\"$name\"" */ | head -n 1), and no page says so"
done <"$dir/read"
while read -r name; do
    grep -q -x -e "$name" "$dir/read" || wrong "$name: in docs/opencl.md, and nothing reads it"
done <"$dir/table"

"$ventus" info | sed -n 's/^\([a-z_]*\) *= \([^ ]*\).*/\1 \2/p' >"$dir/parameters"
[ "$(wc -l <"$dir/parameters")" -gt 15 ] || wrong 'ventus info prints no parameters'
while read -r name value; do
    grep '^|' docs/machine.md | grep -q -w -e "\`$name\`" || wrong "docs/machine.md has no parameter $name"
    case $value in ?????[0-9]*) value="$((value / 1024)) KiB" ;; esac
    grep -e "\`$name\`" docs/machine.md | grep -q -w -e "$value" || wrong "docs/machine.md: the default of $name is $value"
done <"$dir/parameters"

options=$("$ventus" run --help | grep -o '^  *\(-., \)\?--[a-z-]*' | grep -o -e '--[a-z-]*')
[ "$(echo "$options" | wc -l)" -gt 20 ] || wrong 'ventus run --help lists no options'
for option in $options; do
    grep -q -e "$option\([^a-z-]\|\$\)" docs/run.md docs/check.md docs/debugger.md docs/timing.md || wrong "no page tells of ventus run $option"
done
exit $status
