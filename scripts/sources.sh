#!/bin/sh
# The C files of a folder, one a line and in a fixed order, so that no list of them has to be kept.
#
#   scripts/sources.sh files [FOLDER]...   those of the program: all but *_test.c
#   scripts/sources.sh tests [FOLDER]...   *_test.c, without the ending
#   scripts/sources.sh kernels             *.cl
#   scripts/sources.sh all                 every file of the tree that a list of sources could name
#
# Folders are below the one whose meson.build asks, or that itself (MESON_SOURCE_ROOT, MESON_SUBDIR). Meson asks when it
# configures; the Makefile configures again when `all` has changed.
set -eu
export LC_ALL=C
root=${MESON_SOURCE_ROOT:-$(dirname "$0")/..}
what=${1-}
[ $# -lt 2 ] || shift
[ "$what" != "${1-}" ] || set -- .
case $what in
files) cd "$root/$MESON_SUBDIR" && find "$@" -maxdepth 1 -name '*.c' ! -name '*_test.c' ;;
tests) cd "$root/$MESON_SUBDIR" && find "$@" -maxdepth 1 -name '*_test.c' | sed 's/\.c$//' ;;
kernels) cd "$root/$MESON_SUBDIR" && find . -maxdepth 1 -name '*.cl' ;;
all) cd "$root" && find . -path './build*' -prune -o -path ./.git -prune -o \( -name '*.c' -o -path './compiler/library/*.cl' -o -name meson.build \) -print ;;
*) echo "sources.sh: files, tests, kernels or all" >&2; exit 2 ;;
esac | sed 's,^\./,,' | sort
