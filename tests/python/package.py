"""The package `ventus` (python/, docs/python.md): launches, profiles, timelines, PyOpenCL's events; and that no mistake of its user and
no damaged file does more than raise an exception which says what is wrong.
"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import numpy as np
import pyopencl as cl

try:
    import pandas
except ImportError:
    pandas = None

SOURCE, BUILD = pathlib.Path(os.environ["VENTUS_SOURCE"]), pathlib.Path(os.environ["VENTUS_BUILD"])
sys.path.insert(0, str(SOURCE / "python"))
for name in "BACKEND", "CONFIG", "TIMING", "PROFILE", "CHECK":
    os.environ.pop(f"VENTUS_{name}", None) # the counts below are of the default machine
import ventus  # noqa: E402
from ventus import _device, _library, _opencl  # noqa: E402

VECADD = str(BUILD / "examples/vecadd")
SCALE = """kernel void scale(global const float *in, global float *out, float factor)
{
    uint i = get_global_id(0);
    out[i] = in[i] * factor;
}
struct pair { int a; float b; };
kernel void kinds(global float *out, constant int *table, local int *part, int4 v, struct pair s, uchar c)
{
    part[get_local_id(0)] = v.w + c;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (out) out[get_global_id(0)] = part[get_local_id(0) ^ 1] + s.a * s.b + table[1];
}
kernel void three(global int *out, int3 v) { out[0] = v.x + v.y + v.z; }
kernel void wild(global int *out) { out[get_global_id(0) * 100000] = 1; }
kernel void endless(global volatile int *out) { while (out[0] == 0); }
kernel void two(global ulong *out, ulong2 v) { out[0] = v.x; out[1] = v.y; }
__attribute__((reqd_work_group_size(8, 8, 1))) kernel void squares(global int *out) { out[get_global_id(0)] = 1; }
kernel void image(read_only image2d_t image, global int *out) { out[0] = get_image_width(image); }
"""


MISSING = object()


class Case(unittest.TestCase):
    def raises(self, text, kind, call, *args, **more):
        with self.assertRaises(kind) as raised:
            call(*args, **more)
        self.assertIn(text, str(raised.exception))
        return raised.exception


class Interface(Case):
    """What the package repeats of the C sources is what they say."""

    def test_structures(self):
        lines = []
        for name, struct in _library.STRUCTURES.items():
            lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
            lines += [f'printf("%zu\\n", offsetof(struct {name}, {field[0]}));' for field in struct._fields_]
        program = '#include <stdio.h>\n#include "driver/ventus.h"\nint main(void) {' + "".join(lines) + "}"
        with tempfile.TemporaryDirectory() as folder:
            foreign = {**os.environ, "LD_PRELOAD": ""} # no sanitizer's
            subprocess.run(["cc", "-xc", "-", "-I", SOURCE, "-o", f"{folder}/sizes"], input=program, text=True, check=True, env=foreign)
            c = [int(word) for word in subprocess.check_output([f"{folder}/sizes"], env=foreign).split()]
        import ctypes
        ours = [n for s in _library.STRUCTURES.values() for n in [ctypes.sizeof(s)] + [getattr(s, f[0]).offset for f in s._fields_]]
        self.assertEqual(c, ours)

    def test_lists(self):
        counters = re.findall(r"^VENTUS_COUNTER\((\w+), *(\w+), *\w+, *(\w+)", (SOURCE / "sim/counters.def").read_text(), re.M)
        self.assertEqual([name for name, _, _ in counters], list(_library.COUNTERS))
        header = (SOURCE / "opencl/cl_ventus.h").read_text()
        codes = [int(re.search(rf"CL_PROFILING_COMMAND_{code}_VENTUS +(0x\w+)", header)[1], 16) for _, _, code in counters]
        codes.append(int(re.search(r"CL_PROFILING_COMMAND_CYCLES_VENTUS +(0x\w+)", header)[1], 16))
        self.assertEqual(codes, list(_opencl.CODES))
        faults = re.findall(r'^VENTUS_FAULT_KIND\(\w+, *"(\w+)"', (SOURCE / "sim/faults.def").read_text(), re.M)
        self.assertEqual(faults, list(_library.FAULTS))
        header = (SOURCE / "driver/ventus.h").read_text()
        self.assertTrue(all(name + "(" in header for name in _library.FUNCTIONS))
        statuses = re.search(r"enum ventus_status \{(.*?)\}", header, re.S)[1]
        statuses = re.findall(r"^ *(VENTUS_\w+),", statuses, re.M)
        self.assertEqual(statuses.index("VENTUS_TIMEOUT"), _library.TIMEOUT)

    def test_public_names_have_documentation(self):
        for name in ventus.__all__:
            self.assertTrue(getattr(ventus, name).__doc__, name)
            self.assertRegex((SOURCE / "docs/python.md").read_text(), rf"\b{name}\b")

    def test_missing_library(self):
        program = "import sys; sys.path.insert(0, sys.argv[1]); import ventus\n" \
                  "print(len(ventus.profile(sys.argv[2]).kernels))\n" \
                  "try: ventus.devices()\nexcept ventus.Error as e: print(e)"
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/p.json"
            pathlib.Path(path).write_text('{"ventus_profile": 1, "machine": {"sms": 1, "warps_per_sm": 1, "threads_per_warp": 1}, "kernels": []}')
            run = [sys.executable, "-c", program, str(SOURCE / "python"), path]
            said = subprocess.run(run, env={**os.environ, "VENTUS_BUILD": folder}, capture_output=True, text=True)
            self.assertEqual(said.stdout.splitlines()[0], "0", said.stderr)
            self.assertIn("VENTUS_BUILD", said.stdout)
            pathlib.Path(folder, "libventus.so.6").write_bytes(b"no library")
            said = subprocess.run(run, env={**os.environ, "VENTUS_BUILD": folder}, capture_output=True, text=True)
            self.assertIn("cannot be used", said.stdout, said.stderr)


class Launches(Case):
    def setUp(self):
        self.device = ventus.open()
        self.module = self.device.compile(SCALE)

    def test_arrays_and_buffers(self):
        x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        counters = self.module.kernel("scale").launch(256, 64, [x, y, 2.5])
        np.testing.assert_array_equal(y, x * 2.5)
        self.assertEqual((counters.groups, counters.warps, counters.cycles), (4, 8, 0))
        with self.device.buffer(x) as a, self.device.buffer(256 * 4) as b:
            self.module.kernel("scale").launch((256,), None, [a, b, np.float32(3)])
            out = b.read(np.empty(128, np.float32), offset=512)
            np.testing.assert_array_equal(out, x[128:] * 3)
            b.write(np.float32(7), offset=4)
            self.assertEqual(b.read().view(np.float32)[1], 7)
            np.testing.assert_array_equal(a.read(), x)
        y.setflags(write=False)
        before = y.copy()
        self.module.kernel("scale").launch(256, 64, [x, y, 9])
        np.testing.assert_array_equal(y, before)
        x = np.ones(8, np.float32)
        self.module.kernel("scale").launch(8, 8, [x, x, 4.0])
        np.testing.assert_array_equal(x, np.full(8, 4, np.float32))

    def test_kinds_of_arguments(self):
        out, table = np.zeros(64, np.float32), np.array([1, 10], np.int32)
        pair = np.zeros((), [("a", "i4"), ("b", "f4")])
        pair["a"], pair["b"] = 3, 0.5
        kernel = self.module.kernel("kinds")
        for s in pair, pair.tobytes():
            kernel.launch(64, 32, [out, table, ventus.local(128), (1, 2, 3, 4), s, 200])
            np.testing.assert_array_equal(out, np.full(64, 204 + 1.5 + 10))
        kernel.launch(64, 32, [None, table, ventus.local(128), np.array([1, 2, 3, 4], np.int32), pair, 0])
        one = np.zeros(1, np.int32)
        self.module.kernel("three").launch(1, 1, [one, (1, 2, 3)])
        self.assertEqual(one[0], 6)
        bad = self.raises
        good = [out, table, ventus.local(128), (1, 2, 3, 4), pair, 200]

        def put(i, value):
            return 64, 32, good[:i] + [value] + good[i + 1:]
        bad("float64 where the kernel has float32", TypeError, kernel.launch, *put(0, np.zeros(64)))
        bad("is a pointer", TypeError, kernel.launch, *put(0, [1, 2]))
        bad("not contiguous", ValueError, kernel.launch, *put(0, np.zeros(128, np.float32)[::2]))
        bad("empty", ValueError, kernel.launch, *put(0, np.zeros(0, np.float32)))
        bad("int32", TypeError, kernel.launch, *put(1, np.zeros(4, np.uint32)))
        bad("ventus.local", TypeError, kernel.launch, *put(2, 128))
        bad("3 values in place of 4", ValueError, kernel.launch, *put(3, (1, 2, 3)))
        bad("no integer", TypeError, kernel.launch, *put(3, (1, 2, 3, 4.5)))
        bad("give its 8 bytes", TypeError, kernel.launch, *put(4, 5))
        bad("it has 8 bytes, not 3", ValueError, kernel.launch, *put(4, b"abc"))
        bad("does not fit", ValueError, kernel.launch, *put(5, 256))
        bad("does not fit", ValueError, kernel.launch, *put(3, (1, 2, 3, 2**70)))
        bad("float32 where the kernel has uint8", TypeError, kernel.launch, *put(5, np.float32(1)))
        bad("no integer", TypeError, kernel.launch, *put(5, "x"))
        bad("has 6 arguments, not 5", TypeError, kernel.launch, 64, 32, good[:5])
        bad("images", ventus.Error, self.module.kernel("image").launch, 1, 1, [one, one])

    def test_large_numbers(self):
        out, launch = np.zeros(2, np.uint64), self.module.kernel("two").launch
        launch(1, 1, [out, (1, 2**64 - 1)]) # which numpy makes floats of
        self.assertEqual(out.tolist(), [1, 2**64 - 1])
        launch(1, 1, [out, [np.int8(3), range(7, 8)]])
        self.assertEqual(out.tolist(), [3, 7])
        self.raises("does not fit", ValueError, launch, 1, 1, [out, (1, 2**64)])
        self.raises("does not fit", ValueError, launch, 1, 1, [out, (1, -1)])
        x, y, scale = np.ones(4, np.float32), np.zeros(4, np.float32), self.module.kernel("scale").launch
        for given in 2**100, float("inf"), -3, True:
            scale(4, 4, [x, y, given])
            self.assertEqual(y[0], given)
        for wrong in 1e39, 10**400, -10**400:
            self.raises("does not fit", ValueError, scale, 4, 4, [x, y, wrong])
        for wrong in 1j, "1", None, np.complex64(1):
            self.raises("argument 2", TypeError, scale, 4, 4, [x, y, wrong])

    def test_shared_memory(self):
        """An array that a kernel only reads is not written: what another thread does to it meanwhile stays."""
        x, launch = np.arange(64, dtype=np.float32), self.module.kernel("scale").launch
        want = np.concatenate([x[:32] * 100, x[32:]])
        for first, second in (x[16:48], x[:32]), (x[:32], x[16:48]), (x, x[:32]), (x[:32], x):
            self.raises("shares", ValueError, launch, 32, 32, [first, second, 100])
        launch(32, 32, [x[32:], x[:32], 0])
        np.testing.assert_array_equal(x[:32], 0)
        x[:32] = range(32)
        launch(32, 32, [x[:32], x[:32], 100])
        np.testing.assert_array_equal(x, want)
        y, z = np.zeros(1, np.float32), np.zeros(256, np.float32)
        writes, read = [], ventus.Buffer.read
        with unittest.mock.patch.object(ventus.Buffer, "read", lambda buffer, out: writes.append(out) or read(buffer, out)):
            launch(1, 1, [z, y, 1])
        self.assertEqual([out is y for out in writes], [True])

    def test_arguments_stay(self):
        """Buffers that nothing but an iterator has referred to, and a buffer that another thread frees."""
        x = np.arange(256, dtype=np.float32)
        y = self.device.buffer(x)
        given = (make() for make in (lambda: self.device.buffer(x), lambda: y, lambda: 2))
        self.module.kernel("scale").launch(256, 64, given)
        np.testing.assert_array_equal(y.read(), 2 * x)
        out = self.device.buffer(np.zeros(1, np.int32))
        thread = threading.Thread(target=lambda: self.module.kernel("endless").launch(1, 1, [out], timeout=60))
        thread.start()
        while not out._launches:
            pass
        self.raises("another thread runs", ventus.Error, out.free)
        out.write(np.ones(1, np.int32))
        thread.join()
        out.free()

    def test_types_of_buffers(self):
        buffer = self.device.buffer(np.zeros(8, np.float32))
        for wrong in [1, 2], "abc", 1.5, None, memoryview(b"abcd"):
            self.raises("write copies a numpy array", TypeError, buffer.write, wrong)
        self.raises("float64 where the buffer has float32", TypeError, buffer.write, np.ones(2))
        self.raises("int32 where the buffer has float32", TypeError, buffer.read, np.zeros(2, np.int32))
        buffer.write(np.float32([1, 2]).view(np.uint8))
        self.assertEqual(buffer.read(np.zeros(2, np.float32)).tolist(), [1, 2])
        self.device.buffer(16).write(np.ones(2))

    def test_machine_files(self):
        """They are there for the compiler when the process has gone elsewhere, and when a child has ended."""
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "two.conf").write_text("sms = 2\n")
            os.chdir(folder)
            device = ventus.open(config="two.conf")
            os.chdir(here)
            self.assertEqual(device.compile(SCALE).kernel("three").launch(1, 1, [np.zeros(1, np.int32), (1, 2, 3)]).groups, 1)
        program = """import os, sys; sys.path.insert(0, sys.argv[1]); import ventus
device = ventus.open(timing="large")
if not os.fork(): sys.exit()
os.wait()
print(len(device.compile("kernel void k() {}").kernels), device.config)"""
        said = subprocess.run([sys.executable, "-c", program, str(SOURCE / "python")], capture_output=True, text=True)
        self.assertRegex(said.stdout, "^1 /", said.stderr)
        self.assertFalse(os.path.exists(said.stdout.split()[1]))

    def test_sizes(self):
        launch, x = self.module.kernel("scale").launch, np.zeros(64, np.float32)
        bad = self.raises
        bad("must be 1", ValueError, launch, 0, 1, [x, x, 1])
        bad("must be 1", ValueError, launch, 2**40, 1, [x, x, 1])
        bad("is an integer", TypeError, launch, 64.0, 1, [x, x, 1])
        bad("does not divide", ValueError, launch, 64, 48, [x, x, 1])
        bad("too large", ventus.Error, launch, 2**20, 2**20, [x, x, 1])
        bad("dimensions", ValueError, launch, (8, 8), 8, [x, x, 1])
        bad("1 to 3", ValueError, launch, (), 8, [x, x, 1])
        bad("1 to 3", ValueError, launch, (1, 1, 1, 1), 1, [x, x, 1])
        bad("seconds", ValueError, launch, 64, 64, [x, x, 1], timeout=-1)
        bad("requires work-groups of (8, 8, 1)", ValueError, self.module.kernel("squares").launch, 64, None, [None])
        bad("requires work-groups of (8, 8, 1)", ValueError, self.module.kernel("squares").launch, (64, 8), (8, 4), [None])
        kinds = self.module.kernel("kinds")
        for wrong in [1], [0] * 7:
            bad("6 arguments", ValueError, kinds.max_group, wrong)
        bad("must be 0", ValueError, kinds.max_group, [0, 0, -1, 0, 0, 0])
        bad("an integer", TypeError, kinds.max_group, "abcdef")
        bad("must be 1", ValueError, kinds.launch, 1, 1, [None, None, ventus.Local(-1), (1, 2, 3, 4), bytes(8), 0])
        self.assertEqual(kinds.max_group([0, 0, 2**32 - 1, 0, 0, 0]), 0)
        bad("must be 1", ValueError, ventus.local, 2**32)
        bad("must be 1", ValueError, self.device.buffer, 0)
        bad("must be 1", ValueError, self.device.buffer, 2**64)
        bad("is an integer", TypeError, self.device.buffer, "16")
        bad("buffer of", ventus.Error, self.device.buffer, 2**40)
        bad("Python objects", TypeError, self.device.buffer, np.array([object()]))
        buffer = self.device.buffer(16)
        bad("leave the buffer", ValueError, buffer.write, np.zeros(17, np.uint8))
        bad("leave the buffer", ValueError, buffer.read, np.zeros(16, np.uint8), 1)
        bad("the offset", ValueError, buffer.read, None, -1)
        bad("numpy array", TypeError, buffer.read, [0])

    def test_what_is_gone(self):
        scale, x = self.module.kernel("scale"), np.zeros(64, np.float32)
        buffer, other = self.device.buffer(x), ventus.open()
        foreign = other.buffer(x)
        self.raises("another device", ventus.Error, scale.launch, 64, 64, [foreign, x, 1])
        buffer.free()
        buffer.free()
        for use in buffer.read, lambda: buffer.write(x), lambda: scale.launch(64, 64, [buffer, x, 1]):
            self.raises("freed", ventus.Error, use)
        other.close()
        other.close()
        self.raises("closed", ventus.Error, foreign.read)
        self.raises("closed", ventus.Error, other.buffer, 4)
        foreign.free()
        self.device.close()
        self.raises("closed", ventus.Error, scale.launch, 64, 64, [x, x, 1])

    def test_busy_device(self):
        out = self.device.buffer(np.zeros(1, np.int32))
        thread = threading.Thread(target=lambda: self.module.kernel("endless").launch(1, 1, [out], timeout=60))
        thread.start()
        while not self.device._users:
            pass
        self.raises("in use", ventus.Error, self.device.close)
        out.write(np.ones(1, np.int32))
        thread.join()

    @unittest.skipIf(os.environ.get("VENTUS_FOREIGN"), "a sanitizer's own locks may be taken while the child is made")
    def test_after_fork(self):
        self.module.kernel("three").launch(1, 1, [np.zeros(1, np.int32), (1, 2, 3)])
        child = os.fork()
        if not child:
            try:
                self.device.buffer(4)
            except ventus.Error as problem:
                x = np.arange(4, dtype=np.float32)
                ventus.compile(SCALE).kernel("scale").launch(4, 4, [x, x, 2])
                os._exit(42 if "fork" in str(problem) and x[3] == 6 else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 42)

    @unittest.skipIf(os.environ.get("VENTUS_FOREIGN"), "a sanitizer's own locks may be taken while the child is made")
    def test_fork_beside_a_busy_thread(self):
        """Another thread has the locks of device and package; the child neither waits for them nor frees what is not its own."""
        buffer, have, let_go = self.device.buffer(4), threading.Event(), threading.Event()

        def hold():
            with self.device._lock, _device.choosing, _library.loading:
                have.set()
                let_go.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        have.wait()
        child = os.fork()
        if not child:
            signal.alarm(30)
            buffer.free()
            try:
                self.device.buffer(4)
            except ventus.Error:
                x = np.arange(4, dtype=np.float32)
                ventus.compile(SCALE).kernel("scale").launch(4, 4, [x, x, 2])
                os._exit(42 if x[3] == 6 else 1)
            os._exit(2)
        let_go.set()
        thread.join()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 42)

    def test_failures(self):
        x = np.zeros(1, np.int32)
        failed = self.raises("wild", ventus.KernelError, self.module.kernel("wild").launch, 64, 32, [x])
        self.assertEqual(failed.fault.kind, "write")
        self.assertGreater(failed.counters.instructions, 0)
        failed = self.raises("0.2 s", ventus.KernelError, self.module.kernel("endless").launch, 1, 1, [x], timeout=0.2)
        self.assertIsNotNone(failed.counters)
        failed = self.raises("undeclared", ventus.BuildError, self.device.compile, "kernel void k(global int *a) { a[0] = b; }")
        self.raises("strings", TypeError, self.device.compile, b"kernel void k() {}")
        self.raises("no kernel named", ventus.Error, self.module.kernel, "none")
        self.raises("a program", ventus.Error, self.device.load, b"\x7fELF" + bytes(100))
        self.raises("No such file", ventus.Error, self.device.load, "none.elf")
        self.raises("None", TypeError, self.device.load, None)
        y = np.ones(4, np.float32)
        self.module.kernel("scale").launch(4, 4, [y, y, 2])
        self.assertEqual(y[0], 2)

    def test_interrupt(self):
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            self.module.kernel("endless").launch(1, 1, [np.zeros(1, np.int32)], timeout=60)

    def test_damaged_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.elf"
            subprocess.run([BUILD / "ventus", "cc", "-o", path, "-"], input=SCALE.encode(), check=True)
            good, rng = pathlib.Path(path).read_bytes(), random.Random(1)
        for _ in range(200):
            bad = bytearray(good)
            for _ in range(3):
                bad[rng.randrange(len(bad))] = rng.randrange(256)
            try:
                module = self.device.load(bytes(bad))
                [module.kernel(name).arguments for name in module.kernels]
            except ventus.Error:
                pass

    def test_open(self):
        self.raises("none.conf", ventus.Error, ventus.open, config="none.conf")
        self.raises("must be 0", ValueError, ventus.open, 99)
        self.raises("no name of a file", ventus.Error, ventus.open, config="a\0b")
        self.raises("slow", ventus.Error, ventus.open, timing="slow")
        with ventus.open(timing="large") as device, ventus.open(config=SOURCE / "configs/large.conf", timing="verilog") as other:
            counts = []
            for d in device, other:
                y = np.ones(64, np.float32)
                counts.append(d.compile(SCALE).kernel("scale").launch(64, 64, [y, y, 2]).cycles)
            self.assertTrue(counts[0] > 100 and counts[1] > 100 and counts[0] != counts[1], counts)


class Profiles(Case):
    def test_kernel(self):
        device = ventus.open()
        kernel = device.compile(SCALE).kernel("scale")
        x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
        for memory in False, True, 1:
            plain = [kernel.launch(4096, 64, [x, y, 2]) for _ in range(3)][0]
            p = ventus.profile(kernel, 4096, 64, [x, y, 2], memory=memory)
            self.assertEqual(p.counters[:12], plain[:12])
            self.assertEqual(p.instructions["executions"].sum(), plain.instructions)
            self.assertEqual(p.lines["executions"].sum(), plain.instructions)
            self.assertEqual(p.kernels["launches"].tolist(), [1])
            hot = p.lines[p.lines["line"] == 4][0]
            self.assertEqual(hot["text"], "out[i] = in[i] * factor;")
            self.assertEqual(hot["accesses"] > 0, bool(memory))
            consecutive = p.instructions[p.instructions["consecutive"] > 0]
            self.assertEqual(len(consecutive), 2 if memory else 0)
            self.assertTrue((consecutive["cache_lines"] == consecutive["accesses"]).all())
        if pandas:
            self.assertEqual(list(p.frame().columns), list(p.lines.dtype.names))
        self.raises("not 'rows'", ValueError, p.frame, "rows")
        self.raises("global size", TypeError, ventus.profile, kernel)
        self.raises("memory is", ValueError, ventus.profile, kernel, 64, 64, [x, y, 2], memory=-1)
        wild = kernel.module.kernel("wild")
        self.raises("wild", ventus.KernelError, ventus.profile, wild, 64, 64, [np.zeros(1, np.int32)])
        self.assertEqual(ventus.profile(kernel, 64, 64, [x, y, 2]).kernels["name"].tolist(), ["scale"])
        with unittest.mock.patch.dict(sys.modules, pandas=None):
            self.raises("python3-pandas", ImportError, p.frame)

    def test_cycles(self):
        with ventus.open(timing="large") as device:
            kernel = device.compile(SCALE).kernel("scale")
            x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
            p = ventus.profile(kernel, 4096, 64, [x, y, 2])
            slots = device.info.sms * device.info.warps_per_sm
            kinds = p.over_time.dtype.names[4:]
            self.assertEqual(list(kinds), re.findall(r"^SLOT\((\w+)", (SOURCE / "timing/slots.def").read_text(), re.M))
            there = sum(int(p.over_time[kind].sum()) for kind in kinds[:-1])
            self.assertEqual(p.over_time["cycles"].sum(), p.counters.cycles)
            self.assertEqual(there + p.over_time["no_warp"].sum(), p.counters.cycles * slots)
            for rows in p.lines, p.instructions:
                self.assertEqual(rows["cycles"].sum(), there)
                self.assertEqual(rows["issued"].sum(), p.counters.instructions)
            self.assertGreater(p.lines["l1d_misses"].sum(), 0)
            d = ventus.diff(p, p)
            self.assertEqual((d.kernels["a_cycles"].sum(), d.lines["b_cycles"].sum()), (there, there))
            warps = p.resident["warps"]
            self.assertEqual(len(warps), device.info.sms * len(p.over_time))
            self.assertTrue((warps >= 0).all() and (warps <= device.info.warps_per_sm).all())
            mean = (p.over_time["warps"] * p.over_time["cycles"]).sum() * device.info.sms
            self.assertAlmostEqual(mean / there, 1, 6)
            self.assertGreater(ventus.profile(kernel, 4096, 64, [x, y, 2]).lines["cycles"].sum(), 0)
            if pandas:
                self.assertEqual(len(p.frame("over_time")), len(p.over_time))
            self.assertEqual(kernel.launch(4096, 64, [x, y, 2]).instructions, p.counters.instructions)
        p = ventus.profile(ventus.compile(SCALE).kernel("scale"), 64, 64, [x, y, 2])
        self.assertEqual((len(p.over_time), len(p.resident), p.lines["cycles"].sum()), (0, 0, 0))

    def test_cycles_of_launches_at_the_same_time(self):
        """Each has its own, by instruction and over time, whatever else the SMs do meanwhile."""
        program = """import numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
queues = [cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE) for _ in range(3)]
program = cl.Program(context, '''
kernel void chain(global float *out, int n) { float x = 0; for (int k = 0; k < n; k++) x = x * 1.5f + k; out[get_global_id(0)] = x; }
kernel void loads(global float *out, int n)
{
    float x = 0;
    for (int k = 0; k < n; k++) x += out[(get_global_id(0) * 33 + k) & 1023];
    out[get_global_id(0) + 1024] = x;
}''').build("-g", cache_dir=False)
for _ in range(3):
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 8192) for _ in queues]
    events = [(program.loads if i == 1 else program.chain)(q, (256,), (64,), b, np.int32(200)) for i, (q, b) in enumerate(zip(queues, buffers))]
    cl.wait_for_events(events)
    assert max(e.profile.start for e in events) < min(e.profile.end for e in events), "one after another"
"""
        p = ventus.profile([sys.executable, "-c", program], timing="large", memory=1)
        self.assertEqual(sorted(zip(p.kernels["name"], p.kernels["launches"])), [("chain", 6), ("loads", 3)])
        for kernel in json.loads(p._text)["kernels"]:
            timing, insns = kernel["timing"], kernel["instructions"]
            self.assertEqual((timing["launches"], timing["cycles"]), (kernel["launches"], kernel["cycles"]))
            self.assertEqual(sum(timing["slots"].values()), timing["cycles"] * timing["warp_slots"])
            for kind, cycles in timing["slots"].items():
                self.assertEqual(sum(i["timing"]["slots"][kind] for i in insns if "timing" in i), cycles if kind != "no_warp" else 0, kind)
            self.assertTrue(all(i["timing"]["slots"]["issued"] == i["executions"] for i in insns))
            self.assertEqual(timing["slots"]["issued"], kernel["counters"]["instructions"])
            time = timing["over_time"]
            self.assertEqual(sum(map(sum, time["slots"].values())), time["cycles"] * timing["warp_slots"])
            hits = sum(i["timing"]["l1d_hits"] + i["timing"]["l1d_misses"] for i in insns if "timing" in i)
            self.assertEqual(hits, sum(i["timing"]["lines"] for i in insns if "timing" in i))

    def test_device_behind_the_driver(self):
        program = pathlib.Path(__file__).with_name("shared") / "backend.py"
        machine = str(BUILD / "tests/device/ventus-machine.so")
        said = subprocess.run([sys.executable, program], env={**os.environ, "VENTUS_BACKEND": machine}, capture_output=True, text=True)
        self.assertRegex(said.stdout, "^10 a profile .* it is not the built-in machine", said.stderr)

    def test_program_and_file(self):
        with tempfile.TemporaryDirectory() as folder:
            p = ventus.profile([VECADD, "--size", "1000"])
            self.assertEqual(p.exit_code, 0)
            p.save(f"{folder}/p.json")
            q = ventus.profile(f"{folder}/p.json")
            q.save(f"{folder}/p.html")
            page = pathlib.Path(folder, "p.html").read_text()
            self.assertTrue(page.startswith("<!doctype html>") and q._text.strip().replace("<", "\\u003c") in page)
            for name in "none/p.json", "none/p.html":
                self.raises("No such file", ventus.Error, q.save, f"{folder}/{name}")
            self.raises("directory", ventus.Error, q.save, folder)
            np.testing.assert_array_equal(p.instructions, q.instructions)
            d = ventus.diff(p, pathlib.Path(folder, "p.json"))
            self.assertEqual(d.kernels["a_executions"].tolist(), d.kernels["b_executions"].tolist())
            self.assertTrue((d.lines["a_line"] == d.lines["b_line"]).all() and len(d.lines))
            self.raises("not 'rows'", ValueError, d.frame, "rows")
            if pandas:
                self.assertEqual(len(d.frame("kernels")), 1)
        self.raises("ended with 1", ventus.Error, ventus.profile, ["/bin/false"])
        self.raises("not opened", ventus.Error, ventus.profile, ["/bin/true"])
        self.raises("a list", TypeError, ventus.profile, [])
        self.raises("without engine", TypeError, ventus.profile, "p.json", engine="step")
        self.raises("without memory", TypeError, ventus.profile, "p.json", memory=True)
        self.raises("a kernel's launch", TypeError, ventus.profile, ["/bin/true"], 64, 32)
        self.raises("a number of launches", TypeError, ventus.profile, ["/bin/true"], memory="1")
        self.raises("No such file", ventus.Error, ventus.profile, "none.json")
        self.raises("no file of data", ventus.Error, ventus.profile, "/dev/zero")
        self.raises("a path", TypeError, ventus.profile, 5)
        self.raises("none.json", ventus.Error, ventus.diff, "none.json", "none.json")

    def test_damaged_files(self):
        with tempfile.TemporaryDirectory() as folder:
            made = ventus.profile([VECADD, "--size", "100"], memory=True, timing="large")
            t = ventus.timeline([VECADD, "--size", "100"])
            made.save(f"{folder}/p.json")
            subprocess.run([BUILD / "ventus", "exec", "--timeline", f"{folder}/t.json", "--", VECADD, "--size", "100"],
                           check=True, stdout=subprocess.DEVNULL)
            rng = random.Random(2)
            for name, read in ("p.json", ventus.profile), ("t.json", ventus.timeline):
                good = pathlib.Path(folder, name).read_bytes()
                path = pathlib.Path(folder, "bad.json")
                for n in range(300):
                    bad = bytearray(good)
                    for _ in range(1 + n % 3):
                        bad[rng.randrange(len(bad))] = rng.choice(b'0123456789{}[]",:-.eE tn\0\xff')
                    path.write_bytes(bad[:rng.randrange(len(bad))] if n % 10 == 0 else bad)
                    try:
                        read(path)
                    except ventus.Error:
                        pass
                # Values of each kind in the place of each member.
                for value in None, -1, 2**70, 1e300, "x", [], {}, True, MISSING:
                    self.replace_everywhere(json.loads(good), value, path, read)
            for text in "", "[" * 100000, "9" * 10000, '{"ventus_profile": 2}', "null", "[1]":
                path.write_text(text)
                self.raises("bad.json", ventus.Error, ventus.profile, path)
            self.assertGreater(len(t.events), 3)

    def replace_everywhere(self, document, value, path, read):
        places = [(document, key) for key in document]
        for where, key in places:
            if isinstance(where[key], (dict, list)):
                inner = where[key]
                places += [(inner, k) for k in (inner if isinstance(inner, dict) else range(min(3, len(inner))))]
        for where, key in places:
            old, where[key] = where[key], value
            if value is MISSING:
                del where[key]
            path.write_text(json.dumps(document))
            try:
                read(path)
            except ventus.Error as problem:
                self.assertIn("bad.json", str(problem))
            if value is MISSING and isinstance(where, list):
                where.insert(key, old)
            else:
                where[key] = old

    def test_timeline(self):
        t = ventus.timeline([VECADD, "--size", "100"])
        kernel = t.events[(t.events["name"] == "vecadd") & (t.events["kind"] == "slice")]
        self.assertEqual(len(kernel), 1)
        self.assertGreater(kernel["args"][0]["instructions"], 0)
        self.assertEqual(kernel["thread"][0], "queue 1")
        self.assertTrue((np.diff(t.events["start_ns"]) >= 0).all() and (t.events["duration_ns"] >= 0).all())
        self.assertGreater(len(t.arrows), 0)
        if pandas:
            self.assertEqual(len(t.frame()), len(t.events))
        begun = '{"traceEvents":[\n{"ph":"B","pid":1,"tid":1,"ts":1.5,"name":"build"},\n{"ph":"X","pid":1,"t'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t.json")
            path.write_text(begun)
            cut = ventus.timeline(path).events
            self.assertEqual((len(cut), cut["name"][0], cut["start_ns"][0], cut["duration_ns"][0]), (1, "build", 1500, -1))


class OpenCL(Case):
    def setUp(self):
        self.context = cl.create_some_context(interactive=False)

    def run_kernel(self, **more):
        queue = cl.CommandQueue(self.context, **more)
        program = cl.Program(self.context, SCALE).build(cache_dir=False)
        buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4096)
        return queue, program.scale(queue, (1024,), (64,), buffer, buffer, np.float32(2))

    def test_counters(self):
        queue, event = self.run_kernel(properties=cl.command_queue_properties.PROFILING_ENABLE)
        found = ventus.counters(event)
        x = np.zeros(1024, np.float32)
        own = ventus.open().compile(SCALE).kernel("scale").launch(1024, 64, [x, x, 2])
        self.assertEqual(found[1:4], own[1:4])
        self.assertGreater(found.ns, 0)
        self.raises("profiling", ventus.Error, ventus.counters, self.run_kernel()[1])
        marker = cl.enqueue_marker(queue)
        self.raises("counters", ventus.Error, ventus.counters, marker)
        self.raises("an event", TypeError, ventus.counters, None)

    def test_ranges(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text("""import sys; sys.path.insert(0, sys.argv[1])
import pyopencl as cl, ventus
queue = cl.CommandQueue(cl.create_some_context(interactive=False))
with ventus.range(queue, "outer"):
    with ventus.range(queue.context, "inner"):
        queue.finish()
""")
            t = ventus.timeline([sys.executable, str(program), str(SOURCE / "python")])
            outer, inner = (t.events[t.events["name"] == name][0] for name in ("outer", "inner"))
            self.assertTrue(outer["start_ns"] <= inner["start_ns"] and inner["duration_ns"] <= outer["duration_ns"])
        queue = cl.CommandQueue(self.context)
        with ventus.range(queue, "nobody looks"):
            pass
        self.raises("a string", TypeError, ventus.range(queue, 5).__enter__)
        self.raises("a queue", TypeError, ventus.range(None, "x").__enter__)


if __name__ == "__main__":
    unittest.main(verbosity=2)
