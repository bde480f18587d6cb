"""The cache of fetched files: `NLMCHEM_HOME`, else `$XDG_CACHE_HOME/nlmchem`, else `~/.cache/nlmchem`.

Each resource has a folder with its files and `record.json`. A folder without such a record is not ours, whatever
`NLMCHEM_HOME` is: it is neither listed nor emptied.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from corpora.errors import DAMAGE, ConfigurationError, ResourceError, command, damage
from corpora.reporting import Report
from corpora.storage.atomic import replacing, sha256_of, write_bytes
from corpora.storage.locks import lock_descriptor, wait_for
from corpora.words.quantities import quantity

RECORD = "record.json"
PARTIAL = ".part"
_UNRECORDED = re.compile(
    rf".+{re.escape(PARTIAL)}(\.tag)?|\.lock|\.checked-[0-9a-f]+|\..+\.[0-9a-f]{{8}}\.tmp", re.DOTALL
)
"""Names of files that we write into the folder of a resource without a record: unfinished ones and locks."""

_SET = "set NLMCHEM_HOME to another folder"


@dataclass(frozen=True, slots=True)
class Record:
    """A fetched file: its address (or the path of the original), its size in bytes, its SHA-256 in hex."""

    source: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CachedResource:
    """A resource in the cache: its files with their records, and the bytes of unfinished downloads."""

    name: str
    folder: Path
    files: Mapping[str, Record]
    unfinished: int
    fault: str | None = None
    """Why its record cannot be read; None if it can."""

    @property
    def bytes(self) -> int:
        """The size on disk, with unfinished downloads."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


class NoHomeError(ConfigurationError):
    """The user has no home folder."""


def home() -> Path:
    """The cache folder, which may not exist. Raises `NoHomeError`, and `ConfigurationError` for a name not in UTF-8."""
    try:
        if given := os.environ.get("NLMCHEM_HOME"):
            path = Path(given).expanduser()
        else:
            caches = os.environ.get("XDG_CACHE_HOME")
            # The XDG specification requires that relative paths are ignored.
            path = (Path(caches) if caches and Path(caches).is_absolute() else Path.home() / ".cache") / "nlmchem"
        str(path).encode()
    except RuntimeError as error:
        raise NoHomeError(f"there is no home folder for the cache; {_SET}") from error
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"the name of the cache, {os.fsencode(path)!r}, is not UTF-8; {_SET}") from error
    return path


def folder(name: str) -> Path:
    """The folder of a resource. It is created when a file is written into it."""
    if not name or name in (".", "..") or "/" in name or "\\" in name:
        raise ConfigurationError(f"{name!r} is not the name of a resource; see {command('fetch', list=True)}")
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
        raise ResourceError(
            f"{path} is not a valid record ({damage(error)}); remove the folder {path.parent}, or {_SET}"
        ) from error


def begin(name: str) -> None:
    """Make the folder of a resource with a record, so that it is ours from its first file on. Raises as `records`."""
    if not records(name) and not (folder(name) / RECORD).exists():
        _write(name, {})


def remember(name: str, file: str, record: Record) -> None:
    """Write the record of a file. Call it before the file gets its name: a file without a record is the user's."""
    _write(name, {**records(name), file: record})


def _write(name: str, known: Mapping[str, Record]) -> None:
    value = {key: asdict(known[key]) for key in sorted(known)}
    write_bytes(folder(name) / RECORD, (json.dumps(value, indent=1) + "\n").encode())


@contextmanager
def storing(name: str, file: str, source: str) -> Iterator[BinaryIO]:
    """Open a file of a resource for writing, as `atomic.replacing` does. It is recorded before it gets its name."""

    def before(made: Path) -> None:
        remember(name, file, Record(source, made.stat().st_size, sha256_of(made)))

    with replacing(folder(name) / file, before=before) as stream:
        yield stream


def contents() -> list[CachedResource]:
    """Every resource in the cache, sorted by name: the folders that have a record."""
    kept: list[CachedResource] = []
    for path in sorted(path.parent for path in home().glob(f"*/{RECORD}")):
        unfinished = sum(part.stat().st_size for part in path.glob(f"*{PARTIAL}") if part.is_file())
        try:
            kept.append(CachedResource(path.name, path, records(path.name), unfinished))
        except ResourceError as error:
            kept.append(CachedResource(path.name, path, {}, unfinished, str(error)))
    return kept


def empty(name: str | None = None) -> tuple[int, list[str]]:
    """Remove the files of a resource (None: of all resources) that are as we wrote them, and unfinished downloads.

    Other files stay: `NLMCHEM_HOME` may be a folder of the user. Returns the number of bytes that were removed, and a
    sentence for each folder with files that stay.
    """

    def is_ours(path: Path, files: Mapping[str, Record]) -> bool:
        if path.is_symlink() or not path.is_file():
            return False
        if path.name in files:
            return sha256_of(path) == files[path.name].sha256
        return _UNRECORDED.fullmatch(path.name) is not None

    freed, sentences = 0, []
    for resource in contents():
        if name is not None and resource.name != name:
            continue
        if resource.fault is not None:
            sentences.append(resource.fault)
            continue
        ours = [path for path in sorted(resource.folder.iterdir()) if is_ours(path, resource.files)]
        freed += sum(path.stat().st_size for path in ours)
        for path in ours:
            path.unlink()
        if others := [path for path in sorted(resource.folder.iterdir()) if path.name != RECORD]:
            sentences.append(
                f"{quantity(len(others), 'file')} in {resource.folder}, not written by nlmchem or changed since: "
                f"kept (the first is {others[0].name}); remove what you do not need"
            )
            continue
        freed += (resource.folder / RECORD).stat().st_size
        (resource.folder / RECORD).unlink()
        # A link to a folder stays.
        with suppress(NotADirectoryError):
            resource.folder.rmdir()
    return freed, sentences


@contextmanager
def locked(folder: Path, report: Report) -> Iterator[None]:
    """Only one process at a time, where the file system has locks. Without locks, each process does the work itself.

    Raises `ResourceError` if another process works there for too long.
    """
    with (folder / ".lock").open("ab") as stream:
        wait_for(partial(lock_descriptor, stream.fileno()), folder, report)
        yield
