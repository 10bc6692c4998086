# Code that does not meet known faults: the cases of tests/cl on machines that have them, built with and without -mavoid.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
export VENTUS_CACHE=0

# avoiding NAMES CASE...: the cases with that build option, in the same lines, in the folder ./NAMES
avoiding() {
    names=$1
    mkdir -p "$names"
    shift
    for file; do
        new=$names/$(basename "$file")
        if grep -q '^//! options' "$file"; then sed "s#^//! options.*#& -mavoid=$names#" "$file" >"$new"
        else { cat "$file"; echo "//! options -mavoid=$names"; } >"$new"; fi
    done
}

passes() { VENTUS_CONFIG=$1 "$VENTUS_BUILD/tests/clrun" "$2" >out.txt 2>&1; }

# meets NAME CASE...: wrong on hardware with this fault, and right when built so that they do not meet it
meets() {
    fault=$1
    shift
    printf 'quirks = %s\n' "$fault" >"$fault.conf"
    for name; do
        file=$VENTUS_SOURCE/tests/cl/$name.cl
        avoiding "$fault" "$file"
        passes "$fault.conf" "$file" && wrong "$name is right with $fault"
        passes "$fault.conf" "$fault/$name.cl" || { wrong "$name is wrong although it avoids $fault"; head -n 20 out.txt; }
    done
}
meets unsigned-loads arguments convert int-types
meets min-max float
meets regexti-imm algorithms control narrow

# ---- all cases, with all faults that code can do without ----

all=$("$ventus" info --quirks | awk '/^  [a-z]/ { name = $1 } /--avoid:/ && !/cannot/ { printf "%s%s", between, name; between = "," }')
[ "$all" = regexti-imm,unsigned-loads,min-max,fmv ] || wrong "avoided: $all"
printf 'quirks = %s\n' "$all" >all.conf
avoiding "$all" "$VENTUS_SOURCE"/tests/cl/*.cl
ran=0
for file in "$all"/*.cl; do
    passes all.conf "$file" && ran=$((ran + 1)) && continue
    [ $? = 77 ] || { wrong "$file"; head -n 20 out.txt; }
done
[ $ran -ge 60 ] || wrong "only $ran cases ran"

# ---- the same program by the option, by the build option, and by way of an object ----

for option in '--avoid unsigned-loads' '--options -mavoid=unsigned-loads' '--avoid verilog-192d1e0'; do
    check 0 '' "$ventus" cc $option "$VENTUS_SOURCE/tests/cl/convert.cl" -o a.elf
    "$ventus" objdump a.elf | sed 's/^[0-9a-f]*:.//' >code.txt
    [ -e first.txt ] || cp code.txt first.txt
    cmp -s first.txt code.txt || [ "$option" = '--avoid verilog-192d1e0' ] || wrong "$option makes other code"
done

cat >byte.cl <<'CL'
kernel void byte(global const uchar *in, global int *out) { out[get_global_id(0)] = in[5]; }
CL
printf '\201\202\203\204\205\206\207\210' >in
check 0 '' "$ventus" cc --avoid unsigned-loads --compile byte.cl -o a.o
check 0 '' "$ventus" cc --link a.o -o a.elf
check 0 '134 134 134 134' "$ventus" run a.elf -g 4 -a buf:@in -a buf:16 --show 1 --quirks unsigned-loads
check 0 '' "$ventus" cc --compile byte.cl -o b.o
check 0 '' "$ventus" cc --link b.o -o b.elf
check 0 '-122 -122 -122 -122' "$ventus" run b.elf -g 4 -a buf:@in -a buf:16 --show 1 --quirks unsigned-loads
check 2 "there is no known fault 'nothing'; there are: verilog-192d1e0" "$ventus" cc --avoid nothing "$VENTUS_SOURCE/tests/cl/convert.cl" -o a.elf
check 2 "code cannot do without what 'divide' concerns" "$ventus" cc --avoid divide "$VENTUS_SOURCE/tests/cl/convert.cl" -o a.elf

exit $status
