"""Programs as files: what the tools write is a program binary of OpenCL, and launches of OpenCL are files that
`ventus run --case` runs to the same memory, on machines of every profile."""
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np

VENTUS = os.path.join(os.environ["VENTUS_BUILD"], "ventus")
PROFILES = ("default", "r2.0", "r2.1", "r2025")
SOURCE = """
kernel void mix(global uint *x, global uint *sum, uint n)
{
    uint i = get_global_id(0), own[8];
    for (uint k = 0; k < 8; k++) own[k] = x[i] * (k + 1);
    atomic_add(sum, own[(i + n) % 8]);
    x[i] = own[n % 8] + get_local_id(0);
}
"""
ASSEMBLY = """
        .kernel twice
        .arg    global, x
twice:  lw      t0, 0(a0)
        csrr    t1, CSR_TID
        vid.v   v0
        vadd.vx v0, v0, t1
        vsll.vi v0, v0, 2
        vadd.vx v0, v0, t0
        vlw12.v v1, 0(v0)
        vadd.vv v1, v1, v1
        vsw12.v v1, 0(v0)
        ret
"""
# What the start code prepares: .bss, gp, the place of traps; the second kernel returns what the first left in tohost.
PREPARED = """
        .kernel prepared
        .arg    global, out
prepared:
        lw      t0, 0(a0)
        la      t1, counter
        lw      t2, 0(t1)
        addi    t2, t2, 1
        sw      t2, 0(t1)
        sw      t2, 0(t0)
        la      t1, __global_pointer$
        sub     t1, t1, gp
        sw      t1, 4(t0)
        csrr    t1, mtvec
        la      t2, spike_end
        sub     t1, t1, t2
        sw      t1, 8(t0)
        jr      t2
        .kernel ended
        .arg    global, out
ended:  lw      t0, 0(a0)
        la      t1, tohost
        lw      t1, 0(t1)
        sw      t1, 12(t0)
        ret
        .bss
        .zero   64
counter: .zero  5
"""
# As another compiler writes them: no note, a record of each kernel.
FOREIGN = "_start: endprg\nk: endprg\n.type k, @function\n.section .ventus.resource.k\n.half 4, 8, 0, 0\n"


def ventus(*words):
    subprocess.run([VENTUS, *words], check=True)
    return words[-1]


def binaries(folder):
    """Each file of the tools as a program."""
    import pyopencl as cl
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    device = context.devices

    def program(path):
        return cl.Program(context, device, [pathlib.Path(path).read_bytes()])

    pathlib.Path("mix.cl").write_text(SOURCE)
    pathlib.Path("twice.s").write_text(ASSEMBLY)
    pathlib.Path("foreign.s").write_text(FOREIGN)
    x = np.arange(64, dtype=np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    total = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.uint32))
    for number, path in enumerate((ventus("cc", "mix.cl", "-o", "mix.elf"), ventus("cc", "--compile", "mix.cl", "-o", "mix.o"))):
        program(path).build().mix(queue, x.shape, (32,), buffer, total, np.uint32(1))
        want = 2 * (x if not number else want) + np.arange(64, dtype=np.uint32) % 32
        cl.enqueue_copy(queue, got := np.empty_like(x), buffer)
        assert np.array_equal(got, want), path
    program(ventus("as", "twice.s", "-o", "twice.elf")).build().twice(queue, x.shape, None, buffer)
    cl.enqueue_copy(queue, got, buffer)
    assert np.array_equal(got, 2 * want)
    pathlib.Path("prepared.s").write_text(PREPARED)
    ventus("as", "-c", "prepared.s", "-o", "prepared.o")
    for path in (ventus("as", "prepared.s", "-o", "prepared.elf"), ventus("ld", "prepared.o", "-o", "linked.elf")):
        prepared, out = program(path).build(), np.empty(4, np.uint32)
        for _ in range(2):
            cl.enqueue_copy(queue, buffer, np.full(64, 9, np.uint32))
            prepared.prepared(queue, (4,), None, buffer)
            prepared.ended(queue, (4,), None, buffer)
            cl.enqueue_copy(queue, out, buffer)
            assert list(out) == [1, 0, 0, 1], f"{path}: {out}"
    foreign = program(ventus("as", "foreign.s", "-o", "foreign.elf")).build()
    assert foreign.kernel_names == "k" and foreign.k.num_args == 0
    foreign.k(queue, (4,), None)
    queue.finish()
    try:
        program(ventus("cc", "--profile", "r2.1", "mix.cl", "-o", "other.elf"))
        raise AssertionError("a program of another profile is taken")
    except cl.Error as error:
        assert "INVALID_BINARY" in str(error)


def launch(path):
    """Two launches, and what they leave in memory."""
    import pyopencl as cl
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    x = np.arange(96, dtype=np.uint32) + 3
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    total = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.uint32))
    program = cl.Program(context, SOURCE).build()
    for n in range(2):
        program.mix(queue, x.shape, (32,), buffer, total, np.uint32(n + 1))
    sum_ = np.empty(1, np.uint32)
    cl.enqueue_copy(queue, x, buffer)
    cl.enqueue_copy(queue, sum_, total)
    pathlib.Path(path).write_bytes(x.tobytes() + sum_.tobytes())


def words(path):
    return [int(line, 16) for line in pathlib.Path(path).read_text().split()]


def round_trip(profile, settings=""):
    """The second launch is run alone from its files, then both one after the other."""
    os.makedirs(profile)
    pathlib.Path(profile + ".conf").write_text(settings or f"profile = {profile}\n")
    environment = dict(os.environ, VENTUS_CONFIG=profile + ".conf", VENTUS_EXPORT=profile)
    subprocess.run([sys.executable, __file__, "--launch", profile + "/result"], env=environment, check=True)
    metadata = words(profile + "/mix_1.metadata")
    count = metadata[26]
    bases = metadata[28:28 + 2 * count:2]
    heap = sorted(b for b in bases if b >= 0x90000000)
    dumps = [f"{heap[0]}:384:{profile}/x", f"{heap[1]}:4:{profile}/sum"]
    for cases in ([1], [0, 1]):
        command = [VENTUS, "run", "--config", profile + "/machine.conf", "--strict"]
        for n in cases:
            command += ["--case", f"{profile}/mix_{n}.metadata"]
        for dump in dumps:
            command += ["--dump", dump]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        got = pathlib.Path(profile + "/x").read_bytes() + pathlib.Path(profile + "/sum").read_bytes()
        assert got == pathlib.Path(profile + "/result").read_bytes(), (profile, cases)


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--launch"]:
        return launch(sys.argv[2])
    os.environ.pop("VENTUS_CONFIG", None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        binaries(folder)
        for profile in PROFILES:
            round_trip(profile)
            print(f"{profile}: the exported launches give the same memory")
        round_trip("sv39", "translation = sv39\n")  # files have the addresses that the kernel saw
        os.chdir("/")


if __name__ == "__main__":
    main()
