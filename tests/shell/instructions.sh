# What the compiler's code does without: each kernel here has as many instructions of a kind as it needs.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# The program on standard input to all.txt, its kernel k without the start code to code.txt.
compile() {
    cat >k.cl
    "$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"
    "$VENTUS_BUILD/ventus" objdump --text k.elf >all.txt
    sed '1,/^k:/d' all.txt >code.txt
}
expect() { # how many, of which instructions, what is wrong otherwise
    [ "$(grep -c "$2" code.txt)" = "$1" ] || wrong "$3: $(grep "$2" code.txt)"
}

# Accesses add the arguments, which all lanes share, to what differs between them.
compile <<'END'
kernel void k(global const float *a, global const float *b, global float *sum, int n)
{
    int i = get_global_id(0);
    if (i < n) sum[i] = a[i] + b[i];
}
END
expect 3 'v[ls]oxei32.v' "not all accesses are indexed"
compile <<'END'
kernel void k(global const int *a, global int *b, int row, int n)
{
    global int *to = b + row * n;
    to[get_local_id(0) * n + get_local_id(1)] = a[get_local_id(1)];
}
END
expect 2 'v[ls]oxei32.v' "the row is not in the scalar that is added"

# A kernel that is alone follows the start code; kernels end the warp, and find the metadata block without reading where.
alone='kernel void k(global int *a) { a[get_global_id(0)] = 1; }'
echo "$alone" | compile
expect 0 'jalr\|CSR_KNL' "a kernel that is alone is called"
expect 1 'endprg' "a kernel does not end the warp"
[ "$(grep -c 'CSR_KNL' all.txt)" = 1 ] || wrong "CSR_KNL is not read once"
echo "$alone kernel void other(global int *a) { a[0] = 2; }" | compile
[ "$(grep 'jalr' all.txt | cut -f 3-)" = 'jalr	zero, 0(t1)' ] || wrong "the start code does not jump to kernels: $(grep jalr all.txt)"
for k in k other; do
    "$VENTUS_BUILD/ventus" run k.elf -k $k -g 64 -a buf:256 --show 0 >$k.txt || wrong "$k fails"
done
cmp -s k.txt other.txt && wrong "two kernels are one"

# Elements of vectors, too, are loaded with their signs where these are wanted, and without them elsewhere.
compile <<'END'
kernel void k(global const char *a, global const short *b, global int *sum)
{
    char4 x = vload4(get_local_id(0), a);
    short2 y = vload2(get_local_id(0), b);
    sum[get_local_id(0)] = x.x * x.y + x.z - (uchar)x.w + y.x * y.y;
}
END
expect 3 'vlb12.v' "not all signed bytes are loaded as such"
expect 1 'vlbu12.v' "an unsigned byte is loaded as a signed one"
expect 2 'vlh12.v' "not all signed halves of words are loaded as such"
expect 0 'vsra' "loads are made signed behind them"

# What stays the same in a loop is copied to all lanes in front of it.
compile <<'END'
kernel void k(global int *a, int n, int m)
{
    for (int i = get_local_id(0); i < n; i += 64)
        if (a[i] == m) a[i] = n;
}
END
sed -i '1,/vlw12/d' code.txt
expect 0 'vmv.v.x' "the loop copies scalars"

# Comparisons that are inverted are joined, and the branch inverts them.
compile <<'END'
kernel void k(global int *a, int n, int m)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= m) return;
    a[y * n + x] = x == 0 || y == 0;
}
END
expect 2 'vmslt' "not two comparisons"
expect 0 'vxor' "comparisons are inverted"

# Branches with the same join find it in rpc.
compile <<'END'
kernel void k(global const char *a, constant char *b, global int *to)
{
    int i = get_global_id(0), n = 0;
    while (n < 8 && a[i + n] == b[n]) n++;
    to[i] = n;
}
END
expect 1 'setrpc' "a join is named again"

# A loop that exchanges a word until nobody has written in between is lr.w, what is computed, and sc.w.
for form in 'do o = *p; while (atomic_cmpxchg(p, o, o * 3 + i) != o);' \
    'int s = *p; do { o = s; s = atomic_cmpxchg(p, o, o * 3 + i); } while (s != o);'; do
    compile <<END
kernel void k(global int *a) { int i = get_global_id(0), o; volatile global int *p = a + (i & 7); $form }
END
    expect 1 'lr.w' "the word is loaded twice"
    expect 1 'sc.w' "the word is stored twice"
    expect 1 'vbne' "something else is compared"
    expect 0 'v[luw]*12.v\|vl[uo]xei' "the word is loaded in front of the loop, too"
done
compile <<'END'
kernel void k(volatile global int *a) { int i = get_global_id(0), o, n = 0; do { o = *a; n++; } while (atomic_cmpxchg(a, o, o + i) != o); a[i + 1] = n; }
END
expect 3 'vb[en][eq]' "a loop whose rounds are counted goes round more often"

# A search that goes on from what it has found copies nothing in its loop.
compile <<'END'
kernel void k(global int *a, int x)
{
    int i = get_global_id(0) << 8;
    while (a[i] < x) i++;
    a[i] = i;
}
END
expect 0 'vmv.v.v' "the loop copies its variable"
expect 0 'jal' "the loop has a block of copies"
expect 1 'vsw12.v.*-4(' "the address is not the one before"

# A variable that a loop changes at times keeps its register.
compile <<'END'
kernel void k(global const int *a, global int *to, int n)
{
    int low = 0, high = n, x = to[get_global_id(0)];
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < x) low = middle + 1;
        else high = middle;
    }
    to[get_global_id(0)] = low;
}
END
expect 0 'vmv.v.v' "the loop copies a variable"
expect 1 'vmacc' "the variable is not the addend"

# Addresses that a block in front has computed.
compile <<'END'
kernel void k(global int *a, global int *b)
{
    int i = get_global_id(0);
    if (b[i] > 3) a[i] = 7;
    a[i + 64] = b[i + 64];
}
END
expect 1 'vsll' "an index is shifted again"
exit $status
