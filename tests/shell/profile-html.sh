# The page of a profile in a headless Chromium: what it shows, what clicks do, comparison with another profile, and that text
# of a program cannot become a part of the page. The picture stays in the results of the tests.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_PROFILE_MEMORY
command -v chromium >/dev/null || { echo "chromium is not installed: nothing has been tested"; exit 77; }
export HOME=$dir

cat >k.cl <<'CL'
// </script><script>document.title = "broken"</script> <b> & "
kernel void mixed(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    float x = in[i * n];
    if (i % 2)
        for (int k = 0; k < 50; k++) x = x * 1.5f + 1;
    else
        for (int k = 0; k < 50; k++) x = 1 / (x + 2);
    out[i] = x;
}
CL
check 0 '' "$ventus" cc k.cl --options -g -o k.elf
VENTUS_PROFILE=p.html,p.json VENTUS_PROFILE_MEMORY=1 "$ventus" run k.elf -g 256 -l 64 -a buf:1024 -a buf:65536 -a i:8 || wrong "the kernel"
VENTUS_PROFILE=q.json "$ventus" run k.elf -g 128 -l 64 -a buf:1024 -a buf:65536 -a i:8 || wrong "the other profile"
grep -q -e ' src=' -e ' href=' -e 'fetch(' p.html && wrong "the page needs other files"

# One browser for all pages (browser.py), which ends with this script.
mkfifo requests answers
python3 "$VENTUS_SOURCE/tests/shell/browser.py" <requests >answers &
exec 3>requests 4<answers
browser() {
    echo "$*" >&3
    read -r answer <&4 || answer="no browser"
    [ "$answer" = done ] || wrong "browser $*: $answer"
}

# show SCRIPT: the page after the script has run in it, as text
show() {
    printf '%s' "$1" >script.js
    rm -f dom.txt
    browser show p.html script.js dom.txt
}
has() { grep -q -e "$1" dom.txt || wrong "the page has no '$1'"; }

show ''
has '<title>Ventus profile</title>'
has '<h2>mixed</h2>'
has 'instructions of warps in 1 launch, 1[0-9].[0-9] lanes of 32 active'
has '; 4 work-groups of 64 work-items, [0-9]* on an SM (work-group slots)'
has '<b>divergence, line 6: </b>lanes diverge at 100 %'
has '<b>uncoalesced, line 5: </b>'
has '    if (i % 2)<.*100.0 %'
has 'global load.* strided 100.0 %'
show 'document.title = [...document.querySelectorAll("#memory tr")].slice(0, 2).map(tr => tr.cells.length + " " + tr.cells[5].textContent).join(" ")'
has '<title>9 again 9 [0-9.]* %'
[ "$(grep -o 'class="pattern"' dom.txt | wc -l)" -ge 2 ] || wrong "pictures of accesses"

# The same page of the profile in a file.
check 0 '' "$ventus" profile page p.json -o made.html
cmp p.html made.html || wrong "ventus profile page"
"$ventus" profile page p.json | cmp - p.html || wrong "ventus profile page to standard output"
check 2 'one profile' "$ventus" profile page
echo '{}' >none.json
check 1 'is no profile' "$ventus" profile page none.json -o none.html
[ ! -e none.html ] || wrong "a page of no profile"

# A click on a line marks it and its machine code; one on advice does the same.
show 'document.querySelector("#source tr[data-line=\"10\"]").click(); document.title = "marked " + [...document.querySelectorAll("#code tr.on")].every(r => r.dataset.line === "10") + " " + document.querySelectorAll("#code tr.on").length'
grep -q '<title>marked true [1-9]' dom.txt || wrong "a click on a line"
show 'document.querySelector(".advice").click(); document.title = "line " + document.querySelector("#source tr.on").dataset.line'
has '<title>line 5</title>'

# Another profile beside it: twice the work.
show "compare($(python3 -c 'import json; print(json.dumps(open("q.json").read()).replace("</", "<\\/"))')); document.title = document.querySelector('#summary').textContent"
grep -q '<title>.*(2.00 x)' dom.txt || wrong "comparison"
has 'class="change">2.00 x'

show 'compare("{}"); document.title = document.querySelector("#compared").textContent + " " + document.querySelectorAll("#source tr").length'
grep -q '<title>this is no profile: .* 1[0-9]' dom.txt || wrong "a file that is no profile"

# On a cycle model: kernels under its roofs, by the numbers that `ventus roofline` has; without one there is no such picture.
show 'document.title = "roofs " + document.querySelectorAll("#roofline").length'
has '<title>roofs 0</title>'
"$ventus" exec --timing large --profile=r.html,r.json "$VENTUS_BUILD/examples/matmul" --size 32 >out.txt 2>&1 || { wrong "with --timing"; cat out.txt; }
mv r.html p.html
show 'document.title = Chart.getChart("roofline").data.datasets[0].data[0].text + " " + document.querySelector("#summary").textContent'
python3 - <<'P' >want.txt || wrong "profile with --timing"
import json
p = json.load(open("r.json"))
r, k = p["machine"]["roofs"], p["kernels"][0]
assert r["operations"] == 32 and k["cycles"] > 1000 and k["memory_bytes"] >= 3 * 32 * 32 * 4, (r, k["cycles"], k["memory_bytes"])
y = k["counters"]["lanes"] / k["cycles"]
print(f'{y:.2f} operations per cycle, {100 * y / min(r["operations"], k["counters"]["lanes"] / k["memory_bytes"] * r["bytes"] / r["interval"]):.1f} % of its roof')
P
has "<title>matmul: $(cat want.txt)"
has 'cycles of the model'
# Where the cycles went: a bar of colours for each line and instruction that has some, and what warp slots did over time.
python3 - <<'P' >want.txt || wrong "stalls in the profile"
import json
k = json.load(open("r.json"))["kernels"][0]
t, kinds = k["timing"], [name for name in k["timing"]["slots"] if name != "no_warp"]
assert set(kinds) == set("issued other fetch scoreboard collector unit memory branch barrier".split()), kinds
there = sum(t["slots"][kind] for kind in kinds)
print(sum("timing" in line for line in k["lines"]) + sum("timing" in i for i in k["instructions"]), sum(t["slots"][kind] > 0 for kind in kinds),
      len(t["over_time"]["slots"]["issued"]), f"{100 * there / t['cycles'] / t['warp_slots']:.1f} %")
P
show 'const found = q => [...document.querySelectorAll(q)]; document.title = [found("td > .stalls").length, Chart.getChart("occupancy").data.datasets.length,
    Chart.getChart("occupancy").data.datasets[0].data.length, found("h3").find(h => /over time/.test(h.textContent)).textContent].join(" ")'
read bars colours buckets share <want.txt
has "<title>$bars $colours $buckets Warps over time: $share of "
# Stacked, the columns are as high as there were warps on an SM.
show 'const time = profile.kernels[0].timing.over_time, sums = time.warps.map(w => w[3] / time.interval);
    const high = Chart.getChart("occupancy").data.datasets.reduce((sum, d) => sum + d.data[3].y, 0);
    document.title = [Math.abs(high - sums.reduce((a, b) => a + b) / sums.length) < 1e-6, document.querySelectorAll(".sm").length === sums.length].join(" ")'
has '<title>true true<'
show 'document.title = Object.keys(kinds).join(" ") + " no_warp"'
has "<title>$(sed -n 's/^SLOT(\([a-z_]*\),.*/\1/p' "$VENTUS_SOURCE/timing/slots.def" | xargs)<"
# A click on another kernel's dot shows that kernel.
cp p.html one.html
"$ventus" exec --timing large --profile=p.html "$VENTUS_BUILD/examples/filter" --size 32 --output f.png >out.txt 2>&1 || { wrong "two kernels with --timing"; cat out.txt; }
# The library looks at a click with the next frame.
show 'const shown = () => document.querySelector("h2 + #summary").previousSibling.textContent === kernels[1].name, first = shown();
    const c = Chart.getChart("roofline"), dot = c.getDatasetMeta(0).data[1], at = c.canvas.getBoundingClientRect();
    c.canvas.dispatchEvent(new MouseEvent("click", {clientX: at.left + dot.x, clientY: at.top + dot.y, bubbles: true}));
    for (let frame = 0; frame < 100 && !shown(); frame++) await new Promise(requestAnimationFrame);
    document.title = [kernels.length, kernels[0].name !== kernels[1].name, first, shown()].join(" ")'
has '<title>2 true false true<'

# A line that the source does not have has its row, and those in between have none.
printf 'kernel void far(global int *a)\n{\n#line 2000000000\n    a[get_global_id(0)] += 3;\n}\n' >far.cl
check 0 '' "$ventus" cc far.cl --options -g -o far.elf
VENTUS_PROFILE=p.html "$ventus" run far.elf -g 32 -a buf:128 || wrong "the kernel with #line"
show 'document.title = [...document.querySelectorAll("#source tr[data-line]")].map(r => r.dataset.line).join(" ")'
has '<title>0 1 2 3 4 5 6 2000000000 2000000001<'
mv one.html p.html
show 'compare(JSON.stringify(profile)); document.title = [...document.querySelectorAll(".change")].every(c => c.textContent === "1.00 x, cycles 1.00 x") + document.querySelector("#summary").textContent'
has '<title>true.* cycles (1.00 x)'
show 'document.title = [...document.querySelectorAll("#source .stalls")].every(s => Math.abs([...s.children].reduce((w, i) => w + parseFloat(i.style.width), 0) - 100) < 0.1)'
has '<title>true'
browser picture p.html 1600 1600 "${VENTUS_RESULTS:-$dir}/profile-roofline.png"

# Of 2,000 lines and their instructions only those around what is seen are drawn; a click brings others into sight.
mv p.html one.html
python3 - >long.cl <<'P'
print("kernel void longer(global float *x, int n)\n{\n    int i = get_global_id(0);\n    float a = x[i];")
for k in range(2000): print(f"    a = a * {1 + k / 1000}f + x[(i + {k}) % n];")
print("    x[i] = a;\n}")
P
check 0 '' "$ventus" cc long.cl --options -g -o long.elf
VENTUS_PROFILE=p.html "$ventus" run long.elf -g 32 -l 32 -a buf:1024 -a i:256 || wrong "the long kernel"
show 'mark(1500); const on = document.querySelector("#code tr.on"), at = on.getBoundingClientRect(), pane = lists[1].box.getBoundingClientRect();
    document.title = [kernels[0].instructions.length > 4000, document.querySelectorAll("tr").length < 1000, on.dataset.line, at.top >= pane.top && at.bottom <= pane.bottom,
        at.height === ROW].join(" ")'
has '<title>true true 1500 true true<'
mv one.html p.html
browser picture p.html 1600 900 "${VENTUS_RESULTS:-$dir}/profile-page.png"
[ -s "${VENTUS_RESULTS:-$dir}/profile-page.png" ] || wrong "no picture"
exec 3>&-
wait
exit $status
