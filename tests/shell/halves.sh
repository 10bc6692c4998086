# Halves on machines without instructions for them: all 65536 in every operation, against the host's.
. "$VENTUS_SOURCE/tests/shell/common"

for profile in r2.0 r2.1 r2025; do
    check 0 '' env VENTUS_CONFIG="$VENTUS_SOURCE/configs/$profile.conf" \
        $VENTUS_FOREIGN /usr/bin/python3 "$VENTUS_SOURCE/tests/python/halves.py" instructions
done
exit $status
