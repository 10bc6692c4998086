# Debug information: readers of DWARF that are not ours take it and find what the source says; code is the same.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cc=$VENTUS_BUILD/ventus-cc
for tool in llvm-dwarfdump-19 llvm-symbolizer-19 llvm-objdump-19; do
    command -v $tool >/dev/null || { echo "SKIPPED: no $tool (package llvm-19)"; exit 77; }
done

cat >k.cl <<'END'
#include "head.h"
kernel void k(global int *out, int n)
{
    int id = get_global_id(0);
    for (int i = 0; i < n; i++)
        out[id] += halve(out[id + i]);
}

kernel void other(global int *out)
{
    out[get_global_id(0)] *= 3;
}
END
printf 'int halve(int v)\n{\n    return v / 16 * v;\n}\n' >head.h

# Without -g nothing of it; with -g the same code, for plain programs and for those with everything in them.
check 0 '' "$cc" k.cl -o plain.elf
llvm-dwarfdump-19 --debug-info plain.elf | grep -q DW_TAG && wrong "debug information without -g"
check 0 '' "$cc" --options -g k.cl -o k.elf
cases="$VENTUS_SOURCE/tests/cl"
for source in k.cl "$cases"/control.cl "$cases"/private.cl "$cases"/struct.cl "$cases"/atomic.cl \
    "$cases"/printf.cl "$cases"/pressure.cl "$cases"/generic.cl "$cases"/divergence.cl "$cases"/calls.cl; do
    [ -f "$source" ] || { wrong "no $source"; continue; }
    types=$(sed -n 's,^//! types \([a-z0-9]*\).*,-DT=\1,p' "$source" | head -n 1)
    options="$(sed -n 's,^//! options ,,p' "$source" | head -n 1) $types"
    check 0 '' "$cc" --options "$options" "$source" -o without.elf
    check 0 '' "$cc" --options "$options -g" "$source" -o with.elf
    for file in without with; do "$ventus" objdump --text $file.elf >$file.s; done
    cmp with.s without.s || wrong "$source: other code with -g"
    llvm-dwarfdump-19 --verify with.elf >verify.log || wrong "$source: $(cat verify.log)"
done

# An address of the inlined call: its function and line, and those of the call.
address=$(llvm-dwarfdump-19 --debug-line k.elf | awk '$2 == 3 && $4 == 1 { print $1; exit }')
[ -n "$address" ] || wrong "no code of line 3 of the second file"
llvm-symbolizer-19 --obj=k.elf --basenames "$address" | sed -n 's/:[0-9]*$//; /./p' >where.txt
printf '%s\n' halve head.h:3 k k.cl:6 | diff where.txt - || wrong "llvm-symbolizer finds something else"
addr2line -i -s -e k.elf "$address" >where.txt
printf '%s\n' head.h:3 k.cl:6 | diff where.txt - || wrong "addr2line finds something else"
llvm-objdump-19 -S k.elf >listing.txt 2>&1
grep -q '^;     out\[get_global_id(0)\] \*= 3;' listing.txt || wrong "llvm-objdump -S shows no source"

# Types and variables: other readers complain about nothing.
cat >types.cl <<'END'
enum color { RED, GREEN = -7 };
typedef struct { char tag; int high; float4 v[2]; enum color c; union { int i; float f; } u; } item;
constant float weights[3] = {1, 2, 3};
kernel void k(global item *items, local float *room, item given, image2d_t picture, ulong size)
{
    global item *mine = items + get_global_id(0);
    room[get_local_id(0)] = mine->v[1].x * weights[given.high & 1] + size;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine->u.f = room[0] + get_image_width(picture);
}
END
check 0 '' "$cc" --options -g types.cl -o types.elf
llvm-dwarfdump-19 --verify types.elf >verify.log || wrong "types: $(cat verify.log)"
for elf in k types; do
    readelf --debug-dump=info,loc,Ranges,decodedline $elf.elf 2>&1 | grep -i -e warning -e error && wrong "readelf: $elf"
done

# Frames: a called function has its return address in x31 at first, a kernel has none.
printf '__attribute__((noinline)) int twice(int v) { return v * 2; }
kernel void k(global int *out) { out[0] = twice(out[1]); }\n' >called.cl
check 0 '' "$cc" --options -g called.cl -o called.elf
llvm-dwarfdump-19 --verify called.elf >verify.log || wrong "called: $(cat verify.log)"
readelf --debug-dump=frames-interp called.elf >frames.txt 2>&1
grep -i -e warning -e error frames.txt && wrong "readelf: frames"
for cie in 'ra=1$' 'ra=31$'; do grep -q "CIE.*$cie" frames.txt || wrong "no frames with $cie"; done
[ "$(grep -c FDE frames.txt)" = 3 ] || wrong "not a frame for each function: $(cat frames.txt)"

# Objects remember that they were made with -g, and programs of them have it.
check 0 '' "$cc" --options -g --compile k.cl -o k.o
check 0 '' "$cc" --link k.o -o linked.elf
llvm-dwarfdump-19 --verify linked.elf >verify.log || wrong "linked: $(cat verify.log)"
llvm-dwarfdump-19 --name=other linked.elf | grep -q DW_TAG_subprogram || wrong "linked programs know no functions"

if command -v gdb-multiarch >/dev/null; then
    gdb-multiarch -nx -batch -ex 'info line k.cl:11' -ex 'info line halve' k.elf >gdb.txt 2>&1
    grep -q 'Line 11 of "k.cl" starts at address 0x8.* <other' gdb.txt || wrong "gdb: $(cat gdb.txt)"
    gdb-multiarch -nx -batch -ex 'set complaints 100' -ex 'ptype item' -ex 'whatis weights' -ex 'info scope k' \
        types.elf >>gdb.txt 2>&1
    for text in 'char tag;' 'float4 v\[2\];' 'enum color c;' 'float f;' \
        'type = float \[3\]' 'Symbol mine is' 'Symbol size is'; do
        grep -q "$text" gdb.txt || wrong "gdb: no '$text' in $(cat gdb.txt)"
    done
    grep -i -e warning -e error -e 'symbol reading' -e 'not supported' gdb.txt && wrong "gdb complains"
else
    echo "SKIPPED: gdb (package gdb-multiarch)"
fi
# Of a structure that has lost members: lldb wants those as bits, and what lies between members as bytes.
check 0 '' "$cc" --options -g "$VENTUS_SOURCE/tests/debug/frames.cl" -o frames.elf
llvm-dwarfdump-19 --debug-info frames.elf | sed -n '/"two"/,/^$/p' >two.txt
grep -q 'DW_OP_bit_piece 0x8 0x0, DW_OP_piece 0x3, DW_OP_regx' two.txt || wrong "not as expected: $(cat two.txt)"

exit $status
