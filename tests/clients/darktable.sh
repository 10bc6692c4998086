# packages: darktable python3-opencv
# checks: all its kernels are built; a picture sharpened, softened and coloured is the host's, but for the borders
set -eu

darktable-cltest >cltest.log 2>&1 || true
if grep 'emulated by CPU' cltest.log; then echo "it refuses devices that are CPUs"; exit 77; fi
if grep -i 'failed to compile\|could not compile' cltest.log; then exit 1; fi
grep 'FINALLY: opencl is AVAILABLE' cltest.log || { cat cltest.log; exit 1; }

/usr/bin/python3 "$CLIENTS/picture" in.png

# Modules with their parameters, floats in hexadecimal.
step() { # number, module, version, parameters
    printf '<rdf:li darktable:num="%s" darktable:operation="%s" darktable:modversion="%s"' "$1" "$2" "$3"
    echo " darktable:params=\"$4\""' darktable:enabled="1" darktable:multi_name="" darktable:multi_priority="0"/>'
}
style() {
    cat <<XMP
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="5"
    darktable:iop_order_version="2" darktable:history_end="3"><darktable:history><rdf:Seq>
XMP
    step 0 sharpen 1 000000400000003f0000003f
    step 1 velvia 2 0000c8410000803f
    step 2 soften 1 000048420000c842c3f5a83e00004842
    echo '</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>'
}
export_picture() { # name, options...
    name=$1
    shift
    darktable-cli in.png style.xmp "$name.png" --core "$@" --conf opencl=TRUE -d opencl -d perf >"$name.log" 2>&1
    echo "$name: $(grep -c 'on GPU' "$name.log" || true) modules on the device"
}
style >style.xmp
export_picture host --disable-opencl
export_picture device
for module in sharpen velvia soften; do
    grep -q "processed \`$module' on GPU" device.log || { cat device.log; echo "$module has not run on the device"; exit 1; }
done

/usr/bin/python3 - <<'PYTHON'
import cv2
import numpy as np
have, want = (cv2.imread(name).astype(int)[6:-6, 6:-6] for name in ["device.png", "host.png"])
difference = np.abs(have - want)
assert difference.max() <= 6 and (difference > 1).mean() < 0.01, f"differs by {difference.max()}"
print(f"largest difference {difference.max()} of 255")
PYTHON
