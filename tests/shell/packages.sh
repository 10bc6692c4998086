# What packagers are given: debian/, packaging/. Versions are those of the project; each file that is installed goes into exactly
# one package, and packages name no other; the tarball of `make dist-binary` runs from where it was unpacked.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1

# ---- versions ----

version=$(sed -n "1s/.* version: '\([^']*\)'.*/\1/p" meson.build)
major=$(sed -n 's/^#define VENTUS_API_MAJOR *\([0-9]*\).*/\1/p' driver/ventus.h)
[ -n "$version" ] && [ -n "$major" ] || wrong 'no version'
same() { [ "$2" = "$3" ] || wrong "$1 says '$2', not '$3'"; }
same debian/changelog "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" "$version"
same packaging/ventus.spec "$(sed -n 's/^Version: *//p' packaging/ventus.spec)" "$version"
same packaging/ventus.spec "$(sed -n 's/^%global major *//p' packaging/ventus.spec)" "$major"
same packaging/PKGBUILD "$(sed -n 's/^pkgver=//p' packaging/PKGBUILD)" "$version"
grep -q -x "Package: libventus$major" debian/control && [ -f "debian/libventus$major.install" ] ||
    wrong "debian/: the library's package is not libventus$major"

# ---- what the files are to those who read them ----

bash -c 'set -eu; . packaging/PKGBUILD; declare -F build check package >/dev/null
for field in pkgname pkgver pkgrel pkgdesc arch license depends makedepends source sha256sums; do
    declare -p $field >/dev/null; done
[ "$pkgname-$pkgver.tar.xz" = "${source[0]}" ] && [ ${#source[@]} = ${#sha256sums[@]} ]' || wrong packaging/PKGBUILD
# Meson refuses an option that is given twice.
twice=$(sed -n '/^%meson/s/.* -D\([a-z]*dir\)=.*/\1/p' packaging/ventus.spec)
[ -z "$twice" ] || wrong "packaging/ventus.spec: %meson says $twice, too"
if command -v rpmspec >"$dir/where.txt"; then
    rpmspec --load packaging/fedora.macros -q packaging/ventus.spec >"$dir/out.txt" 2>&1 || { wrong packaging/ventus.spec; cat "$dir/out.txt"; }
    [ "$(grep -c '^ventus-' "$dir/out.txt")" -ge 5 ] || wrong 'packaging/ventus.spec: less than five packages'
fi
for script in packaging/*.sh debian/tests/device debian/tests/build; do sh -n $script || wrong $script; done
for file in $(sed -n 's/^COPY \([^ -][^ ]*\) .*/\1/p' packaging/Dockerfile); do [ -e "$file" ] || wrong "Dockerfile: no $file"; done
grep -q "^FROM .* AS $(sed -n 's/.*"target": "\([^"]*\)".*/\1/p' .devcontainer/devcontainer.json)\$" packaging/Dockerfile ||
    wrong '.devcontainer: packaging/Dockerfile has no such target'

# ---- each file in one package ----

cd "$dir" || exit 1
DESTDIR=$dir/stage flock "$VENTUS_BUILD/meson-logs/install.lock" meson install -C "$VENTUS_BUILD" --no-rebuild --quiet || wrong 'meson install'
cat >divide.py <<'END'
import fnmatch, glob, json, os, re, subprocess, sys
source, build, stage = sys.argv[1:4]
option = {o["name"]: o["value"] for o in json.loads(subprocess.check_output(["meson", "introspect", "--buildoptions", build]))}
files = []
for folder, _, names in os.walk(stage):
    for name in names:
        path = os.path.join(folder, name)[len(stage):]
        for real, packed in (option["icd_folder"], "/etc/OpenCL/vendors"), (option["prefix"] + "/" + option["libdir"], "/usr/lib/x"), \
                (option["prefix"] + "/" + option["libexecdir"], "/usr/libexec"), (option["prefix"], "/usr"):
            if path.startswith(real + "/"):
                path = packed + path[len(real):]
                break
        files.append(path[1:])
files.remove("usr/share/doc/ventus/LICENSE") # debian/copyright, %license

# Patterns: of a file, or of a folder with all that is in it.
def matches(path, pattern):
    return fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, pattern.rstrip("/") + "/*")

debian = {os.path.basename(f)[:-8]: open(f).read().split() for f in glob.glob(source + "/debian/*.install")}
macros = {"_sysconfdir": "etc", "_libdir": "usr/lib/x", "_libexecdir": "usr/libexec", "_datadir": "usr/share", "_mandir": "usr/share/man", "_bindir": "usr/bin",
          "_includedir": "usr/include", "_docdir": "usr/share/doc", "name": "ventus", "major": "[0-9]"}
rpm, package = {}, None
for line in open(source + "/packaging/ventus.spec"):
    if line.startswith("%files"):
        package = line.split()[1]
        rpm[package] = []
    elif line.startswith("%changelog"):
        package = None
    elif package and line.strip() and not line.startswith(("%license", "%dir", "%{python3_sitelib}")): # there is a link only
        rpm[package].append(re.sub(r"%{(\w+)}", lambda m: macros[m[1]], re.sub(r"^%config\S* ", "", line.strip())))
bad = False
for kind, packages in ("debian/", debian), ("ventus.spec", rpm):
    for path in files:
        having = [p for p, patterns in packages.items() if any(matches(path, pattern) for pattern in patterns)]
        if len(having) != 1:
            bad = print(f"{kind}: {path} is in {having or 'no package'}") or True
    for name, patterns in packages.items():
        for pattern in patterns:
            if not any(matches(path, pattern) for path in files):
                bad = print(f"{kind}: {name} has {pattern}, which is not installed") or True
print(len(files), "files in", len(debian), "packages")
sys.exit(bad or len(files) < 60 or len(debian) != 6 or len(rpm) != 6)
END
check 0 ' files in 6 packages' python3 divide.py "$VENTUS_SOURCE" "$VENTUS_BUILD" "$dir/stage"
while read -r target link; do
    [ -n "$(find "$dir/stage" -path "*/${target#usr/}")" ] || wrong "debian/: $link leads to $target, which is not installed"
done <"$VENTUS_SOURCE/debian/python3-ventus.links"
rm -r stage

# ---- the tarball ----

# Of a copy of the build folder's name, so that nothing is left in it. With sanitizers it would be none for others.
if [ -z "$VENTUS_FOREIGN" ]; then
    XZ_OPT=-0 "$VENTUS_SOURCE/packaging/dist-binary.sh" "$VENTUS_BUILD" >out.txt 2>&1
    code=$? name=ventus-$version-linux-$(uname -m)
    if [ $code = 1 ] && [ "$(printf '2.36\n%s\n' "$(getconf GNU_LIBC_VERSION | sed 's/.* //')" | sort -V | tail -n 1)" != 2.36 ]; then
        grep -q 'GLIBC_.* is wanted' out.txt || { wrong 'dist-binary'; cat out.txt; }
    elif [ $code != 0 ]; then wrong 'dist-binary'; cat out.txt
    else
        grep -q 'needs glibc 2\.3[45]$' out.txt || { wrong 'dist-binary: glibc'; cat out.txt; }
        mv "$VENTUS_BUILD/$name.tar.xz"* . && sha256sum --check --quiet "$name.tar.xz.sha256sum" || wrong 'another SHA-256'
        mkdir "with space" && tar xf "$name.tar.xz" -C "with space" || wrong 'the tarball does not unpack'
        grep -q '^    libelf.so.1$' "with space/$name/README" || wrong 'its README does not say what it needs'
        unset VENTUS_TRANSLATE OCL_ICD_VENDORS
        eval "$(sh "with space/$name/env.sh")"
        [ "$(command -v ventus)" = "$dir/with space/$name/bin/ventus" ] || wrong "env.sh: another ventus, $(command -v ventus)"
        check 0 '^ `-- Device #0: Ventus GPGPU$' clinfo -l
        echo 'kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }' >twice.cl
        check 0 '' ventus cc twice.cl
        VENTUS_STATS=1 VENTUS_ENGINE=native check 0 '(100.0 %)' ventus run twice.elf -g 32 -a iota:32
        check 0 '' "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/ids.cl"
    fi
fi
exit $status
