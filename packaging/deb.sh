#!/bin/sh
# Makes the Debian packages of the last commit: BUILD/deb/*.deb, with a source package. Called by `make deb`, which has
# installed what it needs.
# usage: deb.sh BUILD
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n "1s/.* version: '\([^']*\)'.*/\1/p" "$source/meson.build")

rm -rf "$1/deb"
mkdir -p "$1/deb/ventus-$version"
cd "$1/deb"
if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then git -C "$source" archive HEAD | tar x -C "ventus-$version"
else tar c -C "$source" --exclude='./build*' . | tar x -C "ventus-$version" # an unpacked `make dist`
fi
cd "ventus-$version"

# Where libclc-19 is not installed because of Mesa's, the build unpacks a copy of its own.
unchecked=
dpkg-query -W -f '${Status}' libclc-19 2>/dev/null | grep -q 'ok installed' || unchecked=-d
DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} ${DEB_BUILD_OPTIONS-}" dpkg-buildpackage -us -uc $unchecked >../build.log 2>&1 ||
    { tail -n 40 ../build.log; exit 1; }
cd ..
rm -r "ventus-$version"
ls "$PWD"/*.deb
