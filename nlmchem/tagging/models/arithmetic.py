"""The arithmetic of a model's matrix products: float32, or int8 where the processor has instructions for it.

Both repeat to the bit on one kind of processor. They give slightly different scores (docs/reference/speed.md), so a run
chooses one of them before it starts, and the choice is part of its fingerprint.
"""

from __future__ import annotations

from pathlib import Path

from corpora.errors import Argument, ConfigurationError, OptionError

INT8 = "int8"
FLOAT32 = "float32"
AUTO = "auto"
CHOICES = (AUTO, INT8, FLOAT32)

_INTEGER_FLAGS = ("amx_int8", "avx512_vnni", "avx_vnni")
_BFLOAT16_TILES = "amx_bf16"
_CPUINFO = Path("/proc/cpuinfo")


def processor_flags(cpuinfo: Path = _CPUINFO) -> tuple[str, ...]:
    """The instruction sets of this processor that decide about the arithmetic, as Linux names them; () elsewhere."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return tuple(flag for flag in (*_INTEGER_FLAGS, _BFLOAT16_TILES) if flag in flags)


def has_bfloat16_tiles(cpuinfo: Path = _CPUINFO) -> bool:
    """Whether this processor multiplies bfloat16 matrices in tile registers (AMX)."""
    return _BFLOAT16_TILES in processor_flags(cpuinfo)


def chosen(arithmetic: str, device: str, cpuinfo: Path = _CPUINFO) -> str:
    """`INT8` or `FLOAT32` for an option `arithmetic`. `AUTO` takes int8 on a CPU with instructions for int8 products.

    This reads processor flags and does not import torch. Loading a model checks that the products are exact
    (`integers.require_exact_products`). Raises `ConfigurationError` for an unknown name and for int8 on a GPU.
    """
    if arithmetic not in CHOICES:
        raise OptionError("arithmetic", f"is {arithmetic!r}; choose one of {', '.join(CHOICES)}")
    on_cpu = device == "cpu"
    if arithmetic == INT8 and not on_cpu:
        int8, auto = Argument("arithmetic", INT8), Argument("arithmetic", AUTO)
        raise ConfigurationError(int8, f" works on a CPU only, not on {device}; use ", auto)
    if arithmetic == AUTO:
        return INT8 if on_cpu and set(processor_flags(cpuinfo)) & set(_INTEGER_FLAGS) else FLOAT32
    return arithmetic
