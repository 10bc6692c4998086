# The `ventus` command: a kernel from source to result, listings that assemble to the same bytes, and
# messages with the right exit codes for what users get wrong.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

head -c 16 /dev/zero >ints.bin
cat >add.s <<'S'
        .kernel add
        .arg    global, a
        .arg    value, n
        .arg    global, out
add:    lw      t0, 0(a0)
        lw      t1, 4(a0)
        lw      t2, 8(a0)
        csrr    a1, CSR_TID
        vid.v   v0
        vadd.vx v0, v0, a1              # work-item in its group
        csrr    a2, CSR_KNL
        lw      a3, 24(a2)              # local size
        csrr    a4, CSR_GIDX
        mul     a3, a3, a4
        vadd.vx v0, v0, a3              # global id
        vsll.vi v40, v0, 2
        vadd.vx v1, v40, t0
        vlw12.v v2, 0(v1)
        vadd.vx v2, v2, t1
        vadd.vx v3, v40, t2
        vsw12.v v2, 0(v3)
        ret
        .section .rodata
text:   .asciz  "constants"
S
check 0 '' "$ventus" as add.s
check 0 'vsw12.v' "$ventus" objdump add.elf
cp out.txt add.lst
check 0 '' "$ventus" as add.lst -o again.elf
cmp add.elf again.elf || wrong "objdump and as do not give the same file"
check 0 'regext' "$ventus" objdump --raw add.elf
cp out.txt raw.lst
check 0 '' "$ventus" as raw.lst -o raw.elf
cmp add.elf raw.elf || wrong "objdump --raw and as do not give the same file"
check 0 '' "$ventus" as --vmem add.s -o add.vmem
check 0 'vlw12.v' "$ventus" objdump add.vmem

check 0 '5 6 7 8 9 10 11 12' "$ventus" run add.elf -k add -g 40 -l 20 -a iota:40 -a i:5 -a out:160:sum.bin --show 2 --stats
grep -q 'warp instructions' out.txt || wrong "no statistics"
[ "$(od -An -tu4 -N8 sum.bin | tr -s ' ')" = ' 5 6' ] || wrong "the result file is wrong"
check 0 '43 44' "$ventus" run add.elf --global=4 --lanes 4 -a ints:42,43,44,45 -a i:1 -a buf:16 --show 2:u

check 0 'mul     x13, x13, x14' "$ventus" run add.elf -g 8 -l 4 -a iota:8 -a i:1 -a buf:32 --trace -
check 0 '' "$ventus" run add.elf -g 4 -a iota:4 -a i:1 -a out:@ints.bin:inout.bin
for c in 'as add.s' 'ld add.o' 'objdump add.vmem'; do check 2 'not a multiple of 4' sh -c "'$ventus' $c --base 0x80000002"; done
check 1 'addr\|0x' "$ventus" run add.elf -g 32 -a null -a i:5 -a buf:128
check 2 'there is no kernel' "$ventus" run add.elf -k sub -g 1
check 2 'takes 3 arguments, 1 are given: a n out' "$ventus" run add.elf -g 1 -a iota:1
check 2 'is a value' "$ventus" run add.elf -g 1 -a iota:1 -a iota:1 -a iota:1
check 2 "'x' is no integer of 4 bytes" "$ventus" run add.elf -g 1 -a iota:1 -a i:x -a iota:1
check 2 "'2.y' is no floating-point number" "$ventus" run add.elf -g 1 -a floats:1,2.y -a i:1 -a iota:1
check 1 'at most 1024 work-items' "$ventus" run add.elf -g 65536,65536 -l 65536,65536 -a iota:1 -a i:1 -a iota:1
check 2 'no multiple' "$ventus" run add.elf -g 5 -l 2 -a iota:5 -a i:1 -a iota:5
check 2 "did you mean '--global'" "$ventus" run add.elf --globl 3
check 2 "did you mean 'iota" "$ventus" run add.elf -g 1 -a itoa:3
check 1 'neither an ELF' "$ventus" run add.s -g 1
check 1 'cannot open' "$ventus" objdump nothing.elf
check 1 'is a folder' "$ventus" as . -o x.elf
check 1 'bad.s:1:1: error: unknown instruction' sh -c "echo 'adi a0, a0, 1' >bad.s; '$ventus' as bad.s -o x.elf"
check 1 "did you mean 'addi'" "$ventus" as bad.s -o x.elf
[ ! -e x.elf ] || wrong "a file was written in spite of errors"
check 1 'cannot write' "$ventus" as add.s -o /dev/full
[ -c /dev/full ] || wrong "a device was removed"
for c in 'info' 'as --help' 'objdump add.elf' 'as add.s -o -' 'run add.elf -g 1 -a iota:1 -a i:1 -a iota:1 --show 2'; do
    check 1 'cannot write standard output: No space' sh -c "'$ventus' $c >/dev/full"
    check 1 'cannot write standard output' sh -c "'$ventus' $c >&-"
done
check 1 'cannot write standard output' sh -c "'$ventus' run add.elf -g 1 -a iota:1 -a i:1 -a iota:1 --show 2 --save 2:saved.bin >&-"
[ "$(od -An -tu4 saved.bin | tr -s ' ')" = ' 1' ] || wrong "what was printed is in a file"
for o in save=0: trace= trace-binary=; do
    check 1 'cannot write full.out' sh -c "ulimit -f 1; trap '' XFSZ
        '$ventus' run add.elf -g 1024 -a iota:1024 -a i:1 -a iota:1024 --${o}full.out"
    [ ! -e full.out ] || wrong "half a file was left: --$o"
done
check 1 'is a folder' "$ventus" trace .
check 2 "ventus-cc: --optoins: unknown option" "$ventus" cc --optoins x
check 3 'ventus-cc: error: cannot open nothing.cl' "$ventus" cc nothing.cl -o nothing.elf
echo 'kernel void k(void) {}' >mode.cl
for mask in 022 077; do
    check 0 '' sh -c "umask $mask; '$ventus' cc mode.cl -o mode.elf"
    [ "$(stat -c %a mode.elf)" = $(echo $mask | sed 's/^022$/644/; s/^077$/600/') ] || wrong "umask $mask: mode $(stat -c %a mode.elf)"
done
check 3 'cannot write none/mode.elf: No such' "$ventus" cc mode.cl -o none/mode.elf
mkdir folder.elf
check 3 'cannot write folder.elf: Is a directory' "$ventus" cc mode.cl -o folder.elf
[ -z "$(ls -A folder.elf; ls mode.elf.* 2>/dev/null)" ] || wrong "half a program was left"
check 2 "ventus-cc: b.cl: one source" "$ventus" cc a.cl b.cl

# Compiler, assembler and linker put their results in the same places when nobody says where.
mkdir places
echo 'kernel void k(global int *x) { *x = 1; }' >places/k.cl
printf '.kernel k\nk: ret\n' >places/s.s
check 0 '' "$ventus" cc places/k.cl
check 0 '' "$ventus" cc --options -cl-std=CL3.0 --compile --profile default places/k.cl
check 0 '' "$ventus" as places/s.s
check 0 '' "$ventus" as -c places/s.s
[ "$(cd places && ls | tr '\n' ' ')" = 'k.cl k.elf k.o s.elf s.o s.s ' ] || wrong "results are in: $(ls places)"
check 0 '' "$ventus" cc --link places/k.o
mv a.elf places/linked.elf || wrong 'cc --link: no a.elf'
check 0 '' "$ventus" ld places/s.o
mv a.elf places || wrong 'ld: no a.elf'
"$ventus" cc <places/k.cl >places/standard.elf || wrong 'cc of standard input'
check 0 '' "$ventus" run places/standard.elf -g 1 -a buf:4
check 2 'cc: the source would be overwritten' "$ventus" cc places/k.elf
"$ventus" cc --preprocess places/k.cl | grep -q 'kernel void k' || wrong 'cc --preprocess'
check 0 'FILE \[--kernel NAME\] --global' "$ventus" run --help
check 0 '^shuffle.bfly$' "$ventus" isa shuffle
[ "$("$ventus" isa amoadd | tail -n +2 | tr '\n' ' ')" = 'amoadd.w amoadd.d ' ] || wrong "a list of instructions with names twice"
check 2 'a source file is needed' "$ventus" as
check 2 "did you mean 'objdump'" "$ventus" objdmp
check 2 "did you mean '--help'" "$ventus" run --hlep
check 2 'commands:' "$ventus"
check 0 'commands:' "$ventus" --help
check 0 'usage: ventus run' "$ventus" help run
for c in as cc objdump run trace info; do check 0 "usage: ventus $c" "$ventus" $c --help; done
check 0 'lanes of a warp' "$ventus" info
check 2 'unexpected argument' "$ventus" info x

# The kernel that --help shows, for several warps.
"$ventus" as --help | sed -n '/^ *\.kernel/,/ret/p' >hello.s
check 0 '' "$ventus" as hello.s
check 0 '^  40 41 42 43 44 45 46 47$' "$ventus" run hello.elf -g 64 -a buf:256 --show 0:u

# A recorded launch, made here: store CSR_GIDX + 7 at the address in the metadata block, two groups.
cat >case.s <<'S'
        csrr    t0, CSR_KNL
        lw      t0, 0(t0)
        csrr    t1, CSR_GIDX
        slli    t2, t1, 2
        add     t0, t0, t2
        addi    t1, t1, 7
        sw      t1, 0(t0)
        endprg
S
check 0 '' "$ventus" as --vmem case.s -o case.vmem
pair() { for v; do printf '%08x\n00000000\n' "$v"; done; }
# start, kernel, groups x y z, lanes, warps, metadata, lds, pds, sgprs, vgprs, pds base, buffers;
# their addresses, sizes and allocations: result, code, metadata block
pair 0x80000000 0 2 1 1 4 1 0x90001000 4096 0 64 64 0 3 \
     0x90000000 0x80000000 0x90001000 8 32 4 8 32 64 >one.metadata
{ printf '00000000\n00000000\n'; cat case.vmem; echo 90000000; } >one.data
check 0 'one.metadata: 16 warp instructions' "$ventus" run --case one.metadata --dump 0x90000000:8:case.bin --stats
grep -q 'work-groups  *2$' out.txt || wrong "not two work-groups"
[ "$(od -An -tu4 case.bin | tr -s ' ')" = ' 7 8' ] || wrong "the recorded launch gave something else"
check 1 'no buffer covers' "$ventus" run --strict --case one.metadata --dump 0xa0000000:8:case.bin
check 2 'ADDR:BYTES:FILE' "$ventus" run --case one.metadata --dump 0x90000000:8
check 2 'either an executable or --case' "$ventus" run add.elf --case one.metadata
printf '00000000\n' >two.metadata
: >two.data
check 1 'two.metadata: ' "$ventus" run --case two.metadata
check 1 'three.metadata: ' "$ventus" run --case three.metadata
exit $status
