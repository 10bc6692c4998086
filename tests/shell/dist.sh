# `make dist`: a tarball of the version, without what is made; it unpacks and configures.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
git -C "$VENTUS_SOURCE" rev-parse HEAD >/dev/null 2>&1 || { echo "this is no git repository: nothing to pack"; exit 77; }
version=$("$ventus" --version | sed 's/^ventus //')

# As the Makefile does, but packed in less time. What is not committed stays out.
make --no-print-directory -n -o sources -C "$VENTUS_SOURCE" BUILD="$VENTUS_BUILD" dist >dist.txt
grep -q -x "meson dist -C $VENTUS_BUILD --no-tests --formats xztar" dist.txt || { wrong 'make dist'; cat dist.txt; }
meson dist -C "$VENTUS_BUILD" --no-tests --allow-dirty --formats gztar >dist.txt 2>&1 || { wrong 'meson dist'; tail -n 5 dist.txt; }
mv "$VENTUS_BUILD/meson-dist/ventus-$version.tar.gz"* . || exit 1
sha256sum --check --quiet "ventus-$version.tar.gz.sha256sum" || wrong 'another SHA-256'
tar xf "ventus-$version.tar.gz" || wrong 'no tarball'
cd "ventus-$version" || exit 1
for file in README.md LICENSE CHANGELOG.md CONTRIBUTING.md CITATION.cff Makefile meson.build docs/architecture.md configs/default.conf; do
    [ -f $file ] || wrong "the tarball has no $file"
done
[ -e .git ] && wrong 'the tarball has a repository in it'
meson setup build >setup.txt 2>&1 || { wrong 'the tarball does not configure'; tail -n 5 setup.txt; }
grep -q "Project version: $version" setup.txt || wrong 'the tarball is of another version'
exit $status
