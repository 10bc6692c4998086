# `make test-engines`: with either effort on each host level that there is, and a word of each that there is not. The build is one in name
# only: its programs say which levels the host has, and what the cases are run with.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
mkdir -p fake/tests fake/examples
cat >fake/ventus <<'END_OF_VENTUS'
#!/bin/sh
echo "# engine native     translates; builds for this host: $LEVELS"
echo "# engine step       interprets; builds for this host: v4 v3 base hooked"
END_OF_VENTUS
cat >fake/tests/clrun <<END_OF_CLRUN
#!/bin/sh
echo "\$VENTUS_ENGINE \$VENTUS_NATIVE_LEVEL \${VENTUS_TRANSLATE_EFFORT:-usual} \${1##*/}" >>"$dir/ran"
for share in \$SHARES; do echo "ventus: engine native: \$share of 50 warp instructions in translated code" >>"\${VENTUS_STATS:-/dev/null}"; done
END_OF_CLRUN
chmod +x fake/ventus fake/tests/clrun

# $1 the levels of the host, $2 lines of the output that name levels, $3 what has run
engines() {
    rm -f ran
    SHARES=50 LEVELS=$1 MAKEFLAGS= make -s -C "$VENTUS_SOURCE" -o deps-test -o build BUILD="$dir/fake" TESTS=cl/at-sign test-engines >out 2>&1 ||
        wrong "exit code $?: $(cat out)"
    [ "$(grep '^engine' out)" = "$2" ] || wrong "levels $1: $(cat out)"
    [ "$(cat ran)" = "$3" ] || wrong "levels $1 ran: $(cat ran)"
}

engines 'v3 base' 'engine: native, base
engine: native, v3
engine: native, v4: skipped, this host lacks it' 'native base least at-sign.cl
native base usual at-sign.cl
native v3 least at-sign.cl
native v3 usual at-sign.cl'
engines 'v4 v3 base' 'engine: native, base
engine: native, v3
engine: native, v4' 'native base least at-sign.cl
native base usual at-sign.cl
native v3 least at-sign.cl
native v3 usual at-sign.cl
native v4 least at-sign.cl
native v4 usual at-sign.cl'

# A test fails that has not run in translated code: all of its machines count together.
translated() { # shares, exit code, test, what is said of it
    SHARES=$1 check "$2" "^[okFAIL]*  *$3  [0-9.s]*$4\$" "$VENTUS_SOURCE/tests/run" --build fake --translated 95 "^$3"
}
translated '50' 0 cl/at-sign ''
translated '50 45' 0 cl/at-sign ''
translated '44 50' 1 cl/at-sign '  (94.0 % in translated code, not 95)'
translated '' 1 cl/at-sign '  (nothing has run)'
translated '' 0 cl/bad-syntax ''
translated '50' 1 cl/bad-syntax '  (translated.txt says that nothing runs)'
SHARES=0 check 0 '^ok   cl/at-sign' "$VENTUS_SOURCE/tests/run" --build fake ^cl/at-sign

# A word that begins with ^ is the beginning of a name: cl/ is in opencl/, too.
mkdir fake/tests/opencl
cp fake/tests/clrun fake/tests/opencl/own_test
list() { "$VENTUS_SOURCE/tests/run" --build fake --list "$@"; }
[ "$(list ^opencl/ ^tests ^unit/)" = unit/tests/opencl/own ] || wrong "words with ^: $(list ^opencl/ ^tests ^unit/)"
list cl/ | grep -q unit/tests/opencl/own || wrong "cl/ is not found within a name"
list ^cl/ | grep -v '^cl/' && wrong "^cl/ is found within a name"
exit $status
