"""Commands for lldb on a Ventus GPU: work-items, warps and lanes (docs/debugger.md).

`ventus debug --lldb` loads this file; by hand: (lldb) command script import ventus_lldb.py. It uses the monitor commands
of the machine's own server (debug/monitor.c).
"""
import collections
import lldb


def monitor(debugger, command):
    answer = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("process plugin packet monitor " + command, answer)
    lines = (answer.GetOutput() or "").splitlines(True)
    return "".join(l for l in lines if not l.startswith(("  packet: ", "response: ")))


def process_of(debugger):
    return debugger.GetSelectedTarget().GetProcess()


def tell(debugger, thread):
    """lldb does not tell the machine which thread's memory it asks for, nor which one commands are about: we do."""
    if thread.IsValid():
        monitor(debugger, "thread %d" % thread.GetThreadID())


def tell_selection(debugger):
    tell(debugger, process_of(debugger).GetSelectedThread())


# Commands of lldb that ask for memory.
READERS = ("frame variable", "target variable", "expression", "dwim-print", "memory read", "memory write", "memory find", "register read",
           "register write", "watchpoint set variable", "watchpoint set expression")


def before_reader(debugger):
    def callback(*words):
        tell_selection(debugger)
        return False  # the command is still to be executed

    return callback


def before_select(debugger):
    """`thread select`, which shows the thread's frame when it has been selected."""

    def callback(*words):
        if words and words[-1].isdigit() and "-t" not in words:
            tell(debugger, process_of(debugger).GetThreadByIndexID(int(words[-1])))
        return False

    return callback


def follow_selection(debugger):
    interpreter = debugger.GetCommandInterpreter()
    for command in READERS:
        interpreter.SetCommandOverrideCallback(command, before_reader(debugger))
    interpreter.SetCommandOverrideCallback("thread select", before_select(debugger))


def load_program(debugger):
    """The symbols of the program that the machine runs now."""
    target, path = debugger.GetSelectedTarget(), monitor(debugger, "program").strip()
    if not path or any(m.GetFileSpec().fullpath == path for m in target.module_iter()):
        return False
    for module in list(target.module_iter()):
        target.RemoveModule(module)
    module = target.AddModule(path, None, None)
    target.SetModuleLoadAddress(module, 0)
    return True


class ProgramHook:
    """Another program has come into the code window: reads its symbols and goes on."""

    def __init__(self, target, extra_args, internal_dict):
        pass

    def handle_stop(self, exe_ctx, stream):
        thread = exe_ctx.GetThread()
        said = thread.GetStopDescription(300) if thread.IsValid() else ""
        if not said.startswith("another program"):
            return True
        load_program(exe_ctx.GetTarget().GetDebugger())
        return False


def attach(debugger, command, result, internal_dict):
    """ventus-attach HOST:PORT or unix-connect://PATH: connects to a machine and reads the program's symbols."""
    where = command.strip()
    if where.startswith("/"):
        where = "unix-connect://" + where
    elif where.startswith(":"):
        where = "connect://localhost" + where
    if not debugger.GetSelectedTarget().IsValid():
        debugger.SetSelectedTarget(debugger.CreateTarget("", "riscv32-unknown-unknown-elf", "", False, lldb.SBError()))
    debugger.HandleCommand("process connect --plugin gdb-remote " + where)
    load_program(debugger)
    debugger.HandleCommand("target stop-hook add -P ventus_lldb.ProgramHook")


def pass_on(command):
    def function(debugger, argument, result, internal_dict):
        tell_selection(debugger)
        result.AppendMessage(monitor(debugger, (command + " " + argument).strip()).rstrip("\n"))

    return function


def selecting(command):
    def function(debugger, argument, result, internal_dict):
        tell_selection(debugger)
        said = monitor(debugger, command + " " + argument.replace(",", " ").strip("() "))
        thread = lldb.SBThread()
        if said.startswith("thread "):
            thread = process_of(debugger).GetThreadByID(int(said.split()[1]))
        if not thread.IsValid():
            result.SetError(said.strip() or "no such work-item")
            return
        process_of(debugger).SetSelectedThread(thread)
        debugger.HandleCommand("frame select 0")
        tell_selection(debugger)

    return function


def print_lanes(debugger, expression, result, internal_dict):
    """print-lanes EXPRESSION: its value in each lane of the selected warp, and how often each value occurs."""
    values = []
    tell_selection(debugger)
    for lane in range(32):
        said = monitor(debugger, "lane %d" % lane)
        if not said.startswith("thread "):
            values.append(None)
            continue
        frame = process_of(debugger).GetThreadByID(int(said.split()[1])).GetFrameAtIndex(0)
        value = frame.EvaluateExpression(expression)
        values.append("?" if value.GetError().Fail() else value.GetValue() or value.GetSummary() or "?")
    tell_selection(debugger)
    there = [v for v in values if v is not None]
    result.AppendMessage(" ".join("." if v is None else v for v in values).rstrip(" ."))
    for value, count in collections.Counter(there).most_common(8):
        result.AppendMessage("%4d %s %s" % (count, "#" * count, value))


COMMANDS = {
    "info-kernels": pass_on("info kernels"),
    "info-groups": pass_on("info groups"),
    "info-warps": pass_on("info warps"),
    "info-lanes": pass_on("info lanes"),
    "info-barriers": pass_on("info barriers"),
    "info-csrs": pass_on("info csrs"),
    "info-checks": pass_on("info checks"),
    "simt": pass_on("simt"),
    "ventus-instruction": pass_on("instruction"),
    "workitem": selecting("workitem"),
    "warp": selecting("warp"),
    "lane": selecting("lane"),
    "print-lanes": print_lanes,
    "ventus-attach": attach,
}


COMPLETION = {"print-lanes": "variable-path", "ventus-attach": "disk-file"}
SHOWN = {
    "all": "All resident work-items are threads.",
    "group": "Those of the stopped group are.",
    "warp": "Those of the stopped warp are.",
    "one": "Only the one that stopped is.",
}


def add_command(debugger, name, function, options=""):
    own = "command_" + name.replace("-", "_").replace(" ", "_")
    globals()[own] = function
    debugger.HandleCommand("command script add -o %s -f ventus_lldb.%s %s" % (options, own, name))


def __lldb_init_module(debugger, internal_dict):
    for name, function in COMMANDS.items():
        add_command(debugger, name, function, "-C " + COMPLETION.get(name, "none"))
    # lldb completes words of commands, but no arguments of ours: so these are words.
    debugger.HandleCommand("command container add -o -h 'Which work-items are threads.' ventus-threads")
    for what, text in SHOWN.items():
        add_command(debugger, "ventus-threads " + what, pass_on("threads " + what), "-h '%s'" % text)
    # lldb keeps what it has read for all threads, but a work-item's own memory and registers are at the same addresses in each.
    debugger.HandleCommand("settings set target.process.disable-memory-cache true")
    follow_selection(debugger)
    # A work-group's threads stop together: one line for each is enough.
    debugger.HandleCommand("settings set stop-disassembly-display never")
