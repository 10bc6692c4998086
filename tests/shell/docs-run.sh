# The commands of docs/run.md, one after another in an empty folder: their output must be what the page shows.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
PATH=$VENTUS_BUILD:$PATH
page docs/run.md
[ "$n" -gt 15 ] || wrong "only $n commands found"
exit $status
