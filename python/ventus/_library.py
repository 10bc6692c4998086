"""Where the library and the command are, and the functions of driver/ventus.h as ctypes sees them.

The structures here are those of that header, the lists those of sim/counters.def and sim/faults.def; tests/python/package.py
compares them. Used by all other modules.
"""
import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

API = 6, 2 # of VENTUS_API_MAJOR, and the least VENTUS_API_MINOR
OK, TIMEOUT = 0, 11
COUNTERS = ("groups", "warps", "instructions", "vector_instructions", "lanes", "branches", "divergent", "max_simt_depth", "loads",
            "stores", "atomics", "barriers")
FAULTS = ("none", "read", "write", "fetch", "misaligned", "illegal", "simt_overflow", "endprg_diverged", "page", "launch", "hang")
VALUE, GLOBAL, CONSTANT, LOCAL, IMAGE, SAMPLER, PIPE = ARG_KINDS = range(7)


class Error(Exception):
    """What the library or the command says went wrong. `status` is the number of enum ventus_status, or None."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class BuildError(Error):
    """A program that does not compile; the text is the compiler's."""


# ---- structures ----

class InfoStruct(ctypes.Structure):
    _fields_ = [("name", c_char * 64), ("profile", c_char_p), ("sms", c_uint32), ("warps_per_sm", c_uint32),
                ("threads_per_warp", c_uint32), ("lds_bytes", c_uint32), ("clock_mhz", c_uint32), ("modelled", c_bool),
                ("translated", c_bool)]


class CountersStruct(ctypes.Structure):
    _fields_ = [(name, c_uint32 if name == "max_simt_depth" else c_uint64) for name in COUNTERS]


class FaultStruct(ctypes.Structure):
    _fields_ = [("kind", c_int), ("group", c_uint32 * 3), ("warp", c_uint32), ("lanes", c_uint32), ("lane", c_uint32),
                ("pc", c_uint32), ("addr", c_uint64)]


class ResultStruct(ctypes.Structure):
    _fields_ = [("fault", FaultStruct), ("counters", CountersStruct)]


class OutcomeStruct(ctypes.Structure):
    _fields_ = [("status", c_int), ("result", ResultStruct), ("message", c_char_p), ("submitted", c_uint64), ("started", c_uint64),
                ("ended", c_uint64), ("cycles", c_uint64), ("cause", c_int)]


class ArgStruct(ctypes.Structure):
    _fields_ = [("kind", c_int), ("size", c_uint32), ("offset", c_uint32), ("align", c_uint32), ("name", c_char_p),
                ("type", c_char_p), ("access", c_char_p), ("address", c_char_p), ("qualifiers", c_char_p), ("more", c_char_p)]


class KernelStruct(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("entry", c_uint32), ("vgprs", c_uint32), ("sgprs", c_uint32), ("lds_bytes", c_uint32),
                ("pds_bytes", c_uint32), ("args_size", c_uint32), ("reqd", c_uint32 * 3), ("hint", c_uint32 * 3),
                ("vec_hint", c_char_p), ("nargs", c_uint32), ("args", POINTER(ArgStruct)), ("more", c_char_p),
                ("ungrouped", c_uint32), ("links", c_uint32)]


class RangeStruct(ctypes.Structure):
    # `global` is a word of Python's: getattr and keyword dictionaries reach it.
    _fields_ = [("work_dim", c_uint32), ("global", c_uint32 * 3), ("local", c_uint32 * 3), ("offset", c_uint32 * 3)]


class SmsStruct(ctypes.Structure):
    _fields_ = [("first", c_uint32), ("count", c_uint32)]


class LaunchStruct(ctypes.Structure):
    _fields_ = [("module", c_void_p), ("kernel", POINTER(KernelStruct)), ("range", RangeStruct), ("args", c_void_p),
                ("local_sizes", POINTER(c_uint64)), ("pointers", POINTER(c_uint32)), ("print", c_void_p), ("ending", c_void_p),
                ("user", c_void_p), ("sms", SmsStruct), ("spaces", c_void_p), ("gpu", c_void_p)]


STRUCTURES = {"ventus_info": InfoStruct, "ventus_counters": CountersStruct, "ventus_fault": FaultStruct, "ventus_result": ResultStruct,
              "ventus_outcome": OutcomeStruct, "ventus_arg": ArgStruct, "ventus_kernel": KernelStruct, "ventus_range": RangeStruct,
              "ventus_sms": SmsStruct, "ventus_launch": LaunchStruct}

STATUS = c_int
FUNCTIONS = {
    "ventus_api_version": (c_uint32,),
    "ventus_status_text": (c_char_p, c_int),
    "ventus_device_count": (c_size_t,),
    "ventus_describe": (STATUS, c_size_t, POINTER(InfoStruct), c_char_p, c_size_t),
    "ventus_open": (STATUS, c_size_t, POINTER(c_void_p)),
    "ventus_open_file": (STATUS, c_char_p, POINTER(c_void_p), c_char_p, c_size_t),
    "ventus_device_info": (None, c_void_p, POINTER(InfoStruct)),
    "ventus_close": (None, c_void_p),
    "ventus_memory_size": (c_uint64, c_void_p),
    "ventus_alloc": (STATUS, c_void_p, c_uint64, POINTER(c_uint32)),
    "ventus_free": (STATUS, c_void_p, c_uint32),
    "ventus_write": (STATUS, c_void_p, c_uint32, c_void_p, c_uint64),
    "ventus_read": (STATUS, c_void_p, c_void_p, c_uint32, c_uint64),
    "ventus_module_load": (STATUS, c_char_p, c_size_t, POINTER(c_void_p), c_char_p, c_size_t),
    "ventus_module_free": (None, c_void_p),
    "ventus_module_kernels": (c_size_t, c_void_p),
    "ventus_module_kernel": (POINTER(KernelStruct), c_void_p, c_size_t),
    "ventus_module_fits": (c_bool, c_void_p, c_void_p, c_char_p, c_size_t),
    "ventus_module_is_draft": (c_bool, c_void_p),
    "ventus_max_group": (c_uint32, c_void_p, POINTER(KernelStruct), POINTER(c_uint64)),
    "ventus_max_group_reason": (None, c_void_p, POINTER(KernelStruct), POINTER(c_uint64), c_char_p, c_size_t),
    "ventus_launch": (STATUS, c_void_p, POINTER(LaunchStruct), c_size_t, c_void_p, POINTER(c_void_p)),
    "ventus_flush": (None, c_void_p),
    "ventus_event_wait": (STATUS, c_void_p, c_uint64),
    "ventus_event_cancel": (None, c_void_p),
    "ventus_event_outcome": (POINTER(OutcomeStruct), c_void_p),
    "ventus_event_release": (None, c_void_p),
    "ventus_profile": (STATUS, c_void_p, c_uint64),
    "ventus_profile_end": (STATUS, c_void_p, c_char_p, c_char_p, c_size_t),
}


# ---- where they are ----

def roots():
    """Folders that may hold library and command: VENTUS_BUILD alone, if it is set; else the installation or the sources that this
    package is part of."""
    chosen = os.environ.get("VENTUS_BUILD")
    if chosen:
        return [pathlib.Path(chosen).absolute()]
    here = pathlib.Path(__file__).resolve().parent # PREFIX/share/ventus/python/ventus, or SOURCES/python/ventus
    return [here.parents[3]] if here.parts[-4:-1] == ("share", "ventus", "python") else [here.parents[1] / "build"]


def candidates():
    name = f"libventus.so.{API[0]}"
    triplet = getattr(sys.implementation, "_multiarch", "")
    for root in roots():
        yield root / name
        for folder in [f"lib/{triplet}"] * bool(triplet) + ["lib64", "lib"]:
            yield root / folder / name
        yield from sorted(root.glob(f"lib/*/{name}"))


def find_library():
    """The path of the library; only its name, for the loader to find, when it is in none of the folders."""
    for path in candidates():
        if path.is_file():
            return str(path)
    if os.environ.get("VENTUS_BUILD"):
        raise Error(f"there is no libventus.so.{API[0]} in {os.environ['VENTUS_BUILD']}, which VENTUS_BUILD names; build it with `make`")
    return f"libventus.so.{API[0]}"


def find_command():
    """The path of the command `ventus`, beside the library."""
    for root in roots():
        for path in root / "ventus", root / "bin/ventus":
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    found = None if os.environ.get("VENTUS_BUILD") else shutil.which("ventus")
    if not found:
        raise Error(f"the command ventus is not in {roots()[0]}; VENTUS_BUILD names a build folder or the prefix of an installation")
    return found


def paths():
    """(library, command) that are used, as paths; for messages about an installation."""
    return find_library(), find_command()


# ---- the library ----

loading, loaded = threading.RLock(), [] # again in the same thread, when what it frees meanwhile is Ventus's, too


def check_version(lib, path):
    version = lib.ventus_api_version()
    have = version >> 16, version & 0xffff
    if have[0] != API[0] or have[1] < API[1]:
        raise Error(f"{path} has version {have[0]}.{have[1]} of the interface, this package wants {API[0]}.{API[1]}; install both together")


def load(path):
    try:
        lib = ctypes.CDLL(path)
        lib.ventus_api_version.restype = c_uint32
        check_version(lib, path)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as problem:
        raise Error(f"the library of Ventus cannot be used: {problem}; VENTUS_BUILD names a build folder or the prefix of an installation") \
            from None
    return lib


def after_fork():
    """In a child: a thread of the parent's may have been loading."""
    global loading
    loading = threading.RLock()


os.register_at_fork(after_in_child=after_fork)


def library():
    """The library, loaded at the first need: profiles in files can be read without."""
    if not loaded:
        with loading:
            loaded or loaded.append(load(find_library()))
    return loaded[0]


def text_of(c_string):
    return (c_string or b"").decode("utf-8", "replace")


def check(status, what, why=None):
    """Raises Error when a status is none of success; `why`, a buffer, has more than its text, or nothing."""
    if status == OK:
        return
    said = text_of(why.value) if why is not None else ""
    raise Error(f"{what}: {said or text_of(library().ventus_status_text(status))}", status)


def path_argument(path, what):
    """A path for C and for commands; Error if it cannot be one."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{what} is a path, not {type(path).__name__}") from None
    if "\0" in name or not name:
        raise Error(f"{what}: {name!r} is no name of a file")
    return name


# ---- folders for temporary files ----

def remove_folder(path, pid):
    """A child of fork(), which ends some time, leaves its parent's."""
    if path and os.getpid() == pid:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder():
    path, pid = tempfile.mkdtemp(prefix="ventus-"), os.getpid()
    try:
        yield path
    finally:
        remove_folder(path, pid)


# ---- the command ----

def run(arguments, input=None):
    """What a command of `ventus` writes to standard output; Error with what it writes to standard error."""
    try:
        done = subprocess.run([find_command(), *arguments], input=input, capture_output=True)
    except (OSError, ValueError) as problem:
        raise Error(f"ventus {arguments[0]}: {problem}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise Error(said or f"ventus {arguments[0]} ended with {done.returncode}")
    return done.stdout


def exec_program(command, options):
    """Runs a program under `ventus exec`; its exit code. It has this process's standard input and outputs."""
    if isinstance(command, (str, bytes)) or not command:
        raise TypeError("a command line is a list: the program and its arguments")
    sys.stdout.flush()
    words = [path_argument(word, "a word of the command line") if str(word) else "" for word in command]
    return subprocess.run([find_command(), "exec", *options, "--", *words]).returncode


def exec_options(config=None, engine=None, timing=None, timeout=None):
    """Options of `ventus exec` that mean the same wherever a program is run."""
    given = {"--config": config, "--engine": engine, "--timing": timing, "--timeout": timeout}
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]
