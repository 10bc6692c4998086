# How options are given, of every command of `ventus` and every option in its help: what wants a value must get
# one, what takes none gets none.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

options=0
for command in $("$ventus" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ $command = cc ] && continue # ventus-cc reads its own
    "$ventus" $command --help >help.txt || wrong "$command --help fails"
    grep -q "^usage: ventus $command" help.txt || wrong "$command --help says something else"
    sed -n '/^options:/,$s/^  \(.., \|    \)--\([a-z-]*\)\( [^ ]\|\)[^ ]*\( .*\|\)$/\1 \2 \3/p' help.txt >options.txt
    while read -r letter name value; do
        case $letter in -?,) ;; *) value=$name name=$letter letter= ;; esac
        options=$((options + 1))
        if [ -n "$value" ]; then
            check 2 "^ventus $command: --$name wants a value: $value" "$ventus" $command --$name
            [ -z "$letter" ] || check 2 "^ventus $command: --$name wants a value: $value" "$ventus" $command ${letter%,}
        else
            case $(grep -e "--$name\[=" help.txt) in '') check 2 "^ventus $command: --$name takes no value" "$ventus" $command --$name=1 ;; esac
        fi
        check 2 "^ventus $command: unknown option '--${name}x'; did you mean '--$name" "$ventus" $command --${name}x
    done <options.txt
done
[ $options -gt 20 ] || wrong "only $options options in the help"
check 2 "unknown option '-?'" "$ventus" run '-?'
check 1 'cannot open.*--help' "$ventus" objdump -- --help # behind -- nothing is an option
check 1 'cannot open.*--' "$ventus" objdump -- --
exit $status
