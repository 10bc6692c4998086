# The installer of packages: asks apt for exactly what is missing, never lets it remove anything, and
# does nothing when all is there. Debian's tools are replaced by ones that only write down their
# arguments.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0

fake() { # name text
    printf '#!/bin/sh\n%s\n' "$2" >"$dir/$1"
    chmod +x "$dir/$1"
}
fake dpkg-query 'for last; do :; done; case "$last" in *"*") echo "$FAKE_OTHER"; exit ;; esac
case " $FAKE_MISSING " in *" $last "*) exit 1 ;; esac; echo "install ok installed"'
fake apt-get 'echo "apt-get $*" >>"$FAKE_LOG"'
fake apt-cache 'echo known'
fake sudo '"$@"'
export FAKE_LOG="$dir/log" FAKE_MISSING FAKE_OTHER

deps() { PATH="$dir:$PATH" "$VENTUS_SOURCE/scripts/deps.sh" "$@" >"$dir/out" 2>&1; }
fail() { echo "$1:"; cat "$dir/out" "$FAKE_LOG"; status=1; }

: >"$FAKE_LOG"
FAKE_MISSING=
deps test || fail "complete system: exit code"
[ -s "$FAKE_LOG" ] && fail "complete system: apt was called"

FAKE_MISSING="clang-19 qemu-user"
deps --check build && fail "--check accepts a missing package"
grep -q 'apt-get install clang-19$' "$dir/out" || fail "--check does not name what is missing"
[ -s "$FAKE_LOG" ] && fail "--check called apt"

PATH="$dir:$PATH" make -C "$VENTUS_SOURCE" BUILD="$dir/build" build >"$dir/out" 2>&1 && fail "make builds without packages"
grep -q 'apt-get install clang-19$' "$dir/out" || fail "make does not name what is missing"
[ -e "$dir/build" ] && fail "make has begun a build folder"

deps test || fail "installing: exit code"
grep -q 'install .*--no-remove' "$FAKE_LOG" || fail "apt may remove packages"
grep -q ' clang-19 qemu-user$' "$FAKE_LOG" || fail "not exactly the missing packages"
grep -q 'libclc' "$FAKE_LOG" && fail "libclc would be installed"

# Not beside another lldb.
FAKE_MISSING="qemu-user lldb-19" FAKE_OTHER="python3-lldb-14 ii"
: >"$FAKE_LOG"
deps test || fail "another lldb: exit code"
grep -q 'lldb-19 is left out, .* python3-lldb-14: ' "$dir/out" || fail "another lldb: says nothing"
grep -q ' qemu-user$' "$FAKE_LOG" || fail "another lldb: not exactly the others"
FAKE_OTHER="python3-lldb-14 rc"
: >"$FAKE_LOG"
deps test || fail "remains of another lldb: exit code"
grep -q ' qemu-user lldb-19$' "$FAKE_LOG" || fail "remains of another lldb: not exactly what is missing"

FAKE_MISSING="hashcat"
: >"$FAKE_LOG"
deps packages libpng-dev hashcat || fail "packages by name: exit code"
grep -q ' install .*--no-install-recommends hashcat$' "$FAKE_LOG" || fail "packages by name: not exactly what is missing"

deps nonsense && fail "an unknown group is accepted"
exit $status
