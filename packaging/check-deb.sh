#!/bin/sh
# Checks the packages of `make deb`: what lintian says; and, in a new system of each SUITE in a folder of its own, that the tests of
# debian/tests pass on them, and that nothing is left when they are removed. The tarball of `make dist-binary`, if there is one, is
# run there first. Needs root and the network, and a processor without much to do for some minutes. Called by `make check-deb`.
# usage: check-deb.sh BUILD [SUITE...]: bookworm (default), trixie; Ubuntu's noble, and jammy, which has no clang-19, for the tarball alone
set -eu
build=$1
shift
say() { echo "check-deb: $*"; }
die() { say "$*" >&2; exit 1; }
ls "$build"/deb/*.changes >/dev/null 2>&1 || die "there are no packages in $build/deb, or not all: run make deb first"
debs=$(cd "$build/deb" && pwd)
tarball=$(ls "$build"/ventus-*-linux-"$(uname -m)".tar.xz 2>/dev/null) || tarball=
[ "$(id -u)" = 0 ] || die "only root can make a system in a folder"

say "lintian"
said=$(lintian --allow-root "$debs"/*.changes 2>/dev/null) || die "$said"
[ -z "$said" ] || die "$said"

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
installs() { inside apt-get -q -y --no-install-recommends install "$@" >"$root/tmp/apt.log" 2>&1 || { tail -n 20 "$root/tmp/apt.log"; die "apt-get install $*"; }; }

# new SUITE: a system in $root, of Debian from where this one is from, of Ubuntu from where debootstrap's script for it says
new() {
    say "a new $1"
    case $1 in
    jammy | noble)
        script=jammy components=main,universe # older debootstraps do not know noble, which is made in the same way
        mirror=$(sed -n 's/^[[:space:]]*default_mirror \(.*archive.*\)/\1/p' /usr/share/debootstrap/scripts/jammy | head -n 1) ;;
    *)  mirror=$(sed -n 's/^\(URIs:\|deb\) *\(http[^ ]*debian\)\/* .*$/\2/p; s/^URIs: *\(http[^ ]*debian\)\/*$/\1/p' \
            /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
        script=$1 components=main ;;
    esac
    debootstrap --variant=minbase --components=$components "$1" "$root" "$mirror" "$script" >"$root.log" || { tail "$root.log"; die debootstrap; }
    rm "$root.log"
    for folder in proc sys; do mount --bind /$folder "$root/$folder"; done # by which pocl knows processors and memory
    mkdir -p "$root/tmp/home" "$root/tmp/debs"
    if [ $components != main ]; then # clang-19 came after the release
        sed -i -n "p; s/ $1 / $1-updates /p" "$root/etc/apt/sources.list"
        inside apt-get -q update >"$root/tmp/apt.log" 2>&1 || { tail "$root/tmp/apt.log"; die "apt-get update"; }
    fi
}

# All of it but what changes with any package: lists of apt, dpkg and man-db, and logs; alternatives and caches are looked at. Caches in homes
# have what users have compiled, and are not for packages to touch.
files() {
    rm -rf "$root"/tmp/*.log "$root/tmp/device" "$root/tmp/build" "$root/tmp/home/.cache"
    inside find / -xdev ! -path '/proc/*' ! -path '/dev/*' ! -path '/sys/*' ! -path '/var/cache/apt/*' ! -path '/var/log/*' \
        ! -path '/var/cache/man/*CACHEDIR.TAG' ! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/info/*' ! -path '/var/lib/dpkg/*-old' -printf '%p %y\n' | sort
}

# try SUITE
try() (
    root=$(mktemp -d)
    trap 'umount "$root/proc" "$root/sys" 2>/dev/null; rm -rf --one-file-system "$root" "$root.before"' EXIT
    new "$1"
    clang=clang-19
    [ "$1" != jammy ] || clang=
    if [ -n "$tarball" ]; then
        say "the tarball"
        installs clinfo libelf1 zlib1g libzstd1 ocl-icd-libopencl1 $clang # what its README names
        mkdir "$root/tmp/tarball"
        tar xf "$tarball" -C "$root/tmp/tarball"
        echo 'kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }' >"$root/tmp/tarball/twice.cl"
        [ -n "$clang" ] || "$build/ventus" cc "$root/tmp/tarball/twice.cl" -o "$root/tmp/tarball/twice.elf"
        inside sh -c 'set -eux; cd /tmp/tarball; eval "$(sh ventus-*/env.sh)"
            [ -z "$1" ] || ventus cc twice.cl
            VENTUS_STATS=1 VENTUS_ENGINE=native ventus run twice.elf --global 32 --arg iota:32 --show 0 >out.txt 2>&1
            grep "0 2 4 6" out.txt
            grep "(100.0 %)" out.txt # its translator runs, too
            clinfo -l | grep "^Platform.*: Ventus$"' - "$clang" >"$root/tmp/tarball.log" 2>&1 || { cat "$root/tmp/tarball.log"; die "the tarball"; }
        rm -r "$root/tmp/tarball"
    fi
    if [ -z "$clang" ]; then
        say "good: the tarball runs in $1"
        exit
    fi

    cp "$debs"/*.deb "$root/tmp/debs"
    cp -r "$(dirname "$0")/../debian/tests" "$root/tmp/tests"
    # What they need, and the tests, so that only they go below.
    installs clinfo pocl-opencl-icd python3-pyopencl python3-numpy gcc libc6-dev make pkg-config cmake ocl-icd-opencl-dev libpng-dev \
        libjpeg-dev clang-19 man-db
    inside clinfo -l | grep -q Ventus && die "there is a device before anything is installed"
    files >"$root.before"

    say "installing"
    installs $(cd "$debs" && for deb in *.deb; do case $deb in *dbgsym*) ;; *) echo "/tmp/debs/$deb" ;; esac; done)
    inside dpkg -s ventus-opencl-icd | grep Installed-Size
    for test in device build; do
        say "debian/tests/$test"
        mkdir "$root/tmp/$test"
        inside env AUTOPKGTEST_TMP="/tmp/$test" "/tmp/tests/$test" >"$root/tmp/$test.log" 2>&1 || { tail -n 20 "$root/tmp/$test.log"; die "$test"; }
    done
    inside man -w ventus ventus-run ventus-config ventus-opencl >"$root/tmp/man.log" || die "a manual page is missing"

    say "removing"
    packages=$(sed -n 's/^Package: //p' "$(dirname "$0")/../debian/control")
    inside apt-get -q -y remove $packages >"$root/tmp/apt.log" 2>&1 || { tail "$root/tmp/apt.log"; die remove; }
    inside clinfo -l | grep -q Ventus && die "the device is still there"
    inside dpkg --purge $packages >"$root/tmp/apt.log" 2>&1 || { tail "$root/tmp/apt.log"; die purge; }
    inside apt-get -q -y autoremove --purge >"$root/tmp/apt.log" 2>&1 || die autoremove # libraries that came with them
    files | diff "$root.before" - || die "not all is gone"
    say "good: found by OpenCL programs, gone without a trace from $1"
)
for suite in ${*:-bookworm}; do try "$suite"; done
