# How options are given, of every command of `ventus` and every option in its help: what wants a value must get
# one, what takes none gets none. The ranges of numbers, and names of outputs.
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
            for next in --help --$name --$name=1; do # is no value
                check 2 "--$name wants a value: $value.*; '$next' is an option" "$ventus" $command --$name $next
                [ -z "$letter" ] || check 2 "; '$next' is an option" "$ventus" $command ${letter%,} $next
            done
        else
            case $(grep -e "--$name\[=" help.txt) in '') check 2 "^ventus $command: --$name takes no value" "$ventus" $command --$name=1 ;; esac
        fi
        check 2 "^ventus $command: unknown option '--${name}x'; did you mean '--$name" "$ventus" $command --${name}x
    done <options.txt
done
[ $options -gt 20 ] || wrong "only $options options in the help"
check 2 "--timing wants a value: NAME; '--timeline' is an option (if it is the value: --timing=--timeline)" \
    "$ventus" run touch.elf --timing --timeline events.json
for option in --options --profile --config --pools --lacks --avoid --kernel -o; do
    check 2 "^ventus cc: $option wants a value; '--link' is an option" "$ventus" cc $option --link
    check 2 "^ventus cc: $option wants a value; '--avoid' is an option" "$ventus" cc $option --avoid fmv x.cl
done
check 2 "unknown option '-?'" "$ventus" run '-?'
check 1 'cannot open.*--help' "$ventus" objdump -- --help # behind -- nothing is an option
check 1 'cannot open.*--' "$ventus" objdump -- --

# Numbers: the least, the greatest, and one beyond.
cat >touch.s <<'S'
        .kernel touch
        .arg    global, a
        .arg    local, b
touch:  ret
S
check 0 '' "$ventus" as touch.s
run() { # CODE TEXT OPTIONS...: with these options
    wanted=$1 line=$2
    shift 2
    check "$wanted" "$line" "$ventus" run touch.elf "$@"
}
for kind in buf:1 new:1 iota:1 out:1:x; do run 0 '' -g 1 -a $kind -a local:1; done
[ "$(wc -c <x)" = 1 ] || wrong "out:1 is not one byte"
for kind in buf new iota local; do run 2 "$kind:0: 0 is not in 1\.\." -g 1 -a $kind:0; done
run 2 'out:0:x: 0 is not in 1\.\.4294967296' -g 1 -a out:0:x
for kind in buf new; do run 2 "4294967297 is not in 1\.\.4294967296" -g 1 -a $kind:4294967297; done
run 2 'is not in 1\.\.4294967295' -g 1 -a local:4294967296
for least in --lanes --warps --threads; do run 2 "^ventus run: $least: 0 is not in 1" $least 0; done
run 2 'is not in 1\.\.32' --lanes 33
run 2 'is not in 1\.\.64' --warps 65
run 2 'is not in 1\.\.256' --threads 257
run 0 '' -g 1 -a buf:4 -a local:1 --lanes 32 --warps 64 --threads 256
run 0 '' -g 1 -a buf:4 -a local:1 --warps 1 --threads 1
run 2 "is not in 0\.\.1" -g 1 -a buf:4 -a local:1 --show 2
run 0 '^  0$' -g 1 -a buf:64 -a local:1 --show 0:u:1
run 2 '0 is not in 1\.\.' -g 1 -a buf:64 -a local:1 --show 0:u:0
run 2 'argument 1 is no buffer' -g 1 -a buf:64 -a local:1 --show 1
run 2 'F one of i u x f' -g 1 -a buf:64 -a local:1 --show 0:z
run 2 'F one of i u x f' -g 1 -a buf:64 -a local:1 --show 0:uu
run 2 'N:FILE is meant' -g 1 -a buf:64 -a local:1 --save 0:
run 1 'at most 1024 work-items' -g 1024,1,2 -l 1024,1,2 -a buf:4 -a local:1
run 1 'at most 1024 work-items' -g 1025 -l 1025 -a buf:4 -a local:1
run 0 '' -g 1024 -l 1024 -a buf:4 -a local:1
run 0 '' -g 32,16,2 -l 32,16,2 -a buf:4 -a local:1
for bad in 0 x 1x 0x '' ' 1'; do run 2 "^ventus run: --global: '$bad' is not X.*\\|'$bad' is out of range" -g "$bad" -a buf:4 -a local:1; done

# Names of outputs: the extension of the file, not of a folder or a hidden file.
mkdir -p v1.2
for name in plain v1.2/plain v1.2/.hidden .hidden; do
    cp touch.s $name
    check 0 '' "$ventus" as $name
    [ -s $name.elf ] || wrong "as $name does not write $name.elf"
done
cp touch.s v1.2/name.x.s
check 0 '' "$ventus" as v1.2/name.x.s
[ -s v1.2/name.x.elf ] || wrong "as v1.2/name.x.s does not write v1.2/name.x.elf"
exit $status
