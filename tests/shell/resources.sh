# Resource records in every version: the linker makes them of summaries or the module note, objdump prints
# them, and its listings assemble to the same file again.
ventus=$VENTUS_BUILD/ventus
work=$VENTUS_RESULTS/resources
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
status=0
fail() { echo "$*"; status=1; }
shows() { # file, pattern of a line of its records
    "$ventus" objdump --resources "$1" | grep -q -x -e "$2" || fail "$1: no '$2' in: $("$ventus" objdump --resources "$1")"
}
same() { # a listing is the file it was made of
    "$ventus" objdump "$1" >again.s && "$ventus" as --no-start again.s -o again.elf && cmp "$1" again.elf || fail "the listing of $1 is another program"
}

cat >kernel.s <<'END'
        .kernel main, lds=100, pds=20
main:   ret
END
"$ventus" as -c kernel.s || fail "no object"
for version in 0 1 2 3; do
    "$ventus" ld --resource-version $version kernel.o -o v$version.elf || fail "not linked in version $version"
    shows v$version.elf "main: version $version, vgpr 4, sgpr 32, lds 100, pds 20.*"
    same v$version.elf
done
"$ventus" ld kernel.o -o none.elf && [ -z "$("$ventus" objdump --resources none.elf)" ] || fail "records nobody asked for"

cat >summary.s <<'END'
        .globl  main
main:   call    helper
        ret
        .section .ventus.resobj
        .word   0x5652534f, 1, 0, 1, 1, 0, 36, 100, 108
        .word   main, 1
        .quad   10, 20, 100, 8, 4
        .word   0, 1, 0, 0, helper, 0
END
cat >helper.s <<'END'
        .globl  helper
helper: ret
        .section .ventus.resobj
        .word   0x5652534f, 1, 0, 1, 0, 0, 36, 100, 100
        .word   helper, 0
        .quad   30, 2, 11, 3, 0
        .word   0, 0, 0, 0
END
"$ventus" as -c summary.s && "$ventus" as -c helper.s && "$ventus" ld summary.o helper.o -o linked.elf || fail "no program"
shows summary.o '    calls helper'
shows linked.elf 'main: version 2, vgpr 30, sgpr 20, lds 0, pds 0, lds stack 111, pds stack 15'
same linked.elf
readelf -SW linked.elf | grep -q resobj && fail "the summaries are still there"
readelf -SW linked.elf | grep -q '\.ventus\.resource\.main' || fail "no section of its own"
readelf -aW linked.elf 2>&1 | grep -i -e warning -e error -e corrupt && fail "readelf complains"
printf 'helper2: ret\n.section .ventus.resource.old\n.half 1, 2, 3, 4\n' >old.s && "$ventus" as -c old.s
"$ventus" ld summary.o helper.o old.o -o mixed.elf 2>err && fail "summaries and old records together"
grep -q '^old.o: error: it has resource records only' err || fail "no reason: $(cat err)"

# Version 4 is read, and kept, but not made.
printf '.section .ventus.resource.rays\n.word 4, 0\n.quad 8, 7, 6, 5, 4, 3\n.word 3, 5, 5, 0, 384, 384, 64, 0, 0, 0\n' >rays.s
"$ventus" as rays.s -o rays.elf && shows rays.elf 'rays: version 4, vgpr 8, sgpr 7, .*hot stride 384.*' && same rays.elf
"$ventus" ld --resource-version 4 kernel.o -o no.elf 2>err && fail "version 4 of nothing"
grep -q 'version 4' err || fail "no reason: $(cat err)"
"$ventus" objdump --resources kernel.s 2>err && fail "a source has no records"
exit $status
