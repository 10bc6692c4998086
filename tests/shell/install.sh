# What `make install` installs, in a folder of its own: the program of docs/driver.md and one in C++ are built with what
# pkg-config says, and with nothing else, another one with CMake; pages, machines and examples are there and can be used; the
# libraries export the names of their interfaces alone; all of it works after having been moved; and `make uninstall` takes
# it away again, and nothing else.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_CC VENTUS_BUILTINS
option() { meson introspect --buildoptions "$VENTUS_BUILD" | python3 -c 'import json, sys
print(*[o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]])' "$1"; }
prefix=$(option prefix)
install() { DESTDIR=$dir/$1 "$VENTUS_SOURCE/scripts/install.sh" "$VENTUS_BUILD" "$prefix" "$(option icd_folder)"; }

# ---- coming and going ----

# Twice, as a later version would: what somebody else has put there is all that is left.
mkdir -p "gone$prefix/bin" "gone$prefix/share/doc/ventus/docs"
touch "gone$prefix/bin/other" "gone$prefix/share/doc/ventus/docs/mine"
find gone | sort >before.txt
{ install gone && install gone; } >out.txt || { echo "FAILED: scripts/install.sh"; exit 1; }
grep -q "make uninstall PREFIX=$prefix" out.txt || wrong 'no word of how to remove it'
[ "$(find gone -type f | wc -l)" -gt 60 ] || wrong "only $(find gone -type f | wc -l) files are installed"
check 0 '' env DESTDIR="$dir/gone" "$VENTUS_SOURCE/scripts/install.sh" --uninstall "$prefix"
find gone | sort | diff before.txt - || wrong 'uninstalled, and not as before'
check 1 'nothing to remove' env DESTDIR="$dir/gone" "$VENTUS_SOURCE/scripts/install.sh" --uninstall "$prefix"

# In a home directory all files are in PREFIX; the loader is told where.
make -n -o product -C "$VENTUS_SOURCE" BUILD=none PREFIX="$dir/home/here" install >out.txt
grep -q "install.sh none $dir/home/here $dir/home/here/etc/OpenCL/vendors\$" out.txt || { wrong 'make install PREFIX=home'; cat out.txt; }
make -n -o product -C "$VENTUS_SOURCE" BUILD=none PREFIX=/opt/here install | grep -q 'install.sh none /opt/here /etc/OpenCL/vendors$' ||
    wrong 'make install PREFIX=/opt'
mkdir -p meson/meson-logs bin
echo "$dir/home/here/etc/OpenCL/vendors/ventus.icd" >meson/meson-logs/install-log.txt
mkdir -p home/here/share/ventus home/here/etc/OpenCL/vendors
printf '#!/bin/sh\n' >bin/meson
chmod +x bin/meson
check 0 "export OCL_ICD_VENDORS=$dir/home/here/etc/OpenCL/vendors" env PATH="$dir/bin:$PATH" \
    "$VENTUS_SOURCE/scripts/install.sh" meson "$dir/home/here" "$dir/home/here/etc/OpenCL/vendors"
rm -r bin

make -C "$VENTUS_SOURCE" --no-print-directory help >out.txt
for target in demo test install uninstall deb dist-binary; do grep -q "^  make $target  *[a-z]" out.txt || wrong "make help does not tell of $target"; done

install stage >out.txt || { echo "FAILED: scripts/install.sh"; exit 1; }
pc=$(find stage -name ventus.pc)
root=${pc%/lib*} lib=${pc%/pkgconfig/*}
[ -f "$pc" ] || { echo "FAILED: no ventus.pc"; exit 1; }

# Sanitized libraries want their programs to be linked with the sanitizer too.
sanitize=
case $VENTUS_FOREIGN in *libasan*) sanitize=-fsanitize=address,undefined ;; *libtsan*) sanitize=-fsanitize=thread ;; esac
mkdir bin
# With the PATH as it is here: a cc that is ccache looks there for the compiler, and must not find this script.
printf '#!/bin/sh\nPATH=%s exec %s "$@" %s\n' "$PATH" "$(command -v cc)" "$sanitize" >bin/cc
chmod +x bin/cc

# The installation is at $1 from now on.
use() {
    PATH=$dir/bin:$dir/$1/bin:$path
    lib=$dir/$1${lib#"$root"}
    export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
    root=$dir/$1
}
path=$PATH
root=$dir/$root lib=$dir/$lib
use "${root#"$dir/"}"

# ---- pages and completion: of every command, from its help ----

commands=$(ventus --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\).*/\1/p')
for command in $commands; do
    page=$root/share/man/man1/ventus-$command.1
    if command -v man >where.txt; then
        man --warnings -l "$page" >shown.txt 2>warnings.txt
        [ -s shown.txt ] && [ ! -s warnings.txt ] || { wrong "man ventus-$command"; cat warnings.txt; }
    fi
    sed 's/\\-/-/g' "$page" >page.txt
    for section in NAME SYNOPSIS DESCRIPTION; do grep -q "^\.SH $section" page.txt || wrong "$page has no $section"; done
    ventus $command --help | sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options.txt
    while read -r option; do grep -q -e "$option" page.txt || wrong "$page does not have $option"; done <options.txt
done
for page in man5/ventus-config.5 man7/ventus-opencl.7; do
    if command -v man >where.txt; then
        man --warnings -l "$root/share/man/$page" >shown.txt 2>warnings.txt
        [ -s shown.txt ] && [ ! -s warnings.txt ] || { wrong "man $page"; cat warnings.txt; }
    fi
done
sed 's/\\-/-/g; s/\\f[BR]/ /g' "$root/share/man/man7/ventus-opencl.7" >page.txt
sed -n '/^## Environment/,/^## Troubleshooting/s/^| \(.*\) | .* |$/\1/p' "$VENTUS_SOURCE/docs/opencl.md" | grep -o 'VENTUS_[A-Z_]*' >names.txt
[ "$(wc -l <names.txt)" -gt 20 ] || wrong "only $(wc -l <names.txt) variables in docs/opencl.md"
while read -r name; do grep -A 1 '^\.TP$' page.txt | grep -q -w -e "$name" || wrong "ventus-opencl(7) does not have $name"; done <names.txt
sed 's/\\-/-/g' "$root/share/man/man5/ventus-config.5" >page.txt
{ ventus info | sed -n 's/^\([a-z_]*\) *= .*/\1/p'; sed -n 's/^PARAMETER(\([a-z0-9_]*\),.*/\1/p' "$root/share/ventus/parameters.def"; } >names.txt
[ "$(wc -l <names.txt)" -gt 60 ] || wrong "only $(wc -l <names.txt) parameters"
while read -r name; do grep -A 1 '^\.TP$' page.txt | grep -q -e "\\\\fB$name\\\\fR" || wrong "ventus-config(5) does not have $name"; done <names.txt

cat >complete.bash <<'END'
. "$1"
shift
COMP_WORDS=(ventus "$@") COMP_CWORD=$#
_ventus
echo "${COMPREPLY[@]}"
END
completes() { # words=completions
    got=$(bash complete.bash "$root/share/bash-completion/completions/ventus" ${1%=*} "${last-}")
    [ "$got" = "${1#*=}" ] || wrong "completion of '${1%=*} ${last-}': $got"
}
last=ob completes =objdump
last=--tr completes 'run=--trace --trace-dir --trace-binary'
last=r2 completes 'as --profile=r2.0 r2.1 r2025'
last=d completes 'profile=diff'
last=--j completes 'profile=--json'
last=complete.b completes 'cc=complete.bash'

# ---- Python's package, which finds the library and the command that it is installed with ----

if [ -z "$sanitize" ]; then
    cat >use.py <<'END'
import sys, numpy, ventus
assert all(path.startswith(sys.argv[1]) for path in ventus.paths()), ventus.paths()
x = numpy.arange(4, dtype=numpy.int32)
p = ventus.profile(ventus.compile("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").kernel("twice"), 4, 4, [x])
print(*x, *p.lines["line"])
END
    check 0 '^0 2 4 6 1' env -u VENTUS_BUILD PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/share/ventus/python" /usr/bin/python3 use.py "$root"
fi

# ---- machines, examples, documentation ----

doc=$root/share/doc/ventus
[ -s "$doc/isa.md" ] || wrong 'the manual of the instruction set is not installed'
for machine in "$VENTUS_SOURCE"/configs/*.conf; do check 0 '' ventus info --config "$root/share/ventus/configs/${machine##*/}"; done
(cd "$doc" && find . -name '*.md' ! -name isa.md | while read -r page; do
    for link in $(grep -v '^    ' "$page" | sed 's/`[^`]*`//g' | grep -o '](\([^)#]*\)' | sed 's/^](//'); do
        case $link in http*) continue ;; esac
        [ -e "${page%/*}/$link" ] || echo "$page: $link"
    done
done) >out.txt
[ ! -s out.txt ] || { wrong 'links of installed pages lead nowhere'; cat out.txt; }
check 0 '' make -f "$doc/examples/Makefile" vecadd CC="$dir/bin/cc"
OCL_ICD_VENDORS=$lib/libventus-opencl.so check 0 'result: ok\|correct' ./vecadd
check 0 '' ventus as "$doc/examples/asm/collatz.s" -o collatz.elf

# ---- C ----

awk '/^```$/ && !on && !done { on = 1; next } /^```$/ { on = 0; done = 1 } on' "$VENTUS_SOURCE/docs/driver.md" >scale.cl
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$VENTUS_SOURCE/docs/driver.md" >scale.c
page docs/driver.md
[ "$n" = 3 ] || wrong "docs/driver.md: 3 commands expected, not $n"
# The page's two variables, where its folders are Debian's on x86-64.
if [ "${lib#"$root/"}" = lib/x86_64-linux-gnu ]; then
    sed -n "s|^    \\(export .*\\)|\\1|p" "$VENTUS_SOURCE/docs/driver.md" >exports.sh
    ln -s "$root" ventus
    check 0 '^out.1000. = 2500$' env -u PKG_CONFIG_PATH -u LD_LIBRARY_PATH HOME="$dir" sh -euc '. ./exports.sh
        cc -std=c17 scale.c $(pkg-config --cflags --libs ventus) -o exported; ./exported scale.elf'
fi
check 0 '' cc -std=c17 -Wall -Wextra -Werror -pedantic -fsyntax-only scale.c $(pkg-config --cflags ventus)
ldd scale | grep -q "libventus.so.[0-9]* => $lib/" || wrong "the program does not use the installed library: $(ldd scale)"

# The same of docs/cosim.md: its kernel and its program.
awk '/^```$/ && !on && !done { on = 1; next } /^```$/ { on = 0; done = 1 } on' "$VENTUS_SOURCE/docs/cosim.md" >square.cl
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$VENTUS_SOURCE/docs/cosim.md" >retired.c
page docs/cosim.md
[ "$n" = 9 ] || wrong "docs/cosim.md: 9 commands expected, not $n"
check 0 '' cc -std=c17 -Wall -Wextra -Werror -pedantic -fsyntax-only retired.c $(pkg-config --cflags ventus-cosim)
[ -s "$(pkg-config --variable=sv ventus-cosim)" ] || wrong 'pkg-config does not know the file of imports'

# Other machines: one of another instruction set, one whose groups are too small, one with narrower warps, one that is not there.
VENTUS_CONFIG=$VENTUS_SOURCE/configs/rtl.conf check 1 'not a program for this device' ./scale scale.elf
ventus cc --profile toolchain scale.cl -o scale.elf
VENTUS_CONFIG=$VENTUS_SOURCE/configs/rtl.conf check 1 'cannot hold' ./scale scale.elf
printf 'sms = 1\nthreads_per_warp = 16\n' >machine.conf
VENTUS_CONFIG=machine.conf check 0 '^8 work-groups, 64 warps$' ./scale scale.elf
VENTUS_CONFIG=nowhere.conf check 1 'invalid machine' ./scale scale.elf
grep -q '^ventus: no device: nowhere.conf: No such file' out.txt || { wrong 'no word of the missing file'; cat out.txt; }
VENTUS_ENGINE=foo check 1 '^ventus: no device: VENTUS_ENGINE=foo names no engine; there are: auto' ./scale scale.elf

# ---- C++ ----

cat >scale.cpp <<'END'
#include <ventus.h>
#include <cstdio>
#include <vector>
int main(int argc, char **argv)
{
    std::vector<char> elf(1 << 20);
    std::FILE *f = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (!f) return 2;
    elf.resize(std::fread(elf.data(), 1, elf.size(), f));
    std::fclose(f);
    ventus_device *device;
    ventus_module *module;
    ventus_result result;
    struct ventus_launch launch = {};
    uint32_t at;
    float words[3] = {1, 2, 3}, factor = 3;
    char message[300] = "";
    if (ventus_api_version() >> 16 != VENTUS_API_MAJOR || ventus_open(0, &device)) return 3;
    if (ventus_module_load(elf.data(), elf.size(), &module, nullptr, 0)) return 4;
    launch.module = module;
    launch.kernel = ventus_module_find(module, "scale");
    if (!launch.kernel || launch.kernel->args[2].kind != VENTUS_ARG_VALUE) return 5;
    if (ventus_alloc(device, sizeof words, &at) || ventus_write(device, at, words, sizeof words)) return 6;
    std::vector<unsigned char> args(launch.kernel->args_size);
    const void *values[3] = {&at, &at, &factor};
    for (int i = 0; i < 3; i++) {
        const unsigned char *value = static_cast<const unsigned char *>(values[i]);
        for (int k = 0; k < 4; k++) args[launch.kernel->args[i].offset + k] = value[k];
    }
    launch.args = args.data();
    launch.range = {1, {3, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    if (ventus_run(device, &launch, &result, message, sizeof message)) return 7;
    if (ventus_read(device, words, at, sizeof words)) return 8;
    std::printf("%g %g %g in %d groups\n", words[0], words[1], words[2], (int)result.counters.groups);
    launch.range.offset[0] = 1 << 20; /* past the end of the buffer */
    if (ventus_run(device, &launch, &result, message, sizeof message) != VENTUS_FAULT) return 9;
    std::printf("%s %d\n", message, result.fault.kind == VENTUS_FAULT_READ && result.fault.addr == at + (4u << 20));
    ventus_module_free(module);
    ventus_close(device);
}
END
compiler=$(command -v g++ || command -v clang++-19)
check 0 '' "$compiler" -std=c++11 -Wall -Wextra -Werror -pedantic scale.cpp $sanitize \
    $(pkg-config --cflags --libs ventus) -o scale-cpp
check 0 '^3 6 9 in 3 groups$' ./scale-cpp scale.elf
check 0 'read of unmapped memory.* 1$' ./scale-cpp scale.elf

# ---- CMake ----

if command -v cmake >where.txt; then
    mkdir client
    cat >client/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(client C)
find_package(Ventus ${WANTED} REQUIRED)
add_executable(client ../scale.c)
target_link_libraries(client Ventus::ventus)
END
    version=$(pkg-config --modversion ventus)
    configure() { cmake -S client -B "built$1" -DCMAKE_PREFIX_PATH="$root" -DCMAKE_C_COMPILER="$dir/bin/cc" -DWANTED="$1"; }
    check 0 '' configure "${version%%.*}.0"
    check 0 '' cmake --build "built${version%%.*}.0"
    check 0 '^8 work-groups' "./built${version%%.*}.0/client" scale.elf
    check 1 'not accepted' configure "$((${version%%.*} - 1)).0"
    check 1 'not accepted' configure "${version%%.*}.99"
else
    echo "cmake is missing: its part is left out"
fi

# ---- what libraries export ----

exports() { nm -D --defined-only "$lib/$1" | awk '{ print $3 }' | sort >exported; }
printf '#include <ventus.h>\n' | cc -E -P $(pkg-config --cflags ventus) - | tr -c 'a-z_A-Z0-9(' '\n' |
    sed -n 's/^\(ventus_[a-z_]*\)(.*/\1/p' | sort -u >declared
[ "$(wc -l <declared)" -gt 40 ] || wrong "only $(wc -l <declared) functions declared"
exports libventus.so
diff declared exported || wrong "libventus.so does not export what ventus.h declares"
exports libventus-driver.so
grep -v '^vt_' exported && wrong "foreign names in libventus-driver.so"
printf '#include <ventus_cosim.h>\n' | cc -E -P $(pkg-config --cflags ventus-cosim) - | grep -o 'ventus_cosim_[a-z_]*(' | tr -d '(' |
    sort -u >declared
[ "$(wc -l <declared)" -gt 25 ] || wrong "only $(wc -l <declared) functions of co-simulation declared"
exports libventus-cosim.so
diff declared exported || wrong "libventus-cosim.so does not export what ventus_cosim.h declares"
exports libventus-opencl.so
grep -v '^cl' exported && wrong "foreign names in libventus-opencl.so"

# ---- OpenCL, with the compiler that was installed with it ----

OCL_ICD_VENDORS=$lib/libventus-opencl.so check 0 '' "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/ids.cl"

# ---- translated code ----

# The translator is found from the folder of a command and from that of a library.
translated() { # arguments
    unset VENTUS_TRANSLATE
    VENTUS_STATS=1 VENTUS_ENGINE=native check 0 '(100.0 %)' "$@"
}
translates() {
    ln -sf "$root/bin/ventus" ventus-link
    for command in "$root/bin/ventus" ventus ./ventus-link; do # the second in PATH
        translated "$command" run scale.elf -g 32 -a iota:32 -a buf:128 -a f:2
    done
    translated ./scale-cpp scale.elf
}
translates

# ---- moved ----

mv "$root" elsewhere
rm -r stage
use elsewhere
page docs/driver.md
translates
printf '%s\n' "$lib/libventus-opencl.so" >here.icd
OCL_ICD_VENDORS=$dir/here.icd check 0 '' "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/fence.cl"
find elsewhere -name ventus-cc -exec rm {} + # it was this one
OCL_ICD_VENDORS=$dir/here.icd check 1 '' "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/fence.cl"
exit $status
