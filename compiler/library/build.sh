#!/bin/sh
# Makes the libraries of built-in functions: libclc's 32-bit NVPTX bitcode, edited to our address
# spaces, plus the files beside this one, whose definitions win. Fails loudly when anything is not as expected.
# Functions with doubles, with halves, and families (families.def) go to libraries of their own, so that builds without
# them open no larger one than they need.
# usage: build.sh SOURCE_DIR WORK_DIR OUTPUT FAMILIES_OUTPUT DOUBLE_OUTPUT HALF_OUTPUT
#
# libclc-19 is never installed (its Debian packages of different versions exclude one another): an
# installed one is used, else the package is downloaded and unpacked into WORK_DIR.
set -eu

source=$1 work=$2 output=$3 families_output=$4 double_output=$5 half_output=$6 root=$1/../..
die() { echo "ventus-builtins: $*" >&2; exit 1; }

for tool in clang-19 llvm-dis-19 llvm-as-19 llvm-link-19 opt-19 llvm-nm-19; do
    command -v "$tool" >/dev/null || die "$tool was not found; install it: apt install clang-19 llvm-19"
done
mkdir -p "$work"

# ---- libclc ----
# VENTUS_LIBCLC names a libclc-19 nvptx--.bc or a libclc-19 .deb, for machines without network.
unpack() {
    dpkg-deb -x "$1" "$work/libclc" || die "cannot unpack $1"
}
clc=$work/libclc/usr/lib/clc/nvptx--.bc
case ${VENTUS_LIBCLC:-} in
    *.deb) unpack "$VENTUS_LIBCLC" ;;
    ?*) clc=$VENTUS_LIBCLC ;;
    *) if dpkg-query -W -f '${Status}\n' libclc-19 2>/dev/null | grep -q 'ok installed'; then
           clc=/usr/lib/clc/nvptx--.bc
       elif [ ! -f "$clc" ]; then
           (cd "$work" && rm -f libclc-19_*.deb && apt-get download libclc-19 >download.log 2>&1) ||
               { cat "$work/download.log" >&2; die "cannot download libclc-19 (apt-get update may help), or set VENTUS_LIBCLC"; }
           for deb in "$work"/libclc-19_*.deb; do unpack "$deb"; rm -f "$deb"; done
       fi ;;
esac
[ -f "$clc" ] || die "$clc does not exist"

# ---- edits ----
# Constant memory is 2 here and 4 there; weak while linking, so that ours can replace. What ours
# still use of a function that they replace is renamed. erf and erfc split x so that x*x + 0.5625 is exact, but with one bit too many (errors up to 60 ulp). The
# saturating conversions leave NaN to an instruction that is undefined for it.
triple='spir-unknown-unknown'
layout='e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1'
llvm-dis-19 "$clc" -o "$work/clc.ll"
[ "$(grep -c ', 2147479552$' "$work/clc.ll")" -eq 68 ] || die "the code of erfc is not the one this script corrects"
grep -q '^target triple = "nvptx-unknown-unknown"' "$work/clc.ll" || die "$clc is not for 32-bit NVPTX"
sed -e "s/^target triple = .*/target triple = \"$triple\"/" \
    -e "s/^target datalayout = .*/target datalayout = \"$layout\"/" \
    -e 's/addrspace(4)/addrspace(2)/g' -e 's/U3AS4/U3AS2/g' \
    -e 's/^define linkonce_odr /define weak_odr /' -e 's/^\(@[A-Za-z0-9_.]* = \)linkonce_odr /\1weak_odr /' \
    -e '/^define .*@_Z[34]erfc\{0,1\}[fD]/,/^}/s/, 2147479552$/, 2147475456/' \
    -e '/^define .*convert_[a-z0-9]*_sat/,/^}/s/fpto\([su]\)i float \(%[0-9]*\) to \(i[0-9]*\)$/call \3 @llvm.fpto\1i.sat.\3.f32(float \2)/' \
    -e '/^define .*convert_[a-z0-9]*_sat/,/^}/s/fpto\([su]\)i double \(%[0-9]*\) to \(i[0-9]*\)$/call \3 @llvm.fpto\1i.sat.\3.f64(double \2)/' \
    -e '/^attributes /s/ "[a-z-]*"="[^"]*"//g' \
    -e 's/@_Z4erfcf(/@libclc_erfc(/; s/@_Z6lgammaf(/@libclc_lgamma(/; s/@_Z8lgamma_rfPi(/@libclc_lgamma_r(/; s/@_Z5rootnfi(/@libclc_rootn(/' \
    -e 's/@_Z[0-9]*\(sin\|tan\|atan\|atanpi\|erf\|expm1\|sinpi\|cospi\|tanpi\)d(/@libclc_double_\1(/' \
    "$work/clc.ll" >"$work/edited.ll"
for bits in 8 16 32 64; do
    echo "declare i$bits @llvm.fptosi.sat.i$bits.f32(float)"
    echo "declare i$bits @llvm.fptoui.sat.i$bits.f32(float)"
    echo "declare i$bits @llvm.fptosi.sat.i$bits.f64(double)"
    echo "declare i$bits @llvm.fptoui.sat.i$bits.f64(double)"
done >>"$work/edited.ll"
[ "$(grep -c '= call i[0-9]* @llvm.fpto[su]i.sat' "$work/edited.ll")" -eq 2720 ] || die "the conversions are not those this script corrects"
# Intrinsics that lower.c makes calls of are calls here already, so that what is linked needs nothing more.
awk '/^define .*double.*\{$/ { skip = 1 } !skip { print } /^}/ { skip = 0 }' "$work/edited.ll" |
    sed -e 's/@llvm\.\(floor\|ceil\|trunc\|rint\|round\)\.f32(/@__ventus_\1(/g' \
        -e 's/@llvm\.exp\.f32(/@_Z3expf(/g; s/@llvm\.exp2\.f32(/@_Z4exp2f(/g; s/@llvm\.log2\.f32(/@_Z4log2f(/g' \
        -e 's/@llvm\.sin\.f32(/@_Z3sinf(/g; s/@llvm\.cos\.f32(/@_Z3cosf(/g' \
        -e '/^declare .*@_Z3\(exp\|sin\|cos\)f(/d; /^declare .*@_Z4\(exp2\|log2\)f(/d' |
    llvm-as-19 -o "$work/clc.bc" -
awk '/^define .*double.*\{$/ && match($0, /@[A-Za-z0-9_.]+\(/) { print "--func=" substr($0, RSTART + 1, RLENGTH - 2) }' "$work/edited.ll" >"$work/doubles"
[ "$(wc -l <"$work/doubles")" -gt 1800 ] || die "the double functions of $clc are not those this script expects"
llvm-as-19 -o "$work/edited.bc" "$work/edited.ll"
llvm-extract-19 --keep-const-init "@$work/doubles" "$work/edited.bc" -o "$work/clc-double.bc"
rm -f "$work/edited.ll" "$work/edited.bc" "$work/clc.ll"

# ---- ours ----
extensions=$(sed -n -e 's/^EXTENSION("\([^"]*\)".*/,+\1/p' -e 's/^FEATURE("\([^"]*\)".*/,+\1/p' "$root/isa/features.def" | tr -d '\n')
[ -n "$extensions" ] || die "no extensions in isa/features.def"
features=$(sed -n 's/^FEATURE("\([^"]*\)".*/-D\1=1/p' "$root/isa/features.def")
# Prints the bitcode files made of these sources.
compile() {
    for file in "$@"; do
        name=$work/own-$(basename "$file" .cl)
        clang-19 -target $triple -x cl -cl-std=CL3.0 -O2 -Xclang -disable-llvm-passes -c -emit-llvm -Wall -Wextra -Werror \
            -U__SPIR__ -fno-builtin -nostdlibinc --no-default-config -Wno-missing-prototypes \
            -I "$root" -Xclang "-cl-ext=-all$extensions" $features \
            "$file" -o "$name.raw.bc" || die "$file does not compile"
        opt-19 -passes='function(sroa,early-cse,simplifycfg,instcombine,simplifycfg)' "$name.raw.bc" -o "$name.bc" 2>"$work/opt.log" || { cat "$work/opt.log" >&2; die "opt failed"; }
        echo "$name.bc"
    done
}
plain=
for file in "$source"/*.cl; do
    case $file in */double.cl | */double_*.cl | */half.cl | */half_*.cl) ;; *) plain="$plain $file" ;; esac
done
ours=$(compile $plain)
llvm-link-19 $ours -o "$work/native.bc"
ours=$(compile "$source"/double*.cl)
llvm-link-19 $ours -o "$work/native-double.bc"
ours=$(compile "$source"/half*.cl)
llvm-link-19 $ours -o "$work/native-half.bc"

# ---- functions with generic pointers: those with global ones once more, but for those that the language has not ----
# The accesses become plain ones where the pointer's space is known (generic.c).
cat >"$work/generic.awk" <<'END'
/^define / && match($0, /@_Z[0-9]+[A-Za-z0-9_]*PU3AS1[A-Za-z0-9_]*\(/) {
    name = substr($0, RSTART + 1, RLENGTH - 2)
    copying = name !~ /PU3AS3|^_Z[0-9]+(atom|prefetch)/
}
{ print }
copying { gsub(/PU3AS1/, "PU3AS4"); gsub(/addrspace\(1\)/, "addrspace(4)"); copies[++count] = $0 }
/^}/ { copying = 0 }
END { for (line = 1; line <= count; line++) print copies[line] }
END

# ---- together; linkonce_odr makes the linker take only what a program calls ----
# join OURS LIBCLC OUTPUT
# What a function of the library accesses says nothing of what a program may keep there: copies of structs move words
# through pointers to int. So LLVM is not told the types of accesses (TBAA).
join() {
    llvm-link-19 --override="$1" "$2" -o "$work/all.bc" 2>"$work/link.log" || { cat "$work/link.log" >&2; die "link failed"; }
    llvm-dis-19 "$work/all.bc" -o - |
        sed -e 's/^define weak_odr /define linkonce_odr /' -e 's/^define \(dso_local \|spir_func \|hidden \)/define linkonce_odr \1/' \
            -e 's/^\(@[A-Za-z0-9_.]* = \)weak_odr /\1linkonce_odr /' \
            -e 's/, !tbaa\(\.struct\)\? ![0-9]*//' \
            -e '/^!llvm.ident/d' -e '/^!opencl/d' -e '/^!llvm.module.flags/d' |
        awk -f "$work/generic.awk" |
        llvm-as-19 -o "$3" -
    [ -s "$3" ] || die "the edited library does not assemble"
}
join "$work/native.bc" "$work/clc.bc" "$work/all-linked.bc"
join "$work/native-double.bc" "$work/clc-double.bc" "$work/linked-double.bc"
llvm-as-19 /dev/null -o "$work/empty.bc" # libclc has nothing of halves
join "$work/native-half.bc" "$work/empty.bc" "$work/linked-half.bc"

# ---- families; what is static is in both, and what they call of the others is declared ----
cat >"$work/split.awk" <<'END'
function name_of(line) { match(line, /@[A-Za-z0-9_.]+\(/); return substr(line, RSTART + 1, RLENGTH - 2) }
function note_calls(line) {
    while (match(line, /@[A-Za-z0-9_.]+/)) {
        called[substr(line, RSTART + 1, RLENGTH - 1)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
/^define / { name = name_of($0); family = name ~ "^_Z[0-9]+(" families ")"; static = / internal /; inside = 1 }
FNR == NR {
    if (inside && (family || static)) note_calls($0)
    if (/^}/) inside = 0
    next
}
!inside || (only ? family || static : !family) { print }
/^define / && only && !family && !static && called[name] {
    sub(/^define linkonce_odr/, "declare")
    sub(/( ![a-z_.]+ ![0-9]+)* \{$/, "")
    print
}
/^}/ { inside = 0 }
END
families=$(sed -n 's/^FAMILY("\([^"]*\)")$/\1/p' "$source/families.def" | paste -sd '|')
[ -n "$families" ] || die "no families in families.def"
llvm-dis-19 "$work/all-linked.bc" -o "$work/all.ll"
# split ONLY_FAMILIES OUTPUT
split() {
    awk -v families="$families" -v only="$1" -f "$work/split.awk" "$work/all.ll" "$work/all.ll" | llvm-as-19 -o "$2" -
    [ -s "$2" ] || die "a part of the library does not assemble"
}
split 0 "$work/linked.bc"
split 1 "$work/linked-families.bc"
rm -f "$work/all.ll" "$work/all-linked.bc"

# ---- checks ----
# symbols OPTION FILE: its names that are defined, or are not
symbols() { llvm-nm-19 "$1" --format=just-symbols "$2" | grep -v '^llvm\.' | LC_ALL=C sort -u || true; }
symbols --defined-only "$work/linked.bc" >"$work/symbols-base"
symbols --defined-only "$work/linked-families.bc" | LC_ALL=C sort -u - "$work/symbols-base" >"$work/symbols"
missing=$(LC_ALL=C sort -u "$source/required.txt" | LC_ALL=C comm -23 - "$work/symbols")
[ -z "$missing" ] || die "symbols missing from the library:" $missing
symbols --undefined-only "$work/linked.bc" >"$work/undefined"
LC_ALL=C sort -u "$source/primitives.txt" >"$work/known"
unknown=$(LC_ALL=C comm -13 "$work/known" "$work/undefined")
[ -z "$unknown" ] || die "the library calls undefined functions:" $unknown
LC_ALL=C sort -u "$work/symbols-base" "$work/known" >"$work/known-families"
symbols --undefined-only "$work/linked-families.bc" >"$work/undefined"
unknown=$(LC_ALL=C comm -13 "$work/known-families" "$work/undefined")
[ -z "$unknown" ] || die "the library of families calls undefined functions:" $unknown
# Each may call what is in those that are linked behind it.
for kind in double half; do
    LC_ALL=C sort -u "$work/symbols" "$work/known" >"$work/known-$kind"
    symbols --undefined-only "$work/linked-$kind.bc" >"$work/undefined"
    unknown=$(LC_ALL=C comm -13 "$work/known-$kind" "$work/undefined")
    [ -z "$unknown" ] || die "the $kind library calls undefined functions:" $unknown
    symbols --defined-only "$work/linked-$kind.bc" >>"$work/symbols"
done
mv "$work/linked-half.bc" "$half_output"
mv "$work/linked-families.bc" "$families_output"
mv "$work/linked-double.bc" "$double_output"
mv "$work/linked.bc" "$output"
