# What launches give kernels in assembly: the print buffer, private memory, registers, csr_gds.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
words() { od -An -v -tx4 "$1" | tr -s ' \n' ' '; }

# Address and size of the print buffer are in the metadata block when there is a format.
printf '%s\n' '.kernel k' '.arg global, out' 'k: csrr t0, CSR_KNL' 'lw t1, 48(t0)' 'lw t2, 52(t0)' \
    'lw t0, 0(a0)' 'snez t1, t1' 'sw t1, 0(t0)' 'sw t2, 4(t0)' 'ret' >print.s
check 0 '' "$ventus" as print.s && check 0 '' "$ventus" run print.elf -g 1 -a out:8:out.bin
[ "$(words out.bin)" = ' 00000000 00000000 ' ] || wrong 'a print buffer that nobody wants'
echo '.print_format 1, "x"' >>print.s
check 0 '' "$ventus" as print.s && check 0 '' "$ventus" run print.elf -g 1 -a out:8:out.bin
[ "$(words out.bin)" = ' 00000001 00100000 ' ] || wrong 'no print buffer'
echo 'f: ret' >f.s # of an object without kernels, too
echo '.print_format 2, "y"' >>f.s
sed -i '$d' print.s
check 0 '' "$ventus" as -c print.s && check 0 '' "$ventus" as -c f.s && check 0 '' "$ventus" ld print.o f.o -o linked.elf &&
    check 0 '' "$ventus" run linked.elf -g 1 -a out:8:out.bin
[ "$(words out.bin)" = ' 00000001 00100000 ' ] || wrong 'no print buffer in a linked program'

# The last word of 1 KiB, or what .kernel says.
private() { # what .kernel says, offset of a word that can be used, of one that cannot
    for at in $2 $3; do
        printf '%s\n' ".kernel k$1" '.arg global, out' 'k: lw t0, 0(a0)' 'vid.v v0' "li t1, $at" 'vmv.v.x v1, t1' \
            'vsw.v v0, 0(v1)' 'vlw.v v2, 0(v1)' 'vsll.vi v3, v0, 2' 'vadd.vx v3, v3, t0' 'vsw12.v v2, 0(v3)' 'ret' >private.s
        check 0 '' "$ventus" as private.s && check $((at == $3)) '' "$ventus" run private.elf -g 3 -a out:12:out.bin
    done
}
private '' 1020 1024
[ "$(words out.bin)" = ' 00000000 00000001 00000002 ' ] || wrong 'private memory of 1 KiB'
private ', pds=64' 60 1020

# Registers come in fours.
for n in 5 6 8; do
    for reg in 7 8; do
        printf '%s\n' ".kernel k, vgpr=$n, sgpr=$((n + 28))" "k: vmv.v.i v$reg, 1" "li x$((reg + 28)), 1" 'ret' >registers.s
        check 0 '' "$ventus" as registers.s && check $((reg == 8)) '' "$ventus" run registers.elf -g 1
    done
done

# csr_gds: the global space begins there; flat addresses do not change.
printf '%s\n' '.option profile, r2025' '.kernel k' '.arg global, out' 'k: vid.v v0' 'vsll.vi v1, v0, 2' 'vadd.vi v0, v0, 7' \
    'vsw_global.v v0, 0(v1)' 'lw t0, 0(a0)' 'vadd.vx v1, v1, t0' 'vsw12.v v0, 16(v1)' 'ret' >gds.s
check 0 '' "$ventus" as gds.s
check 1 'unmapped' "$ventus" run gds.elf -g 2 -a out:32:out.bin # nothing is mapped at 0
printf '%s\n' '.option profile, r2025' '.kernel k' '.arg global, out' 'k: lw t0, 0(a0)' 'sw t0, 0(t0)' 'ret' >where.s
check 0 '' "$ventus" as where.s && check 0 '' "$ventus" run where.elf -g 1 -a out:32:out.bin
at=$(words out.bin | cut -d ' ' -f 2) # a buffer of this size is there in every launch
check 0 '' "$ventus" run gds.elf --csr-gds 0x$at -g 2 -a out:32:out.bin
[ "$(words out.bin)" = ' 00000007 00000008 00000000 00000000 00000007 00000008 00000000 00000000 ' ] || wrong 'csr_gds'
check 2 'goes with an executable' "$ventus" run --csr-gds 16 --case none
check 2 'csr-gds' "$ventus" run gds.elf --csr-gds x -g 1
exit $status
