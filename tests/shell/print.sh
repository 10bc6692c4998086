# The print handshake: of many more lines than the print buffer holds, each arrives once, from all host threads, in every
# order of the lanes' ways and with atomics of either kind.
. "$VENTUS_SOURCE/tests/shell/common"
cat >lines.cl <<'END'
kernel void lines(int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        if ((i ^ k) & 1) printf("%d %v4d\n", i * n + k, (int4)(i, k, i, k));
        else if (i % 3 == 0) printf("%d with %d %d %d %d %d %d %d %d %d\n", i * n + k, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        else printf("%d\n", i * n + k);
}
END
i=0
while [ $i -lt 64000 ]; do echo $i; i=$((i + 1)); done >want.txt
for options in '--threads 2' '--profile r2.1 --order taken' '--order fallthrough --lanes 8'; do
    case $options in --profile*) profile=r2.1 ;; *) profile=default ;; esac
    check 0 '' "$ventus" cc --profile $profile lines.cl -o lines.elf
    timeout 60 "$ventus" run lines.elf -g 1280 -l 64 -a i:50 $options >out.txt || wrong "exit code with $options"
    cut -d ' ' -f 1 out.txt | sort -n >lines.txt
    cmp lines.txt want.txt || wrong "lines are lost or doubled with $options"
done
exit $status
