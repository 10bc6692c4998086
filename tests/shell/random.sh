# ventus random: programs of many seeds assemble, run and leave the same memory in either order of paths and of warps and in each engine, and
# checks find nothing; in each profile they have all instructions but those that --left-out prints; what is missing comes
# more often; exported launches have what is expected beside them.
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
    "$ventus" run p.elf -g 128 -l 64 -a iota:16384 --save "0:$file" "$@" >out.txt 2>&1 || wrong "seed $seed, $*: $(cat out.txt)"
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

# Each profile: a few programs have every instruction but those left out, and are valid.
left_out() { "$ventus" random --left-out --profile "$1" | sed '$d' | awk '{ print $1 }' | sort; }
never() { "$ventus" coverage p*.json --all | sed '1,/never executed/d' | tr -s ' ' '\n' | grep . | sort; }
for profile in default toolchain r2.0 r2.1 r2025; do
    rm -f p*.json
    aim=
    for seed in 1 2 3 4 5 6 7 8; do
        program $seed --profile $profile --length 500 $aim
        run first.bin --profile $profile --coverage p$seed.json
        "$ventus" coverage p*.json --json so-far.json >table.txt
        aim='--missing so-far.json'
        [ $seed -le 4 ] || continue
        run another.bin --profile $profile --order taken
        cmp -s first.bin another.bin || wrong "$profile, seed $seed: the order of paths changes the result"
        run another.bin --profile $profile --timing=verilog
        cmp -s first.bin another.bin || wrong "$profile, seed $seed: the order of warps changes the result"
        run another.bin --profile $profile --check
    done
    left_out $profile >want.txt
    never >have.txt
    diff want.txt have.txt || wrong "$profile: not those instructions that are left out have never been executed"
done
[ -z "$(left_out r2025)" ] || wrong 'r2025 has instructions that are left out'

# Warps of fewer lanes have no matrices; a design may have less.
for lanes in 4 8 16; do
    echo "threads_per_warp = $lanes" >small.conf
    for seed in 1 2 3 4; do
        program $seed --lanes $lanes --length 300
        run first.bin --config small.conf
        run another.bin --config small.conf --order fewer
        cmp -s first.bin another.bin || wrong "$lanes lanes, seed $seed: the order of paths changes the result"
        run another.bin --config small.conf --check
    done
done
"$ventus" random --length 2000 >all.s
grep -q '^  *amoadd' all.s && grep -q '^  *mma' all.s || wrong 'no atomics, or no matrices'
"$ventus" random --length 2000 --without 'amo*,mma.*' >some.s
grep -E '^  *(amo|mma)' some.s && wrong 'instructions of --without are there'
for pair in lr.w,sc.w lr.d,sc.d vsrt.w,vlrt.w; do
    for name in "${pair%,*}" "${pair#*,}"; do
        "$ventus" random --length 2000 --without "$name" >some.s
        grep -E "^  *(${pair%,*}|${pair#*,}) " some.s && wrong "without $name: its pair is there"
    done
done
"$ventus" random --length 4000 --without fence >some.s
grep -E '^  *(fence |cp_dma)' some.s && wrong 'without fence: there are copies, which need it'
check 0 '' timeout 20 "$ventus" random --length 1000 --without '[!b]*' -o some.s # none is left for divergent code
check 2 "no instruction is called 'amx\*'" "$ventus" random --without 'amo*,amx*'
check 2 'no instruction is left' "$ventus" random --without '*'
check 2 'is not 4, 8, 16 or 32' "$ventus" random --lanes 12

mkdir cases
program 6
check 0 '' env VENTUS_EXPORT=cases "$ventus" run p.elf -g 64 -l 32 -a iota:8192
check 0 '' "$ventus" run --config cases/machine.conf --case cases/random_0.metadata --expect

check 2 'the counts are of profile default' "$ventus" random --missing sum.json --profile r2.0
check 2 'length' "$ventus" random --length 0
exit $status
