#!/bin/sh
# Installs the Debian packages that are missing, and only those.
#
#   scripts/deps.sh [--check] [build|test]... [packages NAME...]
#
# Invariant: nothing installed is removed (apt's --no-remove); with everything present it returns
# at once and needs no rights. --check installs nothing and fails when something is missing.
# Called by the Makefile, .ci/run and tests/clients/run. libclc-19 is not in the list on purpose: it conflicts with
# the version Mesa uses, so the compiler's build unpacks its own copy into the build folder.
set -eu

BUILD="make gcc libc6-dev meson ninja-build pkg-config clang-19 llvm-19-dev libzstd-dev libelf-dev
       libcmocka-dev ocl-icd-opencl-dev opencl-headers libpng-dev libjpeg-dev libjs-chart.js
       clinfo python3-pyopencl python3-numpy" # the last line: what the README's first commands use
TEST="$BUILD pocl-opencl-icd qemu-user clang-format-14 clang-tidy-19 spirv-tools cmake gdb-multiarch lldb-19"

say() { echo "deps: $*"; }
die() { echo "deps: error: $*" >&2; exit 1; }

installed() {
    [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]
}

# The Python package of another lldb, beside which lldb-19 cannot be installed.
other_lldb() {
    dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' 'python3-lldb-*' 2>/dev/null |
        awk '$2 == "ii" && $1 != "python3-lldb-19" { print $1 }'
}

# The compiler's build fetches this one with `apt-get download`, which needs package lists.
libclc_known() {
    installed libclc-19 || [ -n "$(apt-cache madison libclc-19 2>/dev/null)" ]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; return; fi
    command -v sudo >/dev/null || die "not root and no sudo; as root run: apt-get install$missing"
    sudo "$@"
}

check=false
packages=
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=true ;;
    build) packages="$packages $BUILD" ;;
    test) packages="$packages $TEST" ;;
    packages)
        shift
        packages="$packages $*"
        break ;;
    *) die "unknown argument '$1' (known: --check build test packages)" ;;
    esac
    shift
done

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this is not a Debian system; install by hand what scripts/deps.sh lists"

missing=
for package in $packages; do
    installed "$package" && continue
    if [ "$package" = lldb-19 ] && [ -n "$(other_lldb)" ]; then
        say "lldb-19 is left out, which cannot be installed beside $(other_lldb): tests with lldb are skipped." \
            "For lldb-19 in its place: sudo apt-get install lldb-19"
        continue
    fi
    case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done

if $check; then
    [ -z "$missing" ] || die "missing packages; run: sudo apt-get install$missing"
    exit 0
fi
if [ -z "$missing" ] && libclc_known; then exit 0; fi

say "updating the package lists"
as_root apt-get -q update
[ -n "$missing" ] || exit 0
say "installing:$missing"
as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-remove --no-install-recommends $missing
