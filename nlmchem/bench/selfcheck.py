"""Checks of an installation: versions, models, lexicons, the output folder, and one annotated example."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import Argument, NlmchemError, Text
from corpora.extras import install, installed
from corpora.model.document import mentions
from corpora.storage import cache
from indexing.terms.registry import open_indexer
from nlmchem import load
from nlmchem.api import own_packages
from nlmchem.run.options import default_workers
from nlmchem.run.plan import environment
from nlmchem.tagging.kernel.arithmetic import AUTO, chosen, why_auto
from nlmchem.tagging.models.folders import DEFAULT, folder_of, version_of
from sieves.dense.encoders import BagEncoder
from sieves.lexicon.lexicon import Lexicon

# Written for this check. Every lexicon of chemicals contains these names.
EXAMPLE = "Rats were given glucose and ethanol in water."
EXPECTED = ("glucose", "ethanol", "water")

NEEDED_MEMORY = 500 << 20
"""Bytes below which even one worker may end for lack of memory."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    check: str
    ok: bool
    text: str


def examine(out: Path, lexicon: str | None) -> Iterator[CheckResult]:
    """Check everything that a run needs. Nothing is installed, downloaded or written permanently."""
    facts = environment()
    packages = facts["packages"]
    yield CheckResult("python", True, f"{facts['python']} on {facts['platform']}")
    for name in ("bioc", "loky", "lxml"):
        yield CheckResult(name, packages[name] != "not installed", packages[name])
    others = ", ".join(f"{name} {packages[name]}" for name in ("torch", "transformers", "scikit-learn"))
    yield CheckResult("for models", True, others)
    yield from _packages()
    yield CheckResult("processor", True, processor())
    yield CheckResult("arithmetic", True, f"{chosen(AUTO, 'cpu')} on the CPU ({why_auto()})")
    yield CheckResult("cuda", True, cuda())
    memory = free_memory()
    if memory is not None:
        enough = memory >= NEEDED_MEMORY
        use = ("; it may not be enough for one worker: use ", Argument("workers", 1), ", or free memory")
        yield CheckResult("memory", enough, Text(f"{memory >> 20} MB free", *(() if enough else use)))
    usable = default_workers()
    starts = f" starts {usable} workers"
    yield CheckResult("processors", True, Text(f"{usable} can be used, so ", Argument("workers", "auto"), starts))
    for place in [None, lexicon] if lexicon else [None]:
        yield _lexicon(place)
    yield _version("embedded model", lambda: version_of(folder_of(DEFAULT)))
    yield _version("embedded indexer", lambda: open_indexer(None).version)
    yield _version("dense encoder", lambda: BagEncoder.open().version, Text(", used by ", Argument("dense", "default")))
    nearest, remedy = nearest_folder(out), "choose another folder"
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
        yield CheckResult("output folder", True, f"{nearest} can be written, {free_disk(nearest) >> 20} MB free")
    except OSError as error:
        yield CheckResult("output folder", False, f"{nearest} cannot be written ({error.strerror}); {remedy}")
    folder = cache.home()
    try:
        yield CheckResult("cache", True, f"{folder}, {free_disk(folder) >> 20} MB free")
    except OSError as error:
        yield CheckResult("cache", False, f"{folder} cannot be used ({error.strerror}); set another folder")
    yield _self_test(lexicon)


def _packages() -> Iterator[CheckResult]:
    # `nlmchem` cannot be imported at all if one of its packages is hidden or replaced here; the error names the file.
    problems = [sentence] if (sentence := own_packages.mixed()) else []
    if hiding := ", ".join(map(str, own_packages.hidden_elsewhere(Path.cwd()))):
        problems.append(f"{hiding} would hide a package of nlmchem from Python scripts in this folder; rename the file")
    for problem in problems:
        yield CheckResult("packages", False, problem)
    if not problems:
        home = Path(own_packages.__file__).resolve().parents[2]
        yield CheckResult("packages", True, f"{', '.join(own_packages.PACKAGES)} are those in {home}")


def _lexicon(place: str | None) -> CheckResult:
    check = "default lexicon" if place is None else f"lexicon {place}"
    try:
        lexicon = Lexicon.open(place)
    except NlmchemError as error:
        return CheckResult(check, False, error.text)
    number = sum(count for label, count in lexicon.database.counts().items() if label.startswith("names of"))
    years: list[Argument | str] = []
    if lexicon.year is not None:
        years.append(f"MeSH {lexicon.year}")
        for place_of_year, year in enumerate(lexicon.meta.get("history", "").split()):
            years += [", " if place_of_year else ", also with ", Argument("as_of", int(year))]
        years.append(", ")
    return CheckResult(check, True, Text(*years, f"{number} names, version {lexicon.version[:12]}"))


def _version(check: str, version: Callable[[], str], use: Text | str = "") -> CheckResult:
    try:
        return CheckResult(check, True, Text(f"version {version()[:12]}", use))
    except NlmchemError as error:
        return CheckResult(check, False, error.text)


def _self_test(lexicon: str | None) -> CheckResult:
    check = "self-test"
    try:
        annotated = load(lexicon=lexicon)(EXAMPLE)
    except NlmchemError as error:
        return CheckResult(check, False, error.text)
    identifiers = {mention.text: mention.identifiers for mention in mentions(annotated)}
    missing = ", ".join(name for name in EXPECTED if not identifiers.get(name))
    if missing and lexicon is None:
        return CheckResult(check, False, f"{missing} not found or not linked to MeSH; install nlmchem again")
    linked = ", ".join(f"{name} {'+'.join(ids)}" for name, ids in identifiers.items())
    return CheckResult(check, True, linked or "annotated, but this lexicon contains no chemical of the example")


# -- the machine: processor, arithmetic, CUDA, free memory and disk ---------------------------


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


def cuda() -> str:
    """The CUDA devices that torch can use, in words."""
    if not installed("torch"):
        return f"not used: the package torch is not installed ({install('models')})"
    try:
        import torch
    except ImportError as error:
        return f"torch cannot be imported ({error})"
    if not torch.cuda.is_available():
        build = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "built without CUDA"
        return f"no device; torch {torch.__version__} is {build}"
    devices = []
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        name = torch.cuda.get_device_name(number)
        devices.append(f"cuda:{number} {name}, {free // MEGABYTE} of {total // MEGABYTE} MB free")
    return "; ".join(devices)


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
