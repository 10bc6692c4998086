# The commands of docs/run.md, one after another in an empty folder: their output must be what the page shows.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
PATH=$VENTUS_BUILD:$PATH

# Indented lines: "$ command", "> its next line", all others output. Each command becomes a file N.sh, what it
# must print N.want.
awk '/^    \$ / { n++; close(file); file = n ".sh"; want = n ".want"; printf "" > want; print substr($0, 7) > file; next }
     /^    > / { print substr($0, 7) > file; next }
     /^    / { if (n) print substr($0, 5) > want; next }
     END { print n }' "$VENTUS_SOURCE/docs/run.md" >count
n=$(cat count) status=0 i=0
[ "$n" -gt 15 ] || { echo "FAILED: only $n commands found"; exit 1; }
while [ $i -lt "$n" ]; do
    i=$((i + 1))
    sh $i.sh >have 2>&1
    diff $i.want have || { echo "FAILED: $(head -n 1 $i.sh)"; status=1; }
done
exit $status
