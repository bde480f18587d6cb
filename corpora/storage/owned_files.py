"""Single files that users name as outputs. A file that nlmchem did not write, or that was changed since, stays.

`record` notes the path and the sha256 of a file before it gets its name, in one file of the cache (`written-files` in
`NLMCHEM_HOME`); `check` compares. The record is not in the output: most formats have no place for it, and the bytes of
an output must not depend on where it is. It is not beside the output either: that would be a second file for each one.
Work may take hours, and the user may write a file in the meantime: `record` compares again what is there.
What follows: a file that was moved, or that another user or machine wrote, counts as the user's, and so does one after
the cache was removed. It is then replaced only if the user says so (`overwrite`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from corpora.errors import Argument, ConfigurationError
from corpora.storage import atomic, cache
from corpora.storage.file_record import FileRecord
from corpora.storage.hashing import sha256_of

RECORD = "written-files"
MAX_RECORD = 1 << 20
"""Bytes of the record, about 8,000 files. The older half is removed from a larger one."""

_State = tuple[int, ...] | None
_CHECKED: dict[str, _State] = {}
"""What was at each place when `check` allowed to replace it."""


def check(path: Path, overwrite: bool | None = False) -> None:
    """Raise `ConfigurationError` for a file that nlmchem did not write, or that was changed since.

    An empty file has nothing to lose, and a device is written to. `overwrite`: whether the user wants it to be
    replaced; None: the caller has no such option.
    """
    if path.exists() and not path.is_file():
        return
    state = _state(path)
    if overwrite or state is None or _is_ours(path):
        _CHECKED[_name(path)] = state
        return
    what = f"{path} was not written by nlmchem, or was changed since; name another file"
    if overwrite is None:
        raise ConfigurationError(f"{what}, or move it away")
    raise ConfigurationError(f"{what}, or replace it with ", Argument("overwrite", True))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """As `atomic.replacing`, for a file that the user has named: it is recorded. Call `check` before the work."""
    with atomic.replacing(path, before=partial(record, path)) as stream:
        yield stream


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically, and record it."""
    with replacing(path) as stream:
        stream.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a whole file as UTF-8 atomically, and record it."""
    write_bytes(path, atomic.encoded(text))


def record(path: Path, content: Path) -> None:
    """Record that `path` is going to have the content of the file `content`.

    Where the cache cannot be written, the file is written without: it then counts as one of the user. Raises
    `ConfigurationError` where another program has written `path` since `check`.
    """
    name = _name(path)
    if name in _CHECKED and _CHECKED.pop(name) != _state(path):
        raise ConfigurationError(
            f"{path} was created or changed while the command worked, and is kept; move it away, and run the command "
            "again"
        )
    if any((folder / atomic.MARKER).is_file() for folder in path.absolute().parents):
        # A file in a temporary folder: the folder is recorded when it gets its place.
        return
    with suppress(OSError, ConfigurationError):
        FileRecord(_place(), MAX_RECORD).add({name: sha256_of(content)})


def _state(path: Path) -> _State:
    """What identifies the file at a place and its content; None where there is none."""
    try:
        fact = path.lstat()
    except FileNotFoundError:
        return None
    return fact.st_ino, fact.st_size, fact.st_mtime_ns, fact.st_ctime_ns


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.stat().st_size == 0:
        return True
    try:
        return FileRecord(_place(), MAX_RECORD).has(_name(path), sha256_of(path))
    except (OSError, ConfigurationError):
        return False


def _place() -> Path:
    return cache.home() / RECORD


def _name(path: Path) -> str:
    return os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118
