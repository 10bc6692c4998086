#!/usr/bin/python3
"""Changes the sources one small step at a time and sees whether a test notices.

    tests/mutation/mutate.py [--number N] [--seed S] [--list] [--only TEXT] [FOLDER...]

N mutants (default 300) are drawn from the C files of the folders, the same ones for the same seed and
sources. Each is built in a copy of the tree (build-mutants/), first with the tests that are about its
folder, then with all others; the first failing one kills it. A mutant whose object code is that of the
original changes nothing and does not count. Ends with the share killed and with exit code 1 when one
survives that survivors.txt does not explain. Results stay in build-mutants/results.tsv: a second run
with the same sources goes on where the first one ended.

Called by `make mutants`; it takes hours, see README.md here."""

import argparse, hashlib, os, random, re, shutil, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build-mutants")
TREE, BUILD, RESULTS = (os.path.join(WORK, name) for name in ("tree", "tree/build", "results.tsv"))
FOLDERS = ["isa", "asm", "sim", "driver", "vt", "compiler", "opencl", "tools"]

# Tests that are about a folder, by words of their names: they run first, and most mutants die there.
FIRST = {
    "isa": ["unit/isa", "unit/asm/asm", "tests/sim/alu", "tests/sim/rows"],
    "asm": ["unit/asm", "fuzz_assemble", "fuzz_link", "fuzz_elf", "shell/ld", "shell/listing", "shell/asm"],
    "sim": ["tests/sim", "tests/check", "tests/tensor", "tests/softfp", "cl/divergence"],
    "driver": ["unit/driver", "tests/driver", "tests/opencl/kernel", "cl/printf", "cl/local"],
    "vt": ["tests/vt", "tests/sim/corpus"],
    "compiler": ["unit/compiler", "tests/cc/cc", "cl/"],
    "opencl": ["tests/opencl", "unit/opencl", "python/", "cl/arguments"],
    "tools": ["shell/", "tests/sim/trace"],
}

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
STATEMENT = re.compile(r"^\s+(?!return|break|continue|goto|free\(|fclose\(|close\(|case|else|static|const|struct|enum|typedef|for|if|while|do|switch|\}|#|va_)"
                       r"(?:[\w\[\]>.*&()-]+ [-+|&^*/]?= .*|\*?\w[\w>.\[\]-]*(?:\+\+|--)|\w+\(.*\));$")

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
        for pattern, others in SWAPS:
            for m in re.finditer(pattern, plain):
                for other in others:
                    new = str(int(m.group()) + 1) if other is None else other
                    yield path, n, line[:m.start()] + new + line[m.end():]
        m = CONDITION.search(plain)
        if m:
            begin, end = m.start(1) - 1, matching(plain[m.start(1) - 1:])
            if end > 0:
                for new in ("(1 || (", "(0 && ("):
                    inner = line[begin + 1:begin + end]
                    yield path, n, line[:begin] + new + inner + "))" + line[begin + end + 1:]
        if STATEMENT.match(plain): yield path, n, re.match(r"\s*", line).group() + ";"

def draw(folders, number, seed, only):
    found = []
    for folder in folders:
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(base, name), ROOT)
                if name.endswith(".c") and not name.endswith("_test.c") and only in path: found += mutants_of(path)
    return random.Random(seed).sample(found, min(number, len(found)))

# ---- one mutant ----

def run(command, seconds, **more):
    """Exit code, or None when it took too long; children end with it."""
    p = subprocess.Popen(command, cwd=TREE, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, **more)
    try: return p.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
        p.wait()
        return None

def objects(path):
    """Hashes of the objects compiled from a source; there is no debug information in them."""
    mark, found = path.replace("/", "_"), {}
    wanted = (os.path.basename(path) + ".o", mark + ".o")
    for base, _, names in os.walk(BUILD):
        for name in names:
            if name in wanted and (os.path.basename(os.path.dirname(path)) in base or name == mark + ".o"):
                file = os.path.join(base, name)
                with open(file, "rb") as f: found[file] = hashlib.sha1(f.read()).hexdigest()
    return found

def tests(words, without=()):
    """Runs tests until one fails. Its name, or None."""
    names = [w for w in words if w not in without]
    code = run(["tests/run", "--build", "build", "--until-failure", "--timeout", "120", *names], 900)
    if code == 0: return None
    verdicts = os.path.join(BUILD, "test-results")
    for name in sorted(os.listdir(verdicts)) if os.path.isdir(verdicts) else []:
        if name.endswith(".verdict"):
            with open(os.path.join(verdicts, name)) as f: line = f.read()
            if line.startswith("FAIL"): return line.split("\t")[1].strip()
    return "no end" if code is None else "?"

def judge(path, n, new):
    """Verdict and the test that gave it."""
    before = objects(path)
    file = os.path.join(TREE, path)
    with open(file) as f: text = f.read()
    lines = text.split("\n")
    lines[n] = new
    try:
        with open(file, "w") as f: f.write("\n".join(lines))
        if run(["ninja", "-C", "build"], 600) != 0: return "refused", "compiler"
        if objects(path) == before: return "same", ""
        first = tests(FIRST[path.split("/")[0]])
        if first: return "killed", first
        rest = tests([])
        return ("killed", rest) if rest else ("survived", "")
    finally:
        with open(file, "w") as f: f.write(text)

# ---- the whole ----

def copy_tree():
    os.makedirs(TREE, exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source): continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as f: new = f.read()
        if os.path.exists(target):
            with open(target, "rb") as f:
                if f.read() == new: continue
        shutil.copy(source, target)
    shared = os.path.join(ROOT, "..", "shared")
    if os.path.isdir(shared) and not os.path.lexists(os.path.join(WORK, "shared")):
        os.symlink(os.path.realpath(shared), os.path.join(WORK, "shared"))
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        if run(["meson", "setup", "build", "-Dbuildtype=plain", "-Doptimization=1"], 300) != 0: sys.exit("mutate: meson failed")
    if run(["ninja", "-C", "build"], 1800) != 0: sys.exit("mutate: the tree does not build")

def explained():
    """(file, original, changed) of survivors.txt; a line `# ...` says why, and blocks are parted by empty lines."""
    known = set()
    with open(os.path.join(ROOT, "tests/mutation/survivors.txt")) as f:
        for block in re.split(r"\n\s*\n", f.read()):
            lines = [l for l in block.split("\n") if l and not l.startswith("#")]
            if len(lines) == 3: known.add((lines[0].strip(), lines[1].strip()[2:].strip(), lines[2].strip()[2:].strip()))
    return known

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--number", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="", help="files whose path contains TEXT", metavar="TEXT")
    p.add_argument("--list", action="store_true", help="print the mutants and end")
    p.add_argument("folder", nargs="*", default=FOLDERS)
    a = p.parse_args()
    chosen = draw(a.folder, a.number, a.seed, a.only)
    original = {path: open(os.path.join(ROOT, path)).read().split("\n") for path, _, _ in chosen}
    if a.list:
        for path, n, new in chosen: print(f"{path}:{n + 1}\n- {original[path][n].strip()}\n+ {new.strip()}\n")
        return 0
    copy_tree()
    done = {}
    if os.path.exists(RESULTS):
        for line in open(RESULTS):
            path, old, new, verdict, test = line.rstrip("\n").split("\t")
            done[path, old, new] = verdict, test
    if tests([]): sys.exit("mutate: tests fail without a change, see build-mutants/tree/build/test-results")
    known, count, begin = explained(), {}, time.time()
    for k, (path, n, new) in enumerate(chosen):
        key = path, original[path][n].strip(), new.strip()
        if key not in done:
            done[key] = judge(path, n, new)
            with open(RESULTS, "a") as f: f.write("\t".join(key + done[key]) + "\n")
        verdict, test = done[key]
        if verdict == "survived" and key in known: verdict = "explained"
        count[verdict] = count.get(verdict, 0) + 1
        print(f"[{k + 1}/{len(chosen)} {int(time.time() - begin)}s] {verdict:9} {path}:{n + 1} {test}", flush=True)
        if verdict == "survived": print(f"    - {key[1]}\n    + {key[2]}", flush=True)
    killed, survived = count.get("killed", 0), count.get("survived", 0)
    total = killed + survived + count.get("explained", 0)
    print(f"mutants: {total} that compile and change the code, {killed} killed ({100 * killed / max(total, 1):.1f} %), "
          f"{survived} survived, {count.get('explained', 0)} survived and are explained; "
          f"{count.get('same', 0)} change no code, {count.get('refused', 0)} do not compile")
    return 1 if survived else 0

if __name__ == "__main__": sys.exit(main())
