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
END_OF_CLRUN
chmod +x fake/ventus fake/tests/clrun

# $1 the levels of the host, $2 lines of the output that name levels, $3 what has run
engines() {
    rm -f ran
    LEVELS=$1 MAKEFLAGS= make -s -C "$VENTUS_SOURCE" -o deps-test -o build BUILD="$dir/fake" TESTS=cl/at-sign test-engines >out 2>&1 ||
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

# A word that begins with ^ is the beginning of a name: cl/ is in opencl/, too.
mkdir fake/tests/opencl
cp fake/tests/clrun fake/tests/opencl/own_test
list() { "$VENTUS_SOURCE/tests/run" --build fake --list "$@"; }
[ "$(list ^opencl/ ^tests ^unit/)" = unit/tests/opencl/own ] || wrong "words with ^: $(list ^opencl/ ^tests ^unit/)"
list cl/ | grep -q unit/tests/opencl/own || wrong "cl/ is not found within a name"
list ^cl/ | grep -v '^cl/' && wrong "^cl/ is found within a name"
exit $status
