#!/bin/sh
# Finds libclc 19 for 32-bit NVPTX, and copies its bitcode to OUTPUT.
# usage: libclc.sh WORK_DIR OUTPUT
#
# libclc-19 is never installed (its Debian packages of different versions exclude one another): an installed one is used,
# else the package is downloaded and unpacked into WORK_DIR. VENTUS_LIBCLC names a libclc-19 nvptx--.bc or a libclc-19
# .deb, for machines without network.
set -eu

work=$1 output=$2 in_package=usr/lib/clc/nvptx--.bc
die() { echo "libclc: $*" >&2; exit 1; }
unpack() { dpkg-deb -x "$1" "$work" || die "cannot unpack $1"; }

mkdir -p "$work"
bitcode=$work/$in_package
case ${VENTUS_LIBCLC:-} in
*.deb) unpack "$VENTUS_LIBCLC" ;;
?*) bitcode=$VENTUS_LIBCLC ;;
*) if dpkg-query -W -f '${Status}\n' libclc-19 2>/dev/null | grep -q 'ok installed'; then
       bitcode=/$in_package
   elif [ ! -f "$bitcode" ]; then
       (cd "$work" && rm -f libclc-19_*.deb && apt-get download libclc-19 >download.log 2>&1) ||
           { cat "$work/download.log" >&2; die "cannot download libclc-19 (apt-get update may help), or set VENTUS_LIBCLC"; }
       for deb in "$work"/libclc-19_*.deb; do unpack "$deb"; rm -f "$deb"; done
   fi ;;
esac
[ -f "$bitcode" ] || die "$bitcode does not exist"
cp "$bitcode" "$output"
