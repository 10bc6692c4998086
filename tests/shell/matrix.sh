# Programs in OpenCL C compute the same on machines of every instruction set: what profiles do in ways of their own,
# and an example. `make test-profiles` runs all of tests/cl and the examples so.
. "$VENTUS_SOURCE/tests/shell/common"
cases='atomic atomic11 printf private'
for profile in r2.0 r2.1 r2025; do
    printf 'profile = %s\n' $profile >$profile.conf
    export VENTUS_CONFIG=$PWD/$profile.conf
    for case in $cases; do
        "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl" >log.txt 2>&1 || { wrong "$case on $profile"; tail -5 log.txt; }
    done
    # Few registers: what finds none goes to private memory.
    VENTUS_CC=$VENTUS_BUILD/ventus-cc-mutation VENTUS_CC_VECTORS=8 \
        "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/pressure.cl" >log.txt 2>&1 || { wrong "few registers on $profile"; tail -5 log.txt; }
done
# Virtual addresses.
for profile in default r2.0 r2.1 r2025; do
    printf 'profile = %s\ntranslation = sv39\n' $profile >sv39.conf
    for case in atomic local printf private variables; do
        VENTUS_CONFIG=$PWD/sv39.conf "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl" >log.txt 2>&1 ||
            { wrong "$case on $profile with sv39"; tail -5 log.txt; }
    done
done
for profile in r2.0 r2.1 r2025 sv39; do
    VENTUS_CONFIG=$VENTUS_SOURCE/configs/$profile.conf check 0 '' "$VENTUS_BUILD/examples/histogram" --output out.png
done
exit $status
