#!/bin/sh
# Checks the packages of `make deb`: what lintian says; and in a new Debian in a folder of its own that nothing is left when they
# are removed, after the tests of debian/tests have run on them. Needs root and the network, and a processor without much to do
# for some minutes. Called by `make check-deb`.
# usage: check-deb.sh BUILD [SUITE]: bookworm, or another one whose libraries these packages fit
set -eu
suite=${2:-bookworm}
say() { echo "check-deb: $*"; }
die() { say "$*" >&2; exit 1; }
ls "$1"/deb/*.changes >/dev/null 2>&1 || die "there are no packages in $1/deb, or not all: run make deb first"
debs=$(cd "$1/deb" && pwd)
[ "$(id -u)" = 0 ] || die "only root can make a Debian in a folder"
mirror=$(sed -n 's/^\(URIs:\|deb\) *\(http[^ ]*debian\)\/* .*$/\2/p; s/^URIs: *\(http[^ ]*debian\)\/*$/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)

say "lintian"
said=$(lintian --allow-root "$debs"/*.changes 2>/dev/null) || die "$said"
[ -z "$said" ] || die "$said"

root=$(mktemp -d)
trap 'umount "$root/proc" "$root/sys" 2>/dev/null; rm -rf --one-file-system "$root" "$root.before"' EXIT
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
installs() { inside apt-get -q -y --no-install-recommends install "$@" >"$root/tmp/apt.log" 2>&1 || { tail -n 20 "$root/tmp/apt.log"; die "apt-get install $*"; }; }
# All of it but what changes with any package: lists of apt and dpkg, and logs; alternatives and caches are looked at. Caches in homes
# have what users have compiled, and are not for packages to touch.
files() {
    rm -rf "$root"/tmp/*.log "$root/tmp/device" "$root/tmp/build" "$root/tmp/home/.cache"
    inside find / -xdev ! -path '/proc/*' ! -path '/dev/*' ! -path '/sys/*' ! -path '/var/cache/apt/*' ! -path '/var/log/*' \
        ! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/info/*' ! -path '/var/lib/dpkg/*-old' -printf '%p %y\n' | sort
}

say "a new $suite"
debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$root.log" || { tail "$root.log"; die debootstrap; }
rm "$root.log"
for folder in proc sys; do mount --bind /$folder "$root/$folder"; done # by which pocl knows processors and memory
mkdir -p "$root/tmp/home" "$root/tmp/debs"
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
say "good: found by OpenCL programs, gone without a trace"
