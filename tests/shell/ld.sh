# A program in two objects, linked with the start code, runs; objects are listed; wrong inputs are refused.
ventus=$VENTUS_BUILD/ventus
work=$VENTUS_RESULTS/ld
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
status=0
fail() { echo "$*"; status=1; }

cat >main.s <<'END'
        .kernel main
        .arg    global, out
main:   addi    sp, sp, 4
        sw      ra, 0(sp)
        lw      t0, 0(a0)
        la      t1, number
        lw      a0, 0(t1)
        call    twice
        vid.v   v0
        vmv.v.x v40, a0
        vmv.v.x v1, t0
        vsll.vi v2, v0, 2
        vadd.vv v1, v1, v2
        vadd.vv v0, v0, v40
        vsw12.v v0, 0(v1)
        lw      ra, 0(sp)
        addi    sp, sp, -4
        ret
END
cat >library.s <<'END'
        .include "names.s"
        .globl  twice, number
twice:  slli    a0, a0, SHIFT
        ret
        .data
number: .word   50
END
echo '.set SHIFT, 1' >names.s
"$ventus" as -c main.s && "$ventus" as -c library.s && "$ventus" ld main.o library.o -o program.elf || fail "no program"
"$ventus" run program.elf -g 4 -a out:16:out.bin >/dev/null || fail "the program does not run"
result=$(od -An -t u4 out.bin | tr -s ' ')
[ "$result" = " 100 101 102 103" ] || fail "the result is$result"
"$ventus" objdump program.elf >program.s && "$ventus" as program.s -o again.elf && cmp program.elf again.elf || fail "the listing is another program"

for o in main library; do # the text of an object, listed and assembled, has the same words
    for form in '' --raw; do
        "$ventus" objdump $form $o.o >$o.lst && "$ventus" as $o.lst -o $o.elf && "$ventus" objdump --text --raw $o.o >$o.want || fail "no listing of $o.o"
        "$ventus" objdump --text --raw $o.elf >$o.got
        grep -v '^#' $o.want | cut -f 1,2 >$o.want-words
        cut -f 1,2 $o.got >$o.got-words
        cmp $o.want-words $o.got-words || fail "the listing of $o.o is another text"
    done
done
"$ventus" objdump main.o >main.lst
grep -A 1 '^# R_RISCV_CALL_PLT twice$' main.lst | grep -q auipc || fail "no relocation in front of the call"
grep -q '^# R_RISCV_PCREL_LO12_I .text+' main.lst || fail "no %pcrel_lo in the listing"
"$ventus" objdump library.o | grep -A 2 'section .data' | grep -q '^number:' || fail "no data in the listing"
printf 'nop\n.data\n.word 1\n.section .rodata\n.word 2\n' >parts.s
"$ventus" as -c parts.s && sed 's/\.rodata/.mydata/' parts.o >named.o && "$ventus" objdump named.o >parts.lst
[ "$(grep -A 1 '^# section' parts.lst | tr -d '\t\n')" = '# section .mydata.section .rodata' ] ||
    fail "sections are named that have their usual name, or not named"
printf '.text\n.word 0\n.data\nd: .zero 40\n.word d+4\n.zero 40\n.byte 1\n.bss\nb: .zero 99' >data.s
"$ventus" as -c data.s && "$ventus" objdump data.o >data.lst
grep -A 1 '^# R_RISCV_32 .data+4$' data.lst | grep -q '^00000028:.*\.word' || fail "no relocation in the data"
grep -q 'zero.99' data.lst || fail "no .bss in the listing"

printf '.data\na: .byte 1\nb: .byte 2, 3, 4, 5\n.balign 4\nc: .half 6\nd: .byte 7, 8, 9\n.text\nnop\n' >odd.s
"$ventus" as odd.s -o odd.elf && "$ventus" objdump odd.elf >odd.lst && "$ventus" as odd.lst -o again.elf && cmp odd.elf again.elf ||
    fail "data at odd addresses are listed as others"

# Named sections: the object is one for binutils, too, and the linked program is what the assembler makes of the text.
cat >named.s <<'END'
        .kernel k
        .arg    global, out
k:      la      t1, number
        lw      t1, 0(t1)
        lw      t2, shared
        lw      t0, 0(a0)
        add     t1, t1, t2
        sw      t1, 0(t0)
        ret
        .section ".tohost", "aw", @progbits
        .align  6
number: .word   7
        .section .comment, "MS", @progbits, 1
        .string "text"
        .comm   shared, 4
END
if command -v readelf >/dev/null; then
    "$ventus" as -c named.s && readelf -SsrW named.o >named.txt 2>named.err || fail "readelf does not read the object"
    [ -s named.err ] && fail "readelf: $(cat named.err)"
    grep -q '\.tohost *PROGBITS *00000000 [0-9a-f]* 000004 00 *WA *0 *0 64' named.txt || fail "no section .tohost"
    grep -q '\.comment .* 01 *MS ' named.txt || fail "no section .comment"
    grep -q 'OBJECT *GLOBAL DEFAULT *COM shared' named.txt || fail "no common symbol"
fi
"$ventus" as named.s -o assembled.elf && "$ventus" as -c named.s && "$ventus" ld named.o -o linked.elf || fail "no named sections"
for program in assembled linked; do
    "$ventus" run $program.elf -g 1 -a out:4:out.bin >/dev/null && [ "$(od -An -t u4 out.bin | tr -d ' ')" = 7 ] ||
        fail "$program.elf: wrong data in named sections"
done

# The start code is there unless it is not wanted, or not needed.
"$ventus" as -c -o own.o - <<'END'
_start: endprg
        .kernel k
k:      ret
END
printf 'f: ret\n' | "$ventus" as -c -o plain.o -
for o in main.o=_start own.o= plain.o= '--no-start main.o='; do
    "$ventus" ld ${o%=*} library.o -o linked.elf && "$ventus" objdump --text linked.elf >linked.lst || fail "ld ${o%=*}"
    grep -q 'vsetvli' linked.lst && got=_start || got=
    [ "$got" = "${o#*=}" ] || fail "ld ${o%=*}: start code where none belongs, or none"
done

# It clears all of .bss and nothing behind it, in each warp.
printf '.kernel k\nk: ret\n.bss\n.zero 5\n' >bss.s
"$ventus" as bss.s && "$ventus" as -c bss.s && "$ventus" ld bss.o -o linked.elf || fail "no program with .bss"
for program in bss linked; do
    "$ventus" run $program.elf -g 64 --check || fail "$program.elf: the start code is not clean"
done

for source in '_start: endprg\n.kernel k\nk: ret\n=' '.kernel k\nk: ret\n=_start'; do
    printf "${source%=*}" | "$ventus" as -o one.elf - && "$ventus" objdump --text one.elf >one.lst || fail "as ${source%=*}"
    grep -q 'vsetvli' one.lst && got=_start || got=
    [ "$got" = "${source#*=}" ] || fail "as '${source%=*}': start code where none belongs, or none"
done

refused() { # pattern, command...
    local want=$1 text
    shift
    text=$("$@" 2>&1) && fail "accepted: $*"
    echo "$text" | grep -q -e "$want" || fail "$*: no '$want' in: $text"
}
refused "undefined symbol 'number'" "$ventus" ld main.o
refused "defined in library.o, too" "$ventus" ld main.o library.o library.o
refused 'not an object' "$ventus" ld program.elf -o other.elf
head -c 300 main.o >short.o
refused 'short.o: error: .*cut off' "$ventus" objdump short.o
refused 'not an ELF file' "$ventus" ld main.s
refused 'both input and output' "$ventus" ld main.o -o main.o
exit $status
