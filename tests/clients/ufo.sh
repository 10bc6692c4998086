# packages: ufo-filters libufo-bin python3-numpy gcc opencl-headers
# prepare: cc -shared -fPIC -o gpu.so $CLIENTS/gpu-layer.c
# checks: pictures computed, mirrored, transposed, cut, extended and transformed on the device are those of numpy
set -eu
export OPENCL_LAYERS="$PWD/../gpu.so"

# Every filter gets a picture of 48 x 32 floats and writes its own to a file.
filter() { # name, filters of the program...
    name=$1
    shift
    ufo-launch dummy-data width=48 height=32 number=1 ! calculate expression="'x % 48 + 100 * (x / 48)'" ! \
        "$@" ! write filename="$name.raw" >"$name.log" 2>&1 || { cat "$name.log"; echo "$name failed"; exit 1; }
}
filter same calculate expression=v
filter sine calculate expression="'sin(v / 50) + sqrt(v)'"
filter flip flip direction=horizontal
filter transpose transpose
filter crop crop x=5 y=7 width=20 height=10
filter fft fft dimensions=2
filter binarize binarize threshold=1000
filter tile flip direction=vertical ! transpose
filter pad pad x=8 y=4 width=64 height=40 addressing-mode=clamp_to_edge

/usr/bin/python3 - <<'PYTHON'
import numpy as np
y, x = np.mgrid[0:32, 0:48].astype(np.float32)
picture = x + 100 * y
spectrum = np.fft.fft2(np.pad(picture, ((0, 0), (0, 16))))  # of the next powers of two
want = {
    "same": picture,
    "sine": np.sin(picture / 50) + np.sqrt(picture),
    "flip": picture[:, ::-1],
    "transpose": picture.T,
    "crop": picture[7:17, 5:25],
    "binarize": picture >= 1000,
    "tile": picture[::-1].T,
    "pad": np.pad(picture, ((4, 4), (8, 8)), "edge"),
    "fft": np.stack([spectrum.real, spectrum.imag], 2),
}
for name, numbers in want.items():
    have = np.fromfile(name + ".raw", np.float32)
    numbers = np.asarray(numbers, np.float32).ravel()
    np.testing.assert_allclose(have, numbers, rtol=1e-5, atol=1e-6 * np.abs(numbers).max(), err_msg=name)
print(f"{len(want)} pipelines")
PYTHON
