#!/bin/sh
# Packs a build folder as a tarball that unpacks anywhere: BUILD/ventus-VERSION-linux-MACHINE.tar.xz. Fails if its programs want a
# newer glibc than the oldest system that they are for has. Called by `make dist-binary`.
# usage: dist-binary.sh BUILD
set -eu
oldest=2.35 # Ubuntu 22.04; Debian 12 has 2.36, Ubuntu 24.04 2.39, Debian 13 2.41
build=$(cd "$1" && pwd)
name=$("$build/ventus" --version | tr ' ' -)-linux-$(uname -m)
die() { echo "dist-binary: $*" >&2; exit 1; }

# DESTDIR takes the prefix as well, whatever it is: files find each other from where they are.
stage=$build/dist-binary
rm -rf "$stage"
mkdir -p "$stage"
DESTDIR=$stage/all meson install -C "$build" --no-rebuild --quiet --strip
mv "$(dirname "$(dirname "$(find "$stage/all" -path '*/bin/ventus')")")" "$stage/$name"
rm -rf "$stage/all" "$stage/$name/etc"

programs=$(find "$stage/$name" -type f | while read -r file; do
    [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
done)
[ "$(echo "$programs" | wc -l)" -ge 6 ] || die "not all programs and libraries are there"
needs=$(for file in $programs; do objdump -T "$file"; done | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
[ "$(printf '%s\n' "$needs" "GLIBC_$oldest" | sort -V | tail -n 1)" = "GLIBC_$oldest" ] ||
    die "$needs is wanted, which only newer systems than those with GLIBC_$oldest have"
libraries=$(for file in $programs; do objdump -p "$file" | sed -n 's/^ *NEEDED *//p'; done | grep -v -e '^lib\(c\|m\|ventus\)\.so' -e '^ld-' | sort -u)
case $libraries in *LLVM*) die "LLVM is wanted, which is to be in the programs (meson configure $1 -Dllvm=static)" ;; esac

cat >"$stage/$name/env.sh" <<'END'
#!/bin/sh
# Prints what a shell has to set, so that it finds this folder's programs and pages, and OpenCL programs the device:
#   eval "$(sh FOLDER/env.sh)"
here=$(cd "$(dirname "$0")" && pwd)
driver=$(find "$here/lib" -name libventus-opencl.so)
echo "export PATH='$here/bin':\"\$PATH\""
echo "export PYTHONPATH='$here/share/ventus/python'\${PYTHONPATH:+:\"\$PYTHONPATH\"}"
echo "export MANPATH='$here/share/man':\"\${MANPATH-}\""
echo "export OCL_ICD_VENDORS='$driver' OCL_ICD_FILENAMES='$driver'" # of ocl-icd, and of Khronos's loader
END
cat >"$stage/$name/README" <<END
Ventus in C, $("$build/ventus" --version | sed 's/.* //'): the software of the Ventus GPGPU for Linux on $(uname -m).

Unpack it anywhere. In each shell,

    eval "\$(sh $name/env.sh)"

makes the command \`ventus\` and the OpenCL device be found: ventus --help, clinfo -l.

It needs glibc ${needs#GLIBC_} or newer (Debian 12 and 13, Ubuntu 22.04 and 24.04 have it) and these libraries:
$(for library in $libraries; do echo "    $library"; done)
(Debian 12, Ubuntu 22.04: apt install libelf1 zlib1g libzstd1 ocl-icd-libopencl1; Debian 13, Ubuntu 24.04: libelf1t64 in place of
libelf1). To compile OpenCL C it runs clang-19, which Debian 12, 13 and Ubuntu 24.04 have (apt install clang-19), and the LLVM
project's package archive for Ubuntu 22.04. VENTUS_CLANG names another place. Without it, compiled programs run.

Documentation: man ventus-opencl, man ventus; share/doc/ventus.
END
tar c -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner "$name" | XZ_OPT=${XZ_OPT--3} xz -T 2 >"$build/$name.tar.xz"
rm -rf "$stage"
(cd "$build" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256sum")
echo "$build/$name.tar.xz: needs glibc ${needs#GLIBC_}"
