"""The cache of fetched files: `NLMCHEM_HOME`, else `$XDG_CACHE_HOME/nlmchem`, else `~/.cache/nlmchem`.

Each resource has its own folder with its files and `record.json`: the source, size and SHA-256 of each file.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from corpora.errors import DAMAGE, ConfigurationError, ResourceError, command, damage
from corpora.storage.atomic import write_bytes

RECORD = "record.json"
PARTIAL = ".part"

_SET = "set NLMCHEM_HOME to another folder"


@dataclass(frozen=True, slots=True)
class Record:
    """A fetched file: its address (or the path of the original), its size in bytes, its SHA-256 in hex."""

    source: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A resource in the cache: its files with their records, and the bytes of unfinished downloads.

    `fault`: why its record cannot be read; None if it can.
    """

    name: str
    folder: Path
    files: Mapping[str, Record]
    unfinished: int
    fault: str | None = None

    @property
    def bytes(self) -> int:
        """The size on disk, with unfinished downloads."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


class NoHomeError(ConfigurationError):
    """The user has no home folder."""


def home() -> Path:
    """The cache folder, which may not exist.

    Raises `NoHomeError`, and `ConfigurationError` if its name is not UTF-8.
    """
    try:
        path = _stated_home()
        str(path).encode()
    except RuntimeError as error:
        raise NoHomeError(f"there is no home folder for the cache; {_SET}") from error
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"the name of the cache, {os.fsencode(path)!r}, is not UTF-8; {_SET}") from error
    return path


def _stated_home() -> Path:
    stated = os.environ.get("NLMCHEM_HOME")
    if stated:
        return Path(stated).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification requires that relative paths are ignored.
    base = Path(caches) if caches and Path(caches).is_absolute() else Path.home() / ".cache"
    return base / "nlmchem"


def folder(name: str) -> Path:
    """The folder of a resource. It is created when a file is written into it."""
    if not name or name in (".", "..") or "/" in name or "\\" in name:
        raise ConfigurationError(f"{name!r} is not the name of a resource; see {command('fetch --list')}")
    return home() / name


def records(name: str) -> dict[str, Record]:
    """The records of a resource, by file name; empty if nothing was fetched. Raises `ResourceError`."""
    path = folder(name) / RECORD
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return {file: Record(**known) for file, known in value.items()}
    except FileNotFoundError:
        return {}
    except (*DAMAGE, OSError) as error:
        what = f"{path} is not a valid record ({damage(error)})"
        raise ResourceError(f"{what}; empty that folder with {command('fetch', name, '--empty')}") from error


def remember(name: str, file: str, record: Record) -> None:
    """Write the record of a file."""
    known = records(name)
    known[file] = record
    value = {key: asdict(known[key]) for key in sorted(known)}
    write_bytes(folder(name) / RECORD, (json.dumps(value, indent=1) + "\n").encode())


def contents() -> list[Kept]:
    """Every resource in the cache, sorted by name."""
    try:
        places = sorted(path for path in home().iterdir() if path.is_dir())
    except FileNotFoundError:
        return []
    kept: list[Kept] = []
    for place in places:
        unfinished = sum(path.stat().st_size for path in place.rglob(f"*{PARTIAL}") if path.is_file())
        try:
            kept.append(Kept(place.name, place, records(place.name), unfinished))
        except ResourceError as error:
            kept.append(Kept(place.name, place, {}, unfinished, str(error)))
    return kept


def empty(name: str | None = None) -> int:
    """Remove a resource (None: all resources). Returns the number of bytes removed.

    Only folders with a record or unfinished downloads are removed, so a wrong `NLMCHEM_HOME` loses no other files.
    """
    freed = 0
    for kept in contents():
        if name is not None and kept.name != name:
            continue
        if kept.files or kept.unfinished or (kept.folder / RECORD).exists():
            freed += kept.bytes
            shutil.rmtree(kept.folder)
    return freed


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time, where the file system has locks. Without locks, each process does the work itself."""
    with (folder / ".lock").open("ab") as stream:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
