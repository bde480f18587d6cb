"""What a machine offers: processor, arithmetic, CUDA, free memory and disk."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from nlmchem.tagging.models.arithmetic import AUTO, FLOAT32, chosen, processor_flags

_CPUINFO = Path("/proc/cpuinfo")
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
MEGABYTE = 1 << 20


def processor(cpuinfo: Path = _CPUINFO) -> str:
    """The name of the processor, as Linux states it; its architecture elsewhere."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name"))
    return next(filter(None, names), platform.processor() or platform.machine())


def arithmetic(cpuinfo: Path = _CPUINFO) -> str:
    """What `--arithmetic auto` selects for models on this processor, and why."""
    flags = ", ".join(processor_flags(cpuinfo))
    selected = chosen(AUTO, "cpu", cpuinfo)
    why = f"the processor has {flags}" if selected != FLOAT32 else "the processor has no instructions for int8 products"
    return f"{selected} on the CPU ({why})"


def cuda() -> str:
    """The CUDA devices that torch can use, in words."""
    try:
        import torch
    except ImportError as error:
        return f"torch cannot be imported ({error})"
    if not torch.cuda.is_available():
        build = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "built without CUDA"
        return f"no device; torch {torch.__version__} is {build}"
    found = []
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        name = torch.cuda.get_device_name(number)
        found.append(f"cuda:{number} {name}, {free // MEGABYTE} of {total // MEGABYTE} MB free")
    return "; ".join(found)


def free_memory(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int | None:
    """Bytes of memory that new processes can use, within the limit of a container; None if Linux does not state it."""
    try:
        rows = dict(line.split(":", 1) for line in meminfo.read_text(encoding="utf-8").splitlines() if ":" in line)
        free = int(rows["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        return None
    try:
        limit = int((cgroup / "memory.max").read_text(encoding="utf-8"))
        used = int((cgroup / "memory.current").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # There is no limit ("max"), or no container.
        return free
    return min(free, max(0, limit - used))


def free_disk(folder: Path) -> int:
    """Bytes that can be written below a folder, or below its nearest parent that exists. Raises `OSError`."""
    facts = os.statvfs(nearest_folder(folder))
    return facts.f_bavail * facts.f_frsize


def nearest_folder(folder: Path) -> Path:
    """The folder itself, or its nearest parent that exists."""
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
