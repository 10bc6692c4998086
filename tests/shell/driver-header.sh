#!/bin/sh
# driver/ventus.h does not bring the names of the instruction table into programs that include it.
set -eu
cd "$VENTUS_SOURCE"
names=$(printf '#include "driver/ventus.h"\n' | ${CC:-cc} -std=c17 -I. -dD -E - |
    grep -cE '(^|[^A-Za-z_])(OP_[A-Z]|KIND_[A-Z]|ROLE_[A-Z])|struct insn' || true)
[ "$names" = 0 ] || { echo "driver/ventus.h brings $names lines with names of isa/isa.h"; exit 1; }
