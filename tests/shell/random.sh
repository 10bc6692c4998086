# ventus random: programs of many seeds assemble, run and leave the same memory in either order of paths, in each engine and with warps of
# any order; what is missing comes more often; exported launches have what is expected beside them.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
program() { # seed options
    seed=$1
    shift
    "$ventus" random --seed "$seed" "$@" -o p.s && "$ventus" as p.s -o p.elf || wrong "seed $seed: not assembled"
}
run() { # file options
    file=$1
    shift
    "$ventus" run p.elf -g 96 -l 32 -a iota:6144 --save "0:$file" "$@" >out.txt 2>&1 || wrong "seed $seed, $*: $(cat out.txt)"
}
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    program $seed --length $((seed * 20))
    run first.bin --coverage counts$seed.json
    for order in taken fallthrough fewer; do
        run another.bin --order $order
        cmp -s first.bin another.bin || wrong "seed $seed: the order of paths changes the result"
    done
    run another.bin --check # nothing is read before it is written, and nobody reads what others write
    [ $seed -le 4 ] || continue
    VENTUS_TRANSLATE_EFFORT=least run another.bin --engine native
    cmp -s first.bin another.bin || wrong "seed $seed: another result in translated code"
done
"$ventus" random --seed 3 >one.s
"$ventus" random --seed 3 >two.s
"$ventus" random --seed 4 >three.s
cmp -s one.s two.s || wrong 'a seed gives two programs'
cmp -s one.s three.s && wrong 'two seeds give one program'

# What is missing comes more often: the sum grows faster than with programs of chance alone.
share() { sed -n 's/.*can exercise: \([0-9]*\) of .*/\1/p'; }
"$ventus" coverage counts?.json counts1?.json --json sum.json >table.txt
for seed in 101 102 103; do
    program $seed --length 400
    run first.bin --coverage chance$seed.json
    program $seed --length 400 --missing sum.json
    run first.bin --coverage aimed$seed.json
done
chance=$("$ventus" coverage sum.json chance*.json | share)
aimed=$("$ventus" coverage sum.json aimed*.json | share)
[ "$aimed" -gt "$chance" ] || wrong "aimed at what is missing: $aimed, by chance: $chance"

# Each profile; cases for a design.
for profile in toolchain r2.0 r2.1 r2025; do
    program 5 --profile $profile
    run first.bin --profile $profile
done
mkdir cases
program 6
check 0 '' env VENTUS_EXPORT=cases "$ventus" run p.elf -g 64 -l 32 -a iota:4096
check 0 '' "$ventus" run --config cases/machine.conf --case cases/random_0.metadata --expect

check 2 'the counts are of profile default' "$ventus" random --missing sum.json --profile r2.0
check 2 'length' "$ventus" random --length 0
exit $status
