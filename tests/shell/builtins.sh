# Every function that clang's header of OpenCL C declares, with the extensions and features that the device reports, is in
# one of the libraries: a program may call it. Not there are printf, and what the compiler makes of calls itself: atomic
# operations on one kind of memory, for which it takes those on any.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
header=$(clang-19 -print-file-name=include/opencl-c.h)
[ -f "$header" ] || { echo "$header is not installed"; exit 77; }
sed -n 's/^\(EXTENSION\|FEATURE\)("\([^"]*\)".*/\2/p' "$VENTUS_SOURCE/isa/features.def" >names.txt
on=$(sed 's/^/,+/' names.txt | tr -d '\n') macros=$(sed 's/.*/-D&=1/' names.txt)
clang-19 -cc1 -triple spir-unknown-unknown -x cl -cl-std=CL3.0 -U__SPIR__ "-cl-ext=-all$on" $macros -include "$header" \
    -ast-dump=json /dev/null >dump.txt || wrong "clang's header is not understood"
sed -n 's/.*"mangledName": "\(_Z[^"]*\)".*/\1/p' dump.txt | grep -v '^_Z[0-9]*\(atomic_\|printf\)' | sort -u >declared.txt
[ "$(wc -l <declared.txt)" -gt 11000 ] || wrong "clang's header declares only $(wc -l <declared.txt) functions"
for library in builtins double half families; do
    llvm-nm-19 --defined-only "$VENTUS_BUILD/ventus-$library.bc" | awk '{ print $NF }'
done | sort -u >defined.txt
comm -23 declared.txt defined.txt >missing.txt
[ -s missing.txt ] && { wrong "these functions are declared, and nowhere defined:"; cat missing.txt; }
exit $status
