"""The arithmetic of a model's matrix products: float32, or int8 by the compiled kernel.

They give slightly different scores (docs/reference/speed.md), so a run chooses one of them before it starts, and the
choice is part of its fingerprint. This module does not import torch.
"""

from __future__ import annotations

from corpora.errors import Argument, ConfigurationError, OptionError
from nlmchem.tagging.kernel import library
from nlmchem.tagging.kernel.library import Kernel, kernel

INT8 = "int8"
FLOAT32 = "float32"
AUTO = "auto"
CHOICES = (AUTO, INT8, FLOAT32)

_MISSING = (
    "the compiled kernel, which was not built when nlmchem was installed: "
    "install a compiler for C++, then nlmchem again"
)


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
        return INT8 if on_cpu and compiled and compiled.path != library.PORTABLE else FLOAT32
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
    if path == library.PORTABLE:
        return "the kernel has no fast path for this processor"
    return f"{library.ARITHMETIC}, path {path}"
