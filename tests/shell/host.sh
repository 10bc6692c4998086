# Hosts that lack something: OpenCL works there, or says what is missing. A mount namespace is needed, which not every
# host gives.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
inside() { unshare $how sh -c "$1"; }
how=-m
unshare -m true 2>/dev/null || how=-rm
unshare $how mount -t tmpfs tmpfs "$dir" 2>/dev/null || { echo 'SKIPPED: no mount namespaces'; exit 77; }
[ -z "${VENTUS_FOREIGN:-}" ] || { echo 'SKIPPED: sanitizers read /proc'; exit 77; }
vecadd="'$VENTUS_BUILD/examples/vecadd' --size 16"
works() { grep -q 'compared with the host: correct' out.txt || { wrong "$1"; cat out.txt; }; }

export VENTUS_CACHE=1
mkdir cache
# Programs find what lies beside them without /proc, however they were started.
inside "umount -l /proc && XDG_CACHE_HOME='$dir/cache' VENTUS_ENGINE=native $vecadd" >out.txt 2>&1
works 'without /proc'
echo 'kernel void k(global int *p) { *p = 1; }' >one.cl
inside "umount -l /proc && cd '$VENTUS_BUILD' && ./ventus cc '$dir/one.cl' -o '$dir/one.elf'" >out.txt 2>&1 && [ -s one.elf ] ||
    { wrong 'ventus cc without /proc'; cat out.txt; }

# A cache that is full, or nearly so, or that nobody may write, costs time alone: what is there is whole.
for size in 4k 24k; do
    inside "mount -t tmpfs -o size=$size tmpfs cache && export XDG_CACHE_HOME='$dir/cache' && [ $size = 24k ] || dd if=/dev/zero of=cache/x 2>/dev/null
            $vecadd && $vecadd" >out.txt 2>&1
    works "on a disk of $size"
    [ "$(grep -c 'host: correct' out.txt)" = 2 ] || wrong "twice on a disk of $size"
done
inside "mount -t tmpfs -o ro tmpfs cache && XDG_CACHE_HOME='$dir/cache' $vecadd" >out.txt 2>&1
works 'with a cache that cannot be written'

# What another user owns is no cache: who may write there says what runs here.
if [ "$(id -u)" = 0 ]; then
    for owner in 0 65534; do
        # Each its own: a translation that outlives the first program is written where that one's folder was.
        mkdir -p $owner/ventus && chown $owner $owner/ventus && chmod 755 $owner/ventus
        XDG_CACHE_HOME=$dir/$owner sh -c "$vecadd" >out.txt 2>&1
        works "with a cache of user $owner"
        kept=$(ls $owner/ventus | wc -l)
        [ $((kept > 0)) = $((owner == 0)) ] || wrong "$kept files in a cache of user $owner"
    done
fi
exit $status
