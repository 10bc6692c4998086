# packages: gegl python3-opencv gcc opencl-headers
# prepare: cc -shared -fPIC -o count.so $CLIENTS/count-layer.c; cc -shared -fPIC -o gpu.so $CLIENTS/gpu-layer.c
# checks: pictures that go through filters on the device are those of the host, or of pocl where the host makes others
set -eu
export OPENCL_LAYERS="$PWD/../gpu.so:$PWD/../count.so" LAUNCHES="$PWD/launches"

/usr/bin/python3 "$CLIENTS/picture" in.png

n=0 expect=0 # the share of values that may differ by more than 2 of 255, or `pocl`
filter() { # name, parameters...
    name=$1
    shift
    rm -f launches
    GEGL_USE_OPENCL=no gegl in.png -o "$name.host.png" -- "gegl:$name" "$@"
    [ ! -e launches ]
    GEGL_USE_OPENCL=yes gegl in.png -o "$name.device.png" -- "gegl:$name" "$@"
    [ -e launches ] || { echo "$name has not run on the device"; exit 1; }
    compare "$name" $expect
    n=$((n + 1))
}
compare() { # name, what is expected
    /usr/bin/python3 - "$@" <<'PYTHON'
import hashlib
import sys
import cv2
import numpy as np
name = sys.argv[1]
before, host, device = (cv2.imread(file).astype(int) for file in ["in.png", name + ".host.png", name + ".device.png"])
difference = np.abs(host - device)
assert host.shape != before.shape or (host != before).any(), f"{name} does nothing"
if sys.argv[2] == "pocl":
    print(name, hashlib.md5(device.tobytes()).hexdigest(), file=open("result", "a"))
    sys.exit()
differ = (difference > 2).sum()
assert differ <= float(sys.argv[2]) * difference.size, f"{name} differs by {difference.max()} of 255, at {differ} places"
print(f"{name}: largest difference {difference.max()}")
PYTHON
}
filter box-blur radius=3
filter brightness-contrast contrast=1.5 brightness=0.1
filter levels in-low=0.1 in-high=0.8
filter invert-linear
filter edge-laplace
filter motion-blur-linear length=7 angle=30
filter bilateral-filter
filter pixelize size-x=7 size-y=5
filter color-temperature intended-temperature=4000
filter high-pass std-dev=3
# It decides by comparing sums, which the host rounds otherwise, and pocl not always the same way.
expect=0.02
filter noise-reduction iterations=2
# This does on the device something else than on the host.
expect=pocl
filter oilify
echo "$n filters"
