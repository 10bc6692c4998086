# A design in SystemVerilog, built by Verilator, in lock step with the reference by way of DPI (tests/cosim/squares.sv): a
# right one ends, and each wrong instruction is the first difference. The file of imports has no warnings.
command -v verilator >/dev/null && command -v g++ >/dev/null || { echo "no verilator, or no g++"; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
imports=$VENTUS_SOURCE/cosim/ventus_cosim.sv

check 0 '' verilator --lint-only -Wall "$imports"
check 0 '' verilator --binary -j 2 -Wno-fatal -MAKEFLAGS OPT_FAST=-O0 -MAKEFLAGS OPT_SLOW=-O0 -MAKEFLAGS OPT_GLOBAL=-O0 \
    -LDFLAGS "-L$VENTUS_BUILD -lventus-cosim -Wl,--allow-shlib-undefined" \
    --Mdir made --top-module squares "$imports" "$VENTUS_SOURCE/tests/cosim/squares.sv"
[ $status = 0 ] || exit 1
export LD_LIBRARY_PATH="$VENTUS_BUILD"
design() { check 0 "$1" ${VENTUS_FOREIGN-} made/Vsquares "+wrong=$2"; } # the line that must be there, the wrong instruction
design '^equal: 7 instructions$' 7
design '^first difference: the value of x5 (t0)$' 0
design '^first difference: the value of v2 in 4 of 4 lanes$' 2
design '^     3  0x9000000c  0x00000009  0x0000000a$' 5

# Each function of the header is imported.
for function in $(grep -o 'ventus_cosim_[a-z_]*(' "$VENTUS_SOURCE/cosim/ventus_cosim.h" | sort -u); do
    grep -q " $function" "$imports" || wrong "ventus_cosim.sv does not import ${function%?}"
done
exit $status
