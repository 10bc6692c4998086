# packages: mandelbulber2 python3-opencv gcc opencl-headers
# prepare: cc -shared -fPIC -o gpu.so $CLIENTS/gpu-layer.c; cc -shared -fPIC -o count.so $CLIENTS/count-layer.c
# checks: a fractal of its examples, rendered on the device, looks like the host's but for noise and edges
set -eu
export OPENCL_LAYERS="$PWD/../gpu.so:$PWD/../count.so" QT_QPA_PLATFORM=offscreen

render() { # name, whether on the device
    LAUNCHES="$PWD/$1.launches" mandelbulber2 --nogui --no-cli-color --format png --res 32x24 \
        --override "opencl_enabled=$2#opencl_mode=3" --output "$1.png" /usr/share/mandelbulber2/examples/IFS_001.fract \
        >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}
render host 0
[ ! -e host.launches ]
render device 1
[ -e device.launches ] || { cat device.log; echo "nothing has run on the device"; exit 1; }

/usr/bin/python3 - <<'PYTHON'
import cv2
import numpy as np
host, device = (cv2.imread(name).astype(int) for name in ["host.png", "device.png"])
difference = np.abs(host - device).max(2)
assert host.std() > 20
assert np.percentile(difference, 90) <= 8 and difference.mean() < 4, f"mean difference {difference.mean()}"
print(f"mean difference {difference.mean():.1f} of 255")
PYTHON
