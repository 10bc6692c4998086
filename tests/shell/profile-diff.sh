# ventus profile diff: the numbers of both profiles side by side, lines of an edited source matched, kernels that one profile
# lacks, files that are no profile.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_CHECK

cat >a.cl <<'C'
kernel void work(global float *out)
{
    int i = get_global_id(0);
    float x = i;
    if (i % 2)
        x = x * 3;
    for (int k = 0; k < 10; k++)
        x = x * 0.5f + 1;
    out[i] = x;
}
C
# Two lines more and one changed in the middle; the loop is below them.
sed -e '5i\    /* odd ones */' -e '5i\    x = x + 1;' -e 's/x \* 3/x * 5 - 1/' a.cl >b.cl
for side in a b; do
    "$ventus" cc --options -g $side.cl -o $side.elf || wrong "cc"
    VENTUS_PROFILE=$side.json check 0 '' "$ventus" run $side.elf -g 128 -l 64 -a buf:512
done

diff() { "$ventus" profile diff "$@"; }
check 0 '^work$' diff a.json b.json --json d.json
grep -q '^  warps  *4  *4  *1.000$' out.txt || wrong "the counters"
grep -q ' 8  *10    *x = x \* 0.5f + 1;$' out.txt || wrong "a line below what was edited"
grep -q ' -  *6 .*x = x + 1;$' out.txt || wrong "a new line"
check 0 '^  ... and [0-9]* more lines$' diff --lines 2 a.json b.json

cat >compare.py <<'P'
import json
a, b, d = (json.load(open(name + ".json")) for name in "abd")
assert d["ventus_profile_diff"] == 1 and d["a"] == "a.json" and d["b"] == "b.json"
kernel, = d["kernels"]
for side, profile in (("a", a), ("b", b)):
    was, = profile["kernels"]
    now = kernel[side]
    assert now["counters"] == was["counters"] and now["launches"] == was["launches"] and now["host_ns"] == was["host_ns"]
    assert now["executions"] == was["counters"]["instructions"] == sum(l[side]["executions"] for l in kernel["lines"] if l[side])
    lines = {l[side]["line"]: (l[side]["executions"], l[side]["lanes"]) for l in kernel["lines"] if l[side] and l[side]["executions"]}
    assert lines == {l["line"]: (l["executions"], l["lanes"]) for l in was["lines"]}
pairs = {(l["a"] and l["a"]["line"], l["b"] and l["b"]["line"]) for l in kernel["lines"]}
assert {(3, 3), (8, 10), (9, 11), (10, 12), (5, None), (None, 6)} <= pairs, pairs
heat = [max(l[s]["executions"] for s in "ab" if l[s]) for l in kernel["lines"]]
assert heat == sorted(heat, reverse=True)
P
python3 compare.py || wrong "the JSON"
diff --json - a.json b.json | cmp - d.json || wrong "JSON to standard output"
diff b.json b.json --json d.json >out.txt
python3 -c 'import json; assert all(l["a"] == l["b"] for l in json.load(open("d.json"))["kernels"][0]["lines"])' || wrong "a profile and itself"
grep -q -e ' - ' out.txt && wrong "a profile differs from itself"

# On a cycle model: cycles of the launches, of their warps by what these did, and by line.
for side in a b; do VENTUS_PROFILE=t$side.json check 0 '' "$ventus" run $side.elf -g 128 -l 64 -a buf:512 --timing large; done
check 0 '^  cycles of the model  *[1-9][0-9]*  *[1-9][0-9]* ' diff ta.json tb.json --json d.json
grep -q '^    memory  *[1-9]' out.txt && grep -q ' lanes A  *B  *cycles A  *B line A  *B$' out.txt || { wrong "cycles in the table"; cat out.txt; }
python3 - <<'P' || wrong "cycles in the JSON"
import json
kernel, = json.load(open("d.json"))["kernels"]
for side in "ab":
    was, = json.load(open(f"t{side}.json"))["kernels"]
    slots = was["timing"]["slots"]
    assert kernel[side]["cycles"] == sum(slots.values()) - slots["no_warp"] == sum(l[side]["cycles"] for l in kernel["lines"] if l[side]) > 0
P
diff a.json tb.json >out.txt || wrong "a model on one side alone"
grep -q '^  cycles of the model  *0  *[1-9][0-9]*  *-$' out.txt || wrong "a model on one side alone"
grep -q 'cycles' <<E && wrong "cycles without a model"
$(diff a.json b.json)
E

# Kernels: of one profile only, of a name twice, with a name that a terminal would obey.
cat >make.py <<'P'
import json
kernel = json.load(open("a.json"))["kernels"][0]
def profile(name, *kernels):
    with open(name, "w") as file: json.dump({"ventus_profile": 1, "kernels": [dict(kernel, name=n, program=p, launches=l) for n, p, l in kernels]}, file)
profile("x.json", ("two", 7, 70), ("two", 3, 30), ("gone\x1b[31m\u009b\n", 1, 1), ("\u00e4\U0001f600", 1, 1))
profile("y.json", ("new", 1, 1), ("two", 2, 20), ("two", 4, 40), ("\u00e4\U0001f600", 1, 1))
P
python3 make.py
check 0 '^new: only in B, [1-9][0-9]* instructions of warps$' diff x.json y.json
grep -q '^gone \[31m  : only in A, ' out.txt || wrong "a kernel that B lacks"
grep -q '^ä😀$' out.txt || wrong "characters beyond ASCII"
[ "$(sed -n 's/^  launches  *\([0-9]*\)  *\([0-9]*\) .*/\1:\2/p' out.txt | sort | tr '\n' ' ')" = "1:1 30:20 70:40 " ] || wrong "kernels of the same name"

# A source with controls of C1, bytes that are no UTF-8 and lines that are cut: in both tables.
LC_ALL=C sed "s|x = i;|x = i; /* $(printf '\302\233[31m\377%100s' '' | LC_ALL=C sed 's/ /\xe6\xbc\xa2/g') */|" a.cl >c.cl
"$ventus" cc --options -g c.cl -o c.elf || wrong "cc"
VENTUS_PROFILE=1 "$ventus" run c.elf -g 128 -l 64 -a buf:512 >table.txt 2>&1
VENTUS_PROFILE=c.json "$ventus" run c.elf -g 128 -l 64 -a buf:512 >out.txt 2>&1
diff a.json c.json >diff.txt
python3 - <<'P' || wrong "a source that is no plain text"
text = "float x = i; /*  [31m\ufffd" + 100 * "\u6f22"
table, diff = (open(name, encoding="utf-8").read() for name in ("table.txt", "diff.txt"))
assert "  " + text[:72] + "\n" in table, table
assert "      " + text[:56] + "\n" in diff, diff
P

# Lines of all pairs of short texts: the longest beginning and end of whole lines that both have, whether or not the last
# line has its newline.
cat >texts.py <<'P'
import itertools, json, sys
texts = ["".join(t) for n in range(5) for t in itertools.product("xy\n", repeat=n) if n < 4 or t[1] == "\n"]
def lines(text): return text.removesuffix("\n").split("\n") if text else []
def common(a, b): return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
def row(n): return {"line": n, "executions": 1, "lanes": 1}
def profile(name, side):
    with open(name, "w") as file: json.dump({"ventus_profile": 1, "kernels": [
        {"name": repr(pair), "program": 1, "launches": 1, "host_ns": 1, "source": {"name": "k", "text": pair[side]},
         "lines": [row(i + 1) for i in range(len(lines(pair[side])))]} for pair in itertools.product(texts, texts)]}, file)
def expected(a, b):
    before = common(a, b)
    behind = min(common(a[::-1], b[::-1]), min(len(a), len(b)) - before)
    alike = {i: i for i in range(before)} | {len(a) - 1 - i: len(b) - 1 - i for i in range(behind)}
    return {(i + 1, alike[i] + 1 if i in alike else None) for i in range(len(a))} | {(None, i + 1) for i in range(len(b)) if i not in alike.values()}
if sys.argv[1:]:
    kernels = {k["name"]: k["lines"] for k in json.load(open(sys.argv[1]))["kernels"]}
    for a, b in itertools.product(texts, texts):
        pairs = {(l["a"] and l["a"]["line"], l["b"] and l["b"]["line"]) for l in kernels[repr((a, b))]}
        assert pairs == expected(lines(a), lines(b)), (a, b, pairs)
else: profile("t.json", 0), profile("u.json", 1)
P
python3 texts.py
diff t.json u.json --json d.json >out.txt && python3 texts.py d.json || wrong "lines of short texts"

# What is no profile, in the order: text, message.
bad() {
    printf '%b' "$1" >bad.json
    check 1 "^ventus: bad.json$2" diff a.json bad.json
}
bad '' ' is no JSON: byte 1: a value is expected'
bad '{"ventus_profile": 1' " is no JSON: byte 21: ',' or '}' is expected"
bad '[1, 2' " is no JSON: byte 6: ',' or ']'"
bad '{"a": tru}' ' is no JSON: byte 7: a value'
bad '{"a" 1}' " is no JSON: byte 6: ':'"
bad '{1: 1}' ' is no JSON: byte 2: a key'
bad '["a' ' is no JSON: byte 4: the end of a string'
bad '["\\x"]' ' is no JSON: byte 4: an escape'
bad '["\\u12g4"]' ' is no JSON: byte 5: four hexadecimal digits'
bad '[-]' ' is no JSON: byte 3: a digit'
bad '[1.]' ' is no JSON: byte 4: a digit'
bad '[01]' " is no JSON: byte 3: ',' or ']'"
bad '[1e+]' ' is no JSON: byte 5: a digit'
bad '[] []' ' is no JSON: byte 4: the end'
bad '[]\0' ' is no JSON: it has a zero byte'
bad "$(printf '%100000s' '' | tr ' ' '[')" ' is no JSON: byte 6[0-9]: no more brackets'
bad '[{"\\ud800\\u0041\\udc00\\u0000\\ud83d\\ude00": [null, true, false, -1.5e-7]}]' ' is no profile; '
bad '{"ventus_profile": 2}' ': a profile of an unknown version'
bad '{"ventus_profile": 1}' ": no list named 'kernels'"
bad '{"ventus_profile": 1, "kernels": [1]}' ': a kernel without a name'
bad '{"ventus_profile": 1, "kernels": [{"name": "k"}]}' ": no count named 'program'"
for count in -1 1.5 1e3 99999999999999999999999 '"1"'; do bad '{"ventus_profile": 1, "kernels": [{"name": "k", "program": '$count'}]}' ": no count named 'program'"; done
one='{"executions": 1, "lanes": 1, "line": '
lines='{"ventus_profile": 1, "kernels": [{"name": "k", "program": 1, "launches": 1, "host_ns": 1, "lines": ['
bad "$lines${one}4294967299}]}]}" ': line 4294967299 is beyond 4294967295'
bad "$lines${one}7}, ${one}9}, ${one}7}]}]}" ': line 7 is there twice in a kernel'
for size in 10 100 1000 2000; do # cut off anywhere
    head -c $size a.json >bad.json
    check 1 '^ventus: bad.json is no JSON' diff bad.json a.json
done
check 1 "^ventus: cannot open 'none.json'" diff a.json none.json
check 1 'cannot .*/none/d.json' diff a.json b.json --json "$dir/none/d.json"
check 2 "no 'dif' of profiles" "$ventus" profile dif a.json b.json
check 2 'two profiles are needed' diff a.json
check 2 "unexpected argument 'c'" diff a.json b.json c
exit $status
