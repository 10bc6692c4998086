# A program in two objects, linked with the start code, runs; wrong inputs are refused.
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

refused() { # pattern, command...
    local want=$1 text
    shift
    text=$("$@" 2>&1) && fail "accepted: $*"
    echo "$text" | grep -q -e "$want" || fail "$*: no '$want' in: $text"
}
refused "undefined symbol 'number'" "$ventus" ld main.o
refused "defined in library.o, too" "$ventus" ld main.o library.o library.o
refused 'not an object' "$ventus" ld program.elf -o other.elf
refused 'not an ELF file' "$ventus" ld main.s
refused 'both input and output' "$ventus" ld main.o -o main.o
exit $status
