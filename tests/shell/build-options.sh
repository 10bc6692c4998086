# Nothing that build options, source or environment say makes clang load code or write a file. Each hostile value is
# compiled in a folder that must hold the same files afterwards. The log would name a plug-in that cannot be loaded.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# ---- what clang would take arguments from ----

mkdir work && cd work || exit 1
: >out.txt
cat >k.cl <<'CL'
#ifndef T
#define T int
#endif
kernel void k(global T *out) { out[get_global_id(0)] = 7; }
CL
# Response files: the value of -I or -D, then arguments for clang's compiler (-cc1) or for its driver.
echo '. -load ./plugin.so -dependency-file written -MT x -serialize-diagnostic-file written' >compiler.rsp
echo '. -fplugin=./plugin.so -MD -MF written' >driver.rsp
# Configuration files of the driver.
for file in clang.cfg clang-19.cfg spir-unknown-unknown.cfg spir-unknown-unknown-clang.cfg; do
    echo '-fplugin=./plugin.so -MD -MF written' >$file
done
"$ventus" cc k.cl -o ../right.elf || wrong "the plain kernel"

mkdir ../tmp
export TMPDIR="$dir/tmp"
files=$(ls -A . ../tmp)

# harmless CODE TEXT COMMAND...: it ends like this, asks for no plug-in and leaves no file
harmless() {
    check "$@"
    grep -q 'unable to load' out.txt && { wrong "a plug-in was asked for: $*"; cat out.txt; }
    [ "$(ls -A . ../tmp)" = "$files" ] || { wrong "other files after: $*"; ls -A . ../tmp; rm -f written ../tmp/*; }
}
# with OPTIONS CODE TEXT: the kernel with these build options
with() { harmless "$2" "$3" "$ventus" cc --options "$1" k.cl -o ../k.elf; }

# ---- option strings ----

for file in ./compiler.rsp ./driver.rsp "$PWD/compiler.rsp" /dev/stdin; do
    with "-I@$file -I @$file -I '@$file' -DT=int -DX=@$file" 0 ''
    with "-D@$file" 2 'is no macro'
    with "-D @$file" 2 'is no macro'
    with "@$file" 2 'unknown build option'
    with "-cl-std=@$file" 2 'unknown language version'
done
harmless 0 '' "$ventus" cc --options '-I@/dev/stdin' -o ../k.elf <k.cl
# The text of the kernel is itself a list of arguments.
harmless 1 'error' "$ventus" cc --options '-I@/dev/stdin' -o ../k.elf <compiler.rsp

for option in '-o written' '-owritten' '-MF written' '-MD' '-dependency-file written' '-serialize-diagnostics written' \
        '-Xclang -load' '-load ./plugin.so' '-fplugin=./plugin.so' '-fpass-plugin=./plugin.so' '-mllvm -load=./plugin.so' \
        '-save-temps' '-include k.cl' '-imacros k.cl' '--config=clang.cfg' '-cc1' '-x cl' '-B.' '-isystem .' '-E' '-S' '-ftime-trace' \
        '-ivfsoverlay k.cl' '-include-pch k.cl' '-- k.cl' '-Wp,-MD,written' '-Xpreprocessor -MD' '-fmodules' '-gsplit-dwarf' k.cl; do
    with "$option" 2 'unknown build option\|not possible here'
    with "-D '$option'" 2 'is no macro'
done
for option in '-load ./plugin.so' '-dependency-file written' '-o written'; do # as values
    with "-I '$option' -I'$option' '-I$option'" 0 ''
    with "-DT=int' $option'" 1 'expanded from macro'
done
with "-D 'A
#include \"compiler.rsp\"
'" 2 'is no macro'
with '-DT="' 2 'missing closing'
with "-DT='" 2 'missing closing'
with '-DT=\' 1 'error'
with "$(printf '\001\377\200')" 2 'unknown build option'
with "-DT=int -DLONG=$(head -c 60000 /dev/zero | tr '\0' a) -I$(head -c 60000 /dev/zero | tr '\0' /)" 0 ''
cmp -s ../k.elf ../right.elf || wrong "options without an effect change the program"

# ---- sources ----

# source CODE TEXT OPTIONS: standard input is the kernel
source() { harmless "$1" "$2" "$ventus" cc --options "$3" -o ../k.elf; }

printf 'kernel void k(void) {}\n\0\n' | source 0 'null character' ''
printf '#line 1 "@compiler.rsp"\n#pragma comment(lib, "plugin")\nkernel void k(void) {}\n' | source 0 '' -g
printf '#pragma clang __debug crash\n' | source 4 'crashed' ''
printf '#pragma clang module load plugin\nkernel void k(void) {}\n' | source 1 'not found' -I.
source 1 'Not a directory' '' <<'CL'
#pragma clang module build mod
module mod {}
#pragma clang module contents
#pragma clang module endbuild
#pragma clang module import mod
CL
printf '__asm__(".incbin \\"compiler.rsp\\"");\nkernel void k(void) {}\n' | source 1 'inline assembly' ''
printf 'kernel void k(void) { __asm__(".incbin \\"compiler.rsp\\""); }\n' | source 1 '<source>:1: error: .*inline assembly' ''

# ---- environment ----

# What clang's driver reads changes neither the program nor what is loaded.
env CCC_OVERRIDE_OPTIONS='+-fplugin=./plugin.so' CPATH=. C_INCLUDE_PATH=. OPENCL_INCLUDE_PATH=. COMPILER_PATH=. HOME="$PWD" \
    XDG_CONFIG_HOME="$PWD" CC_PRINT_OPTIONS=1 CC_PRINT_OPTIONS_FILE=written CC_LOG_DIAGNOSTICS=1 CC_LOG_DIAGNOSTICS_FILE=written \
    CC_PRINT_HEADERS=1 CC_PRINT_HEADERS_FILE=written DEPENDENCIES_OUTPUT=written SUNPRO_DEPENDENCIES=written \
    "$ventus" cc k.cl -o ../k.elf >out.txt 2>&1 || { wrong "variables of clang's driver"; cat out.txt; }
[ -s out.txt ] && { wrong "variables of clang's driver say something"; cat out.txt; }
[ "$(ls -A . ../tmp)" = "$files" ] || { wrong "other files by variables of clang's driver"; ls -A . ../tmp; }
cmp -s ../k.elf ../right.elf || wrong "variables of clang's driver change the program"
exit $status
