# viewers.py FILE.json FILE.kanata ISSUED: are these timelines what Perfetto and Konata read, with all instructions?
import collections, json, sys


def check_perfetto(path, issued):
    events = json.load(open(path))["traceEvents"]
    row_of = {(e["pid"], e["tid"]): e["args"]["name"].rstrip(" 0123456789") for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    named = set(row_of)
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    tracks = collections.defaultdict(list)
    for e in events:
        assert e["ph"] in "MX", e
        if e["ph"] == "X":
            assert isinstance(e["ts"], int) and e["dur"] >= 0 and e["name"], e
            tracks[e["pid"], e["tid"]].append((e["ts"], -e["dur"], e["name"]))
    assert set(tracks) <= named and {p for p, t in tracks} <= processes, "a track without a name"
    for track, spans in tracks.items():
        ends = []  # of the spans around: each lies within the one before or behind it
        for begin, minus, name in sorted(spans):
            while ends and ends[-1] <= begin:
                ends.pop()
            assert not ends or begin - minus <= ends[-1], (track, begin, name)
            ends.append(begin - minus)
    for process, track in tracks:  # tracks of one row: where a span begins in one, all before it are taken
        below = tracks.get((process, track - 1), []) if track % 256 and row_of[process, track] not in ("warp", "SM") else None
        for begin, _, name in tracks[process, track] if below is not None else []:
            assert any(b <= begin <= b - minus for b, minus, _ in below), ("a lane below is free", process, track, begin, name)
    warps = [t for t in tracks if any(name.startswith("warp ") and "group" in name for _, _, name in tracks[t])]
    assert sum(len(tracks[t]) for t in warps) == issued + sum(
        " of group " in name for t in warps for _, _, name in tracks[t]), "instructions of warps"


def check_konata(path, issued):
    fields = {"C=": 1, "C": 1, "I": 3, "L": 3, "S": 3, "E": 3, "R": 3, "W": 3}
    lines = open(path).read().splitlines()
    assert lines[0] == "Kanata\t0004" and lines[1].startswith("C=\t"), lines[:2]
    alive, ended, retired, stages = set(), set(), 0, collections.Counter()
    thread, buffered = {}, collections.defaultdict(set)
    for line in lines[1:]:
        command, *rest = line.split("\t", 3)
        assert len(rest) == fields[command], line
        if command in ("C", "C="):
            assert int(rest[0]) >= (command == "C"), line
            continue
        number = int(rest[0])
        if command == "I":
            assert number not in alive | ended and int(rest[2]) >= 0, line
            alive.add(number)
            thread[number] = rest[2]
            continue
        assert number in alive, line
        if command == "S":
            assert rest[1] == "0", line
            stages[rest[2]] += 1
            buffered[thread[number]].discard(number)
            if rest[2] == "B":
                buffered[thread[number]].add(number)
                assert len(buffered[thread[number]]) <= 6, "a warp buffers three fetch groups"
        if command == "R":
            assert rest[2] in "01", line
            if rest[2] == "0":
                assert int(rest[1]) == retired, line
                retired += 1
            alive.remove(number)
            buffered[thread[number]].discard(number)
            ended.add(number)
    assert not alive and retired == issued == stages["C"] <= stages["B"] == len(ended), (retired, issued, stages)


check_perfetto(sys.argv[1], int(sys.argv[3]))
check_konata(sys.argv[2], int(sys.argv[3]))
