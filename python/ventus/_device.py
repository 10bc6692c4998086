"""Devices, buffers, modules, kernels, launches."""
import collections
import collections.abc
import contextlib
import ctypes
import operator
import os
import pathlib
import re
import tempfile
import threading
import weakref
from ctypes import byref, c_uint32, c_uint64, c_void_p

import numpy as np

from . import _library as c
from ._library import BuildError, Error, library, text_of

Info = collections.namedtuple("Info", "name instruction_set sms warps_per_sm threads_per_warp local_memory clock_mhz modelled translated")
Info.__doc__ = """A device (struct ventus_info): its name; instruction set; streaming multiprocessors; warps that one holds, and work-items of a
warp; bytes of local memory of one; clock in MHz; whether a cycle model says the time; whether addresses are virtual."""
Counters = collections.namedtuple("Counters", c.COUNTERS + ("cycles", "ns"))
Counters.__doc__ = """What a launch did: counts as `ventus run --stats` has them (docs/run.md), `cycles` by the cycle model (0: the machine has none),
and `ns`, from its beginning to its end by the device's clock."""
Fault = collections.namedtuple("Fault", "kind group warp lanes lane pc address")
Fault.__doc__ = """Where a kernel failed: the kind, a word (docs/run.md); group, a triple; warp in it; mask of active lanes; the lane, 32 if it is none in
particular; address of the instruction; address that was accessed."""
Local = collections.namedtuple("Local", "nbytes")
Local.__doc__ = "An argument that points to so many bytes of local memory: ventus.local(nbytes)."


class KernelError(Error):
    """A launch that did not succeed. `fault` says where (None: no instruction was at fault), `counters` what was done until then."""

    def __init__(self, text, status, fault, counters):
        super().__init__(text, status)
        self.fault, self.counters = fault, counters


def whole(value, what, least, most):
    """An integer in a range; other numbers and strings are no integers."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is an integer, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}, and must be {least} to {most}")
    return number


def local(nbytes):
    """Local memory of `nbytes` bytes, as an argument of a kernel."""
    return Local(whole(nbytes, "the size of local memory", 1, 2**32 - 1))


# ---- devices ----

def info_of(struct):
    return Info(text_of(struct.name), text_of(struct.profile), struct.sms, struct.warps_per_sm, struct.threads_per_warp,
                struct.lds_bytes, struct.clock_mhz, struct.modelled, struct.translated)


def devices():
    """What `open` can open, as a list of Info: one for each machine file of VENTUS_CONFIG, else the default machine. Error: such a
    file cannot be used."""
    found = []
    for index in range(library().ventus_device_count()):
        struct, why = c.InfoStruct(), ctypes.create_string_buffer(600)
        c.check(library().ventus_describe(index, byref(struct), why, len(why)), "ventus.devices", why)
        found.append(info_of(struct))
    return found


def file_with_timing(config, timing, folder):
    """A machine file of that name, or of the default machine, with another cycle model."""
    try:
        text = pathlib.Path(config).read_text() if config else ""
    except (OSError, ValueError) as problem:
        raise Error(f"{config}: {problem}") from None
    timing = os.path.abspath(timing) if os.sep in timing or "." in timing else timing
    if re.search(r"[\n#]", timing):
        raise Error(f"{timing!r} is no name of a cycle model")
    path = pathlib.Path(folder, os.path.basename(config) if config else "default.conf")
    kept = [line for line in text.splitlines() if not re.match(r"\s*timing\s*=", line)]
    path.write_text("\n".join(kept + [f"timing = {timing}", ""]))
    return str(path)


def open_file(path):
    handle, why = c_void_p(), ctypes.create_string_buffer(600)
    status = library().ventus_open_file(os.fsencode(path), byref(handle), why, len(why))
    c.check(status, "ventus.open", why)
    return handle


def open_index(index):
    """The index is checked here: C says of a bad one only that it is a bad argument."""
    handle = c_void_p()
    devices() # whose message names what is wrong with the environment
    index = whole(index, "the number of a device", 0, library().ventus_device_count() - 1)
    c.check(library().ventus_open(index, byref(handle)), "ventus.open")
    return handle, index


opened = weakref.WeakSet() # all devices


def after_fork():
    """In a child: whoever had a lock is a thread of the parent's, which will never give it back."""
    global choosing
    choosing = threading.RLock()
    for device in opened:
        device._lock = threading.RLock()


os.register_at_fork(after_in_child=after_fork)


class Device:
    """An open machine with memory of its own. Every method may be called from any thread; a child of fork() opens its own.

    info    what it is like (Info)
    config  its machine file, None: the default machine
    """

    def __init__(self, index=0, config=None, timing=None):
        self._handle, self._users, self._lock, self._pid = None, 0, threading.RLock(), os.getpid()
        opened.add(self)
        named = os.environ.get("VENTUS_CONFIG", "").split(":") if config is None else []
        self._folder = tempfile.mkdtemp(prefix="ventus-") if timing is not None else None
        self._remove = weakref.finalize(self, c.remove_folder, self._folder, self._pid)
        if config is not None:
            config = os.path.abspath(c.path_argument(config, "config")) # programs are compiled for it, wherever the process is then
        if timing is not None:
            place = whole(index, "the number of a device", 0, 2**31)
            config = config or (named[place] if place < len(named) and named[place] else None)
            config = file_with_timing(config, c.path_argument(timing, "timing"), self._folder)
        if config is not None:
            self._handle, self.config = open_file(config), config
        else:
            self._handle, index = open_index(index)
            self.config = os.path.abspath(named[index]) if index < len(named) and named[index] else None
        struct = c.InfoStruct()
        library().ventus_device_info(self._handle, byref(struct))
        self.info = info_of(struct)

    @contextlib.contextmanager
    def _open(self):
        """The handle, for a call that close() must not come between."""
        with self._lock:
            if self._handle is None:
                raise Error("the device is closed")
            if os.getpid() != self._pid:
                raise Error("the device was opened before fork(); the child must open its own: ventus.open()")
            self._users += 1
            handle = self._handle
        try:
            yield handle
        finally:
            with self._lock:
                self._users -= 1

    @property
    def memory_size(self):
        """Bytes of device memory."""
        with self._open() as handle:
            return library().ventus_memory_size(handle)

    def close(self):
        """Gives all back; buffers are gone with it. Closing twice is allowed. Error: another thread is using it."""
        with self._lock:
            if self._users:
                raise Error("the device is in use by another thread")
            handle, self._handle = self._handle, None
        if handle is not None and os.getpid() == self._pid:
            library().ventus_close(handle)
        self._remove()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None and not self._users:
            self.close()

    def __repr__(self):
        return f"<ventus.Device {self.info.name!r}{'' if self._handle is not None else ', closed'}>"

    def buffer(self, source):
        """Device memory: a copy of a numpy array, or so many bytes of zeros."""
        return Buffer(self, source)

    def load(self, program):
        """A Module of an ELF executable of `ventus cc` or `ventus as`: its bytes, or the name of its file."""
        if not isinstance(program, (bytes, bytearray)):
            path = c.path_argument(program, "a program")
            try:
                program = pathlib.Path(path).read_bytes()
            except OSError as problem:
                raise Error(f"{path}: {problem.strerror}") from None
        return Module(self, bytes(program))

    def compile(self, source, options="-g"):
        """A Module of OpenCL C, built with these options of clBuildProgram; -g gives profiles the lines. BuildError: what the
        compiler says. Includes are read below the current folder and those of -I."""
        if not isinstance(source, str) or not isinstance(options, str):
            raise TypeError("source and options are strings")
        with c.temporary_folder() as folder:
            out = os.path.join(folder, "a.elf")
            machine = ["--config", self.config] if self.config else ["--profile", self.info.instruction_set]
            try:
                c.run(["cc", "--options", options, *machine, "-o", out, "-"], source.encode("utf-8", "surrogateescape"))
            except Error as problem:
                raise BuildError(str(problem)) from None
            return self.load(out)


def open(index=0, config=None, timing=None):
    """Opens a device: number `index` of devices(), or that of the machine file `config`; with `timing`, a name or file of
    docs/timing.md, on a model of the hardware's cycles. A context manager; close() or the end of its last use closes it."""
    return Device(index, config, timing)


standing, choosing = [], threading.RLock()


def default():
    """The device that module functions use when none is given: opened at the first need, and again when it has been closed or in
    a child of fork()."""
    with choosing:
        if not standing or standing[0]._handle is None or standing[0]._pid != os.getpid():
            standing[:] = [Device()]
        return standing[0]


def compile(source, options="-g", device=None):
    """As Device.compile, on the default device if none is given."""
    return (device or default()).compile(source, options)


# ---- memory ----

def contiguous(array, what):
    if array.dtype.hasobject:
        raise TypeError(f"{what}: an array of Python objects cannot be copied to the device")
    if not array.flags.c_contiguous:
        raise ValueError(f"{what}: the array is not contiguous; numpy.ascontiguousarray makes it so")
    if not array.nbytes:
        raise ValueError(f"{what}: the array is empty")
    return array


class Buffer:
    """Memory of a device. It is freed with free(), at the end of a `with`, with its last reference, or with the device.

    nbytes        its size
    address       on the device
    dtype, shape  of the array that it was made of; of bytes without an array: None, (nbytes,)
    """

    def __init__(self, device, source):
        array = contiguous(source, "a buffer") if isinstance(source, np.ndarray) else None
        self.device, self._address, self._launches = device, None, 0
        self.nbytes = array.nbytes if array is not None else whole(source, "the size of a buffer", 1, 2**64 - 1)
        self.dtype, self.shape = (array.dtype, array.shape) if array is not None else (None, (self.nbytes,))
        address = c_uint32()
        with device._open() as handle:
            c.check(library().ventus_alloc(handle, self.nbytes, byref(address)), f"a buffer of {self.nbytes} bytes")
        self._address = address.value
        if array is not None:
            self.write(array)

    @property
    def address(self):
        if self._address is None:
            raise Error("the buffer has been freed")
        return self._address

    def _range(self, offset, size):
        offset = whole(offset, "the offset", 0, self.nbytes)
        if size > self.nbytes - offset:
            raise ValueError(f"{size} bytes at {offset} leave the buffer, which has {self.nbytes}")
        return self.address + offset

    def _same_type(self, array, what):
        """Numbers go to and from a buffer of numbers in their own type; structures, bytes and buffers of bytes are anything."""
        ours, theirs = self.dtype, array.dtype
        if ours is not None and ours != theirs and "V" not in (ours.kind, theirs.kind) and np.uint8 not in (ours, theirs):
            raise TypeError(f"{what}: the array has {theirs} where the buffer has {ours}; array.view(numpy.uint8) has its bytes")

    def write(self, array, offset=0):
        """Copies an array to the buffer, from byte `offset` on. An array of other numbers than the buffer was made of is a TypeError."""
        if not isinstance(array, (np.ndarray, np.generic)):
            raise TypeError(f"write copies a numpy array, not {type(array).__name__}, whose numbers have no type of the device's")
        array = contiguous(np.asarray(array), "write")
        self._same_type(array, "write")
        address = self._range(offset, array.nbytes)
        with self.device._open() as handle:
            c.check(library().ventus_write(handle, address, array.ctypes.data, array.nbytes), "write")

    def read(self, out=None, offset=0):
        """A new array with what the buffer holds, as it was made; or fills `out`, an array, from byte `offset` on, and returns it."""
        if out is None:
            out = np.empty(self.shape, self.dtype or np.uint8)
        if not isinstance(out, np.ndarray) or not out.flags.writeable:
            raise TypeError("read fills a numpy array that can be written to")
        self._same_type(out, "read")
        address = self._range(offset, contiguous(out, "read").nbytes)
        with self.device._open() as handle:
            c.check(library().ventus_read(handle, out.ctypes.data, address, out.nbytes), "read")
        return out

    def free(self):
        """Gives the memory back; freeing twice is allowed. Any other use after that is an Error. Error: a kernel that runs has it."""
        with self.device._lock:
            if self._launches and self.device._pid == os.getpid():
                raise Error("the buffer is an argument of a kernel that another thread runs")
            address, self._address = self._address, None
            if address is not None and self.device._handle is not None and self.device._pid == os.getpid():
                library().ventus_free(self.device._handle, address)

    @contextlib.contextmanager
    def _launched(self):
        """Its address, for a launch that free() must not come between."""
        with self.device._lock:
            address = self.address
            self._launches += 1
        try:
            yield address
        finally:
            with self.device._lock:
                self._launches -= 1

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.free()

    def __del__(self):
        if getattr(self, "_address", None) is not None:
            self.free()

    def __repr__(self):
        where = "freed" if self._address is None else f"at {self._address:#x}"
        return f"<ventus.Buffer of {self.nbytes} bytes, {where}>"


# ---- programs ----

class Module:
    """A compiled program. `kernels` are their names; kernel(name) is one of them."""

    def __init__(self, device, elf):
        handle, why = c_void_p(), ctypes.create_string_buffer(600)
        c.check(library().ventus_module_load(elf, len(elf), byref(handle), why, len(why)), "a program", why)
        self.device, self._handle = device, handle
        weakref.finalize(self, library().ventus_module_free, handle)
        with device._open() as opened:
            if not library().ventus_module_fits(opened, handle, why, len(why)):
                raise Error(text_of(why.value))
        if library().ventus_module_is_draft(handle):
            raise Error("the program is a draft, which `ventus cc --link` makes a program of")
        structs = [library().ventus_module_kernel(handle, i) for i in range(library().ventus_module_kernels(handle))]
        self._structs = {text_of(s.contents.name): s for s in structs}
        self.kernels = list(self._structs)

    def kernel(self, name):
        """The kernel of that name; Error if there is none."""
        if name not in self._structs:
            raise Error(f"there is no kernel named {name!r}; the program has {', '.join(self.kernels) or 'none'}")
        return Kernel(self, self._structs[name])

    def __repr__(self):
        return f"<ventus.Module with {', '.join(self.kernels) or 'no kernels'}>"


NUMBERS = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
           "half": "f2", "float": "f4", "double": "f8"}


def number_type(name):
    """dtype and count of a type of OpenCL C such as float or int4, (None, 0) of any other one."""
    found = re.fullmatch(r"([a-z]+?)(2|3|4|8|16)?", name)
    if not found or found[1] not in NUMBERS:
        return None, 0
    return np.dtype(NUMBERS[found[1]]), int(found[2] or 1)


def fits(number, dtype):
    """Whether a number of Python is one of this type; inf and nan are floats, too large ones are not."""
    if dtype.kind != "f":
        return np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(dtype.type(float(number)))) or not np.isfinite(float(number))
    except OverflowError:
        return False


def flat(value):
    """The members of sequences in sequences; anything else is one."""
    if isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes)):
        return [member for part in value for member in flat(part)]
    return [value]


def numbers(value, dtype, what):
    """Numbers of Python as an array of this type, if they fit. One by one: of mixed ones numpy makes floats or objects."""
    values = flat(value)
    wanted = (int, float, np.bool_, np.number) if dtype.kind == "f" else (int, np.bool_, np.integer)
    for n in values:
        if not isinstance(n, wanted) or isinstance(n, np.complexfloating):
            raise TypeError(f"{what}: {n!r} is no {'number' if dtype.kind == 'f' else 'integer'}")
        if not fits(n, dtype):
            raise ValueError(f"{what}: {str(n)[:40]} does not fit into {dtype}")
    return np.array([float(n) if dtype.kind == "f" else int(n) for n in values], dtype)


class Argument:
    """One argument of a kernel: name, type, and how a value becomes bytes of the argument buffer."""

    def __init__(self, struct, number, kernel):
        self.kind, self.size, self.offset, self.align = struct.kind, struct.size, struct.offset, struct.align
        self.name, self.type = text_of(struct.name), text_of(struct.type)
        self.const = "const" in text_of(struct.qualifiers).split()
        self.what = f"argument {number}, {self.type} {self.name}, of kernel {kernel}"

    def pointer_matches(self, dtype):
        """Arrays have the type that the kernel works on. Of structures and of bytes nothing is known."""
        wanted, _ = number_type(self.type.rstrip("* "))
        if dtype is None or wanted is None or dtype.kind == "V" or dtype == wanted:
            return
        raise TypeError(f"{self.what}: the array has {dtype} where the kernel has {wanted}")

    def value_bytes(self, value):
        if isinstance(value, (bytes, bytearray)):
            data = bytes(value)
        else:
            dtype, count = number_type(self.type)
            data = self.array_of(value, dtype, count).tobytes()
            data += bytes(self.size - len(data)) if count == 3 and len(data) < self.size else b""
        if len(data) != self.size:
            raise ValueError(f"{self.what}: it has {self.size} bytes, not {len(data)}")
        return data

    def array_of(self, value, dtype, count):
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype.hasobject or (dtype is not None and value.dtype not in (dtype, np.dtype(bool))):
                raise TypeError(f"{self.what}: {value.dtype} where the kernel has {dtype}")
            array = np.asarray(value)
        elif dtype is None:
            raise TypeError(f"{self.what}: give its {self.size} bytes, as bytes or a numpy scalar")
        else:
            array = numbers(value, dtype, self.what)
        if dtype is not None and array.size != count:
            raise ValueError(f"{self.what}: {array.size} values in place of {count}")
        return array.astype(dtype) if dtype is not None else array


def sizes(value, what, least):
    values = tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,)
    if not 1 <= len(values) <= 3:
        raise ValueError(f"{what} has 1 to 3 sizes, not {len(values)}")
    return tuple(whole(v, what, least, 2**32 - 1) for v in values)


def largest_divisor(number, most):
    return next(n for n in range(min(number, most), 0, -1) if number % n == 0)


first = operator.itemgetter(0)


class Kernel:
    """A kernel of a module, for its device.

    name       as in the source
    arguments  (name, type) of each
    registers  (vector, scalar) that a warp of it has
    """

    def __init__(self, module, struct):
        self.module, self.device, self._struct = module, module.device, struct
        k = struct.contents
        self.name, self.registers = text_of(k.name), (k.vgprs, k.sgprs)
        self._args = [Argument(k.args[i], i, self.name) for i in range(k.nargs)]
        self.arguments = [(a.name, a.type) for a in self._args]

    def __repr__(self):
        return f"<ventus.Kernel {self.name}({', '.join(f'{type} {name}' for name, type in self.arguments)})>"

    def max_group(self, local_sizes=None):
        """Work-items of its largest work-group; `local_sizes`, bytes of each argument in local memory, 0 of others."""
        if local_sizes is not None:
            local_sizes = [whole(size, "the size of local memory", 0, 2**32 - 1) for size in local_sizes]
            if len(local_sizes) != len(self._args):
                raise ValueError(f"kernel {self.name} has {len(self._args)} arguments, and so many sizes, not {len(local_sizes)}")
        with self.device._open() as handle:
            return library().ventus_max_group(handle, self._struct, self._sizes(local_sizes or [0] * len(self._args)))

    def _sizes(self, values):
        return (c_uint64 * max(1, len(values)))(*values)

    def launch(self, global_size, local_size=None, args=(), timeout=None, offset=None):
        """Runs the kernel and waits. Returns Counters.

        global_size  work-items: a number, or up to three
        local_size   of a work-group; a divisor of each. None: what the kernel requires, else the largest that fits
        args         one for each argument. A pointer is a Buffer, None, or a numpy array, which is copied to the device and,
                     unless it is const, constant or read-only, back into itself; a value is a number, a sequence for a vector,
                     or bytes; local memory is ventus.local(nbytes)
        timeout      seconds, after which the kernel is ended
        offset       of global ids, as global_size

        KernelError: the kernel failed, or was ended. TypeError, ValueError: of an argument. Ctrl-C ends the kernel.
        """
        with contextlib.ExitStack() as held:
            handle = held.enter_context(self.device._open())
            values = list(args) # which stay until the kernel has ended
            data, local_sizes, back = self._pack(values, held)
            launch = self._describe(handle, global_size, local_size, offset, data, local_sizes)
            counters = self._run(handle, launch, timeout)
            for buffer, array in back:
                buffer.read(array)
            return counters

    def _pack(self, values, held):
        """The argument buffer, bytes of local memory for each, and what is to be copied back."""
        if len(values) != len(self._args):
            raise TypeError(f"kernel {self.name} has {len(self._args)} arguments, not {len(values)}: {', '.join(a.name for a in self._args)}")
        data, local_sizes, back, copies = bytearray(max(1, self._struct.contents.args_size)), [0] * len(values), [], {}
        for i, (a, value) in enumerate(zip(self._args, values)):
            if a.kind == c.LOCAL:
                if not isinstance(value, Local):
                    raise TypeError(f"{a.what}: it points to local memory; give ventus.local(nbytes)")
                local_sizes[i] = local(value.nbytes).nbytes
                continue
            if a.kind in (c.GLOBAL, c.CONSTANT):
                word = self._address(a, value, held, back, copies).to_bytes(4, "little")
            elif a.kind == c.VALUE:
                word = a.value_bytes(value)
            else:
                raise Error(f"{a.what}: images, samplers and pipes are for OpenCL programs")
            data[a.offset:a.offset + len(word)] = word
        return data, local_sizes, back

    def _address(self, a, value, held, back, copies):
        """Of a pointer; an array that is given twice is one buffer."""
        if value is None:
            return 0
        if isinstance(value, Buffer):
            if value.device is not self.device:
                raise Error(f"{a.what}: the buffer is of another device")
            a.pointer_matches(value.dtype)
            return held.enter_context(value._launched())
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{a.what}: it is a pointer; give a Buffer, a numpy array or None, not {type(value).__name__}")
        a.pointer_matches(value.dtype)
        contiguous(value, a.what)
        place = value.ctypes.data, value.nbytes
        written = a.kind == c.GLOBAL and not a.const and value.flags.writeable
        for (start, size), other in copies.items():
            if (start, size) != place and start < place[0] + place[1] and place[0] < start + size and (written or other in map(first, back)):
                raise ValueError(f"{a.what}: the array shares some of its memory with another argument, and each would have a copy; "
                                 "give a copy of one, or the same array twice, or Buffers")
        if place not in copies:
            copies[place] = held.enter_context(Buffer(self.device, value))
        if written and copies[place] not in map(first, back):
            back.append((copies[place], value))
        return copies[place].address

    def _required(self):
        """The size that work-groups must have (reqd_work_group_size), or None."""
        required = tuple(self._struct.contents.reqd)
        return required if all(required) else None

    def _group(self, handle, global_size, local_sizes):
        if self._required():
            return self._required()[:len(global_size)]
        room = library().ventus_max_group(handle, self._struct, local_sizes)
        group = []
        for size in global_size:
            group.append(largest_divisor(size, max(1, room)))
            room //= group[-1]
        return tuple(group)

    def _describe(self, handle, global_size, local_size, offset, data, local_sizes):
        global_size = sizes(global_size, "the global size", 1)
        words = self._sizes(local_sizes)
        group = self._group(handle, global_size, words) if local_size is None else sizes(local_size, "the local size", 1)
        start = (0,) * len(global_size) if offset is None else sizes(offset, "the offset", 0)
        if not len(group) == len(global_size) == len(start):
            raise ValueError("global size, local size and offset must have the same number of dimensions")
        for whole_size, part in zip(global_size, group):
            if whole_size % part:
                raise ValueError(f"the local size {part} does not divide the global size {whole_size}")
        rest = 3 - len(global_size)
        triple = c_uint32 * 3
        if self._required() not in (None, (*group, *[1] * rest)):
            raise ValueError(f"kernel {self.name} requires work-groups of {self._required()}, not {(*group, *[1] * rest)}")
        area = c.RangeStruct(len(global_size), triple(*global_size, *[1] * rest), triple(*group, *[1] * rest), triple(*start))
        if np.prod(group, dtype=object) > library().ventus_max_group(handle, self._struct, words):
            reason = ctypes.create_string_buffer(400)
            library().ventus_max_group_reason(handle, self._struct, words, reason, len(reason))
            raise Error(f"a work-group of {'x'.join(map(str, group))} is too large: {text_of(reason.value)}")
        launch = c.LaunchStruct(module=self.module._handle, kernel=self._struct, range=area, local_sizes=words)
        launch.bytes = (ctypes.c_char * len(data)).from_buffer(data) # kept with the structure
        launch.args = ctypes.addressof(launch.bytes)
        return launch

    def _run(self, handle, launch, timeout):
        if timeout is not None and not 0 < timeout < 1e9:
            raise ValueError(f"the timeout is a number of seconds, not {timeout!r}")
        event = c_void_p()
        c.check(library().ventus_launch(handle, byref(launch), 0, None, byref(event)), f"kernel {self.name}")
        try:
            library().ventus_flush(handle) # which this thread does not do the work of
            late = self._wait(event, timeout)
            return self._outcome(event, late and timeout)
        finally:
            library().ventus_event_release(event)

    def _wait(self, event, timeout):
        """In pieces, between which Python sees Ctrl-C. True: it took too long and was ended."""
        piece = 100_000_000
        left = None if timeout is None else max(1, int(timeout * 1e9))
        try:
            while library().ventus_event_wait(event, piece if left is None else min(piece, left)) == c.TIMEOUT:
                if library().ventus_event_outcome(event): # it has ended, by the time limit of the environment
                    return False
                left = None if left is None else left - min(piece, left)
                if left == 0:
                    return True
            return False
        finally:
            if not library().ventus_event_outcome(event):
                library().ventus_event_cancel(event)
                library().ventus_event_wait(event, 2**64 - 1)

    def _outcome(self, event, late):
        o = library().ventus_event_outcome(event).contents
        counters = Counters(*(getattr(o.result.counters, name) for name in c.COUNTERS), o.cycles, o.ended - o.started)
        if o.status == c.OK:
            return counters
        f = o.result.fault
        kind = c.FAULTS[f.kind] if f.kind < len(c.FAULTS) else str(f.kind)
        fault = Fault(kind, tuple(f.group), f.warp, f.lanes, f.lane, f.pc, f.addr) if f.kind else None
        text = text_of(o.message) or text_of(library().ventus_status_text(o.status))
        raise KernelError(f"kernel {self.name} was ended after {late} s: {text}" if late else text, o.status, fault, counters)

    def profile(self, global_size, local_size=None, args=(), memory=False, **more):
        """As launch, with exact counts by line and instruction: a Profile. `memory`: its accesses are watched as well, slowly."""
        from ._profile import of_kernel
        return of_kernel(self, global_size, local_size, args, memory, more)
