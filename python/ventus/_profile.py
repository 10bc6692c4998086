"""Profiles: of a kernel, of a program, of a file (docs/profiler.md has the keys)."""
import ctypes
import operator
import os

from . import _library as c
from ._device import Kernel
from ._json import Reader, array, frame, parse, read_text
from ._library import Error, library, path_argument

COUNT, NUMBER, TEXT = "u8", "u4", "O"
PATTERNS = "single", "broadcast", "consecutive", "strided", "scattered"
MEMORY = "accesses", "access_lanes", "bytes", "cache_lines", "conflicts", "lines_again", "distance", "atomics", "same_word"
LATER = "lines_again", "distance", "atomics", "same_word" # which older files lack
SLOTS = "issued", "other", "fetch", "scoreboard", "collector", "unit", "memory", "branch", "barrier", "no_warp" # timing/slots.def
TIMING = [("cycles", COUNT)] + [(name, COUNT) for name in SLOTS[:-1] + ("l1d_hits", "l1d_misses")]
OVER_TIME = [("kernel", TEXT), ("start", COUNT), ("cycles", COUNT), ("warps", "f8")] + [(name, COUNT) for name in SLOTS]
RESIDENT = [("kernel", TEXT), ("sm", NUMBER), ("start", COUNT), ("warps", "f8")]
KERNELS = [("name", TEXT), ("program", COUNT), ("entry", NUMBER), ("launches", COUNT), ("host_ns", COUNT), ("cycles", COUNT), ("memory_bytes", COUNT), ("watched", COUNT),
           ("written_bytes", COUNT), ("round_trip_bytes", COUNT), ("groups_per_sm", COUNT), ("limit", TEXT)] + \
    [(name, COUNT) for name in c.COUNTERS]
LINES = [("kernel", TEXT), ("line", NUMBER), ("executions", COUNT), ("lanes", COUNT), ("branches", COUNT), ("diverged", COUNT)] + \
    [(name, COUNT) for name in MEMORY] + TIMING + [("text", TEXT)]
INSTRUCTIONS = [("kernel", TEXT), ("pc", NUMBER), ("line", NUMBER), ("executions", COUNT), ("lanes", COUNT), ("taken", COUNT),
                ("diverged", COUNT), ("taken_lanes", COUNT), ("local", bool), ("write", bool)] + \
    [(name, COUNT) for name in MEMORY + PATTERNS] + TIMING + [("text", TEXT)]
ADVICE = [("kernel", TEXT), ("rule", TEXT), ("line", NUMBER), ("text", TEXT)]
IN_FILE = {"access_lanes": "lanes", "cache_lines": "lines", "lines_again": "again"}


class Profile:
    """Exact counts, as numpy structured arrays (docs/python.md has the columns).

    kernels       a row each, in the order of their first launches
    lines         of the source: of each kernel the hottest first, with accesses to memory where they were watched
    instructions  of each kernel by address
    advice        what the rules of docs/profiler.md have found
    over_time     on a cycle model, of each kernel's launch with the most cycles: what warp slots did from cycle `start` on
    resident      of the same launches: warps on each SM
    machine       (sms, warps_per_sm, threads_per_warp)
    counters      of the launch, with cycles; None: it is not of one kernel
    exit_code     of the program; None: it is not of one
    """

    counters = exit_code = None

    def __init__(self, text, name="the profile"):
        self.name, self._text = name, text
        r = Reader(name, "a profile")
        top = parse(text, name, "a profile")
        if r.count(top, "ventus_profile") != 1:
            r.wrong(f"it is of version {top['ventus_profile']}, not 1")
        machine = r.member(top, "machine", dict)
        self.machine = tuple(r.count(machine, key) for key in ("sms", "warps_per_sm", "threads_per_warp"))
        kernels = r.member(top, "kernels", list)
        rows = [kernel_rows(r, k) for k in kernels]
        self.kernels = array([row[0] for row in rows], KERNELS)
        self.lines = array([line for row in rows for line in row[1]], LINES)
        self.instructions = array([insn for row in rows for insn in row[2]], INSTRUCTIONS)
        self.advice = array([advice for row in rows for advice in row[3]], ADVICE)
        self.over_time = array([bucket for row in rows for bucket in row[4]], OVER_TIME)
        self.resident = array([warps for row in rows for warps in row[5]], RESIDENT)

    def __repr__(self):
        return f"<ventus.Profile {self.name!r}: {len(self.kernels)} kernels, {int(self.kernels['instructions'].sum())} instructions>"

    def frame(self, what="lines"):
        """`kernels`, `lines`, `instructions`, `advice`, `over_time` or `resident` as a pandas.DataFrame. ImportError: there is no pandas."""
        if what not in ("kernels", "lines", "instructions", "advice", "over_time", "resident"):
            raise ValueError(f"frame: kernels, lines, instructions, advice, over_time or resident, not {what!r}")
        return frame(getattr(self, what))

    def save(self, path):
        """Writes it as JSON, which `profile` and `ventus profile diff` read; a path that ends in .html gets the page for a browser."""
        name = path_argument(path, "a file")
        if name.endswith(".html"):
            with c.temporary_folder() as folder:
                self.save(os.path.join(folder, "p.json"))
                c.run(["profile", "page", "-o", os.path.abspath(name), os.path.join(folder, "p.json")])
            return
        try:
            with open(name, "w", encoding="utf-8") as out:
                out.write(self._text)
        except OSError as problem:
            raise Error(f"{name}: {problem.strerror}") from None


def kernel_rows(r, k):
    """Rows of the arrays for one kernel."""
    name, counters = r.member(k, "name", str), r.member(k, "counters", dict)
    largest = r.member(k, "largest", dict, {})
    head = (name, r.count(k, "program"), r.count(k, "entry", 2**32 - 1), r.count(k, "launches"), r.count(k, "host_ns"),
            r.count(k, "cycles", default=0), r.count(k, "memory_bytes", default=0), r.count(k, "watched"),
            r.count(k, "written_bytes", default=0), r.count(k, "round_trip_bytes", default=0),
            r.count(largest, "groups_per_sm", default=0), r.member(largest, "limit", str, ""))
    head += tuple(r.count(counters, key) for key in c.COUNTERS)
    source = None if k.get("source") is None else r.member(k, "source", dict)
    texts = r.member(source, "text", str).split("\n") if source else []
    insns = [insn_row(r, name, i) for i in r.member(k, "instructions", list)]
    sums = memory_by_line(insns)
    lines = [line_row(r, name, line, texts, sums) for line in r.member(k, "lines", list)]
    advice = [(name, r.member(a, "rule", str), r.count(a, "line", 2**32 - 1), r.member(a, "text", str)) for a in r.member(k, "advice", list)]
    return head, lines, insns, advice, *time_rows(r, name, r.member(k, "timing", dict, {}))


def timing_row(r, where):
    timing = r.member(where, "timing", dict, {})
    if not timing:
        return (0,) * len(TIMING)
    slots = r.member(timing, "slots", dict)
    counts = [r.count(slots, kind) for kind in SLOTS[:-1]]
    return min(2**64 - 1, sum(counts)), *counts, r.count(timing, "l1d_hits"), r.count(timing, "l1d_misses")


def numbers_of(r, where, key, n=None):
    numbers = r.member(where, key, list)
    if any(type(number) is not int or not 0 <= number < 2**64 for number in numbers) or n not in (None, len(numbers)):
        r.wrong(f"{key!r} is no list of counts, or of another length than others")
    return numbers


def time_rows(r, name, timing):
    """What slots did in each interval of the longest launch, and the resident warps of each SM."""
    time = r.member(timing, "over_time", dict, {})
    if not time:
        return [], []
    cycles, interval, slots = r.count(time, "cycles"), r.count(time, "interval"), r.member(time, "slots", dict)
    n = len(numbers_of(r, slots, SLOTS[0]))
    columns = [numbers_of(r, slots, kind, n) for kind in SLOTS]
    sms = [numbers_of(r, {"warps": warps}, "warps", n) for warps in r.member(time, "warps", list)]
    if not sms or (n and not (n - 1) * interval < cycles <= n * interval):
        r.wrong("its cycles are not those of its intervals")
    spans = [(b * interval, min(interval, cycles - b * interval)) for b in range(n)]
    over = [(name, start, span, sum(sm[b] for sm in sms) / span / len(sms), *(column[b] for column in columns)) for b, (start, span) in enumerate(spans)]
    return over, [(name, number, start, sm[b] / span) for number, sm in enumerate(sms) for b, (start, span) in enumerate(spans)]


def insn_row(r, kernel, i):
    memory = r.member(i, "memory", dict, {})
    numbers = [r.count(memory, IN_FILE.get(key, key), default=None if memory and key not in LATER else 0) for key in MEMORY + PATTERNS]
    flags = [r.member(memory, key, bool, None if memory else False) for key in ("local", "write")]
    return (kernel, r.count(i, "pc", 2**32 - 1), r.count(i, "line", 2**32 - 1),
            *(r.count(i, key) for key in ("executions", "lanes", "taken", "diverged", "taken_lanes")), *flags, *numbers, *timing_row(r, i), r.member(i, "text", str))


def memory_by_line(insns):
    names = [name for name, _ in INSTRUCTIONS]
    line, first = names.index("line"), names.index(MEMORY[0])
    sums = {}
    for row in insns:
        old = sums.get(row[line], (0,) * len(MEMORY))
        sums[row[line]] = tuple(min(2**64 - 1, a + b) for a, b in zip(old, row[first:first + len(MEMORY)]))
    return sums


def line_row(r, kernel, line, texts, sums):
    number = r.count(line, "line", 2**32 - 1)
    text = texts[number - 1].strip() if 0 < number <= len(texts) else ""
    return (kernel, number, *(r.count(line, key) for key in ("executions", "lanes", "branches", "diverged")),
            *sums.get(number, (0,) * len(MEMORY)), *timing_row(r, line), text)


# ---- making one ----

def every(memory):
    """--profile-memory's number: True, each kernel's first launch, and N, every Nth one."""
    if memory is True:
        return 10**9
    try:
        number = operator.index(memory)
    except TypeError:
        raise TypeError(f"memory is True, False or a number of launches, not {type(memory).__name__}") from None
    if not 0 <= number <= 2**32 - 1:
        raise ValueError(f"memory is True, False or a number of launches, not {number}")
    return number


def in_folder(folder):
    path = os.path.join(folder, "profile.json")
    if "," in path:
        raise Error(f"{folder}: the folder for temporary files has a comma in its name; set TMPDIR")
    return path


def of_kernel(kernel, global_size, local_size, args, memory, more):
    device, why = kernel.device, ctypes.create_string_buffer(600)
    with c.temporary_folder() as folder, device._open() as handle:
        path = in_folder(folder)
        if library().ventus_profile(handle, every(memory)):
            raise Error("a profile of this device is being made, by another thread or for the variable VENTUS_PROFILE; "
                        "or it is not the built-in machine (VENTUS_BACKEND)")
        target = None
        try:
            counters = kernel.launch(global_size, local_size, args, **more)
            target = os.fsencode(path)
        finally:
            status = library().ventus_profile_end(handle, target, why, len(why))
        c.check(status, "a profile", why)
        made = Profile(read_text(path), kernel.name)
        made.counters = counters
        return made


def of_program(command, memory, check, options):
    with c.temporary_folder() as folder:
        path, number = in_folder(folder), every(memory)
        words = [f"--profile={path}"] + [f"--profile-memory={number}"] * bool(number) + c.exec_options(**options)
        code = c.exec_program(command, words)
        if check and code:
            raise Error(f"{command[0]} ended with {code}")
        if not os.path.exists(path):
            raise Error(f"{command[0]} has left no profile: it has not opened the device")
        made = Profile(read_text(path), str(command[0]))
        made.exit_code = code
        return made


def profile(what, global_size=None, local_size=None, args=(), *, memory=False, check=True, **options):
    """A Profile, of:

    a Kernel         one launch; global_size, local_size, args, and timeout, offset as for Kernel.launch
    a list of words  a program that uses OpenCL and its arguments, which `ventus exec` runs, with config=, engine=, timing=,
                     timeout= as its options; Error: it did not end with 0 (with check=False that is `exit_code` alone), or has not
                     used the device
    a path           a file that `ventus exec --profile=FILE.json` has written

    memory=True watches accesses of the first launch of each kernel as well, memory=N those of every Nth one: slow, and for
    the columns cache_lines, conflicts and others.
    """
    if isinstance(what, Kernel):
        if global_size is None:
            raise TypeError("the profile of a kernel needs a global size")
        return of_kernel(what, global_size, local_size, args, memory, options)
    if global_size is not None or local_size is not None or len(args):
        raise TypeError("sizes and arguments are those of a kernel's launch")
    if isinstance(what, (list, tuple)):
        return of_program(what, memory, check, options)
    if memory:
        options["memory"] = memory
    if options:
        raise TypeError(f"a file is read without {', '.join(options)}")
    return Profile(read_text(what), os.fspath(what))


# ---- two of them ----

SIDES = [(f"{side}_{name}", kind) for name, kind in (("executions", COUNT), ("lanes", COUNT), ("cycles", COUNT)) for side in "ab"]
DIFF_LINES = [("kernel", TEXT), ("a_line", "i8"), ("b_line", "i8")] + SIDES
DIFF_KERNELS = [("kernel", TEXT)] + SIDES + [("a_launches", COUNT), ("b_launches", COUNT)]


class Diff:
    """Two profiles side by side: `kernels` and `lines`, structured arrays with columns a_... and b_..., the hottest first. A line that
    one side does not have is -1 there, 0 stands for no line that is known."""

    def __init__(self, text):
        r = Reader("ventus profile diff", "a comparison")
        kernels = r.member(parse(text, r.name, r.what), "kernels", list)
        self.kernels = array([diff_kernel(r, k) for k in kernels], DIFF_KERNELS)
        self.lines = array([diff_line(r, k, line) for k in kernels for line in r.member(k, "lines", list)], DIFF_LINES)

    def frame(self, what="lines"):
        """`kernels` or `lines` as a pandas.DataFrame. ImportError: there is no pandas."""
        if what not in ("kernels", "lines"):
            raise ValueError(f"frame: kernels or lines, not {what!r}")
        return frame(getattr(self, what))


def sides(r, both, key):
    return tuple(r.count(both[side], key) if both.get(side) else 0 for side in "ab")


def diff_kernel(r, k):
    return (r.member(k, "name", str), *sides(r, k, "executions"), *sides(r, k, "lanes"), *sides(r, k, "cycles"), *sides(r, k, "launches"))


def diff_line(r, k, line):
    numbers = tuple(r.count(line[side], "line") if line.get(side) else -1 for side in "ab")
    return (k["name"], *numbers, *sides(r, line, "executions"), *sides(r, line, "lanes"), *sides(r, line, "cycles"))


def diff(a, b):
    """Compares two profiles, each a Profile or a path, as `ventus profile diff` does: a Diff."""
    with c.temporary_folder() as folder:
        paths = []
        for name, side in ("a.json", a), ("b.json", b):
            if isinstance(side, Profile):
                paths.append(os.path.join(folder, name))
                side.save(paths[-1])
            else:
                paths.append(path_argument(side, "a profile"))
        return Diff(c.run(["profile", "diff", *map(os.path.abspath, paths), "--json", "-"]).decode("utf-8", "replace"))
