#!/bin/sh
# The speed of decoder, assembler and disassembler: bench/isa.sh [BUILD]
# The last two against llvm-mc on RISC-V text of the same length, best of five runs each.
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/bench/isa-bench" 10 || exit 1
mc=$(command -v llvm-mc-19 || command -v llvm-mc) || { echo "no llvm-mc here: nothing to compare with"; exit 0; }

awk 'BEGIN {
    for (i = 0; i < 30000; i++) {
        printf "label%d:\n\taddi\ta0, a1, %d\n\tlw\tt0, %d(sp)\n\tsw\tt0, %d(s0)\n\tmul\ta2, a3, a4\n", i, i % 2048, i % 512 * 4, i % 256 * 4
        printf "\tvadd.vv\tv1, v2, v3\n\tvmul.vx\tv4, v5, a0\n\tbeq\ta0, a1, label%d\n\tlui\ta5, %d\n\txor\ta0, a0, a5\n\tvfadd.vv\tv%d, v2, v3\n", i, i % 1000, i % 32
    }
}' >"$work/text.s"
"$build/ventus" as --no-start --vmem "$work/text.s" -o "$work/words.vmem" || exit 1
sed 's/^\(..\)\(..\)\(..\)\(..\)$/0x\4 0x\3 0x\2 0x\1/' "$work/words.vmem" >"$work/bytes"

# seconds of the fastest of five runs
best() {
    for run in 1 2 3 4 5; do
        start=$(date +%s%N)
        "$@" >/dev/null || exit 1
        echo $((($(date +%s%N) - start) / 1000))
    done | sort -n | head -n 1
}
report() { # what, ours, theirs
    awk -v what="$1" -v a="$2" -v b="$3" -v n="$(wc -l <"$work/words.vmem")" 'BEGIN {
        printf "%-13s %d instructions: ventus %.3f s, llvm-mc %.3f s, %.1f times as fast\n", what, n, a / 1e6, b / 1e6, b / a }'
}
target="-triple=riscv32 -mattr=+m,+a,+v"
report assemble "$(best "$build/ventus" as -c "$work/text.s" -o "$work/a.o")" "$(best "$mc" $target -filetype=obj "$work/text.s" -o "$work/b.o")"
report disassemble "$(best "$build/ventus" objdump "$work/words.vmem")" "$(best "$mc" $target -disassemble "$work/bytes")"
