#!/usr/bin/env python3
"""Stands in for gdb in `ventus debug --host --debugger remote.py -- PROGRAM...`. It lets the machine go, as gdb does that
detaches, and runs the program; the word `hostile` in its place sends the machine requests with mistakes in them, and asks
then whether the machine still answers; `killed` kills `ventus debug`; `second PROGRAM...` has opened a device before."""
import os
import random
import socket
import struct
import subprocess
import sys
import time

DEVICE = os.environ["VENTUS_BACKEND"].split(",", 1)[1]
PROGRAM = sys.argv[sys.argv.index("--args") + 1:]
DESCRIBE, WRITE, READ, PROGRAM_IS, LAUNCH, WAIT, COUNTERS, CALLS = range(8)
ADDRESSES = (0, 4, 0xFFFFFF, 0x70000000, 0x7FFFFFFF, 0x80000000, 0x8FFFFFFC, 0x90000000, 0x90000FFF, 0xFFFFFFFF, 1 << 32, (1 << 64) - 1)
LAUNCH_BYTES = int(os.environ["LAUNCH_BYTES"])
INFO_BYTES = int(os.environ["INFO_BYTES"])


def connect(path):
    wire = socket.socket(socket.AF_UNIX)
    wire.settimeout(10)
    wire.connect(path)
    return wire


def receive(wire, size):
    data = b""
    while len(data) < size:
        got = wire.recv(size - len(data))
        if not got:
            raise EOFError
        data += got
    return data


def ask(wire, call, data=b"", wanted=0, addr=0):
    wire.sendall(struct.pack("=IIIxxxxQ", call, len(data), wanted, addr) + data)
    result, size = struct.unpack("=iI", receive(wire, 8))
    return result, receive(wire, size)


def request(rng):
    call = rng.randrange(CALLS)
    size = {LAUNCH: LAUNCH_BYTES, DESCRIBE: INFO_BYTES}.get(call, rng.choice((0, 1, 4, 64, 4096, 5000)))
    if rng.random() < 0.1:
        size += rng.choice((-1, 1)) if size else 1
    words = [rng.choice((0, 1, 2, 32, 64, 0x80000000, 0x90000000, 0xFFFFFFFF, rng.getrandbits(32))) for _ in range(size // 4 + 1)]
    data = struct.pack("=%dI" % len(words), *words)[:size]
    wanted = rng.choice((0, 1, 4096, 1 << 26, (1 << 26) + 1, (1 << 32) - 1))
    addr = rng.randrange(10000000) if call == WAIT else rng.choice(ADDRESSES)
    return call, data, wanted if rng.random() < 0.2 else min(wanted, 4096), addr


def play(rng):
    wire = connect(DEVICE)
    try:
        for _ in range(30):
            end = rng.randrange(40)
            if end == 0:  # it goes away in the middle of a request
                call, data, wanted, addr = request(rng)
                raw = struct.pack("=IIIxxxxQ", call, len(data) + 100, wanted, addr) + data
                wire.sendall(raw[:rng.randrange(len(raw))])
                break
            if end == 1:
                wire.sendall(struct.pack("=IIIxxxxQ", rng.choice((CALLS, 1 << 31)), rng.choice((0, (1 << 26) + 1)), 0, 0))
            ask(wire, *request(rng))
    except (EOFError, ConnectionError):
        pass
    wire.close()


def hostile():
    rng, until = random.Random(int(os.environ.get("SEED", "1"))), time.time() + 2
    for _ in range(200):
        if time.time() > until:
            break
        play(rng)
    wire = connect(DEVICE)
    page = bytes(range(256)) * 16
    assert ask(wire, WRITE, page, addr=0x90000000) == (0, b""), "a page is written"
    assert ask(wire, READ, wanted=4096, addr=0x90000000) == (0, page), "and read"
    assert ask(wire, READ, wanted=4096, addr=0x90001000)[0] == 1, "nothing is left of programs that have gone"
    for addr in (0, 0x70000000):
        assert ask(wire, WRITE, page, addr=addr)[0] == 1, "local and private memory is the machine's own"
    print("the machine answers")


# It stays connected: gdb at work is no program that has ended.
debugger = connect(sys.argv[sys.argv.index("--args") - 1].split()[-1])
debugger.sendall(b"$D#44")
receive(debugger, 1)
if PROGRAM[0] == "hostile":
    hostile()
elif PROGRAM[0] == "second":
    first = connect(DEVICE)
    assert ask(first, DESCRIBE, bytes(INFO_BYTES))[0] == 0
    sys.exit(subprocess.run(PROGRAM[1:]).returncode)
elif PROGRAM[0] == "killed":
    os.kill(os.getppid(), 9)
    while os.path.exists(os.path.dirname(DEVICE)):
        time.sleep(0.01)
    print("all files have gone")
else:
    sys.exit(subprocess.run(PROGRAM).returncode)
