# packages: clpeak
# checks: the kernels for arithmetic of floats and for launches are built and give numbers above 0
set -eu
for test in compute-sp kernel-latency; do
    clpeak --$test | tee $test.log
    grep -q ': *[0-9.]*[1-9]' $test.log
    if grep -i 'error\|fail\|: *0$' $test.log; then exit 1; fi
done
sed -n 's/ *\(float4\|Kernel launch latency\) *: */\1 /p' ./*.log | paste -sd ',' | sed 's/,/, /g'
