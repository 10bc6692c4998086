# No two source files need each other, by whatever way round: each program reads from its foundations upward. The table of
# all OpenCL functions, with which every object begins, is an exception (opencl/README.md), and so is the list of engines, which
# names the one of native/.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cycles=$VENTUS_SOURCE/scripts/cycles.sh
export BUILD="$VENTUS_BUILD"

check 0 '' "$cycles" -x engine_native isa host asm sim check trace native timing profile driver vt tools
check 0 '' "$cycles" $(cd "$VENTUS_SOURCE" && ls -d compiler/*/ | sed 's,/$,,' | grep -v library)
check 0 '' "$cycles" -x dispatch_table opencl

# Includes go one way, and the script sees one that does not.
check 0 '' "$VENTUS_SOURCE/scripts/includes.sh"
mkdir -p tree/scripts tree/sim tree/compiler/core
cp "$VENTUS_SOURCE/scripts/includes.sh" tree/scripts
echo '#include "driver/ventus.h"' >tree/sim/upward.c
echo '#include "compiler/passes/passes.h"' >tree/compiler/core/upward.c
check 1 'sim/upward.c:1: sim/ does not include driver/' tree/scripts/includes.sh sim/upward.c
check 1 'compiler/core/ does not include compiler/passes/' tree/scripts/includes.sh compiler/core/upward.c

# It does find circles.
check 1 'opencl/object.c -> opencl/icd.c: dispatch_table' "$cycles" opencl
exit $status
