"""Commands for gdb on a Ventus GPU: work-items, warps and lanes (docs/debugger.md).

`ventus debug` loads this file; by hand: (gdb) source ventus_gdb.py. It only uses what gdb can do with any server, and the
monitor commands of the machine's own server (debug/monitor.c).
"""
import collections
import re
import gdb

for setting in ("print thread-events off", "breakpoint pending on", "pagination off", "remotetimeout 60"):
    gdb.execute("set " + setting)


def monitor(command):
    return gdb.execute("monitor " + command, to_string=True)


def thread_by_number(number):
    for thread in gdb.selected_inferior().threads():
        if number in thread.ptid[1:]:
            return thread
    raise gdb.GdbError("Work-item %d is no thread (monitor threads all)." % number)


def switch(said):
    """To the thread that the server has named. Number 1 is the only one beside a host program: it has become another work-item."""
    number = int(said.split()[1])
    thread_by_number(number).switch()
    if number == 1:
        gdb.execute("maint flush register-cache", to_string=True)
        gdb.execute("maint flush dcache", to_string=True)


def select(said):
    """Selects the thread that the server has named, and shows where it stands."""
    if not said.startswith("thread "):
        raise gdb.GdbError(said.strip() or "No such work-item.")
    switch(said)
    gdb.execute("frame")


def completions(lines, text, word):
    """What can stand for `word`, the last one of `text`, when a command's argument is one of `lines`."""
    before = text[:len(text) - len(word)].split()
    found = []
    for line in lines:
        words = line.split()
        there = words[:len(before)] == before and words[len(before):]
        if there and there[0].startswith(word) and there[0] not in found:
            found.append(there[0])
    return found


def workitems():
    """Global ids of all threads, as arguments of `ventus workitem`."""
    names = [thread.name or "" for thread in gdb.selected_inferior().threads()]
    return [name.strip("()").replace(",", " ") for name in names if name.startswith("(")]


def numbers_behind(word, command):
    """The first one in each line of what a command of the server says."""
    return re.findall(r"^.*?\b%s (\d+)" % word, monitor(command), re.MULTILINE)


class Monitor(gdb.Command):
    """A command of the server, whose argument is one of `choices`."""

    def __init__(self, name, asks, text, choices=()):
        self.__doc__ = text
        self.asks = asks
        self.choices = choices
        super().__init__(name, gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        gdb.write(monitor((self.asks + " " + argument).strip()))

    def complete(self, text, word):
        return completions(self.choices, text, word)


class Select(gdb.Command):
    """A command that selects a thread; `choices` says which arguments there are now."""

    def __init__(self, name, asks, text, choices):
        self.__doc__ = text
        self.asks = asks
        self.choices = choices
        super().__init__(name, gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        select(monitor(self.asks + " " + argument.replace(",", " ").strip("() ")))

    def complete(self, text, word):
        try:
            return completions(self.choices(), text, word)
        except gdb.error:  # nothing runs
            return []


LANE = 0


def window(word):
    """A word of the selected work-item's ids (isa/abi.h, ABI_WINDOW_IDS)."""
    memory = gdb.selected_inferior().read_memory(0x01000000 + 4 * (0x140 + word), 4)
    return int.from_bytes(memory.tobytes(), "little")


class PrintLanes(gdb.Command):
    """print-lanes EXPRESSION: its value in each lane of the selected warp, and how often each value occurs."""

    def __init__(self):
        super().__init__("print-lanes", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        before, values = gdb.selected_thread(), []
        if before is None or not argument:
            raise gdb.GdbError("print-lanes EXPRESSION, with a work-item selected")
        own = window(LANE)
        try:
            for lane in range(32):
                said = monitor("lane %d" % lane)
                values.append(value_of(said, argument) if said.startswith("thread ") else None)
        finally:
            said = monitor("lane %d" % own)
            switch(said) if said.startswith("thread 1\n") else before.switch()
        gdb.write(picture(values))


def value_of(said, expression):
    switch(said)
    try:
        return str(gdb.parse_and_eval(expression))
    except gdb.error:
        return "?"


def picture(values):
    """All lanes in one line, and the most frequent values."""
    there = [v for v in values if v is not None]
    text = " ".join("." if v is None else v for v in values).rstrip(" .") + "\n"
    for value, count in collections.Counter(there).most_common(8):
        text += "%4d %s %s\n" % (count, "#" * count, value)
    return text


class Ventus(gdb.Command):
    """Work-items, warps and lanes of the GPU."""

    def __init__(self):
        super().__init__("ventus", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Attach(gdb.Command):
    """ventus attach WHERE: connects to a machine at :PORT or at the path of a socket, and reads the program's symbols."""

    def __init__(self):
        super().__init__("ventus attach", gdb.COMMAND_RUNNING, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        gdb.execute("set suppress-cli-notifications on")
        gdb.execute("target remote " + argument, to_string=True)
        gdb.execute("sharedlibrary", to_string=True)
        gdb.execute("set suppress-cli-notifications off")
        if gdb.selected_thread().name != "device":
            gdb.execute("frame")


class Host(gdb.Command):
    """ventus host WHERE: the device at WHERE becomes a second inferior, beside the host program, which is the first."""

    def __init__(self):
        super().__init__("ventus host", gdb.COMMAND_RUNNING, gdb.COMPLETE_FILENAME)
        self.device = None

    def invoke(self, argument, from_tty):
        program = gdb.selected_inferior().num
        gdb.execute("maint set target-non-stop on")
        gdb.execute("set schedule-multiple on")
        gdb.execute("set suppress-cli-notifications on")
        gdb.execute("add-inferior -no-connection", to_string=True)
        self.device = max(inferior.num for inferior in gdb.inferiors())
        gdb.execute("inferior %d" % self.device, to_string=True)
        gdb.execute("target remote " + argument, to_string=True)
        gdb.execute("inferior %d" % program, to_string=True)
        gdb.execute("set suppress-cli-notifications off")
        gdb.events.stop.connect(self.stopped)

    def stopped(self, event):
        """The server has one thread for all work-items, and cannot see whether the user sees it stop."""
        if gdb.selected_inferior().num == self.device:
            monitor("shown")


class Recorded(gdb.Command):
    """ventus recorded: runs in front of gdb's `record`, which cannot record a GPU; nothing has to be recorded there."""

    def __init__(self):
        super().__init__("ventus recorded", gdb.COMMAND_RUNNING)
        gdb.execute("define hook-record\nventus recorded\nend")

    def invoke(self, argument, from_tty):
        if gdb.selected_inferior().architecture().name().startswith("riscv"):
            raise gdb.GdbError("Each launch is recorded from its beginning: reverse-stepi, reverse-continue and so on work at once.")


class GlobalId(gdb.Function):
    """$gid(D): the global id of the selected work-item in dimension D."""

    def __init__(self, name, word):
        self.word = word
        super().__init__(name)

    def invoke(self, dimension=0):
        return window(self.word + int(dimension))


Ventus()
Attach()
Host()
Recorded()
PrintLanes()
GlobalId("lid", 2)
GlobalId("gid", 5)
GlobalId("group", 8)
for what, text in (
    ("kernels", "The launch that runs."),
    ("groups", "Resident work-groups."),
    ("warps", "Warps: lanes (# run, - wait, . do not exist), pc, state."),
    ("lanes", "Lanes of the selected warp: work-item, pc, what each waits for."),
    ("barriers", "Who of the selected group waits at a barrier."),
    ("csrs", "Control registers of the selected warp."),
    ("checks", "Mistakes that checks have found so far (--check)."),
):
    Monitor("info " + what, "info " + what, text)
Monitor("simt", "simt", "SIMT stack of the selected warp: who waits where for which join.")
Monitor("ventus instruction", "instruction", "The next instruction, what it reads and will write.")
Monitor("ventus threads", "threads", "Which work-items are threads: all, group, warp, one.", ("all", "group", "warp", "one"))
Select("ventus workitem", "workitem", "ventus workitem X [Y [Z]]: selects the work-item with this global id.", workitems)
Select("warp", "warp", "warp N: selects a work-item of warp N of the group.", lambda: numbers_behind("warp", "info warps"))
Select("lane", "lane", "lane N: selects lane N of the warp.", lambda: numbers_behind("lane", "info lanes"))
