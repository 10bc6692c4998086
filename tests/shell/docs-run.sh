# The commands of pages, one after another in an empty folder for each page: their output must be what the page shows. Pages whose
# commands need more than the build are run by tests of their own, and a page with commands that no test runs is a failure.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
PATH=$VENTUS_BUILD:/usr/bin:$PATH # Debian's Python is the one that has PyOpenCL
unset VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_ENGINE VENTUS_THREADS

# run PAGE LEAST [TOOL...]: at least so many commands; not where a tool that the page uses is missing. What sed does with $filter
# is not compared.
run() {
    file=$1 least=$2
    shift 2
    for tool; do command -v "$tool" >/dev/null || { echo "no $tool: $file is left out"; return; }; done
    mkdir here
    cd here || exit 1
    ln -s "$VENTUS_BUILD" build
    page "$file" "${filter-}"
    [ "$n" -ge "$least" ] || wrong "$file: only $n commands found"
    cd ..
    rm -rf here
}

# Programs that are not ours load a sanitized library only with its sanitizer (tests/README.md).
if [ -z "${VENTUS_FOREIGN-}" ]; then
    run README.md 5 clinfo
    run README.zh.md 5 clinfo
    run docs/opencl.md 2
    export PYTHONPATH="$VENTUS_SOURCE/python"
    run docs/python.md 4
    unset PYTHONPATH
fi
run docs/run.md 16
filter='/lanes.one/s/ of [0-9]* (.* %)/ of those that can/' # a new row of the table changes no page
run docs/coverage.md 15
filter=
run docs/profiler.md 16
run docs/performance.md 4
run docs/debugging.md 6 llvm-symbolizer-19 llvm-objdump-19 llvm-dwarfdump-19 llvm-nm-19 addr2line

cd "$VENTUS_SOURCE" || exit 1
for file in $(grep -l '^    \$ ' ./*.md docs/*.md */README.md); do
    grep -q -E "^ *(page|run) ${file#./}( |\$)" tests/shell/*.sh || wrong "no test runs the commands of ${file#./}"
done
exit $status
