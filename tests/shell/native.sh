# The engine `native`: what runs in translated code gives the same as `step`, and a translator that is missing, dies,
# answers nonsense or does not answer costs nothing but speed.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

cat >k.cl <<'END'
kernel void sum(global int *out, int n)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++) s += (i ^ k) % 7;
    out[i] = s;
}
END
"$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"

# Runs `n` rounds of the kernel under an engine; the result to FILE.bin, statistics to FILE.txt
run() { # file engine n
    VENTUS_STATS=1 timeout 100 "$VENTUS_BUILD/ventus" run k.elf -g 256 -a "out:1024:$1.bin" -a "i:$3" --stats --engine "$2" 2>"$1.err" ||
        wrong "$1: exit code $?: $(cat "$1.err")"
    counters "$1.err" >"$1.txt"
}
same() { # file
    cmp -s step.bin "$1.bin" || wrong "$1: other results than step"
    cmp -s step.txt "$1.txt" || wrong "$1: other counters than step: $(diff step.txt "$1.txt")"
}

run step step 100
for level in v4fp16 v4 v3 base; do
    VENTUS_NATIVE_LEVEL=$level run "native-$level" native 100
    same "native-$level"
    grep -q '(100.0 %); 1 translations' "native-$level.err" || wrong "$level: not translated: $(cat "native-$level.err")"
done

# Lanes that part in loops with more private memory than is saved for them.
cat >deep.cl <<'END'
kernel void deep(global int *a)
{
    int stack[300], i = get_global_id(0), x = a[i], sum = 0;
    for (int k = 0; k < 300; k++) stack[k] = k ^ i;
    for (int k = 0; k < 200 + i % 7; k++) {
        int at = (x * 31 + k) % 299;
        if (stack[at] & 1) {
            for (int m = 0; m < (stack[at] & 7); m++) stack[at + 1] += m, x += stack[at];
        } else {
            stack[at] += k;
            sum += stack[at + 1];
        }
        x = (x ^ sum << 3) & 0xffff;
    }
    a[i] = sum + x;
}
END
"$VENTUS_BUILD/ventus" cc deep.cl -o deep.elf || wrong "ventus cc"
for engine in step native; do
    VENTUS_TRANSLATE_NESTS=together "$VENTUS_BUILD/ventus" run deep.elf -g 1024 -a iota:1024 --show 0:x --stats --engine $engine >$engine.deep 2>deep.err || wrong "$engine, deep: exit code $?"
    counters deep.err >$engine.counts
done
cmp -s step.deep native.deep || wrong "deep: other results than step"
cmp -s step.counts native.counts || wrong "deep: other counters than step: $(diff step.counts native.counts)"

# Statistics to a file: a line behind those that are there.
for n in 1 2; do VENTUS_STATS=$dir/stats "$VENTUS_BUILD/ventus" run k.elf -g 32 -a buf:128 -a i:1 --engine native 2>stats.err || wrong "stats: exit code $?"; done
[ "$(grep -c '^ventus: engine native: .* in translated code' stats)" = 2 ] && [ ! -s stats.err ] || wrong "a file of statistics: $(cat stats stats.err)"

# Words that follow one another behind a scalar are moved together, not gathered.
cat >words.cl <<'END'
kernel void words(global int *a)
{
    int offset = get_local_id(0) * 4, r;
    __asm__ volatile("vloxei32.v %0, (%1), %2" : "=vr"(r) : "r"(a), "vr"(offset) : "memory");
    __asm__ volatile("vsoxei32.v %0, (%1), %2" : : "vr"(r + 1), "r"(a), "vr"(offset) : "memory");
}
END
"$VENTUS_BUILD/ventus" cc words.cl -o words.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run words.elf -g 32 -a iota:32 --engine native 2>words.err ||
    wrong "words: exit code $?"
grep -q 'call.*masked.gather\|call.*_u32(' words.err && wrong "consecutive words are accessed one by one"

# What each lane finds beside each other is loaded at once, wherever lanes are, and stored in line.
cat >rows.cl <<'END'
kernel void rows(global int *a, int n)
{
    global int *row = a + get_global_id(0) * n;
    int s = row[0] * 3 + row[1] * 5 + row[2] * 7 + row[3];
    a[row[0] & 255] = s;
}
END
"$VENTUS_BUILD/ventus" cc rows.cl -o rows.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run rows.elf -g 32 -a iota:256 -a i:8 --engine native 2>rows.err ||
    wrong "rows: exit code $?"
grep -q '^adjacent.*:' rows.err || wrong "words of rows are not loaded at once"
grep -q 'call.*store_u32(' rows.err && wrong "words of all lanes are stored out of line"

# So are parts of vectors, which one store for two lanes brings to memory.
cat >parts.cl <<'END'
kernel void parts(global int4 *a) { int i = get_global_id(0); a[i] = (int4)(i, 3, i + 5, i * 7); }
END
"$VENTUS_BUILD/ventus" cc parts.cl -o parts.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run parts.elf -g 32 -a iota:128 --engine native 2>parts.err ||
    wrong "parts: exit code $?"
grep -q '^rows.*:' parts.err || wrong "parts of vectors are not stored together"

# Doubles, which are two words for the machine, come round a loop as one number for the host.
cat >doubles.cl <<'END'
kernel void sum(global double *a, int n)
{
    int i = get_global_id(0);
    double s = a[i];
    for (int k = 0; k < n; k++) s = s * 1.5 + a[(i + k) & 31];
    a[i] = s;
}
END
"$VENTUS_BUILD/ventus" cc doubles.cl -o doubles.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run doubles.elf -g 32 -a buf:256 -a i:40 --engine native 2>doubles.err ||
    wrong "doubles: exit code $?"
grep -q 'phi <[0-9]* x i64>' doubles.err || wrong "words of doubles come round a loop one by one"

# Words follow one another also at ids of three dimensions, whose quotients are by products of sizes.
cat >cube.cl <<'END'
kernel void cube(global int *a) { a[(get_global_id(2) * 4 + get_global_id(1)) * 32 + get_global_id(0)] += 1; }
END
"$VENTUS_BUILD/ventus" cc cube.cl -o cube.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run cube.elf -g 32,4,2 -l 32,4,1 -a iota:256 --engine native 2>cube.err ||
    wrong "cube: exit code $?"
grep -q 'call.*masked.gather' cube.err && wrong "addresses in three dimensions are not known"

# In groups of 32 columns the row is the same in all lanes, and is computed with once.
cat >rows32.cl <<'END'
kernel void rows(global int *a) { int y = get_global_id(1); a[y * 32 + get_global_id(0)] += (y ^ 77) * (y ^ 78); }
END
"$VENTUS_BUILD/ventus" cc rows32.cl -o rows32.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v3 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run rows32.elf -g 32,8 -l 32,4 -a iota:256 --engine native 2>rows32.err ||
    wrong "rows32: exit code $?"
tail -n +"$(grep -n ModuleID rows32.err | tail -1 | cut -d: -f1)" rows32.err >rows32.ll
[ "$(grep -c 'xor <8 x i32>.*i32 77' rows32.ll)" -lt 4 ] || wrong "the number of a row is computed for each chunk of lanes"

# A loop whose lanes leave it one after the other has code for the last one of them.
cat >last.cl <<'END'
kernel void last(global int *a)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < i; k++) s ^= a[(s + k) & 31];
    a[i + 32] = s;
}
END
"$VENTUS_BUILD/ventus" cc last.cl -o last.elf || wrong "ventus cc"
for level in v3 base; do
    VENTUS_NATIVE_LEVEL=$level VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run last.elf -g 32 -a iota:64 --engine native 2>last.err ||
        wrong "last: exit code $?"
    grep -q '^single.*:' last.err || wrong "$level: no code for a lane that is alone"
done

# Bytes are compared and chosen as bytes where the host has masks of them.
cat >bytes.cl <<'END'
kernel void bytes(global uchar *a)
{
    int i = get_global_id(0);
    uchar low = min(a[i], a[i + 32]), high = max(a[i], a[i + 32]);
    a[i + 64] = max(min(high, a[i + 96]), low);
}
kernel void vectors(global uchar4 *a)
{
    int i = get_global_id(0);
    uchar4 high = a[i] >> (uchar4)4;
    a[i + 64] = high + (uchar4)48 + ((uchar4)39 & as_uchar4(high > (uchar4)9));
}
END
"$VENTUS_BUILD/ventus" cc bytes.cl -o bytes.elf || wrong "ventus cc"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run bytes.elf -k bytes -g 32 -a buf:128 --engine native 2>bytes.err || wrong "bytes: exit code $?"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run bytes.elf -k vectors -g 32 -a buf:512 --engine native 2>vectors.err || wrong "vectors: exit code $?"
if grep -q '<16 x i32>' bytes.err; then # chunks of 16 words
    grep -q 'call.*umin.v32i8' bytes.err || wrong "the least of bytes is found among words, or chunk by chunk"
    grep -q 'load volatile <32 x i8>' bytes.err || wrong "bytes are loaded chunk by chunk"
    grep -q 'store <32 x i8>' bytes.err || wrong "bytes are stored chunk by chunk"
    grep -q 'select <64 x i1>' vectors.err || wrong "the bytes of words are computed one by one"
fi

# Halves of all lanes are one vector of the host, also round a loop with comparisons and choices.
cat >halves.cl <<'END'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *a, int n)
{
    int i = get_global_id(0);
    half x = a[i], y = 1.0h;
    for (int k = 0; k < n; k++) y = y * x + 0.5h - (y > 2.0h ? y * y : 0.0h);
    a[i] = y;
}
kernel void sums(global half *a)
{
    int i = get_global_id(0);
    a[i + 32] = a[i] * 0.5h + a[i + 32];
}
END
"$VENTUS_BUILD/ventus" cc --options -cl-std=CL3.0 halves.cl -o halves.elf || wrong "ventus cc"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run halves.elf -k sums -g 32 -a buf:128 --engine native 2>sums.err || wrong "sums: exit code $?"
VENTUS_TRANSLATE_VERIFY=1 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run halves.elf -k halves -g 32 -a iota:16 -a i:40 --engine native 2>halves.err || wrong "halves: exit code $?"
if grep -q '<32 x half>' halves.err; then # the host computes with halves
    grep -q 'phi <32 x i16>' halves.err || wrong "halves of two chunks come round a loop one by one"
    grep -q 'fcmp ogt <32 x half>' halves.err || wrong "halves of two chunks are compared one by one"
    grep -q 'load volatile <32 x i16>' sums.err || wrong "halves of two chunks are loaded chunk by chunk"
fi

# Where gathers are slow, numbers of all lanes that lie here and there are loaded one by one in line.
cat >table.cl <<'END'
kernel void table(global const int *at, global const short *small, global const int *in, global int *out)
{
    int i = at[get_global_id(0)];
    out[i] = in[i] + small[i];
}
END
"$VENTUS_BUILD/ventus" cc table.cl -o table.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=v4 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run table.elf -g 32 -a iota:32 -a buf:64 -a buf:128 -a buf:128 --engine native 2>table.err ||
    wrong "table: exit code $?"
if grep -q '<16 x i32>' table.err && grep -q 'call.*masked.gather\|call.*load_i16(' table.err; then wrong "numbers of all lanes are gathered"; fi

# Hosts whose gathers are fast load and store doubles anywhere as longs.
# A number that is the same in all lanes is joined by one shuffle.
cat >anywhere.cl <<'END'
kernel void anywhere(global const int *at, global const double *in, global double *out)
{
    int i = at[get_global_id(0)];
    double x = in[i];
    if (x > 2) x = x * x - in[i ^ 1];
    out[i] = x * 0.5;
}
kernel void series(global double *a)
{
    int i = get_global_id(0);
    double x = a[i], sum = 1;
    for (int k = 0; k < 64; k++) sum = sum * x + (0.37 + k);
    a[i] = sum;
}
END
"$VENTUS_BUILD/ventus" cc anywhere.cl -o anywhere.elf || wrong "ventus cc"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run anywhere.elf -k anywhere -g 32 -a iota:32 -a buf:256 -a out:256:anywhere.bin --engine native \
    2>anywhere.err || wrong "anywhere: exit code $?"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run anywhere.elf -k series -g 32 -a buf:256 --engine native 2>series.err || wrong "series: exit code $?"
if grep -q '<32 x half>' halves.err; then # the host computes with halves, and its gathers are fast
    grep -q 'call.*masked.gather.v16i32' anywhere.err && wrong "words of doubles are gathered one by one"
    grep -q 'call.*masked.scatter.v8i64' anywhere.err || wrong "words of doubles are stored one by one"
fi
if grep -q '<16 x i32>' series.err; then
    tail -n +"$(grep -n ModuleID series.err | tail -1 | cut -d: -f1)" series.err >series.ll
    grep -q 'shufflevector <32 x i32>.*<16 x i32> <i32 31, i32 31, ' series.ll && wrong "a number of all lanes is taken apart and joined"
fi

# Words of doubles stay together up to where a warp is given back, and one instruction of AVX-512 makes NaNs canonical.
# Lanes part without the SIMT stack over a few operations on doubles, although each is a call with moves around it.
cat >far.cl <<'END'
kernel void far(global double *a)
{
    int i = get_global_id(0);
    double x = (a[i] + a[i + 200]) * a[i + 100];
    a[i] = x - a[i + 300] * a[i + 50];
}
kernel void border(global double *a)
{
    int i = get_global_id(0);
    double x = a[i];
    if (i % 32 && i % 32 != 31) x = ((((((x * 0.5 + 1) * x - 3) * x + 7) * x - 11) * x + 13) * x - 17) * x;
    a[i] = x;
}
END
"$VENTUS_BUILD/ventus" cc far.cl -o far.elf || wrong "ventus cc"
VENTUS_TRANSLATE_VERIFY=1 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run far.elf -k far -g 64 -l 32 -a buf:5120 --engine native 2>far.err || wrong "far: exit code $?"
VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run far.elf -k border -g 64 -l 32 -a buf:512 --engine native 2>border.err || wrong "border: exit code $?"
grep -q '^some' border.err || wrong "lanes that part over operations on doubles need the stack"
if grep -q '<16 x i32>' far.err; then
    tail -n +"$(grep -n ModuleID far.err | tail -1 | cut -d: -f1)" far.err >far.ll
    sed -n '/^exit:/,/^start/p' far.ll | grep -q 'phi <16 x \(i64\|double\)>' || wrong "words of doubles are taken apart in front of an exit"
    grep -q 'call.*fixupimm' far.ll || wrong "NaNs are made canonical by two instructions"
fi

# Long blocks are divided behind LLVM's passes: halves are some hundred instructions each where the host has none.
cat >long.cl <<'END'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void many(global half *a)
{
    int i = get_global_id(0);
    half x = a[i];
    a[i] = ((x + 1.5h) * x + 2.5h) * x + 3.5h;
}
END
"$VENTUS_BUILD/ventus" cc long.cl -o long.elf || wrong "ventus cc"
VENTUS_NATIVE_LEVEL=base VENTUS_TRANSLATE_EFFORT=least VENTUS_TRANSLATE_VERIFY=1 VENTUS_TRANSLATE_DUMP=1 "$VENTUS_BUILD/ventus" run long.elf -g 32 -a buf:64 \
    --engine native 2>long.err || wrong "long: exit code $?"
longest() { # of the nth module that is printed
    awk -v n="$1" '/^; ModuleID/ { module++; length_ = 0 } /^[^ ]/ { length_ = 0 } /^  / { length_++ }
                   module == n && length_ > most { most = length_ } END { print most + 0 }' long.err
}
[ "$(longest 2)" -gt 500 ] && [ "$(longest 2)" -le 2001 ] || wrong "the longest block has $(longest 2) instructions, before $(longest 1)"

cat >nonsense <<'END'
#!/bin/sh
exec cat /dev/urandom
END
cat >mute <<'END'
#!/bin/sh
exec sleep 100
END
cat >short <<'END'
#!/bin/sh
printf 'VNTN\0\0\0\0\377\0\0\0\0\0\0\0truncated'
END
chmod +x nonsense mute short
for translator in /nonexistent /bin/false ./nonsense ./short ''; do
    name=bad-$(basename "$translator" .)
    VENTUS_TRANSLATE=$translator run "$name" native 100
    same "$name"
    grep -q '(0.0 %)' "$name.err" || wrong "'$translator': something was translated: $(cat "$name.err")"
done

# One that does not answer is waited for a minute, three times, or as long as has been said.
VENTUS_TRANSLATE=./mute VENTUS_TRANSLATE_PATIENCE=1 run impatient native 100
same impatient

# In the background nobody waits for it, not even at the end.
run step auto 20000
start=$(date +%s)
VENTUS_ENGINE= VENTUS_TRANSLATE=./mute run mute auto 20000
[ $(($(date +%s) - start)) -lt 30 ] || wrong "a translator that does not answer holds up the end"
same mute

# Translations are kept: the next run is translated from its first instruction, although nothing in it is hot. Damaged
# ones are made again.
export VENTUS_CACHE=1 VENTUS_CACHE_DIR="$dir/cache"
await_kept() { # so many translations, a minute at most
    for i in $(seq 600); do
        [ "$(ls cache | grep -c native)" -ge "$1" ] && break
        sleep 0.1
    done
}
kept() { # name, engine, its share, how many came from the cache
    run "$1" "$2" 100
    same "$1"
    grep -q "($3 %); .* processor time, $4 from the cache" "$1.err" || wrong "$1: not $3 %, $4 from the cache: $(cat "$1.err")"
}
run step step 100
kept never-run auto 0.0 0
kept first native 100.0 0
kept second auto 100.0 1
kept third native 100.0 1
VENTUS_CACHE=0 kept off auto 0.0 0
VENTUS_CACHE_DIR='' kept empty auto 0.0 0
printf X | dd of="$(ls cache/*.native)" bs=1 seek=1000 conv=notrunc status=none
kept damaged native 100.0 0
kept repaired auto 100.0 1
truncate -s 1000 cache/*.native
kept truncated auto 0.0 0
: >file
VENTUS_CACHE_DIR=$dir/file/cache kept unwritable native 100.0 0
[ "$(ls cache)" = "$(ls cache/*.native | xargs -n 1 basename)" ] || wrong "something else is in the cache: $(ls cache)"

# What is made with less effort is another translation.
kept whole native 100.0 0
VENTUS_TRANSLATE_EFFORT=least kept quick native 100.0 0
VENTUS_TRANSLATE_EFFORT=least kept quick-again native 100.0 1

# Lanes that never part are translated for all of them alone, and of that `native`, when it is named, has no use.
rm cache/*.native
run step step 20000
VENTUS_ENGINE= run together auto 400000
await_kept 1
run step step 100
kept other native 100.0 0
VENTUS_TRANSLATE_LANES=convergent kept same native 100.0 1

# A program that ends while its kernel is being translated: who reads its output does not wait, and the next one finds the
# translation.
{
    echo 'kernel void sum(global int *out, int n) { int i = get_global_id(0), s = i; for (int k = 0; k < n; k++) {'
    for i in $(seq 20); do echo "if (s & $i) s = s * 3 + k; else s ^= $i << (k & 3);"; done
    echo 'out[i] = s; } }'
} >k.cl
"$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"
rm cache/*.native
VENTUS_ENGINE=auto "$VENTUS_BUILD/ventus" run k.elf -g 1024 -a buf:4096 -a i:2000 2>&1 | cat >read.txt
await_kept 1
kept_long() { VENTUS_STATS=1 "$VENTUS_BUILD/ventus" run k.elf -g 1024 -a buf:4096 -a i:1 2>&1 | grep -q ' 1 from the cache'; }
kept_long || wrong "what was begun for a program that has ended is lost: $(ls -la cache)"

# And translations of those that the translator had not begun.
for k in 1 2 3 4 5 6; do
    printf '//! run k%d global=1024 local=64\n//! arg a uint[1024] -> any\n' $k
    printf 'kernel void k%d(global uint *a)\n{\n    uint i = get_global_id(0), s = i;\n' $k
    printf '    for (uint j = 0; j < 40000; j++) s = s * %d3 + j;\n    a[i] = s;\n}\n' $k
done >many.cl
rm cache/*.native
VENTUS_ENGINE=auto VENTUS_STATS=1 "$VENTUS_BUILD/tests/clrun" many.cl >many.txt 2>&1 || wrong "many: exit code $?: $(cat many.txt)"
await_kept 6
VENTUS_ENGINE=auto VENTUS_STATS=1 "$VENTUS_BUILD/tests/clrun" many.cl >many.txt 2>&1
grep -q ' [6-9] from the cache' many.txt || wrong "some that waited are lost: $(grep native many.txt)"

# And of those that have run for a sixteenth of what makes them hot, but not of those that have hardly run.
sed 's/40000/100/' many.cl >warm.cl
sed 's/40000/1/' many.cl >cold.cl
rm cache/*.native
for name in warm cold; do
    VENTUS_ENGINE=auto "$VENTUS_BUILD/tests/clrun" $name.cl >$name.txt 2>&1 || wrong "$name: exit code $?: $(cat $name.txt)"
done
await_kept 6
VENTUS_ENGINE=auto VENTUS_STATS=1 "$VENTUS_BUILD/tests/clrun" warm.cl >warm.txt 2>&1
grep -q ' [6-9] from the cache' warm.txt || wrong "some that were warm are lost: $(grep native warm.txt)"
VENTUS_ENGINE=auto VENTUS_STATS=1 "$VENTUS_BUILD/tests/clrun" cold.cl >cold.txt 2>&1
grep -q ' 0 from the cache' cold.txt || wrong "what has hardly run was translated: $(grep native cold.txt)"

# A program that ends a moment after its kernel has become hot, while the translator is started.
for turns in 21 22 23 24 25 26; do # of the loop: 21 and more are hot
    rm -f cache/*.native
    VENTUS_ENGINE=auto "$VENTUS_BUILD/ventus" run k.elf -g 1024 -a buf:4096 -a i:$turns >/dev/null 2>&1
    await_kept 1
    kept_long || wrong "what was wanted in the last moment is lost, $turns turns: $(ls -la cache)"
done

# Where all translators are at work, another one is started, up to their number. They may come late: the program does
# not wait for them.
cat >begun <<'END'
#!/bin/sh
: >begun.$$
exec sleep 100
END
chmod +x begun
for number in 1 3; do
    VENTUS_ENGINE=auto VENTUS_TRANSLATORS=$number VENTUS_TRANSLATE=./begun "$VENTUS_BUILD/tests/clrun" many.cl >many.txt 2>&1
    for i in $(seq 100); do
        [ "$(ls | grep -c '^begun\.')" -ge $number ] && break
        sleep 0.1
    done
    [ "$(ls | grep -c '^begun\.')" = $number ] || wrong "$number translators: $(ls)"
    rm -f begun.*
done

# A name that is none
VENTUS_ENGINE=fastest "$VENTUS_BUILD/ventus" run k.elf -g 32 -a buf:128 -a i:1 2>err.txt && wrong "an engine that is none"
grep -q VENTUS_ENGINE err.txt || wrong "no word of VENTUS_ENGINE: $(cat err.txt)"
for threads in some -5 257; do
    VENTUS_THREADS=$threads "$VENTUS_BUILD/ventus" run k.elf -g 32 -a buf:128 -a i:1 2>err.txt && wrong "$threads threads"
    grep -q VENTUS_THREADS err.txt || wrong "no word of VENTUS_THREADS: $(cat err.txt)"
done
exit $status
