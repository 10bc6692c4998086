#!/usr/bin/python3
"""Changes the sources one small step at a time and sees whether a test notices.

    tests/mutation/mutate.py [--number N | --each N] [--seed S] [--seconds N] [--again] [--list] [--only TEXT] [FOLDER...]

N mutants (default 300) are drawn from the C files of the folders: the same ones for the same seed, as far
as their lines are still there. Each is built in a copy of the tree (build-mutants/), first with the tests
that are about its folder, then with all others; the first failing one kills it, and so does a later step
of the build that fails. A mutant that does not compile, or whose object code is that of the original,
does not count. Ends with a line for each folder and with exit code 1 when a mutant survives that
survivors.txt does not explain. Results stay in build-mutants/results.tsv: a second run goes on where the
first one ended, with --again it tries the survivors once more. With --seconds it ends after that time.

Called by `make mutants`; it takes hours, see README.md here."""

import argparse, hashlib, json, os, random, re, shutil, signal, subprocess, sys, time
from itertools import zip_longest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build-mutants")
TREE, BUILD, RESULTS, PASSED = (os.path.join(WORK, name) for name in ("tree", "tree/build", "results.tsv", "passed"))
FOLDERS = ["isa", "host", "asm", "sim", "check", "trace", "native", "translator", "timing", "driver", "vt", "compiler", "opencl", "tools"]

# Tests that are about a folder, by words of their names (^WORD: begin with it): they run first, and most mutants die there.
FIRST = {
    "isa": ["unit/isa", "unit/asm/asm", "tests/sim/alu", "tests/sim/rows", "tests/sim/effects", "shell/isa"],
    "asm": ["unit/asm", "fuzz_assemble", "fuzz_link", "fuzz_elf", "shell/ld", "shell/listing", "shell/asm"],
    "host": ["tests/host", "shell/host", "tests/opencl/surroundings"],
    "sim": ["tests/sim", "tests/native/units", "tests/tensor", "tests/softfp", "cl/divergence", "shell/corpus-log"],
    "check": ["tests/check", "shell/check"],
    "trace": ["tests/sim/trace", "shell/trace", "shell/corpus-log"],
    "native": ["tests/native", "tests/sim/launch", "tests/sim/barrier", "tests/sim/engine", "shell/native"],
    "translator": ["tests/native", "tests/sim/launch", "tests/sim/barrier", "tests/sim/engine", "shell/native"],
    "timing": ["unit/timing", "tests/timing", "shell/timing", "shell/cycles"],
    "driver": ["unit/driver", "tests/driver", "tests/check", "tests/opencl/kernel", "cl/printf", "cl/local"],
    "vt": ["tests/vt", "shell/case", "tests/sim/corpus"],
    "compiler": ["unit/compiler", "tests/compiler", "shell/compiler", "tests/cc/cc", "^cl/"],
    "opencl": ["tests/opencl", "unit/opencl", "python/", "cl/arguments", "shell/config"],
    "tools": ["shell/", "tests/sim/trace"],
}

# Unit tests that start no program of ours, but for some that start the translator: when their own program is the same,
# they cannot notice anything. Of the others only those in shell/ start `ventus`. pocl is not ours.
ALONE = tuple(f"unit/{name}/" for name in ("isa", "asm", "timing", "driver", "opencl", "tests/host", "tests/driver", "tests/sim", "tests/native", "tests/softfp", "tests/tensor", "tests/model"))
TRANSLATING = ["tests/native"] + [f"tests/sim/{name}" for name in ("launch", "barrier", "engine", "corpus")]
FOREIGN = "pocl/"
# Tests that take seconds, by words of their names: they run behind the others.
SLOW = ["sim/dispatch", "cc/cc", "shell/run", "sim/corpus", "shell/check", "softfp/softfp", "shell/corpus-log", "shell/listing",
        "tests/model", "sim/effects", "sim/memory", "tests/native", "shell/build-options", "check/check", "random/random"]

# ---- mutants ----

# What is looked for, and what may stand there instead.
SWAPS = [
    (r"(?<![<>=!\-+*/&|^%])<(?![<=])", ["<="]), (r"<=(?!=)", ["<"]), (r"(?<![<>=!\-])>(?![>=])", [">="]),
    (r"(?<![>])>=", [">"]), (r"==", ["!="]), (r"!=", ["=="]), (r"&&", ["||"]), (r"\|\|", ["&&"]),
    (r" \+ ", [" - "]), (r" - ", [" + "]), (r" \* (?=\w)", [" + "]), (r" / ", [" * "]), (r" % ", [" / "]),
    (r"<<(?!=)", [">>"]), (r">>(?!=)", ["<<"]), (r" & ", [" | "]), (r" \| ", [" & "]), (r"\+=", ["-="]), (r"-=", ["+="]),
    (r"\|=", ["&="]), (r"&=", ["|="]), (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
    (r"(?<=[(\s])!(?=[\w(])", [""]), (r"\b0\b", ["1"]), (r"\b1\b", ["0", "2"]), (r"\b([2-9]|[1-9]\d+)\b", [None]),
]
# A condition that always or never holds; a statement that is not there.
CONDITION = re.compile(r"\b(?:if|while) \((.*)\)(?= |$)")
STATEMENT = re.compile(r"^\s+(?!return|break|continue|goto|\w*free\w*\(|fclose\(|close\(|\w+_(?:destroy|release|close)\(|LLVMDispose|pthread_mutex_lock|case|else|static|const|struct|enum|typedef|for|if|while|do|switch|\}|#|va_)"
                       r"(?:[\w\[\]>.*&()-]+ [-+|&^*/]?= .*|\*?\w[\w>.\[\]-]*(?:\+\+|--)|\w+\(.*\));$")

# What only a sanitizer would see, or a system that runs out of memory: the size of memory that is asked for, how it
# grows, an array on the stack, what is done when there is none; and a lock that is not taken.
ALLOCATION = re.compile(r"\b\w*alloc\(|\bstrn?dup\(|open_memstream\(")
SIZE = re.compile(ALLOCATION.pattern + r"|\broom \? |^\s+(?:const )?(?:struct )?\w+ [^=(]*\[[^]]+\][^=]*;$")
NO_MEMORY = re.compile(r"out of memory|OUT_OF_HOST_MEMORY|_MEMORY\b")

def code_of(text):
    """The text with comments, strings and preprocessor lines blanked, the same length."""
    def blank(m): return re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)

def bodies(code):
    """Line numbers inside function bodies: only there is something executed."""
    inside, lines = False, set()
    for n, line in enumerate(code.split("\n")):
        if re.match(r"\w.*\)\s*\{.*\}$", line): lines.add(n)  # a function of one line
        if line == "{": inside = True
        if inside: lines.add(n)
        if line.startswith("}"): inside = False
    return lines

def matching(text):
    """The end of the balanced parentheses that begin with text, or -1."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if not depth: return i
    return -1

def mutants_of(path):
    with open(os.path.join(ROOT, path)) as f: text = f.read()
    lines, code = text.split("\n"), code_of(text).split("\n")
    for n in sorted(bodies("\n".join(code))):
        line, plain = lines[n], code[n]
        if not plain.strip() or re.match(r"\s*(case .*:$|assert|_Static_assert|static const|__asm__)", plain): continue
        if NO_MEMORY.search(line) or (re.match(r"\s*if \(!?[\w>.-]+\)", plain) and ALLOCATION.search(code[n - 1])): continue
        for pattern, others in () if SIZE.search(plain) else SWAPS:
            for m in re.finditer(pattern, plain):
                for other in others:
                    new = str(int(m.group()) + 1) if other is None else other
                    yield path, n, line, line[:m.start()] + new + line[m.end():]
        m = CONDITION.search(plain)
        if m:
            begin, end = m.start(1) - 1, matching(plain[m.start(1) - 1:])
            if end > 0:
                for new in ("(1 || (", "(0 && ("):
                    inner = line[begin + 1:begin + end]
                    yield path, n, line, line[:begin] + new + inner + "))" + line[begin + end + 1:]
        if STATEMENT.match(plain): yield path, n, line, re.match(r"\s*", line).group() + ";"

class Mutant:
    """A line of a file, and what is to stand there instead; `which` counts the same changes of the same line in a file."""
    def __init__(self, path, n, old, new, which):
        self.path, self.n, self.old, self.new, self.which = path, n, old, new, which
        self.folder, self.change = path.split("/")[0], (path, old.strip(), new.strip())
        self.key = self.change + (str(which),)

    def rank(self, seed):
        """Its place in the draw. It rests on nothing but the mutant, so that a change elsewhere does not draw others."""
        return hashlib.sha1("\t".join((str(seed),) + self.key).encode()).hexdigest()

def draw(folders, number, seed, only):
    found, seen = [], {}
    for folder in folders:
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(base, name), ROOT)
                if not name.endswith(".c") or name.endswith("_test.c") or only not in path: continue
                for path, n, old, new in mutants_of(path):
                    change = path, old.strip(), new.strip()
                    found.append(Mutant(path, n, old, new, seen.setdefault(change, 0)))
                    seen[change] += 1
    return sorted(found, key=lambda m: m.rank(seed))[:number]

# ---- one mutant ----

def run(command, seconds, **more):
    """Exit code, or None when it took too long; children end with it."""
    p = subprocess.Popen(command, cwd=TREE, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, **more)
    try: return p.wait(seconds)
    except subprocess.TimeoutExpired: return None
    finally:
        if p.poll() is None:
            os.killpg(p.pid, 9)
            p.wait()

def hash_of(file):
    with open(os.path.join(BUILD, file), "rb") as f: return hashlib.sha1(f.read()).digest()

def rows(): return [name for name in os.listdir(BUILD) if re.fullmatch(r"ventus-rows-\w+\.bc", name)]

def objects_of(path):
    """What is compiled from a source; there is no debug information in it. Bitcode is not listed as the rest is, nor is
    what tests compile (driver/adaptors/)."""
    with open(os.path.join(BUILD, "compile_commands.json")) as f: commands = json.load(f)
    return rows() if path == "translator/rows.c" else [c["output"] for c in commands if c["file"] == "../" + path]

def tests(names):
    """Runs tests until one fails. Its name, or None."""
    if not names: return None
    limit = "120" if has(names[0], SLOW) else "60"
    code = run(["tests/run", "--build", "build", "--until-failure", "--timeout", limit, *("^" + name for name in names)], 1800)
    if code == 0: return None
    verdicts = os.path.join(BUILD, "test-results")
    for name in sorted(os.listdir(verdicts)) if os.path.isdir(verdicts) else []:
        if name.endswith(".verdict"):
            with open(os.path.join(verdicts, name)) as f: line = f.read()
            if line.startswith("FAIL"): return line.split("\t")[1].strip()
    return "no end" if code is None else "?"

def programs():
    """What the build makes for tests to run."""
    listed = subprocess.run(["ninja", "-C", "build", "-t", "targets", "all"], cwd=TREE, capture_output=True, text=True, check=True)
    names = [line.split(": ")[0] for line in listed.stdout.split("\n")]
    return [name for name in names if ".p/" not in name and not name.startswith(("/", "..")) and (".so" in name or name.endswith(".bc") or os.access(os.path.join(BUILD, name), os.X_OK))
            and os.path.isfile(os.path.join(BUILD, name)) and not os.path.islink(os.path.join(BUILD, name))]

def has(name, words): return any(name.startswith(word[1:]) if word[0] == "^" else word in name for word in words)

def alone(name): return name.startswith(ALONE) and not has(name, TRANSLATING)

class Tests:
    """All tests, and what they run when nothing is changed."""
    def __init__(self):
        listed = subprocess.run(["tests/run", "--build", "build", "--list"], cwd=TREE, capture_output=True, text=True, check=True)
        with open(os.path.join(BUILD, "compile_commands.json")) as f: outputs = [c["output"] for c in json.load(f)]
        self.objects = {name: hash_of(name) for name in outputs + rows()}
        self.names = [name for name in listed.stdout.split("\n") if name and not name.startswith(FOREIGN)]
        self.programs = {name: hash_of(name) for name in programs()}

    def concerned(self):
        """Those that can notice the change that is built."""
        changed = {name for name, before in self.programs.items() if hash_of(name) != before}
        common = {name for name in changed if not name.endswith("_test")}
        def can(name):
            if name.startswith("unit/") and name[len("unit/"):] + "_test" in changed: return True
            if name.startswith("shell/"): return True
            return not alone(name) and common - {"ventus"}
        return [name for name in self.names if can(name)]

    def targets(self, names):
        """What must be built to run these tests."""
        own = [name[len("unit/"):] + "_test" for name in names if name.startswith("unit/")]
        return own + ([] if all(alone(name) for name in names) else [name for name in self.programs if not name.endswith("_test")])

def failing(names):
    """The first of these tests that fails, or None. Those that take seconds run last."""
    slow = [name for name in names if has(name, SLOW)]
    return tests([name for name in names if name not in slow]) or tests(slow)

def verdict_of(m, all_tests, near):
    """Verdict and the test that gave it, for a mutant that stands in the tree. Only what is needed next is built."""
    objects = objects_of(m.path)
    if run(["ninja", "-C", "build", *objects], 600) != 0: return "refused", "compiler"
    if objects and all(hash_of(name) == all_tests.objects[name] for name in objects): return "same", ""
    first = about(all_tests.names, [m.folder])
    for names in (first,) if near else (first, [name for name in all_tests.names if name not in first]):
        if run(["ninja", "-C", "build", *(all_tests.targets(names) if names is first else [])], 600) != 0: return "killed", "build"
        killer = failing([name for name in all_tests.concerned() if name in names])
        if killer: return "killed", killer
    return "unseen" if near else "survived", ""

def judge(m, all_tests, near):
    file = os.path.join(TREE, m.path)
    with open(file) as f: text = f.read()
    lines = text.split("\n")
    lines[m.n] = m.new
    try:
        with open(file, "w") as f: f.write("\n".join(lines))
        return verdict_of(m, all_tests, near)
    finally:
        with open(file, "w") as f: f.write(text)

# ---- the whole ----

def copy_tree():
    """The tree as it is, built. Returns what identifies it."""
    os.makedirs(TREE, exist_ok=True)
    all_of_it = hashlib.sha1()
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [name for name in listed.stdout.split("\n") if os.path.isfile(os.path.join(ROOT, name))]
    for base, folders, names in os.walk(TREE):  # the build takes every source that it finds
        if base == TREE: folders[:] = [f for f in folders if f != "build"]
        for name in names:
            if os.path.relpath(os.path.join(base, name), TREE) not in files: os.remove(os.path.join(base, name))
    for name in files:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as f: new = f.read()
        if not name.startswith("tests/mutation/"): all_of_it.update(name.encode() + b"\0" + hashlib.sha1(new).digest())
        if os.path.exists(target):
            with open(target, "rb") as f:
                if f.read() == new: continue
        shutil.copy(source, target)
    shared = os.path.join(ROOT, "..", "shared")
    if os.path.isdir(shared) and not os.path.lexists(os.path.join(WORK, "shared")):
        os.symlink(os.path.realpath(shared), os.path.join(WORK, "shared"))
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        if run(["meson", "setup", "build", "-Dbuildtype=plain", "-Doptimization=1"], 300) != 0: sys.exit("mutate: meson failed")
    if run(["make", "build"], 1800) != 0: sys.exit("mutate: the tree does not build")
    return all_of_it.hexdigest()

def about(names, folders): return [name for name in names if any(has(name, FIRST[folder]) for folder in folders)]

def prepare(folders):
    """The tests. Those about the folders, or all, pass without a change; what has passed with the same tree does not run again."""
    tree, all_tests, passed = copy_tree(), Tests(), []
    if os.path.exists(PASSED):
        with open(PASSED) as f: before, *names = f.read().split("\n")
        if before == tree: passed = names
    needed = [name for name in (about(all_tests.names, folders) if folders else all_tests.names) if name not in passed]
    failed = failing(needed)
    if failed: sys.exit(f"mutate: {failed} fails without a change, see build-mutants/tree/build/test-results")
    with open(PASSED, "w") as f: f.write("\n".join([tree, *passed, *needed]))
    return all_tests

def explained():
    """(file, original, changed) of survivors.txt; a line `# ...` says why, and blocks are parted by empty lines."""
    known = set()
    with open(os.path.join(ROOT, "tests/mutation/survivors.txt")) as f:
        for block in re.split(r"\n\s*\n", f.read()):
            lines = [l for l in block.split("\n") if l and not l.startswith("#")]
            if len(lines) == 3: known.add((lines[0].strip(), lines[1].strip()[2:].strip(), lines[2].strip()[2:].strip()))
    return known

def read_results(again, near, known):
    """What has been judged, but for what is to be judged once more; what is explained is not."""
    done = {}
    if os.path.exists(RESULTS):
        for line in open(RESULTS):
            *key, verdict, test = line.rstrip("\n").split("\t")
            once_more = ("survived", "unseen") if again else ("unseen",) if not near else ()
            if verdict not in once_more or tuple(key[:3]) in known: done[tuple(key)] = verdict, test
    return done

def summary(verdicts):
    """Lines about the mutants of each folder that compile and change the code: [(folder, verdict)...]."""
    def line(name, of):
        killed, explained, survived = of.count("killed"), of.count("explained"), of.count("survived") + of.count("unseen")
        total = killed + explained + survived
        share = 100 * killed / max(total - explained, 1)
        return f"{name:9} {total:7} {killed:7} {explained:10} {survived:9} {share:7.1f} %   {of.count('same')} change no code, {of.count('refused')} do not compile"
    print(f"{'folder':9} mutants  killed  explained  survived   killed of those not explained")
    for folder in FOLDERS:
        of = [v for f, v in verdicts if f == folder]
        if of: print(line(folder, of))
    print(line("all", [v for _, v in verdicts]))

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--number", type=int, default=300)
    p.add_argument("--each", type=int, help="so many of each folder instead", metavar="N")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=int, default=10**9)
    p.add_argument("--only", default="", help="files whose path contains TEXT", metavar="TEXT")
    p.add_argument("--list", action="store_true", help="print the mutants and end")
    p.add_argument("--again", action="store_true", help="try those again that survived")
    p.add_argument("--near", action="store_true", help="with the tests about the folder only; what they do not see is tried with all the next time")
    p.add_argument("folder", nargs="*", default=FOLDERS)
    a = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what runs is ended too
    if a.each: chosen = [m for some in zip_longest(*(draw([f], a.each, a.seed, a.only) for f in a.folder)) for m in some if m]
    else: chosen = draw(a.folder, a.number, a.seed, a.only)
    if a.list:
        for m in chosen: print(f"{m.path}:{m.n + 1}\n- {m.old.strip()}\n+ {m.new.strip()}\n")
        return 0
    known, verdicts, begin, all_tests = explained(), [], time.time(), None
    done = read_results(a.again, a.near, known)
    for k, m in enumerate(chosen):
        if m.key not in done:
            if time.time() - begin > a.seconds: break
            if not all_tests: all_tests = prepare({m.folder for m in chosen if m.key not in done} if a.near else None)
            done[m.key] = judge(m, all_tests, a.near)
            with open(RESULTS, "a") as f: f.write("\t".join(m.key + done[m.key]) + "\n")
        verdict, test = done[m.key]
        if verdict in ("survived", "unseen") and m.change in known: verdict = "explained"
        verdicts.append((m.folder, verdict))
        print(f"[{k + 1}/{len(chosen)} {int(time.time() - begin)}s] {verdict:9} {m.path}:{m.n + 1} {test}", flush=True)
        if verdict in ("survived", "unseen"): print(f"    - {m.old.strip()}\n    + {m.new.strip()}", flush=True)
    summary(verdicts)
    return 1 if any(v in ("survived", "unseen") for _, v in verdicts) or len(verdicts) < len(chosen) else 0

if __name__ == "__main__": sys.exit(main())
