# The manual has all that the tables have, and `ventus isa` explains names and words.
ventus=$VENTUS_BUILD/ventus
status=0
fail() { echo "$*"; status=1; }
out=$VENTUS_RESULTS/isa-manual.md
"$ventus" isa --manual >"$out" || fail "no manual"
cmp "$VENTUS_BUILD/isa.md" "$out" || fail "the manual of the build is another one"
sed -n 's/^INSN([^,]*, *"\([^"]*\)".*/\1/p' "$VENTUS_SOURCE"/isa/*.def | sort -u >"$out.names"
[ "$(wc -l <"$out.names")" -gt 500 ] || fail "only $(wc -l <"$out.names") instructions found"
missing=$(sed -n 's/^### //p' "$out" | sort -u | comm -23 "$out.names" - | head -n 5)
[ -z "$missing" ] || fail "the manual has no $missing"
for csr in $(sed -n 's/^CSR([^"]*"\([^"]*\)".*/\1/p' "$VENTUS_SOURCE/isa/csr.def"); do
    grep -q -w -e "$csr" "$out" || fail "the manual has no $csr"
done

says() { # pattern, arguments...
    local want=$1 text
    shift
    text=$("$ventus" isa "$@" 2>&1)
    echo "$text" | grep -q -e "$want" || fail "ventus isa $*: no '$want' in: $text"
}
says 'vd\[i\] = vs2\[i\] + vs1\[i\]' vadd.vv
says 'vmv.v.x.v32, tp' 0010200b 5e024057
says 'prefix regext' 0x0010200b 0x5e024057
says 'vlw12d.v' --profile r2025 0x202b
says "did you mean 'vadd.vv'" vadd.vw
says 'is no instruction in profile r2.0' --profile r2.0 0xffffffff
says "not 'r3'" --profile r3 nop
says 'at most 3 words' 0x13 0x13 0x13 0x13
exit $status
