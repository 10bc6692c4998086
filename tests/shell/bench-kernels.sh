# The benchmark's kernels give what plain C gives: interpreted, and translated before the first instruction.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
kernels=$VENTUS_BUILD/bench/kernels

for engine in step native; do
    VENTUS_ENGINE=$engine VENTUS_CACHE_DIR=$dir/cache VENTUS_CACHE=1 "$kernels" --size small --repeat 1 >$engine.txt || wrong "$engine: exit code $?"
    [ "$(wc -l <$engine.txt)" = "$("$kernels" --list | wc -l)" ] || wrong "$engine: $(wc -l <$engine.txt) lines of output"
done

check 0 mandelbrot "$kernels" --hand --repeat 1
check 1 "no kernel 'nonsense'" "$kernels" nonsense
check 1 "small or medium, not 'huge'" "$kernels" --size huge
check 1 "from 1 to 16384, not '0'" "$kernels" --repeat 0
exit $status
