# What pages say of `make`, of tests and of packages: make knows each target and variable's use, each word of TESTS is in the name of a
# test, and each package that apt is to install is one that the project asks for or makes.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1
pages=$(git ls-files '*.md' 2>/dev/null) || pages=
[ -n "$pages" ] || pages=$(find . -path ./build -prune -o -name '*.md' -print)

# Commands that begin a line of a block, or are between backticks; what follows two blanks or a # is said of them.
for page in $pages; do
    sed -n -E '/^    make( |$)/s/^ *//p; /^make( |$)/p' "$page"
    grep -o -E '`make( [^`]*)?`' "$page" | tr -d '`'
done | sed -E 's/ *#.*//; s/  .*//; s/ *[;&|].*//; s/ *\.\.\.$//' | grep -v -e ' -f ' -e ' -C ' -e ' WAVEFORMS=$' | sort -u >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -gt 25 ] || wrong "only $(wc -l <"$dir/commands") commands found"
while read -r command; do
    sh -c "make -n BUILD='$dir/none' ${command#make}" >"$dir/out" 2>&1 </dev/null || { wrong "$command"; cat "$dir/out"; }
done <"$dir/commands"

tests/run --build "$VENTUS_BUILD" --list >"$dir/tests"
for word in $(sed -n -E 's/.* TESTS="?([^"]*)"?.*/\1/p' "$dir/commands"); do
    grep -q -e "$word" "$dir/tests" || wrong "no test has '$word' in its name"
done

sed -n 's/^Package: //p' debian/control >"$dir/packages"
cat scripts/deps.sh debian/control >>"$dir/packages"
for package in $(grep -h -o -E 'apt(-get)? install [a-z][a-z0-9.-]*[a-z0-9]' $pages | sed 's/.* //' | sort -u); do
    grep -q -w -e "$package" "$dir/packages" || wrong "apt install $package: nothing else here asks for it"
done
exit $status
