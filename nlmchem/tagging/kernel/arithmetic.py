"""The arithmetic of a model's matrix products: float32, or int8 by the compiled library of the kernel.

They give slightly different scores (docs/reference/speed.md), so a run chooses one of them before it starts, and the
choice is part of its fingerprint. This module does not import torch.

A path of the library is the code for one set of instructions. All paths give the same bytes (`arithmetic.inc`), so only
the speed depends on the processor. Sums of integers are exact in any order, so results do not depend on the batch
either. The library is optional: it is built when nlmchem is installed, if there is a compiler for C++. It does not use
Python's C interface, so one file serves all versions of Python, and building it does not need the headers of Python.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError

INT8 = "int8"
FLOAT32 = "float32"
AUTO = "auto"
CHOICES = (AUTO, INT8, FLOAT32)

_MISSING = (
    "the compiled kernel, which was not built when nlmchem was installed: "
    "install a compiler for C++, then nlmchem again"
)
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


def required_kernel() -> Kernel:
    """The compiled kernel. Raises `ConfigurationError` if there is none."""
    compiled = kernel()
    if compiled is None:
        float32 = Argument("arithmetic", FLOAT32)
        raise ConfigurationError(Argument("arithmetic", INT8), f" needs {_MISSING}, or use ", float32)
    return compiled


def chosen(arithmetic: str, device: str) -> str:
    """`INT8` or `FLOAT32` for an option `arithmetic`. `AUTO` takes int8 on a CPU with a fast path of the kernel.

    Raises `ConfigurationError` for an unknown name, for int8 on a GPU, and for int8 without the kernel.
    """
    if arithmetic not in CHOICES:
        raise OptionError("arithmetic", f"is {arithmetic!r}; choose one of {', '.join(CHOICES)}")
    on_cpu = device == "cpu"
    if arithmetic == INT8:
        if not on_cpu:
            int8, auto = Argument("arithmetic", INT8), Argument("arithmetic", AUTO)
            raise ConfigurationError(int8, f" works on a CPU only, not on {device}; use ", auto)
        required_kernel()
    if arithmetic == AUTO:
        compiled = kernel()
        return INT8 if on_cpu and compiled and compiled.path != PORTABLE else FLOAT32
    return arithmetic


def path_of_kernel() -> str | None:
    """The path of the kernel that int8 arithmetic takes on this processor; None if there is no kernel."""
    compiled = kernel()
    return compiled.path if compiled else None


def why_auto() -> str:
    """Why `AUTO` selects what it selects on this CPU."""
    path = path_of_kernel()
    if path is None:
        return f"for int8 it needs {_MISSING}"
    if path == PORTABLE:
        return "the kernel has no fast path for this processor"
    return f"{ARITHMETIC}, path {path}"
