"""Variables as gdb and lldb print them against what they must be: random kernels whose variables are assigned once, so that each
has one value in a work-item, which this program computes; stops at random lines and instructions, random work-items, all
frames. Variables are scalars of all types, vectors, structures, arrays, of kernels, of functions that are called or inlined, in
registers, spilled, in private, local, constant and global memory, and arguments.
debug_values.py [LOOKS [SEED]]: so many looks in each debugger, of which enough must have found a value."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

LOOKS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 11
ITEMS = 64
FIRST = 0x90000000  # where buffers begin; a page is between them
os.environ.pop("LD_PRELOAD", None) # no sanitizer for the debugger
BUILD, SOURCE = os.environ["VENTUS_BUILD"], os.environ["VENTUS_SOURCE"]

# ---- types ----

INTEGERS = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True), "uint": (32, False),
            "long": (64, True), "ulong": (64, False)}
FLOATS = ("half", "float", "double")
SCALARS = ("int",) * 4 + tuple(INTEGERS) + FLOATS


def wrap(value, kind):
    bits, signed = INTEGERS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def converted(text, values, kind):
    """A number of any size as one of this type: all floating types hold it exactly."""
    if kind in FLOATS:
        return "(%s)((float)((%s) & 1023) * 0.5f)" % (kind, text), [(v & 1023) * 0.5 for v in values]
    return "(%s)(%s)" % (kind, text), [wrap(v, kind) for v in values]


class Type:
    """What a variable can be; `make` gives an initialiser and the values, `leaves` the scalars in it with their paths."""

    def __init__(self, name, parts=None, vector=False, text=None):
        self.name, self.parts, self.vector, self.text = name, parts, vector, text  # parts: (path, Type) of each

    def declare(self, variable):
        return "%s %s%s" % (self.parts[0][1].name if self.name is None else self.name, variable, self.text if self.name is None else "")

    def make(self, expression):
        if not self.parts:
            text, values = converted(*expression(), self.name)
            return text, values
        made = [part.make(expression) for _, part in self.parts]
        brackets = "(%s)(%%s)" % self.name if self.vector else "{%s}"
        texts = brackets % ", ".join(text for text, _ in made)
        if self.vector or self.name is None:
            return texts, [list(values) for values in zip(*(values for _, values in made))]
        names = [path.lstrip(".") for path, _ in self.parts]
        return texts, [dict(zip(names, values)) for values in zip(*(values for _, values in made))]

    def leaves(self, path, values):
        if not self.parts:
            return [(path, self.name, values)]
        found = []
        for at, (more, part) in enumerate(self.parts):
            key = more.lstrip(".") if not self.vector and self.name else at
            found += part.leaves(path + more, [v[key] for v in values])
        return found


def scalar(rng):
    return Type(rng.choice(SCALARS))


def vector(rng):
    kind, count = rng.choice(tuple(INTEGERS) + FLOATS), rng.choice((2, 2, 3, 4, 4, 8, 16))
    return Type("%s%d" % (kind, count), [(".s%x" % at, Type(kind)) for at in range(count)], vector=True)


def array(rng, part=None, count=None):
    part, count = part or scalar(rng), count or rng.choice((2, 3, 4))
    return Type(None, [("[%d]" % at, part) for at in range(count)], text="[%d]" % count)


def structure(rng, number, inner):
    def part():
        kind = rng.randrange(10)
        return inner if inner and kind < 2 else vector(rng) if kind < 4 else array(rng) if kind < 5 else scalar(rng)

    fields = [(".m%d" % at, part()) for at in range(rng.randrange(1, 6))]
    lines = "".join("    %s;\n" % of.declare(path[1:]) for path, of in fields)
    return Type("struct s%d" % number, fields, text="struct s%d {\n%s};\n" % (number, lines))


# ---- kernels ----

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
"""
PARAMETERS = "global int *out, volatile global int *mark, int %s"


class Kernel:
    """Source, and the value of each variable in each work-item; variables in memory have theirs once a mark has been set."""

    def __init__(self, rng):
        self.rng, self.values, self.after = rng, {}, {}
        self.number = self.stores = self.marks = 0
        self.structures, self.functions = [], []
        for number in range(rng.randrange(1, 4)):
            self.structures.append(structure(rng, number, self.structures[-1] if self.structures else None))
        self.globals = self.program_scope()
        self.n = rng.randrange(1, 99)
        self.vector = [rng.randrange(1000) * 0.5 for _ in range(4)]
        self.values.update({"i": list(range(ITEMS)), "n": [self.n] * ITEMS, "given": [self.vector] * ITEMS})
        given = Type("float4", [(".s%d" % at, Type("float")) for at in range(4)], vector=True)
        known = [("i", "int", self.values["i"]), ("n", "int", self.values["n"])] + given.leaves("given", self.values["given"])
        body = Body(self, known, "i", True)
        lines = ["    int i = get_global_id(0);"] + body.lines(rng.choice((6, 20, 60)))
        body = "kernel void k(%s, float4 given, local int *tile)\n{\n%s\n}\n" % (PARAMETERS % "n", "\n".join(lines))
        self.text = HEAD + "".join(s.text for s in self.structures) + "".join(self.globals) + "".join(self.functions) + body
        self.values["tile"] = [None] * ITEMS
        self.words = (self.stores + 1) * ITEMS

    def name(self, kind):
        self.number += 1
        return "%s%d" % (kind, self.number)

    def program_scope(self):
        rng, table = self.rng, [self.rng.randrange(-99, 99) for _ in range(4)]
        self.values["table"], scope = [table] * ITEMS, rng.randrange(1 << 20)
        self.values["scope"] = [scope] * ITEMS
        return ["constant int table[4] = {%s};\nglobal int scope = %d;\n" % (", ".join(map(str, table)), scope)]

    def some_type(self):
        kind = self.rng.randrange(10)
        return scalar(self.rng) if kind < 6 else vector(self.rng) if kind < 8 else self.rng.choice(self.structures)


class Body:
    """The statements of a function: `known` are the scalars that it can use, as text, type and values."""

    def __init__(self, kernel, known, item, is_kernel):
        self.kernel, self.rng, self.known, self.item, self.is_kernel = kernel, kernel.rng, list(known), item, is_kernel
        self.used, self.unstored = set(), []

    def operand(self):
        text, kind, values = self.rng.choice(self.known[-24:] if self.rng.random() < 0.8 else self.known)
        self.use_all(text, kind)
        # Halves are converted by way of float: what is exact there is exact here.
        return "(long)" + text, [None if v is None else int(v) for v in values]

    def use_all(self, text, kind):
        """All bits of it: LLVM computes upper bits otherwise which nothing but the debugger reads."""
        if text not in self.used:
            self.used.add(text)
            self.unstored.append("(%s ^ %s >> 32)" % (text, text) if INTEGERS.get(kind, (0,))[0] == 64 else text)

    def expression(self):
        (a, left), (b, right) = self.operand(), self.operand()
        sign, function = self.rng.choice((("+", int.__add__), ("-", int.__sub__), ("*", int.__mul__), ("^", int.__xor__)))
        return "(%s %s %s)" % (a, sign, b), [wrap(function(x, y), "long") for x, y in zip(left, right)]

    def keep(self, name, of, values, after=None):
        self.kernel.values[name] = values
        if after is not None:
            self.kernel.after[name] = after
        self.known += of.leaves(name, values)

    def mark(self):
        self.kernel.marks += 1
        return self.kernel.marks - 1, "    mark[%d + %s] = 1;" % ((self.kernel.marks - 1) * ITEMS, self.item)

    def store(self, text):
        self.kernel.stores += 1
        return "    out[%d + %s] = (int)%s;" % ((self.kernel.stores - 1) * ITEMS, self.item, text)

    def plain(self):
        of, name = self.kernel.some_type(), self.kernel.name("v")
        text, values = of.make(self.expression)
        if of.parts and not of.vector:  # may be in memory from the function's begin
            number, mark = self.mark()
            self.keep(name, of, values, number)
            return ["    %s = %s;" % (of.declare(name), text), mark]
        self.keep(name, of, values)
        return ["    %s = %s;" % (of.declare(name), text)]

    def private(self):
        of, name = array(self.rng), self.kernel.name("p")
        text, values = of.make(self.expression)
        number, mark = self.mark()
        lines = ["    volatile %s;" % of.declare(name)]
        parts = text[1:-1].split(", ")
        lines += ["    %s[%d] = %s;" % (name, at, part) for at, part in enumerate(parts)]
        self.keep(name, of, values, number)
        return lines + [mark]

    def local(self):
        name, part = self.kernel.name("l"), scalar(self.rng)
        text, values = part.make(self.expression)
        number, mark = self.mark()
        self.kernel.values[name] = [values] * ITEMS
        self.kernel.after[name] = number
        other = "%s[%d - i]" % (name, ITEMS - 1)
        self.known.append((other, part.name, values[::-1]))
        return ["    local %s %s[%d];" % (part.name, name, ITEMS), "    %s[i] = %s;" % (name, text),
                "    barrier(CLK_LOCAL_MEM_FENCE);", mark]

    def call(self):
        """Of a function of its own, which is called from here alone; perhaps by some work-items only."""
        inlined = self.rng.random() < 0.4
        kernel, name, item = self.kernel, self.kernel.name("f"), self.kernel.name("i")
        given, texts, declared = [], [], []
        kernel.values[item] = kernel.values["i"]
        for _ in range(self.rng.randrange(1, 4)):
            of, parameter = kernel.some_type(), kernel.name("a")
            text, values = of.make(self.expression)
            if of.parts and not of.vector:
                text = "(%s)%s" % (of.name, text)
            texts.append(text)
            declared.append(of.declare(parameter))
            given += of.leaves(parameter, values)
            kernel.values[parameter] = values
        body = Body(kernel, given + [(item, "int", kernel.values["i"])], item, False)
        lines = body.lines(self.rng.randrange(2, 8))
        result, values = converted(*body.expression(), "int")
        head = "%s int %s(%s, %s)" % ("inline" if inlined else "__attribute__((noinline))", name, PARAMETERS % item, ", ".join(declared))
        head = ("static " if inlined else "") + head
        kernel.functions.append("%s\n{\n%s\n    return %s;\n}\n" % (head, "\n".join(lines), result))
        here = kernel.name("r")
        self.keep(here, Type("int"), values)
        return ["    int %s = %s(out, mark, %s, %s);" % (here, name, self.item, ", ".join(texts))]

    def branch(self):
        name, (condition, values), (a, inner) = self.kernel.name("w"), self.operand(), self.operand()
        self.kernel.values[name] = [wrap(v * 3, "int") if c & 1 else None for v, c in zip(inner, values)]
        return ["    if (%s & 1) {" % condition, "        int %s = (int)(%s * 3);" % (name, a), "    " + self.store(name), "    } else {",
                "    " + self.store(self.operand()[0]), "    }"]

    def lines(self, count):
        kinds = [self.plain] * 12 + [self.private, self.branch]
        if self.is_kernel:
            kinds += [self.local, self.call]
        elif self.rng.random() < 0.3 and len(self.kernel.functions) < 6:
            kinds += [self.call]
        lines = []
        for _ in range(count):
            lines += self.rng.choice(kinds)()
            lines += [self.store(self.unstored.pop(0)) for _ in self.unstored[:self.rng.randrange(4)]]
        # What is left is used at the end, and more, so that much of it lives until then.
        for text, kind, _ in self.known:
            if self.rng.random() < 0.3:
                self.use_all(text, kind)
        lines += [self.store(text) for text in self.unstored]
        if self.is_kernel:
            lines.append(self.store("table[i & 3]") + " " + self.store("(tile[i] = scope)").strip())
        return lines


# ---- debuggers: what runs inside of them ----

COMMON = '''
import json, random
plan = json.load(open("plan.json"))
values, after, rng = plan["values"], plan["after"], random.Random(plan["seed"])
looks, found, wrong = 0, 0, []
def compare(have, want, path, where):
    """Of a value that the debugger has, taken to pieces."""
    global found
    if want is None or have is None:
        return
    if isinstance(want, dict) or isinstance(want, list):
        keys = list(want) if isinstance(want, dict) else range(len(want))
        if not (isinstance(have, dict) and set(have) >= set(keys)):
            wrong.append("%s %s: %s" % (path, where, have))
            return
        for key in keys:
            compare(have[key], want[key], "%s.%s" % (path, key), where)
        return
    number, size = have
    found += 1
    same = number == want if isinstance(want, float) or isinstance(number, float) else (number - want) % (1 << 8 * size) == 0
    if not same:
        wrong.append("%s %s: %s, not %s" % (path, where, number, want))
def next_line(line):
    """Of what comes next, or of a function, which lies in front of the kernel."""
    if rng.random() < 0.3:
        return rng.randrange(1, plan["kernel"])
    return rng.randrange(line + 1, line + 3 + plan["lines"] // 20)
'''

GDB = '''
import gdb
def pieces(value):
    value_type = value.type.strip_typedefs()
    if value_type.code == gdb.TYPE_CODE_STRUCT:
        return {f.name: pieces(value[f]) for f in value_type.fields()}
    if value_type.code == gdb.TYPE_CODE_ARRAY:
        low, high = value_type.range()
        return {at: pieces(value[at]) for at in range(low, high + 1)}
    try:
        return (float(value) if value_type.code == gdb.TYPE_CODE_FLT else int(value), value_type.sizeof)
    except gdb.error as error:
        if "optimized out" in str(error):
            return None
        raise
def is_ready(name, item):
    if name not in after:
        return True
    at = plan["mark"] + 4 * (after[name] * plan["items"] + item)
    return gdb.selected_inferior().read_memory(at, 4).tobytes() != bytes(4)
def look_at(name, value, item, where):
    global looks
    if not is_ready(name, item):
        return
    looks += 1
    compare(pieces(value), values[name][item], name, where)
def look(thread):
    thread.switch()
    item, frame = int(thread.name.strip("()").split(",")[0]), gdb.newest_frame()
    while frame and frame.is_valid() and len(wrong) < 5:
        where = "of (%d,0,0) in %s, line %d, at 0x%x" % (item, frame.name(), frame.find_sal().line, frame.pc())
        try:
            block = frame.block()
        except RuntimeError:
            break
        names = set()
        while block and not block.is_global and not block.is_static:
            names |= {s.name for s in block if s.is_variable or s.is_argument}
            if block.function:
                break
            block = block.superblock
        for name in sorted(names & set(values)):
            look_at(name, frame.read_var(name), item, where)
        frame = frame.older()
    for name in ("table", "scope"):
        look_at(name, gdb.parse_and_eval(name), item, "of the program")
def play():
    gdb.execute("tbreak k", to_string=True)
    gdb.execute("continue", to_string=True)
    while looks < plan["looks"] and len(wrong) < 5:
        threads = gdb.selected_inferior().threads()
        if not threads or threads[0].name == "device":
            break
        for thread in rng.sample(list(threads), 2):
            look(thread)
        rng.choice([t for t in threads if t.is_valid()]).switch()
        line = gdb.newest_frame().find_sal().line
        if rng.random() < 0.4 and line < plan["lines"]:
            gdb.execute("tbreak %d" % next_line(line), to_string=True)
            gdb.execute("continue", to_string=True)
        else:
            gdb.execute("stepi %d" % rng.randrange(1, 6), to_string=True)
try:
    play()
except gdb.error as error:
    if "not being run" not in str(error) and "live" not in str(error):
        wrong.append(str(error))
print("RESULT", json.dumps([looks, found, wrong[:5]]))
'''

LLDB = '''
import lldb
def number(value):
    kind = value.GetType().GetCanonicalType().GetBasicType()
    error = lldb.SBError()
    if kind in (lldb.eBasicTypeHalf, lldb.eBasicTypeFloat, lldb.eBasicTypeDouble):
        return float(value.GetValue())
    return value.GetValueAsSigned(error)
def pieces(value, want):
    if isinstance(want, dict):
        return {key: pieces(value.GetChildMemberWithName(key), want[key]) for key in want}
    if isinstance(want, list):
        return {at: pieces(value.GetChildAtIndex(at), want[at]) for at in range(len(want))}
    if want is None or value.GetError().Fail() or value.GetValue() is None:
        return None
    return (number(value), value.GetByteSize())
def is_ready(process, name, item):
    if name not in after:
        return True
    at = plan["mark"] + 4 * (after[name] * plan["items"] + item)
    return process.ReadUnsignedFromMemory(at, 4, lldb.SBError()) != 0
def look_at(process, name, value, item, where):
    global looks
    if not is_ready(process, name, item):
        return
    looks += 1
    want = values[name][item]
    compare(pieces(value, want), want, name, where)
def look(process, thread):
    item = int(thread.GetName().strip("()").split(",")[0])
    for frame in thread:
        where = "of (%d,0,0) in %s, line %d, at 0x%x" % (item, frame.GetFunctionName(), frame.GetLineEntry().GetLine(), frame.GetPC())
        for value in frame.GetVariables(True, True, False, True):
            if value.GetName() in values and len(wrong) < 5:
                look_at(process, value.GetName(), value, item, where)
    for name in ("table", "scope"):
        look_at(process, name, process.GetTarget().FindFirstGlobalVariable(name), item, "of the program")
def go_to_line(target, process, line):
    stop = target.BreakpointCreateByLocation("k.cl", next_line(line))
    process.Continue()
    target.BreakpointDelete(stop.GetID())
def main(debugger):
    debugger.SetAsync(False)
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    stop = target.BreakpointCreateByName("k")
    process.Continue()
    target.BreakpointDelete(stop.GetID())
    while looks < plan["looks"] and len(wrong) < 5 and process.GetState() == lldb.eStateStopped:
        threads = [t for t in process if t.GetName() != "device"]
        if not threads:
            break
        for thread in rng.sample(threads, 2):
            look(process, thread)
        thread = rng.choice(threads)
        line = thread.GetFrameAtIndex(0).GetLineEntry().GetLine()
        if rng.random() < 0.4 and line < plan["lines"]:
            go_to_line(target, process, line)
            continue
        for _ in range(rng.randrange(1, 6)):
            if process.GetState() != lldb.eStateStopped or not thread.IsValid():
                break
            thread.StepInstruction(False)
    print("RESULT", json.dumps([looks, found, wrong[:5]]))
'''


def play(folder, kernel, debugger, looks, seed):
    with open(folder + "/plan.json", "w") as plan:
        json.dump({"seed": seed, "looks": looks, "values": kernel.values, "after": kernel.after, "items": ITEMS,
                   "lines": kernel.text.count("\n"), "kernel": kernel.text[:kernel.text.index("kernel void")].count("\n") + 1, "mark": FIRST + (4 * kernel.words + 4095) // 4096 * 4096 + 4096}, plan)
    with open(folder + "/inner.py", "w") as inner:
        inner.write(COMMON + (GDB if debugger == "gdb" else LLDB))
    with open(folder + "/commands", "w") as commands:
        commands.write("source inner.py\n" if debugger == "gdb" else
                       "command script import inner.py\nscript inner.main(lldb.debugger)\nprocess kill\n")
    said = subprocess.run(
        [BUILD + "/ventus", "debug"] + (["--lldb"] if debugger == "lldb" else []) +
        ["-x", "commands", "k.elf", "-g", str(ITEMS), "-l", str(ITEMS), "-a", "buf:%d" % (4 * kernel.words),
         "-a", "buf:%d" % (4 * ITEMS * (kernel.marks + 1)), "-a", "i:%d" % kernel.n, "-a", "f:" + ",".join(map(str, kernel.vector)),
         "-a", "local:%d" % (4 * ITEMS)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300).stdout.decode()
    results = [line for line in said.splitlines() if line.startswith("RESULT ")]
    if not results:
        raise SystemExit("%s, seed %d: no result\n%s\n%s" % (debugger, seed, kernel.text, said))
    looks, found, wrong = json.loads(results[0][7:])
    if wrong:
        raise SystemExit("%s, seed %d:\n%s\n%s" % (debugger, seed, kernel.text, "\n".join(wrong)))
    return looks, found


def compare(folder):
    """Each kernel is compiled once for both debuggers."""
    counts = {"gdb": [0, 0, 0], "lldb": [0, 0, 0]}  # looks, values, kernels
    number = 0
    while any(looks < LOOKS for looks, _, _ in counts.values()):
        seed = SEED * 1000 + number
        kernel = Kernel(random.Random(seed))
        with open(folder + "/k.cl", "w") as source:
            source.write(kernel.text)
        subprocess.run([BUILD + "/ventus", "cc", "--options", "-g -cl-std=CL3.0", "k.cl"], cwd=folder, check=True)
        number += 1
        for debugger, count in counts.items():
            if count[0] < LOOKS:
                looks, found = play(folder, kernel, debugger, max(LOOKS // 6, 300), seed)
                count[:] = count[0] + looks, count[1] + found, count[2] + 1
                if number > 20 and not count[0]:
                    raise SystemExit("%s sees no variables" % debugger)
    for debugger, (looks, found, kernels) in counts.items():
        print("%s: %d looks, %d values, %d kernels" % (debugger, looks, found, kernels))
        if found * 4 < looks:
            raise SystemExit("%s: most variables are nowhere" % debugger)


if __name__ == "__main__":
    missing = [tool for tool in ("gdb-multiarch", "lldb-19") if not shutil.which(tool)]
    if missing:
        print("SKIPPED: no", *missing)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        compare(folder)
