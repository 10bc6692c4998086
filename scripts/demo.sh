#!/bin/sh
# Runs the examples of a build folder on the simulated GPU; pictures go to BUILD/pictures, and one of them to the terminal
# if it shows pictures (kitty's protocol, iTerm2's, or sixel with img2sixel or chafa).
#
#   demo.sh --announce BUILD   says what `make demo` is going to do, and how long that takes
#   demo.sh BUILD              the demo
#
# Called by `make demo`.
set -eu

# Seconds of processor time that the build takes (90 with gcc 12 on a server's processor of today), the least that it takes on
# however many processors, and the examples.
build_seconds=90 least_seconds=20 examples_seconds=5

source=$(cd "$(dirname "$0")/.." && pwd)
names() {
    for file in "$source"/examples/*.c; do
        name=$(basename "$file" .c)
        case $name in common | image) ;; *) echo "$name" ;; esac
    done
}

announce() {
    processors=$(nproc)
    seconds=$((build_seconds / processors))
    [ $seconds -ge $least_seconds ] || seconds=$least_seconds
    echo "demo: $(names | wc -l) example programs on the simulated GPU, with their results checked and two pictures"
    if [ -f "$1/ventus.icd" ] && [ -x "$1/ventus-cc" ]; then
        echo "demo: it is built already, or nearly; the examples take about $examples_seconds seconds"
    else
        echo "demo: first the build, about $seconds seconds on $processors processors (and installing packages, if any are" \
            "missing), then the examples, $examples_seconds seconds"
    fi
}

# Does the terminal say that it knows sixel? Its answer to the question for its attributes is ESC [ ? NUMBERS c, with a 4 among
# them. One that does not answer costs 0.3 seconds.
knows_sixel() {
    [ -t 0 ] || return 1
    saved=$(stty -g) || return 1
    stty raw -echo min 0 time 3
    printf '\033[c'
    answer=$(dd bs=64 count=1 2>/dev/null)
    stty "$saved"
    case ";${answer#*\?}" in *";4;"* | *";4c"*) return 0 ;; esac
    return 1
}

show() {
    [ -t 1 ] || return 0
    if [ -n "${KITTY_WINDOW_ID-}" ] || [ "${TERM-}" = xterm-kitty ] || [ "${TERM-}" = xterm-ghostty ]; then
        printf '\033_Ga=T,f=100,t=f;%s\033\\\n' "$(printf %s "$1" | base64 -w 0)"
    elif [ "${TERM_PROGRAM-}" = iTerm.app ] || [ "${TERM_PROGRAM-}" = WezTerm ]; then
        printf '\033]1337;File=inline=1:%s\a\n' "$(base64 -w 0 "$1")"
    elif command -v img2sixel >/dev/null && knows_sixel; then
        img2sixel "$1"
    elif command -v chafa >/dev/null && knows_sixel; then
        chafa --format sixel "$1"
    fi
}

if [ "${1-}" = --announce ]; then
    announce "${2:-build}"
    exit
fi

build=$(cd "${1:-build}" && pwd)
export OCL_ICD_VENDORS="$build/ventus.icd"
pictures=$build/pictures
mkdir -p "$pictures"

failed=
try() { "$@" || failed="$failed $(basename "$1")"; }

echo "demo: the examples, on the OpenCL device of $OCL_ICD_VENDORS"
for name in $(names); do
    [ "$name" = filter ] || try "$build/examples/$name" --output "$pictures/$name.png"
done
try "$build/examples/filter" "$pictures/mandelbrot.png" --output "$pictures/edges.png"
if [ -n "$failed" ]; then
    echo "demo: failed:$failed. README.md, \"Troubleshooting\", names the usual causes" >&2
    exit 1
fi

show "$pictures/mandelbrot.png"
cat <<END

All results are correct. The pictures are
  $pictures/mandelbrot.png
  $pictures/edges.png

What to do next:
  your own picture        $build/examples/filter FILE.jpg --output edges.png
  your own program        export OCL_ICD_VENDORS=$build/ventus.icd
                          and run it: any OpenCL program finds the device "Ventus GPGPU"
  find its mistakes       VENTUS_CHECK=1 ./program (docs/check.md)
  one kernel, no program  $build/ventus run --help (docs/run.md)
  cycles of the hardware  $build/ventus run --timing verilog ... (docs/timing.md)
  for good                make install
END
