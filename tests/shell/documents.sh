# docs/documents.md: a row names tests that are there, or says what was decided; files that it names are there.
. "$VENTUS_SOURCE/tests/shell/common"
"$VENTUS_SOURCE/tests/run" --build "$VENTUS_BUILD" --list | awk '{ print $1 }' >tests.txt
grep '^| ' "$VENTUS_SOURCE/docs/documents.md" | grep -v '^| --- \|^| demand ' >rows.txt
[ "$(wc -l <rows.txt)" -gt 40 ] || wrong "the rows of the tables are not found"
while IFS='|' read -r _ demand where tests decided _; do
    case $tests$decided in *[a-z]*) ;; *) wrong "neither test nor reason:$demand" ;; esac
    for test in $(echo "$tests" | grep -o '`[^`]*`' | tr -d '`'); do
        grep -q -x -e "$test" tests.txt || wrong "$test is no test:$demand"
    done
    for file in $(echo "$where" | grep -o '`[a-z]*/[^`]*`' | tr -d '`'); do
        ls "$VENTUS_SOURCE"/$file >/dev/null || wrong "no $file:$demand"
    done
done <rows.txt
exit $status
