# packages: ffmpeg
# checks: 14 filters give frames with the same hashes as on another OpenCL, two the same but for last bits
set -eu

# Three frames; two inputs for the filters that join them. Hashes of what comes out are appended to `result`.
frames() { # name of the test, format, filter graph whose inputs are [a] and [b] on the device
    ffmpeg -v error -init_hw_device opencl=device -filter_hw_device device \
        -f lavfi -i testsrc2=size=160x120:rate=10:duration=0.3 -f lavfi -i mandelbrot=size=160x120:rate=10 \
        -filter_complex "[0]format=$2,hwupload[a];[1]trim=duration=0.3,format=$2,hwupload[b];$3,hwdownload,format=$2" \
        -f framemd5 - >"$1.md5"
    [ "$(grep -c '^0' "$1.md5")" -ge 2 ] || { echo "$1: no frames"; exit 1; }
    sed -n "s/^0.*,/$1 /p" "$1.md5" >>result
    echo "$1"
    n=$((n + 1))
}
one() { # filter
    frames "${1%%[_=]*}" yuv420p "[b]nullsink;[a]$1"
}
n=0
rm -f result

one avgblur_opencl=sizeX=3
one boxblur_opencl=luma_radius=4
one unsharp_opencl
one convolution_opencl='0m=-1 -1 -1 -1 8 -1 -1 -1 -1'
one sobel_opencl
one prewitt_opencl
one roberts_opencl
one dilation_opencl
one erosion_opencl
one transpose_opencl=dir=clock
one pad_opencl=w=200:h=140:x=10:y=8:color=red
frames overlay yuv420p '[a][b]overlay_opencl=x=20:y=30'
frames xfade yuv420p '[a][b]xfade_opencl=transition=fade:duration=0.2:offset=0.1'
frames colorkey rgba '[b]nullsink;[a]colorkey_opencl=color=yellow:similarity=0.3'

# The last bits of sums and exponentials are free, so that a pixel in two hundred may be one higher: compared by how far the
# frames are from those of a filter on the host, in tenths of a decibel.
distance() { # filter on the device, filter on the host
    name=${1%%[_=]*}
    ffmpeg -v info -init_hw_device opencl=device -filter_hw_device device \
        -f lavfi -i testsrc2=size=160x120:rate=10:duration=0.3 -filter_complex \
        "[0]format=yuv420p,split[a][b];[a]hwupload,$1,hwdownload,format=yuv420p[x];[b]$2[y];[x][y]psnr" \
        -f null - 2>&1 | sed -n "s/.*average:\([0-9]*\.[0-9]\).*/$name \1 dB/p" | tee "$name.psnr"
    grep "$name" "$name.psnr" >>result
    n=$((n + 1))
}
distance nlmeans_opencl=r=5 nlmeans=r=5
distance deshake_opencl null
echo "$n filters"
