#!/bin/sh
# Headers for programs that use a device or a machine do not bring the names of the instruction table into them.
set -eu
cd "$VENTUS_SOURCE"
for header in driver/ventus.h sim/launch.h; do
    names=$(printf '#include "%s"\n' $header | ${CC:-cc} -std=c17 -I. -dD -E - |
        grep -cE '(^|[^A-Za-z_])(OP_[A-Z]|KIND_[A-Z]|ROLE_[A-Z])|struct insn' || true)
    [ "$names" = 0 ] || { echo "$header brings $names lines with names of isa/isa.h"; exit 1; }
done
