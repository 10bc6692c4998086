# The files of the compiler call one another in one direction: none calls back into a file that calls it, by whatever
# way round. (tsort puts them in order, or names a loop.)
set -u
. "$VENTUS_SOURCE/tests/shell/common"

nm -A "$VENTUS_BUILD/compiler/libcompiler.a" | awk '
    { n = split($1, path, ":"); file = path[2] }
    NF == 3 && $2 ~ /^[TDRB]$/ { home[$3] = file }
    NF == 3 && $2 == "U" { n = split($1, path, ":"); print path[2], $3 >"calls.txt" }
    END { for (name in home) print name, home[name] >"homes.txt" }'
awk 'NR == FNR { home[$1] = $2; next } $2 in home && home[$2] != $1 { print $1, home[$2] }' homes.txt calls.txt | sort -u >pairs.txt
[ "$(wc -l <pairs.txt)" -gt 50 ] || wrong "too few calls between files: $(wc -l <pairs.txt)"
tsort pairs.txt >order.txt 2>loops.txt || { wrong "files that call one another in a circle:"; cat loops.txt; }
exit $status
