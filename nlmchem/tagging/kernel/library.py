"""The compiled library of the kernel: where it is, and which path of it this processor runs.

A path is the code for one set of instructions. All paths give the same bytes (`arithmetic.inc`), so only the speed
depends on the processor. Sums of integers are exact in any order, so results do not depend on the batch either. The
library is optional: it is built when nlmchem is installed, if there is a compiler for C++. It does not use Python's C
interface, so one file serves all versions of Python, and building it does not need the headers of Python.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ARITHMETIC = "int8 kernel 1"
"""The name of the arithmetic in fingerprints. It gets another number when the bytes of results change."""
PORTABLE = "portable"
"""The path in plain C++: the reference for the others, too slow to be selected."""

_FUNCTIONS = ("linear", "embed", "encode")


class Kernel:
    """One path of a compiled library. `path`: its name (None: the fastest one).

    `linear`, `embed` and `encode` are those of `kernel.cpp`. They check nothing; use `layers`. Raises `OSError` if the
    file cannot be loaded, and `LookupError` if it has no such path for this processor.
    """

    def __init__(self, file: Path, path: str | None = None) -> None:
        self.file = file
        library = ctypes.CDLL(str(file))
        library.nlmchem_path.restype = ctypes.c_char_p
        library.nlmchem_group.restype = ctypes.c_int64
        self.paths: list[str] = []
        while name := library.nlmchem_path(ctypes.c_int64(len(self.paths))):
            self.paths.append(name.decode())
        self.path = path or self.paths[0]
        if self.path not in self.paths:
            raise LookupError(f"{file} has no path {path} for this processor")
        self._number = self.paths.index(self.path)
        self.group = int(library.nlmchem_group(ctypes.c_int64(self._number)))
        self._functions = {name: library[f"nlmchem_{name}"] for name in _FUNCTIONS}
        for function in self._functions.values():
            function.restype = ctypes.c_int64

    def call(self, name: str, *given: Any) -> None:
        """Call a function of the library with integers (numbers and addresses; 64 bits) and structures.

        Raises `MemoryError`.
        """
        arguments = [ctypes.c_int64(value) if isinstance(value, int) else ctypes.byref(value) for value in given]
        if not self._functions[name](ctypes.c_int64(self._number), *arguments):
            raise MemoryError("can't allocate memory for the layers of a model")


@cache
def kernel() -> Kernel | None:
    """The fastest path on this processor; None if the library was not built, or cannot be loaded."""
    file = library_file()
    try:
        return Kernel(file) if file else None
    except OSError:
        return None


def library_file() -> Path | None:
    """The compiled library; None if it was not built."""
    spec = find_spec(f"{__package__}._kernel")
    return Path(spec.origin) if spec and spec.origin else None
