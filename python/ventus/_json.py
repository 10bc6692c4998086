"""Reading the JSON of profiles and timelines: files may be damaged, and then that is an Error which names them."""
import json
import os
import stat

import numpy as np

from ._library import Error, path_argument

MOST_BYTES = 1 << 30


def read_text(path):
    """The text of a file; no pipe and no device, which might never end."""
    name = path_argument(path, "a file")
    try:
        with open(name, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Error(f"{name}: this is no file of data")
            if status.st_size > MOST_BYTES:
                raise Error(f"{name}: {status.st_size} bytes are more than the {MOST_BYTES} that are read")
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError as problem:
        raise Error(f"{name}: {problem.strerror}") from None


def parse(text, name, what):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Error(f"{name}: not {what}: {problem}") from None


class Reader:
    """Members of parsed JSON, by what they must be."""

    def __init__(self, name, what):
        self.name, self.what = name, what

    def wrong(self, text):
        raise Error(f"{self.name}: not {self.what}: {text}")

    def member(self, where, key, kind, default=None):
        if not isinstance(where, dict):
            self.wrong(f"{type(where).__name__} where an object with {key!r} belongs")
        value = where.get(key, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(f"{key!r} is {'missing' if value is None else type(value).__name__}")
        return value

    def count(self, where, key, most=2**64 - 1, default=None):
        value = self.member(where, key, int, default)
        if not 0 <= value <= most:
            self.wrong(f"{key!r} is {str(value)[:40]}")
        return value


def array(rows, columns):
    """A structured array of tuples; columns are (name, dtype)."""
    made = np.empty(len(rows), columns)
    for i, row in enumerate(rows):
        made[i] = row
    return made


def frame(made):
    try:
        import pandas
    except ImportError:
        raise ImportError("frames need pandas (Debian: python3-pandas); the arrays are there without") from None
    return pandas.DataFrame({name: made[name] for name in made.dtype.names})
