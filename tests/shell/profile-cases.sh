# Cases whose code differs most between instruction sets, on machines of the documents' revisions: what the library does
# there without vector atomics and shuffles, and layouts of matrices.
. "$VENTUS_SOURCE/tests/shell/common"

for profile in r2.0 r2.1 r2025; do
    for case in atomic11 atomic64 calls generic-builtins multiply-add subgroup-ballot; do
        check 0 '' env VENTUS_CONFIG="$VENTUS_SOURCE/configs/$profile.conf" \
            "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl"
    done
done
check 0 '' env VENTUS_CONFIG="$VENTUS_SOURCE/configs/r2.0.conf" "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/collective.cl"
check 0 '' env VENTUS_CONFIG="$VENTUS_SOURCE/configs/r2025.conf" "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/matrix.cl"
exit $status
