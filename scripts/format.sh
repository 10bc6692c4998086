#!/bin/sh
# Formats the sources in C and C++ as .clang-format says, or lists those that are not formatted so.
#
#   scripts/format.sh [--check]
#
# Uses clang-format 14, Debian 12's own: other versions break lines differently. Called by the Makefile
# and .ci/run.
set -eu
cd "$(dirname "$0")/.."
tool=${CLANG_FORMAT:-clang-format-14}
command -v "$tool" >/dev/null || { echo "format: $tool is missing; sudo apt install clang-format-14" >&2; exit 2; }
case ${1-} in
--check) git ls-files -z '*.c' '*.h' '*.cc' | xargs -0 -P "$(nproc)" -n 100 "$tool" --dry-run -Werror || {
    echo "format: run 'make format'" >&2
    exit 1
} ;;
"") git ls-files -z '*.c' '*.h' '*.cc' | xargs -0 -P "$(nproc)" -n 100 "$tool" -i ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; [ "$1" = --help ] || exit 2 ;;
esac
