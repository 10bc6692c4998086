"""Timelines of programs: the trace events of `ventus exec --timeline` as arrays."""
import os
import re

from . import _library as c
from ._json import Reader, array, frame, parse, read_text
from ._library import Error

EVENTS = [("kind", "U5"), ("name", "O"), ("process", "O"), ("thread", "O"), ("start_ns", "i8"), ("duration_ns", "i8"), ("args", "O")]
ARROWS = [("from_process", "O"), ("from_thread", "O"), ("from_ns", "i8"), ("to_process", "O"), ("to_thread", "O"), ("to_ns", "i8")]
INSTANTS = "i", "I", "R", "C"


class Timeline:
    """What happened when.

    events  a structured array in the order of `start_ns`: kind ("slice", "wait": an asynchronous one, "point"); name; process and
            thread, as the pages of docs/profiler.md call rows; duration_ns, -1: it had not ended; args, a dictionary of its facts
    arrows  what led to what: from_... and to_...
    """

    exit_code = None

    def __init__(self, text, name="the timeline"):
        self.name = name
        self._reader = Reader(name, "a timeline")
        self._names, self._begun, self._rows, self._arrows = {}, {}, [], []
        for event in self._list(text):
            self._take(event)
        self._end()

    def _list(self, text):
        """Of a process that was killed the closing bracket is missing, or the end of the last line."""
        if not re.match(r"\s*[\[{]", text):
            self._reader.wrong("it does not begin with a bracket")
        if not re.search(r"\]\s*\}?\s*$", text):
            lines = text.rstrip().splitlines()
            while len(lines) > 1 and not re.search(r"\}\s*,?$", lines[-1]):
                lines.pop()
            text = "\n".join(lines).rstrip().rstrip(",") + "]" + "}" * text.lstrip().startswith("{")
        top = parse(text, self.name, "a timeline")
        return top if isinstance(top, list) else self._reader.member(top, "traceEvents", list)

    def _time(self, event, key="ts"):
        value = event.get(key) if isinstance(event, dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 2**51:
            self._reader.wrong(f"{key!r} is {str(value)[:40]}")
        return round(value * 1000)

    def _row(self, event):
        return event.get("pid", 0), event.get("tid", 0)

    def _take(self, event):
        phase = self._reader.member(event, "ph", str)
        args = self._reader.member(event, "args", dict, {})
        key = str(self._row(event)), str(event.get("id", ""))
        if phase == "M":
            what = event.get("name"), event.get("pid", 0), event.get("tid", 0) if event.get("name") == "thread_name" else 0
            self._names[str(what)] = str(args.get("name", ""))
        elif phase == "X":
            self._add("slice", event, self._time(event), self._time(event, "dur"), args)
        elif phase in ("B", "b"):
            self._begun.setdefault((phase, *key), []).append((event, self._time(event), args))
        elif phase in ("E", "e"):
            self._close({"E": "B", "e": "b"}[phase], key, event, args)
        elif phase in ("s", "f"):
            self._arrow(phase, event)
        elif phase in INSTANTS:
            self._add("point", event, self._time(event), 0, args)

    def _add(self, kind, event, start, duration, args):
        self._rows.append((kind, str(event.get("name", "")), *self._row(event), start, duration, args))

    def _close(self, phase, key, event, args):
        begun = self._begun.get((phase, *key))
        if begun: # else its beginning is not in the file
            first, start, earlier = begun.pop()
            self._add("slice" if phase == "B" else "wait", first, start, self._time(event) - start, {**earlier, **args})

    def _arrow(self, phase, event):
        key = "s", str(event.get("cat")), str(event.get("id"))
        if phase == "s":
            self._begun[key] = [(event, self._time(event), {})]
        elif self._begun.get(key):
            first, start, _ = self._begun[key][0]
            self._arrows.append((*self._row(first), start, *self._row(event), self._time(event)))

    def _named(self, pid, tid):
        process = self._names.get(str(("process_name", pid, 0)), str(pid))
        return process, self._names.get(str(("thread_name", pid, tid)), str(tid))

    def _end(self):
        for (phase, *_), begun in self._begun.items():
            for event, start, args in begun if phase in ("B", "b") else ():
                self._add("slice" if phase == "B" else "wait", event, start, -1, args)
        rows = [(kind, name, *self._named(pid, tid), *rest) for kind, name, pid, tid, *rest in self._rows]
        arrows = [(*self._named(*a[:2]), a[2], *self._named(*a[3:5]), a[5]) for a in self._arrows]
        self.events = array(sorted(rows, key=lambda row: row[4]), EVENTS)
        self.arrows = array(arrows, ARROWS)

    def __repr__(self):
        return f"<ventus.Timeline {self.name!r}: {len(self.events)} events>"

    def frame(self):
        """`events` as a pandas.DataFrame. ImportError: there is no pandas."""
        return frame(self.events)


def timeline(what, *, check=True, **options):
    """A Timeline, of a list of words: a program that uses OpenCL and its arguments, which `ventus exec --timeline` runs, with config=,
    engine=, timing=, timeout= as its options; or of the path of such a file. Error: the program did not end with 0 (with
    check=False that is `exit_code` alone), or has not used the device."""
    if not isinstance(what, (list, tuple)):
        if options:
            raise TypeError(f"a file is read without {', '.join(options)}")
        return Timeline(read_text(what), os.fspath(what))
    with c.temporary_folder() as folder:
        path = os.path.join(folder, "timeline.json")
        code = c.exec_program(what, ["--timeline", path, *c.exec_options(**options)])
        if check and code:
            raise Error(f"{what[0]} ended with {code}")
        if not os.path.exists(path):
            raise Error(f"{what[0]} has left no timeline: it has not opened the device")
        made = Timeline(read_text(path), str(what[0]))
        made.exit_code = code
        return made
