"""Variables as gdb and lldb print them against what they must be: random kernels whose variables are assigned once, so that each
has one value in a work-item, which this program computes; stops at random instructions, random work-items of the warp.
debug_values.py [LOOKS [SEED]]: so many looks in each debugger, of which enough must have found a value."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

LOOKS = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 11
ITEMS, GROUP = 64, 64
BUILD, SOURCE = os.environ["VENTUS_BUILD"], os.environ["VENTUS_SOURCE"]

# ---- kernels ----

TYPES = {"int": (32, True), "uint": (32, False), "short": (16, True), "uchar": (8, False), "long": (64, True)}


def wrap(value, kind):
    bits, signed = TYPES[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Kernel:
    """Source, and the value of each variable in each work-item."""

    def __init__(self, rng):
        self.values = {"i": list(range(ITEMS)), "n": [rng.randrange(1, 99)] * ITEMS}
        self.kinds = {"i": "int", "n": "int"}
        self.n = self.values["n"][0]
        lines = ["    int i = get_global_id(0);"]
        count = rng.choice((8, 20, 60))
        for number in range(count):
            lines.append("    " + self.variable(rng, "v%d" % number))
            if rng.random() < 0.15:
                name = rng.choice(list(self.values))
                lines.append("    out[%d * %d + i] = (int)%s;" % (number, ITEMS, name))
        if rng.random() < 0.7:
            name, other = rng.choice(list(self.values)), rng.choice(list(self.values))
            lines.append("    if (%s & 1) { %s out[%d + i] = (int)w; } else out[%d + i] = (int)%s;" % (
                name, self.inner(rng, "w", name), count * ITEMS, count * ITEMS, other))
        lines += ["    out[%d + i] = (int)%s;" % ((count + 1 + at) * ITEMS, name) for at, name in enumerate(self.values)
                  if name != "w"]
        self.words = (2 * count + 8) * ITEMS
        text = [] if rng.random() < 0.5 else ["    private int spare[16];"]
        self.text = "kernel void k(global int *out, int n)\n{\n%s\n}\n" % "\n".join(text + lines)

    def operand(self, rng):
        name = rng.choice(list(self.values)[-12:])
        return name, self.values[name]

    def variable(self, rng, name):
        kind = rng.choice(list(TYPES))
        (a, left), (b, right) = self.operand(rng), self.operand(rng)
        sign, function = rng.choice((("+", int.__add__), ("-", int.__sub__), ("*", int.__mul__), ("^", int.__xor__)))
        self.values[name] = [wrap(function(x, y), kind) for x, y in zip(left, right)]
        self.kinds[name] = kind
        return "%s %s = (%s)((long)%s %s (long)%s);" % (kind, name, kind, a, sign, b)

    def inner(self, rng, name, condition):
        a, values = self.operand(rng)
        self.values[name] = [wrap(v * 3, "int") if c & 1 else None for v, c in zip(values, self.values[condition])]
        self.kinds[name] = "int"
        return "int %s = (int)((long)%s * 3);" % (name, a)


# ---- debuggers: what runs inside of them ----

GDB = '''
import json, random, gdb
plan = json.load(open("plan.json"))
rng, looks, found, wrong = random.Random(plan["seed"]), 0, 0, []
gdb.execute("tbreak k", to_string=True)
gdb.execute("continue", to_string=True)
def look(thread):
    global looks, found
    thread.switch()
    frame = gdb.newest_frame()
    if frame.name() != "k":
        return
    item = int(thread.name.strip("()").split(",")[0])
    names = set()
    block = frame.block()
    while block and not block.is_global and not block.is_static:
        names |= {s.name for s in block if (s.is_variable or s.is_argument)}
        block = block.superblock
    for name in sorted(names & set(plan["values"])):
        looks += 1
        value = frame.read_var(name)
        if value.is_optimized_out:
            continue
        found += 1
        have, want = int(value), plan["values"][name][item]
        if want is not None and have != want:
            wrong.append("%s of (%d,0,0) at 0x%x: %d, not %d" % (name, item, frame.pc(), have, want))
try:
    while looks < plan["looks"]:
        threads = gdb.selected_inferior().threads()
        if not threads or threads[0].name == "device":
            break
        for thread in rng.sample(list(threads), 3):
            look(thread)
        active = [t for t in threads if t.is_valid()]
        rng.choice(active).switch()
        gdb.execute("stepi %d" % rng.randrange(1, 6), to_string=True)
except gdb.error as error:
    if "not being run" not in str(error) and "live" not in str(error):
        wrong.append(str(error))
print("RESULT", json.dumps([looks, found, wrong[:5]]))
'''

LLDB = '''
import json, random, lldb
def main(debugger):
    plan = json.load(open("plan.json"))
    rng, looks, found, wrong = random.Random(plan["seed"]), 0, 0, []
    debugger.SetAsync(False)
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    stop = target.BreakpointCreateByName("k")
    process.Continue()
    target.BreakpointDelete(stop.GetID())
    while looks < plan["looks"] and process.GetState() == lldb.eStateStopped:
        threads = [t for t in process if t.GetName() != "device"]
        if not threads:
            break
        for thread in rng.sample(threads, 3):
            frame = thread.GetFrameAtIndex(0)
            if frame.GetFunctionName() != "k":
                continue
            item = int(thread.GetName().strip("()").split(",")[0])
            for value in frame.GetVariables(True, True, False, True):
                name = value.GetName()
                if name not in plan["values"]:
                    continue
                looks += 1
                error = lldb.SBError()
                have, want = value.GetValueAsSigned(error), plan["values"][name][item]
                if error.Fail() or value.GetError().Fail():
                    continue
                found += 1
                if plan["unsigned"][name]:
                    have = value.GetValueAsUnsigned()
                if want is not None and have != want:
                    wrong.append("%s of (%d,0,0) at 0x%x: %d, not %d" % (name, item, frame.GetPC(), have, want))
        thread = rng.choice(threads)
        for _ in range(rng.randrange(1, 6)):
            if process.GetState() != lldb.eStateStopped or not thread.IsValid():
                break
            thread.StepInstruction(False)
    print("RESULT", json.dumps([looks, found, wrong[:5]]))
'''


def play(folder, kernel, debugger, looks, seed):
    unsigned = {name: not TYPES[kind][1] for name, kind in kernel.kinds.items()}
    with open(folder + "/plan.json", "w") as plan:
        json.dump({"seed": seed, "looks": looks, "values": kernel.values, "unsigned": unsigned}, plan)
    with open(folder + "/inner.py", "w") as inner:
        inner.write(GDB if debugger == "gdb" else LLDB)
    with open(folder + "/commands", "w") as commands:
        commands.write("source inner.py\n" if debugger == "gdb" else
                       "command script import inner.py\nscript inner.main(lldb.debugger)\nprocess kill\n")
    said = subprocess.run(
        [BUILD + "/ventus", "debug"] + (["--lldb"] if debugger == "lldb" else []) +
        ["-x", "commands", "k.elf", "-g", str(ITEMS), "-l", str(GROUP), "-a", "buf:%d" % (4 * kernel.words), "-a", "i:%d" % kernel.n],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300).stdout.decode()
    results = [line for line in said.splitlines() if line.startswith("RESULT ")]
    if not results:
        raise SystemExit("%s, seed %d: no result\n%s\n%s" % (debugger, seed, kernel.text, said))
    looks, found, wrong = json.loads(results[0][7:])
    if wrong:
        raise SystemExit("%s, seed %d:\n%s\n%s" % (debugger, seed, kernel.text, "\n".join(wrong)))
    return looks, found


def compare(folder, debugger):
    looks = found = number = 0
    while looks < LOOKS:
        kernel = Kernel(random.Random(SEED * 1000 + number))
        with open(folder + "/k.cl", "w") as source:
            source.write(kernel.text)
        subprocess.run([BUILD + "/ventus", "cc", "--options", "-g", "k.cl"], cwd=folder, check=True)
        more, there = play(folder, kernel, debugger, max(LOOKS // 4, 300), SEED * 1000 + number)
        looks, found, number = looks + more, found + there, number + 1
        if number > 20 and not looks:
            raise SystemExit("%s sees no variables" % debugger)
    print("%s: %d looks, %d values, %d kernels" % (debugger, looks, found, number))
    if found * 25 < looks:
        raise SystemExit("%s: most variables are nowhere" % debugger)


missing = [tool for tool in ("gdb-multiarch", "lldb-19") if not shutil.which(tool)]
if missing:
    print("SKIPPED: no", *missing)
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    for debugger in ("gdb", "lldb"):
        compare(folder, debugger)
