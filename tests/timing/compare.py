#!/usr/bin/env python3
"""Compares timelines of the cycle model with recorded ones of the hardware, event by event.

    tests/timing/compare.py [--within N] [--least PERCENT] RECORDED MODEL[@K] [RECORDED MODEL[@K]]...

A timeline is a file of lines "cycle,event,sm,warp,pc,extra" (docs/timing.md), or such a file packed by gzip; cycles
count from each launch. @K: the K-th launch of the model's timeline, 1 without it. For each pair this prints the share
of the hardware's issues that the model has within N cycles (2), and for each part of the hardware the first event that
only one of them has. Events that the recording does not have at all are not looked at. Exit code 1: the share over all
pairs is less than PERCENT (0)."""
import argparse, gzip, sys
from collections import Counter

# What is compared of an event besides its cycle: w warp, p pc or address, x the first word of extra.
PARTS = {
    "fetch": {"fetch_req": "wp", "fetch_rsp": "wpx"},
    "issue": {"issue": "wp"},
    "collection": {"oc_out": "wp"},
    "write-back": {"wb_x": "wx", "wb_v": "wx"},
    "control": {"branch": "wp", "simt_done": "w", "warp_ctl": "w", "flush": "w"},
    "load/store": {"lsu_dreq": "wp", "lsu_drsp": "wx", "lsu_sreq": "w", "lsu_srsp": "wx"},
    "l1i": {"l1i_mreq": "p", "l1i_mrsp": "p"},
    "l1d": {"l1d_req": "p", "l1d_mreq": "p", "l1d_mrsp": "p"},
    "l2": {"l2_req": "p", "l2_rsp": "p"},
    "memory": {"mem_req": "p"},
    "launch": {"warp_start": "w", "warp_end": "w", "l1_inval": "", "host_rsp": ""},
}
NO_ADDRESS = ("not", "flush") # a branch that is not taken; requests that concern no line
COMPARED = {event: (part, fields) for part, events in PARTS.items() for event, fields in events.items()}

def launches(path):
    """The launches of a timeline, each a list of (cycle, event, warp, pc, extra)."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        if f.readline() != "cycle,event,sm,warp,pc,extra\n": sys.exit(f"compare: {path}: not a timeline")
        all_of_them = []
        for line in f:
            cycle, event, _, warp, pc, extra = line.rstrip("\n").split(",", 5)
            if event == "host_req" or not all_of_them: all_of_them.append([])
            all_of_them[-1].append((int(cycle), event, warp, pc, extra))
    return all_of_them

def model_launch(spec):
    path, _, k = spec.partition("@")
    found = launches(path)
    if not 1 <= int(k or 1) <= len(found): sys.exit(f"compare: {path} has {len(found)} launches")
    return found[int(k or 1) - 1]

def issues(events):
    """{(warp, pc, how many times before): cycle}"""
    seen, cycles = Counter(), {}
    for cycle, event, warp, pc, _ in events:
        if event != "issue": continue
        cycles[warp, pc, seen[warp, pc]] = cycle
        seen[warp, pc] += 1
    return cycles

def part_events(events, only):
    """{part: {cycle: Counter of texts}} of the events whose names are in `only`."""
    parts = {part: {} for part in PARTS}
    for cycle, event, warp, pc, extra in events:
        if event not in COMPARED or event not in only or extra == "hint": continue
        part, fields = COMPARED[event]
        word = extra.split(" ")[0]
        if word in NO_ADDRESS: pc = "-"
        said = {"w": warp, "p": pc, "x": word}
        parts[part].setdefault(cycle, Counter())[" ".join([event] + [said[f] for f in fields])] += 1
    return parts

def first_differences(recorded, model):
    """[(cycle, part, only recorded, only in the model)], the earliest first."""
    only = {event for _, event, *_ in recorded}
    theirs, ours, found = part_events(recorded, only), part_events(model, only), []
    for part in PARTS:
        for cycle in sorted(theirs[part].keys() | ours[part].keys()):
            a, b = theirs[part].get(cycle, Counter()), ours[part].get(cycle, Counter())
            if a != b:
                found.append((cycle, part, sorted((a - b).elements()), sorted((b - a).elements())))
                break
    return sorted(found)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--within", type=int, default=2, metavar="N")
    p.add_argument("--least", type=float, default=0, metavar="PERCENT")
    p.add_argument("timeline", nargs="+")
    a = p.parse_args()
    if len(a.timeline) % 2: p.error("timelines come in pairs")
    near_all = all_of_them = 0
    for name, spec in zip(a.timeline[::2], a.timeline[1::2]):
        recorded, model = launches(name)[0], model_launch(spec)
        theirs, ours = issues(recorded), issues(model)
        near = sum(abs(ours[i] - cycle) <= a.within for i, cycle in theirs.items() if i in ours)
        print(f"{name}: {near} of {len(theirs)} issues within {a.within} cycles, {100 * near / max(len(theirs), 1):.1f} %")
        for cycle, part, missing, more in first_differences(recorded, model):
            print(f"    {cycle:6} {part:11} hardware: {', '.join(missing) or '-'}   model: {', '.join(more) or '-'}")
        near_all += near
        all_of_them += len(theirs)
    share = 100 * near_all / max(all_of_them, 1)
    print(f"all: {near_all} of {all_of_them} issues within {a.within} cycles, {share:.2f} %")
    return share < a.least

if __name__ == "__main__": sys.exit(main())
