#!/bin/sh
# Runs the examples of a build folder on the simulated GPU; pictures go to BUILD/pictures.
# Called by `make demo`.
set -eu

build=$(cd "${1:-build}" && pwd)
export OCL_ICD_VENDORS="$build/ventus.icd"
pictures=$build/pictures
mkdir -p "$pictures"

status=0
try() { "$@" || { echo "demo: $(basename "$1") failed" >&2; status=1; }; }

echo "Examples on the OpenCL device of $OCL_ICD_VENDORS:"
try "$build/examples/vecadd"
try "$build/examples/matmul"
try "$build/examples/histogram"
try "$build/examples/mandelbrot" --output "$pictures/mandelbrot.png"
try "$build/examples/filter" "$pictures/mandelbrot.png" --output "$pictures/edges.png"
[ $status = 0 ] && echo "All results are correct. Your own picture: " \
    "OCL_ICD_VENDORS=$build/ventus.icd $build/examples/filter FILE.jpg --output edges.png"
exit $status
