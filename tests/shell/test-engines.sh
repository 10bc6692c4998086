# `make test-engines`: with either effort on each host level that there is, and a word of each that there is not. The build is one in name
# only: its programs say which levels the host has, and what the cases are run with.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
mkdir -p fake/tests fake/examples
ln -s "$VENTUS_BUILD/tests/reaper" fake/tests/
cat >fake/ventus <<'END_OF_VENTUS'
#!/bin/sh
echo "# engine native     translates; builds for this host: $LEVELS"
echo "# engine step       interprets; builds for this host: v4 v3 base hooked"
END_OF_VENTUS
cat >fake/tests/clrun <<END_OF_CLRUN
#!/bin/sh
echo "\$VENTUS_ENGINE \$VENTUS_NATIVE_LEVEL \${VENTUS_TRANSLATE_EFFORT:-usual} \${1##*/}\${VENTUS_TURNS_SEED:+ turns \$VENTUS_TURNS_SEED}" >>"$dir/ran"
[ -z "\${VENTUS_TURNS_FILE-}" ] || { echo "\${VENTUS_TURNS_LOOK-x}"; eval "\$NOTES"; } >"\$VENTUS_TURNS_FILE"
for share in \$SHARES; do echo "ventus: engine native: \$share of 50 warp instructions in translated code" >>"\${VENTUS_STATS:-/dev/null}"; done
END_OF_CLRUN
chmod +x fake/ventus fake/tests/clrun

# $1 the levels of the host, $2 lines of the output that name levels, $3 what has run
engines() {
    rm -f ran
    SHARES=50 LEVELS=$1 MAKEFLAGS= make -s -C "$VENTUS_SOURCE" -o deps-test -o build BUILD="$dir/fake" JOBS=1 TESTS=cl/at-sign test-engines >out 2>&1 ||
        wrong "exit code $?: $(cat out)"
    [ "$(grep '^engine' out)" = "$2" ] || wrong "levels $1: $(cat out)"
    [ "$(cat ran)" = "$3" ] || wrong "levels $1 ran: $(cat ran)"
}

# A level's tests: the case alone, and both engines between turns of warps.
level() {
    for effort in least usual; do
        echo "native $1 $effort at-sign.cl"
        for seed in 4 7 12; do for engine in step native; do echo "$engine $1 $effort at-sign.cl turns $seed"; done; done
    done
}

engines 'v3 base' 'engine: native, base
engine: native, v3
engine: native, v4: skipped, this host lacks it
engine: native, v4fp16: skipped, this host lacks it' "$(level base; level v3)"
engines 'v4 v3 base' 'engine: native, base
engine: native, v3
engine: native, v4
engine: native, v4fp16: skipped, this host lacks it' "$(level base; level v3; level v4)"

# A test fails that has not run in translated code: all of its machines count together.
translated() { # shares, exit code, test, what is said of it
    SHARES=$1 check "$2" "^[okFAIL]*  *$3  [0-9.s]*, processor [0-9.s]*$4\$" "$VENTUS_SOURCE/tests/run" --build fake --translated 95 "^$3"
}
translated '50' 0 cl/at-sign ''
translated '50 45' 0 cl/at-sign ''
translated '44 50' 1 cl/at-sign '  (94.0 % in translated code, not 95)'
translated '' 1 cl/at-sign '  (nothing has run)'
translated '' 0 cl/bad-syntax ''
translated '50' 1 cl/bad-syntax '  (translated.txt says that nothing runs)'
SHARES=0 check 0 '^ok   cl/at-sign' "$VENTUS_SOURCE/tests/run" --build fake ^cl/at-sign

# Turns of warps: both engines have noted the same, and something, and enough of it in translated code.
turns() { # what either notes, share, exit code, what is said
    NOTES=$1 SHARES=$2 check "$3" "$4" "$VENTUS_SOURCE/tests/run" --build fake --translated 95 --turns '^turns/cl/at-sign'
}
turns 'echo a' 20 0 '^ok   turns/cl/at-sign'
turns 'echo $VENTUS_ENGINE' 20 1 'seed 4: look 1 of 2 differs'
grep -q '< step$' out.txt && grep -q '> native$' out.txt && grep -q '| < ' out.txt || wrong "what differs is not printed: $(cat out.txt)"
turns 'echo $VENTUS_TURNS_SEED; [ $VENTUS_TURNS_SEED = 4 ] || [ $VENTUS_ENGINE = step ] || echo b' 20 1 'seed 7: look 2 of 2 differs'
turns ': >"$VENTUS_TURNS_FILE"; exec >/dev/null' 20 1 'step: nobody has looked'
turns 'echo a' 4 1 'fewer than 10 %'
turns 'exit 3' 20 1 'step: exit code 3'

# A word that begins with ^ is the beginning of a name: cl/ is in opencl/, too.
mkdir fake/tests/opencl
cp fake/tests/clrun fake/tests/opencl/own_test
list() { "$VENTUS_SOURCE/tests/run" --build fake --list "$@"; }
[ "$(list ^opencl/ ^tests ^unit/)" = unit/tests/opencl/own ] || wrong "words with ^: $(list ^opencl/ ^tests ^unit/)"
list cl/ | grep -q unit/tests/opencl/own || wrong "cl/ is not found within a name"
list ^cl/ | grep -v '^cl/' && wrong "^cl/ is found within a name"
exit $status
