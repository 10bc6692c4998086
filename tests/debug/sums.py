"""A command for lldb as gdb's `complete`: what could stand at the end of a line, for sums-complete.lldb."""
import lldb


def complete(debugger, line, result, internal_dict):
    found = lldb.SBStringList()
    debugger.GetCommandInterpreter().HandleCompletion(line, len(line), 0, -1, found)
    words = [found.GetStringAtIndex(i).strip() for i in range(1, found.GetSize())]
    result.AppendMessage(" ".join("[%s]" % word for word in sorted(words)))


def __lldb_init_module(debugger, internal_dict):
    debugger.HandleCommand("command script add -o -f sums.complete complete")
