# A profile in speedscope itself: valid by its schema, and what the program shows of it. The picture stays in the results of the tests.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_PROFILE_MEMORY
for program in chromium npm node; do
    command -v $program >/dev/null || { echo "$program is not installed: nothing has been tested"; exit 77; }
done
npm pack --silent speedscope@1.25.0 >/dev/null 2>&1 || { echo "npm cannot fetch speedscope: nothing has been tested"; exit 77; }
tar xf speedscope-1.25.0.tgz
export HOME=$dir
"$ventus" exec --profile=p.speedscope.json,p.json "$VENTUS_BUILD/examples/filter" --size 32 --output f.png >out.txt 2>&1 || { wrong "the profile"; cat out.txt; }

# What `speedscope FILE` does: a script beside the page hands it the file. The page says how heavy each kernel is.
node - <<'JS'
const fs = require("fs");
const text = fs.readFileSync("p.speedscope.json").toString("base64");
fs.writeFileSync("load.js", `speedscope.loadFileFromBase64("p.speedscope.json", "${text}")`);
JS
open() {
    timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --allow-file-access-from-files --virtual-time-budget=5000 \
        --window-size=1200,700 "$@" "file://$dir/package/dist/release/index.html#localProfilePath=$dir/load.js&view=sandwich" 2>/dev/null
}
# On a busy machine the browser's clock can run out before the script is there.
for try in 1 2 3 4 5; do
    open --dump-dom >dom.txt
    grep -q '>blur<' dom.txt && break
done
python3 - <<'P' || wrong "speedscope"
import json
profile, page = json.load(open("p.json")), open("dom.txt").read()
scope = json.load(open("p.speedscope.json"))
for kernel in profile["kernels"]:
    assert f'>{kernel["name"]}<' in page, kernel["name"] + " is not in the page"
total = sum(k["counters"]["instructions"] for k in profile["kernels"])
assert total == sum(sum(p["weights"]) for p in scope["profiles"]), total
assert "instructions of warps" in page, "the profile's name"
try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: the schema has not been looked at")
else:
    jsonschema.validate(scope, json.load(open("package/dist/release/file-format-schema.json")))
P
open --screenshot="${VENTUS_RESULTS:-$dir}/profile-speedscope.png" >/dev/null
[ -s "${VENTUS_RESULTS:-$dir}/profile-speedscope.png" ] || wrong "no picture"
exit $status
