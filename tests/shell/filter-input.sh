# The filter example takes PNG and JPEG from the command line and refuses anything else with a
# message, never with a crash.
set -u
filter=$VENTUS_BUILD/examples/filter
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0

refused() { # file text
    out=$("$filter" "$1" --output "$dir/never.png" 2>&1)
    code=$?
    if [ $code != 1 ] || ! echo "$out" | grep -q "$2" || [ -e "$dir/never.png" ]; then
        echo "$1: exit code $code, expected 1 and '$2' in: $out"
        status=1
    fi
}

accepted() { # file
    "$filter" "$1" --output "$dir/edges.png" && "$filter" "$dir/edges.png" --output "$dir/again.png" &&
        [ -s "$dir/again.png" ] || { echo "$1: not filtered"; status=1; }
}

# An 8 x 8 JPEG.
base64 -d >"$dir/small.jpg" <<'END'
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkz
ODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAA
AAAAAAAAAAAABf/EABwQAAEDBQAAAAAAAAAAAAAAAAUAEhMRFSKh0f/aAAgBAQAAPwAEMIus2Lom
7rxf/9k=
END
"$VENTUS_BUILD/examples/mandelbrot" --size 40 --output "$dir/picture.png" >/dev/null || status=1
accepted "$dir/small.jpg"
accepted "$dir/picture.png"

head -c 100 "$dir/picture.png" >"$dir/cut.png"
head -c 100 "$dir/small.jpg" >"$dir/cut.jpg"
: >"$dir/empty.png"
refused "$dir/cut.png" "damaged PNG"
refused "$dir/cut.jpg" "damaged JPEG"
refused "$dir/empty.png" "not an image"
refused "$0" "not an image"
refused "$dir" "Is a directory"
refused "$dir/none.png" "No such file"
exit $status
