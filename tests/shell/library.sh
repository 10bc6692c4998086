# The builder of the built-in library stops where a library would come to be that lacks something.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
names=$VENTUS_SOURCE/compiler/library
folder=$VENTUS_BUILD/compiler/library
builder=$folder/ventus-library

# build CODE TEXT LIBCLC REQUIRED PRIMITIVES
build() { check "$1" "$2" "$builder" build "$3" "$4" "$5" base.bc families.bc double.bc half.bc $sources; }
sources=$(for source in "$names"/*.cl; do echo "$folder/$(basename "$source" .cl).bc"; done)

# What programs must find, and what the back end must know.
(cat "$names/required.txt"; echo _Z9forgottenf) >required
build 1 '_Z9forgottenf is missing' "$folder/nvptx--.bc" required "$names/primitives.txt"
grep -v -x __ventus_shuffle "$names/primitives.txt" >primitives
build 1 'calls __ventus_shuffle' "$folder/nvptx--.bc" "$names/required.txt" primitives

# Another libclc, and what is none.
build 1 'not for 32-bit NVPTX' "$VENTUS_BUILD/ventus-half.bc" "$names/required.txt" "$names/primitives.txt"
build 1 'ventus-library: .*bitcode' "$names/required.txt" "$names/required.txt" "$names/primitives.txt"
build 1 'cannot read missing' missing "$names/required.txt" "$names/primitives.txt"

# Functions with pointers to global memory are there with generic ones, too; types of accesses are forgotten.
llvm-dis-19 "$VENTUS_BUILD/ventus-builtins.bc" -o base.ll
grep -q '^define linkonce_odr .*@_Z5fractfPU3AS4f(.*addrspace(4)' base.ll || wrong "no generic fract"
grep -q '^define linkonce_odr .*@_Z5fractfPU3AS1f(.*addrspace(1)' base.ll || wrong "no global fract"
grep -q 'PU3AS4.*atom_add\|tbaa' base.ll && wrong "generic atom_add, or types of accesses"
grep -q 'addrspace(2) constant' base.ll || wrong "no tables in constant memory"
exit $status
