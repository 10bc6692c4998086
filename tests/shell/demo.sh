# scripts/demo.sh: runs every example, says where the pictures are and what to do next, and shows one where the terminal can.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset KITTY_WINDOW_ID TERM_PROGRAM
export TERM=dumb

# A build folder whose examples say that they have run, and make a picture where they are told to.
mkdir -p build/examples bin
cat >example <<'END'
#!/bin/sh
echo "${0##*/} $*"
case $0 in *"${FAILS-nothing}") exit 1 ;; esac
while [ $# -gt 0 ]; do [ "$1" != --output ] || echo picture >"$2"; shift; done
END
chmod +x example
for file in "$VENTUS_SOURCE"/examples/*.c; do
    name=$(basename "$file" .c)
    case $name in common | image) continue ;; esac
    cp example "build/examples/$name"
    echo "$name" >>names
done
demo="$VENTUS_SOURCE/scripts/demo.sh"

check 0 '^  your own program ' sh "$demo" build
while read -r name; do grep -q "^$name .*--output" out.txt || wrong "$name is not run"; done <names
[ "$(wc -l <names)" -gt 4 ] || wrong 'no examples are found'
for picture in mandelbrot edges; do
    grep -q -x "  $PWD/build/pictures/$picture.png" out.txt && [ -f build/pictures/$picture.png ] || wrong "no $picture.png"
done
tail -n 1 out.txt | grep -q 'make install' || wrong 'it does not end with what to do next'
grep -q "$(printf '\033')" out.txt && wrong 'a picture in a file'
check 1 'demo: failed: matmul' env FAILS=matmul sh "$demo" build
grep -q 'What to do next' out.txt && wrong 'a failed demo goes on as if nothing were'

# How long: of a build that is to be made, and of one that is there.
for processors in 1=90 2=45 16=20; do
    printf '#!/bin/sh\necho %s\n' "${processors%=*}" >bin/nproc
    chmod +x bin/nproc
    check 0 "about ${processors#*=} seconds on ${processors%=*} processors" env PATH="$PWD/bin:$PATH" sh "$demo" --announce nowhere
done
rm bin/nproc
touch build/ventus.icd build/ventus-cc
chmod +x build/ventus-cc
check 0 'built already' sh "$demo" --announce build
make --no-print-directory -n -C "$VENTUS_SOURCE" BUILD="$dir/build" demo >out.txt 2>&1
head -n 1 out.txt | grep -q 'demo.sh --announce' || wrong "make demo does not begin with how long it takes: $(head -n 1 out.txt)"

# Terminals: kitty's is given the path, iTerm2's the bytes, one that says it knows sixel what img2sixel makes, others nothing.
printf '#!/bin/sh\necho "sixels of ${1##*/}"\n' >bin/img2sixel
chmod +x bin/img2sixel
cat >terminal.py <<'END'
import os, pty, sys
answer, command = sys.argv[1].encode().decode("unicode_escape").encode(), sys.argv[2:]
child, end = pty.fork()
if not child:
    os.execvp(command[0], command)
said = b""
try:
    while more := os.read(end, 4096):
        said += more
        if more.endswith(b"\x1b[c"):
            os.write(end, answer)
except OSError:
    pass
os.waitpid(child, 0)
sys.stdout.buffer.write(said)
END
at() { python3 terminal.py "$@" sh "$demo" build >out.txt; }
PATH=$PWD/bin:$PATH
at '\x1b[?62;4;22c' && grep -q 'sixels of mandelbrot.png' out.txt || wrong 'no sixels'
at '\x1b[?62;4c' && grep -q 'sixels of mandelbrot.png' out.txt || wrong 'no sixels, the last attribute'
at '\x1b[?62;22c' && grep -q 'sixels of' out.txt && wrong 'sixels for a terminal without'
at '' && grep -q 'sixels of' out.txt && wrong 'sixels for a terminal that does not answer'
path=$(printf %s "$PWD/build/pictures/mandelbrot.png" | base64 -w 0)
at '' env TERM=xterm-kitty && grep -q "_Ga=T,f=100,t=f;$path" out.txt || wrong "no picture for kitty"
at '' env TERM_PROGRAM=iTerm.app && grep -q '1337;File=inline=1:cGljdHVyZQo=' out.txt || wrong "no picture for iTerm2"

# The picture of README.md is what the example makes.
OCL_ICD_VENDORS=$VENTUS_BUILD/ventus.icd "$VENTUS_BUILD/examples/mandelbrot" --size 240 --output small.png >out.txt || wrong 'mandelbrot'
cat >same.py <<'END'
import struct, sys, zlib
def pixels(path):
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    return zlib.decompress(body)
sys.exit(pixels(sys.argv[1]) != pixels(sys.argv[2]))
END
python3 same.py small.png "$VENTUS_SOURCE/docs/mandelbrot.png" || wrong 'docs/mandelbrot.png: build/examples/mandelbrot --size 240 --output makes another'

# And once with the real ones.
check 0 'All results are correct' sh "$demo" "$VENTUS_BUILD"
exit $status
