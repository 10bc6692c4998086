"""Hostile packets to the debugger's server: random bytes, and real requests with mistakes in them. The server must answer
the next real request, and the kernel must end as it does without a debugger. debug_fuzz.py [ROUNDS [SEED]]"""
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
os.environ.pop("LD_PRELOAD", None) # no sanitizer for the debugger
VENTUS = os.environ["VENTUS_BUILD"] + "/ventus"
SOURCES = os.environ["VENTUS_SOURCE"] + "/tests/debug/"
# One without, one with checks, which stop inside of instructions.
KERNELS = (("steps", "-g 64 -a iota:64"), ("mistakes", "-g 128 -l 64 -a new:512 -a iota:128 -a local:384 --check"))
REQUESTS = [
    "?", "g", "p20", "p7f", "P21=01020304", "P20=00000080", "m80000000,40", "m0,10", "m1000000,400", "m1004000,4000",
    "m90000000,1000", "mffffffff,10", "M90000000,4:01020304", "M1000000,4:01020304", "M80000010,4:00000000",
    "X90000000,4:abcd", "Hg2", "Hg0", "Hc-1", "Hgffffffffffff", "T2", "qC", "qfThreadInfo", "qsThreadInfo",
    "qThreadExtraInfo,2", "qThreadStopInfo2", "jThreadsInfo", "qXfer:features:read:target.xml:0,1000",
    "qXfer:threads:read::0,fff", "qXfer:libraries:read::0,fff", "qSupported:swbreak+;xmlRegisters=i386", "qHostInfo",
    "qProcessInfo", "QListThreadsInStopReply", "qAttached", "vCont?", "vCont;s:2", "vCont;s:2;c", "vCont;r80000034,80000040:2",
    "vCont;r80000034,80000040:2;c", "s", "bs", "bc", "Z0,80000034,4", "z0,80000034,4", "Z1,80000098,4", "Z2,90000000,4", "Z3,90000000,4",
    "Z4,1000000,4", "z4,1000000,4", "Z2,0,4", "vKill;1",
    "QNonStop:1", "QNonStop:1", "QNonStop:0", "vStopped", "vCont;t", "vCont;t:1", "vCtrlC", "vCont?", "vCont;c:1", "vCont;s:1", "vCont;c",
    "vCont;r80000034,80000040:1", "T1", "Hg1", "qThreadExtraInfo,1",
] + ["qRcmd," + command.encode().hex() for command in (
    "help", "info kernels", "info groups", "info warps", "info lanes", "info barriers", "info csrs", "info checks", "simt", "instruction",
    "shown", "threads warp", "threads all", "thread 7", "thread", "workitem 3", "workitem", "lane 40", "lane 3", "warp 0", "warp 99", "program",
    "nothing",
)]


def packet(body):
    return b"$" + body + b"#%02x" % (sum(body) & 255)


def mutated(rng):
    body = bytearray(rng.choice(REQUESTS).encode())
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 5))):
        at, kind = rng.randrange(len(body) + 1), rng.randrange(4)
        if kind == 0:
            body[at:at] = bytes([rng.randrange(256)])
        elif kind == 1 and at < len(body):
            del body[at]
        elif kind == 2 and at < len(body):
            body[at] = rng.choice(b"0123456789abcdef,;:=-fff")
        else:
            body[at:at] = body[:at] * rng.choice((1, 1, 50))
    return bytes(body)


def hostile(rng):
    kind = rng.randrange(12)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(300)))
    if kind == 1:
        return b"$" + mutated(rng) + b"#zz"
    if kind == 2 and rng.random() < 0.05:
        return b"$m" + b"0" * 300000 + b"#00"
    if kind == 3:
        return b"\x03"
    return packet(mutated(rng))


def connect(path, machine):
    wire = socket.socket(socket.AF_UNIX)
    while machine.poll() is None:
        try:
            wire.connect(path)
            break
        except OSError:
            time.sleep(0.01)
    wire.settimeout(20)
    return wire


def drain(wire):
    """Takes what the server sends, so that it never waits for us."""
    wire.setblocking(False)
    try:
        while wire.recv(1 << 20):
            pass
    except OSError:
        pass
    wire.settimeout(20)


def answers(path, machine):
    """Does the server serve a debugger that comes now? Lets the kernel go on."""
    wire = connect(path, machine)
    wire.sendall(packet(b"?") + packet(b"qAttached"))
    data = b""
    while b"$1#31" not in data:
        got = wire.recv(1 << 16)
        if not got:
            return False
        data += got
    wire.sendall(packet(b"D"))
    wire.close()
    return True


def play(folder, number):
    rng, path = random.Random(SEED * 1000 + number), "%s/socket%d" % (folder, number)
    kernel, arguments = KERNELS[number % len(KERNELS)]
    machine = subprocess.Popen(
        [VENTUS, "run", "%s/%s.elf" % (folder, kernel), "--gdb", path] + arguments.split(),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    sent, wire = 0, connect(path, machine)
    while sent < 1500 and machine.poll() is None:
        try:
            wire.sendall(hostile(rng))
            drain(wire)
        except OSError:
            wire.close()
            wire = connect(path, machine)
        sent += 1
    wire.close()
    if machine.poll() is None:
        try:
            answers(path, machine)
        except OSError:
            pass
    try:
        said = machine.communicate(timeout=60)[1].decode()
    except subprocess.TimeoutExpired:
        machine.kill()
        raise SystemExit("round %d: the program hangs" % number)
    # What was written may make the kernel fail; the machine's own end is 0 or 1, and a sanitizer's another.
    if machine.returncode not in (0, 1) or "ERROR: " in said:
        raise SystemExit("round %d: exit code %d\n%s" % (number, machine.returncode, said))
    return sent


with tempfile.TemporaryDirectory() as folder:
    for name, _ in KERNELS:
        subprocess.run([VENTUS, "cc", "--options", "-g", "-o", "%s/%s.elf" % (folder, name), "%s%s.cl" % (SOURCES, name)], check=True)
    print(sum(play(folder, number) for number in range(ROUNDS)), "packets")
