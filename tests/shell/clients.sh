# The runner of clients, with clients that only pretend: what its table says, and when it fails. Packages are never installed:
# a script stands in place of deps.sh.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# Each client of the tree says what it needs and what it checks.
for client in $("$VENTUS_SOURCE"/tests/clients/run --list | cut -d ' ' -f 1); do
    for word in packages checks; do
        lines=$(cat "$VENTUS_SOURCE/tests/clients/$client".[spc][hyc]* | grep -c "^\(#\|//\) $word: .")
        [ "$lines" = 1 ] || wrong "$client: $word"
    done
done
[ -n "${client-}" ] || wrong "no client"
check 2 'no client nonsense' "$VENTUS_SOURCE/tests/clients/run" nonsense

mkdir -p tests/clients scripts build
cp "$VENTUS_SOURCE/tests/clients/run" tests/clients
touch build/ventus.icd pocl.icd
printf '#!/bin/sh\ncase $* in *absent*) echo no such package; exit 1 ;; esac\n' >scripts/deps.sh
chmod +x scripts/deps.sh

client() { # name text
    printf '# packages: %s\n# checks: nothing\n%s\n' "$1" "$2" >"tests/clients/$1.sh"
}
on_pocl='[ "$OCL_ICD_VENDORS" != '"$dir/build/ventus.icd ]"
client good 'echo 3 things; echo a >result'
client bad "$on_pocl"
client both 'exit 1'
client slow 'sleep 5'
client differs "$on_pocl && printf 'a\nb\n' >result || echo b >result"
client silent "if $on_pocl; then printf 'a\nb\n' >result; fi"
client more "$on_pocl && echo a >result || printf 'a\nb\n' >result"
client skips 'echo no such device; exit 77'
client absent 'exit 1'

run() { # exit code, row, client
    check "$1" "^| $3 |.*| $2 |\$" tests/clients/run --timeout 1 --pocl "$dir/pocl.icd" "$3"
}
run 0 '[0-9.() ]* | ok | [0-9.() ]* | 3 things' good
run 1 'FAIL | .* | ok | .* | exit code 1: ' bad
run 0 'FAIL | .* | FAIL | .* | exit code 1: ; pocl: exit code 1: ' both
run 0 'FAIL | .* | FAIL | .* | no end in time; pocl: no end in time' slow
run 1 "FAIL | .* | ok | .* | 1 of pocl's results are missing, the first is: a" differs
run 1 "FAIL | .* | ok | .* | 2 of pocl's results are missing, the first is: a" silent
run 0 'ok | .* | ok | .*' more
run 0 'absent |  | absent |  | no such device; pocl: no such device' skips
run 0 'absent |  |  |  | cannot be installed: no such package' absent
grep -q '^| absent |' build/clients/report.md || wrong "the table is not kept"
exit $status
