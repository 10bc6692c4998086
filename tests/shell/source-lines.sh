# objdump -S: the lines of the source, from the command line, the program, or the file it names.
ventus=$VENTUS_BUILD/ventus
work=$VENTUS_RESULTS/source-lines
rm -rf "$work"
mkdir -p "$work/elsewhere" && cd "$work" || exit 1
status=0
fail() { echo "$*"; status=1; }
shows() { # line, objdump's arguments
    local want=$1
    shift
    "$ventus" objdump "$@" >out.s 2>err || fail "objdump $*: exit code $?"
    grep -q -x -F -e "$want" out.s || fail "objdump $*: no line '$want'"
}
says() { grep -q -e "$1" err || fail "no '$1' in: $(cat err)"; }

printf 'kernel void k(global int *x)\n{\n    // one %% = line\n    x[0] = x[1] / x[2];\n}\n' >k.cl
"$ventus" cc k.cl -o named.elf && "$ventus" cc -o nameless.elf <k.cl && "$ventus" cc --options -g -o carries.elf <k.cl || fail "no programs"

shows '# 4:     x[0] = x[1] / x[2];' -S named.elf
grep -q -x -F '# 3:     // one % = line' out.s || fail "no line in front"
"$ventus" as out.s -o again.elf && cmp named.elf again.elf || fail "the listing is another program"
shows '# 4:     x[0] = x[1] / x[2];' -S carries.elf
"$ventus" as out.s -o again.elf && "$ventus" objdump -S again.elf | cmp - out.s || fail "the listing is another program"
shows '# line 4' -S nameless.elf
says 'does not say what it was made of'
shows '# 4:     x[0] = x[1] / x[2];' --source-file k.cl nameless.elf
shows '# line 4' nameless.elf
[ -s err ] && fail "objdump without -S said: $(cat err)"

mv k.cl elsewhere/ && cp named.elf elsewhere/
shows '# line 4' -S named.elf
says "'k.cl' is not there"
shows '# 4:     x[0] = x[1] / x[2];' -S elsewhere/named.elf # beside the program
mkfifo k.cl
shows '# line 4' -S named.elf # and not read for ever
rm k.cl
printf 'short' >k.cl
shows '# line 4' -S named.elf
"$ventus" objdump --source-file nowhere.cl named.elf >out.s 2>err && fail "a file that is not there"
"$ventus" run nameless.elf -g 1 -a ints:1,12,3 --show 0 >out 2>&1 && "$ventus" run carries.elf -g 1 -a ints:1,12,3 --show 0 >out2 2>&1 &&
    cmp out out2 || fail "a program with its source does not run"

# An assembled program has no lines: that is what is said, and a source changes nothing.
printf '.kernel k\nk: ret\n' >assembled.s
"$ventus" as assembled.s || fail "no assembled program"
for how in -S '--source-file assembled.s'; do
    shows '	.text' $how assembled.elf
    says '^ventus: assembled.elf has no line records: programs of `ventus cc` have them, assembled ones have none$'
    [ "$(wc -l <err)" = 1 ] || fail "more than one line: $(cat err)"
done

# Nor has one with a line so long that clang would take very long to count in it.
printf 'kernel void k(global int *x) { x[0] = x[1] / x[2]; } // %040000d\n' 0 >long.cl
"$ventus" cc long.cl || fail "no program with a long line"
"$ventus" objdump long.elf >out.s 2>err && ! grep -q '^# line' out.s || fail "lines of a program with a long line"

printf '.section .note.ventus\n.ascii "ventus-module 1\\nline pc=0x80000000 line=1\\nline pc=%%%%4\\n"\n.text\nnop\n' >wrong.s
"$ventus" as --no-start wrong.s -o wrong.elf || fail "no program with a wrong note"
shows '80000000:	00000013	addi	zero, zero, 0' wrong.elf # all the same
says '^wrong.elf: warning: the module note, line 3, column 9: two hexadecimal digits'
"$ventus" as -c wrong.s -o wrong.o && "$ventus" ld wrong.o -o linked.elf 2>err && fail "a wrong note is linked"
says '^wrong.o: error: the module note, line 3, column 9: two hexadecimal digits'
exit $status
