# What the compiler's code does without: each kernel here has as many instructions of a kind as it needs.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# The instructions of the kernel on standard input, without the start code, to code.txt.
compile() {
    cat >k.cl
    "$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"
    "$VENTUS_BUILD/ventus" objdump --text k.elf | sed '1,/^k:/d' >code.txt
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
exit $status
