# What the compiler makes of every case, disassembled and assembled again, is the same file, prefixes
# folded or not, with the lines of the source or without; and binutils find nothing wrong with it.
set -u
ventus=$VENTUS_BUILD/ventus
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0 files=0
for source in "$VENTUS_SOURCE"/tests/cl/*.cl; do
    "$ventus" cc -o "$dir/a.elf" "$source" 2>/dev/null || continue # some are there to fail, some want options
    files=$((files + 1))
    for form in '' --raw -S; do
        "$ventus" objdump $form "$dir/a.elf" >"$dir/a.lst" && "$ventus" as "$dir/a.lst" -o "$dir/b.elf" &&
            cmp "$dir/a.elf" "$dir/b.elf" || { echo "FAILED: $source, objdump $form"; status=1; }
    done
    if readelf -aW "$dir/a.elf" 2>&1 | grep -i -E 'warning|error|corrupt'; then
        echo "FAILED: readelf on $source (lines above)"
        status=1
    fi
done
echo "$files files"
[ $files -gt 10 ] || { echo "FAILED: too few files"; status=1; }
exit $status
