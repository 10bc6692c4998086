# The commands that pages show without their output, `ventus ...` and the like at the beginning of indented lines: each succeeds,
# one page after another in a folder that has the files which the page names. (shell/docs-run: commands with output.)
[ -z "${VENTUS_FOREIGN-}" ] || { echo 'programs that are not ours do not load sanitized libraries'; exit 77; }
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_CHECK VENTUS_CHECK_FILE VENTUS_ENGINE VENTUS_THREADS VENTUS_PROFILE
PATH=$VENTUS_BUILD:/usr/bin:$PATH

# commands PAGE: those of indented lines; not messages of `ventus`, nor sketches with `...` or `[`.
commands() {
    sed '/^```/,/^```/d' "$VENTUS_SOURCE/$1" | sed -n -E '/^    (ventus [a-z]|build\/|VENTUS_[A-Z_]*=[^ ]* )/{/\.\.\.|\[|^    ventus [a-z]+:/!s/^ *//p}'
}

# run PAGE COUNT FILE...: so many commands, with these files
run() {
    page=$1 count=$2
    shift 2
    mkdir here
    [ $# = 0 ] || cp "$@" here
    cd here || exit 1
    ln -s "$VENTUS_BUILD" build
    commands "$page" >commands.txt
    [ "$(wc -l <commands.txt)" = "$count" ] || { wrong "$page has not $count commands:"; cat commands.txt; }
    while read -r command; do
        sh -c "$command" >out.txt 2>&1 </dev/null || { wrong "$page: $command"; cat out.txt; }
    done <commands.txt
    cd ..
    rm -rf here
}

examples=$VENTUS_SOURCE/examples
ln -s "$VENTUS_BUILD/examples/vecadd" program
run docs/abi.md 4 "$examples/abi/blur.cl" "$examples/abi/sum.s"
cp "$examples/asm/collatz.s" kernel.s
echo 'int twice(int x) { return 2 * x; }' >library.cl
run docs/assembler.md 9 kernel.s library.cl
run docs/check.md 3 program
run docs/profiler.md 3 program
run tools/README.md 3
cp "$VENTUS_SOURCE/docs/mandelbrot.png" photo.png
run examples/README.md 1 photo.png

# A loop over seeds, two of the page's thirty.
sed -n '/^```/,/^```/p' "$VENTUS_SOURCE/docs/coverage.md" | sed '/^```/d; s/seq 30/seq 2/' >loop.sh
check 0 'instructions' sh -eu loop.sh
[ "$(grep -c . sum.json)" -gt 0 ] || wrong 'docs/coverage.md: the loop has no sum'

# shell/debugger has sessions of the debugger; the beginnings of commands that the page for it lists wait for a user.
cd "$VENTUS_SOURCE" || exit 1
for file in ./*.md docs/*.md examples/*.md */README.md; do
    file=${file#./}
    [ -z "$(commands "$file")" ] || grep -q "^run $file " tests/shell/docs-commands.sh || [ "$file" = docs/debugger.md ] ||
        wrong "no test runs the commands of $file"
done
exit $status
