# `tests/run --until-failure`: no further test begins behind a failure, and those that run are waited for, also when
# another one of them fails.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

mkdir -p tree/tests/shell tree/build/tests tree/build/examples
cp "$VENTUS_SOURCE/tests/run" tree/tests
ln -s "$VENTUS_BUILD/tests/reaper" tree/build/tests
results=$dir/tree/build/test-results
# until_there FILE...: what a test waits with
until_there() {
    for file; do echo "until [ -e '$results/shell-$file' ]; do sleep 0.1; done"; done
}
{ until_there b.log c.log && echo 'exit 1'; } >tree/tests/shell/a.sh
{ until_there a.verdict && echo 'exit 1'; } >tree/tests/shell/b.sh
{ until_there b.verdict && echo 'sleep 1'; } >tree/tests/shell/c.sh
echo 'exit 0' >tree/tests/shell/d.sh

unset VENTUS_UNTIL_FAILURE VENTUS_TRANSLATED
check 1 '1 passed, 2 failed' tree/tests/run --jobs 3 --until-failure
[ "$(cd "$results" && echo *.verdict)" = 'shell-a.verdict shell-b.verdict shell-c.verdict' ] || wrong "not a, b and c have run: $(ls "$results")"
check 1 '2 passed, 2 failed' tree/tests/run --jobs 3
exit $status
