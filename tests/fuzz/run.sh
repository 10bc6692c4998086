#!/bin/sh
# Coverage-guided fuzzing with libFuzzer: tests/fuzz/run.sh TARGET SECONDS [FOLDER]
# TARGET: decode, assemble, elf, link, note, options, case or settings. New inputs go to FOLDER (default /tmp/ventus-fuzz-TARGET), and so
# does the program. Needs clang-14 with libclang-rt-14-dev. A finding ends it and is printed; put its
# file into tests/fuzz/corpus/TARGET.
set -e
target=$1 seconds=$2 folder=${3:-/tmp/ventus-fuzz-$1}
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -f "$root/tests/fuzz/$target.c" ] && [ -n "$seconds" ] || { sed -n '2,3p' "$0" >&2; exit 2; }
mkdir -p "$folder/corpus"
sources=$(ls "$root"/isa/*.c "$root"/asm/*.c | grep -v -e '_test\.c$' -e '/embed\.c$') libraries=-lelf
if [ "$target" = options ]; then
    sources="$root/compiler/frontend/options.c $root/compiler/core/cc.c"
    libraries="-isystem $(llvm-config-19 --includedir) $(llvm-config-19 --ldflags --libs --link-shared)"
fi
# Readers of files alone, without the machine that they are about: what is missing is not called.
machine="$root/sim/config.c $root/sim/settings.c $root/sim/engine.c $root/host/host.c $root/isa/isa.c $root/sim/layout.c $root/timing/parameters.c"
case $target in
case) sources="$root/vt/case.c" libraries="-no-pie -Wl,--unresolved-symbols=ignore-all" ;;
settings) sources="$machine $root/tools/sweep_file.c" libraries="-no-pie -Wl,--unresolved-symbols=ignore-all" ;;
esac
clang-14 -std=gnu17 -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -I "$root" -o "$folder/$target" "$root/tests/fuzz/$target.c" $sources $libraries
cd "$folder"
exec nice "$folder/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict="$root/tests/fuzz/$target.dict" corpus "$root/tests/fuzz/corpus/$target"
