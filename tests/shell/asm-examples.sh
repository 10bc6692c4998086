# The hand-written kernels of examples/asm. The matrices are of small integers, so that products are exact.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
PATH=$VENTUS_BUILD:$PATH
asm=$VENTUS_SOURCE/examples/asm status=0

# inputs M N K: A (a.txt) and B (b.txt) as words of two halves each, A x B (want.txt) as numbers, one a line.
inputs() {
    awk -v m="$1" -v n="$2" -v k="$3" '
        function half(x,    e, sign) { # the encoding of a whole number below 2048
            if (x == 0) return 0
            if (x < 0) { sign = 32768; x = -x }
            for (e = 0; x >= 2 ^ (e + 1); e++);
            return sign + (e + 15) * 1024 + (x / 2 ^ e - 1) * 1024
        }
        function a(i, j) { return (5 * i + 3 * j) % 11 - 4 }
        function b(i, j) { return (7 * i + 2 * j) % 13 - 5 }
        function word(low, high) { return sprintf("%.0f", half(low) + 65536 * half(high)) }
        BEGIN {
            for (i = 0; i < m; i++) for (j = 0; j < k; j += 2) print word(a(i, j), a(i, j + 1)) > "a.txt"
            for (i = 0; i < k; i++) for (j = 0; j < n; j += 2) print word(b(i, j), b(i, j + 1)) > "b.txt"
            for (i = 0; i < m; i++) for (j = 0; j < n; j++) {
                for (sum = l = 0; l < k; l++) sum += a(i, l) * b(l, j)
                print sum > "want.txt"
            }
        }'
}

# check WHAT, of c.bin
check() {
    od -An -v -tf4 -w4 c.bin | awk '{ print $1 + 0 }' >have.txt
    cmp -s want.txt have.txt || { echo "FAILED: $1"; diff want.txt have.txt | head -n 6; status=1; }
    rm -f c.bin
}

# Every number from 1 on: groups of 48 work-items, so that the last warp of each is not full.
awk 'BEGIN { for (i = 1; i <= 480; i++) {
         print i > "a.txt"
         n = i
         for (s = 0; n != 1; s++) n = n % 2 ? 3 * n + 1 : n / 2
         print s > "want.txt" } }'
for profile in default toolchain r2.0 r2.1 r2025; do
    ventus as --profile $profile "$asm/collatz.s" -o collatz.elf || exit 1
    ventus run --profile $profile collatz.elf -g 480 -l 48 -a ints:@a.txt --save 0:c.bin
    od -An -v -tu4 -w4 c.bin | awk '{ print $1 }' >have.txt
    cmp -s want.txt have.txt || { echo "FAILED: collatz.s, $profile"; status=1; }
done

# A line of each work-item, those of a warp in the order of its lanes.
ventus as "$asm/print.s" -o print.elf || exit 1
for items in 1 33 96; do
    ventus run print.elf -g $items -l $items | sort -n -k 2 >have.txt
    awk -v n=$items 'BEGIN { for (i = 0; i < n; i++) print "work-item " i " of " (i < 32 ? "warp 0" : "a later warp") }' >want.txt
    cmp -s want.txt have.txt || { echo "FAILED: print.s, $items work-items"; status=1; }
done

cp "$asm/tile.s" "$asm/matmul.s" .
for profile in default r2025; do
    [ $profile = default ] || sed -i '/mma\./s/row\.col/row.row/; s/v, 8, t0/v, 9, t0/' tile.s matmul.s # as their first lines say
    ventus as --profile $profile tile.s && ventus as --profile $profile matmul.s || exit 1
    inputs 16 16 16
    ventus run --profile $profile tile.elf -g 32 -a ints:@a.txt -a ints:@b.txt -a out:1024:c.bin
    check "tile.s, $profile"
    inputs 48 64 80
    ventus run --profile $profile matmul.elf -g 128,3 -l 32,1 -a ints:@a.txt -a ints:@b.txt -a out:12288:c.bin -a i:64 -a i:80
    check "matmul.s, $profile"
done
exit $status
