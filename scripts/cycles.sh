#!/bin/sh
# Prints which source files of a folder need each other in a circle: files that call (or use the variables of) one
# another, with the names that make the circle. Nothing is printed when the files form layers.
#
#   scripts/cycles.sh [-x NAME] FOLDER...        e.g. scripts/cycles.sh asm; several folders are looked at as one
#
# -x: uses of this name do not count, since it closes a circle that lies in the nature of things.
# Looks at the object files of build/ (or $BUILD), which must be up to date. Exit code 0: no circle, 1: there are some.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} except=
[ "${1-}" = -x ] && { except=${2-}; shift 2; }
[ $# -gt 0 ] && [ -f "$build/compile_commands.json" ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

# "source object" for each source file directly in a folder that is no test, once.
objects() {
    for folder; do
        sed -n 's/^ *"\(file\|output\)": "\(.*\)",*$/\2/p' "$build/compile_commands.json" | paste - - | sort -u -k 1,1 |
            awk -v folder="$folder" '$1 ~ "^\\.\\./" folder "/[^/]*\\.c$" && $1 !~ /_test\.c$/ { print substr($1, 4), $2 }'
    done
}

list=$(objects "$@")
[ -n "$list" ] || { echo "cycles: no sources in $*" >&2; exit 2; }
cd "$build"
symbols=$(echo "$list" | cut -d ' ' -f 2 | xargs nm -A -P) || exit 2

# "source object" lines, then those of nm: "object: name type ...".
printf '%s\n' "$list" "$symbols" | awk -v except="$except" '
    $1 !~ /:$/ { source[$2 ":"] = $1; next }
    { $1 = source[$1] }
    !($1 in number) { number[$1] = ++n; file[n] = $1 }
    $2 == except { next }
    $3 == "U" { uses[$1, $2]; next }
    $3 ~ /^[A-TV-Z]$/ { owner[$2] = $1 } # capital: visible outside
    END {
        for (pair in uses) {
            split(pair, p, SUBSEP)
            if (!(p[2] in owner) || owner[p[2]] == p[1]) continue
            from = number[p[1]]; to = number[owner[p[2]]]
            names[from, to] = names[from, to] " " p[2]
            reach[from, to] = 1
        }
        for (k = 1; k <= n; k++) for (i = 1; i <= n; i++) if (reach[i, k])
            for (j = 1; j <= n; j++) if (reach[k, j]) reach[i, j] = 1
        for (i = 1; i <= n; i++) {
            if (!reach[i, i] || done[i]) continue
            members = ""; count = 0
            for (j = i; j <= n; j++) if (reach[i, j] && reach[j, i]) { done[j] = i; count++; members = members " " file[j] }
            print count " files in a circle:" members
            for (a = i; a <= n; a++) for (b = i; b <= n; b++)
                if (done[a] == i && done[b] == i && names[a, b]) print "    " file[a] " -> " file[b] ":" names[a, b]
            found = 1
        }
        exit found
    }'
