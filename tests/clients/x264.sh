# packages: x264 ffmpeg
# checks: with the lookahead on the device the frames are those without, if it has nothing to choose; else it ends well
set -eu

# Squares that move over a slope, so that there is something to estimate: 12 frames of 192 x 128 in YUV 4:2:0.
awk 'BEGIN {
    for (frame = 0; frame < 12; frame++) {
        printf "FRAME\n"
        for (y = 0; y < 128; y++)
            for (x = 0; x < 192; x++)
                printf "%c", 32 + (int((x + 3 * frame) / 16) + int((y + frame) / 16)) % 2 * 40 + int((x + y) / 8)
        for (i = 0; i < 2 * 96 * 64; i++)
            printf "%c", 64 + int(i / 96 + frame) % 50
    }
}' >frames
{ echo "YUV4MPEG2 W192 H128 F25:1 C420jpeg"; cat frames; } >film.y4m

cc -shared -fPIC -o layer.so "$CLIENTS/gpu-layer.c"
export OPENCL_LAYERS="$PWD/layer.so"

# Frames as decoded, because the stream says with which options it was made.
encode() { # name, options...
    name=$1
    shift
    x264 --threads 1 --no-psy --rc-lookahead 10 "$@" -o "$name.264" film.y4m >"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
    ffmpeg -v error -i "$name.264" -f md5 - | tee "$name.md5"
    case $* in *--opencl*) grep 'OpenCL acceleration enabled' "$name.log" || { cat "$name.log"; exit 1; } ;; esac
}
fixed='--qp 26 --b-adapt 0 --no-mbtree --weightp 0 --no-scenecut'
# shellcheck disable=SC2086 # words
encode host $fixed
# shellcheck disable=SC2086 # words
encode device $fixed --opencl
cmp host.md5 device.md5
# What it chooses depends on how many threads pocl has, and cannot be compared: its kernels leave out barriers (VENTUS_CHECK=1
# shows them) that a device without warps would need.
encode chosen --bframes 3 --b-adapt 2 --opencl
echo "the same frames, and $(wc -c <chosen.264) bytes"
