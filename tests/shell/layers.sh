# No two source files need each other, by whatever way round: each program reads from its foundations upward. The table of
# all OpenCL functions, with which every object begins, is the exception (opencl/README.md).
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cycles=$VENTUS_SOURCE/scripts/cycles.sh
export BUILD="$VENTUS_BUILD"

check 0 '' "$cycles" isa asm sim sim/check sim/trace timing driver vt tools
check 0 '' "$cycles" compiler
check 0 '' "$cycles" -x dispatch_table opencl

# It does find circles.
check 1 'opencl/object.c -> opencl/icd.c: dispatch_table' "$cycles" opencl
exit $status
