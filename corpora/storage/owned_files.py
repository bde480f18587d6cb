"""Single files that users name as outputs. A file that nlmchem did not write, or that was changed since, stays.

`record` notes the path and the sha256 of a file before it gets its name, in one file of the cache (`written-files` in
`NLMCHEM_HOME`); `check` compares. The record is not in the output: most formats have no place for it, and the bytes of
an output must not depend on where it is. It is not beside the output either: that would be a second file for each one.
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


def check(path: Path, overwrite: bool | None = False) -> None:
    """Raise `ConfigurationError` for a file that nlmchem did not write, or that was changed since.

    An empty file has nothing to lose, and a device is written to. `overwrite`: whether the user wants it to be
    replaced; None: the caller has no such option.
    """
    if overwrite or not os.path.lexists(path) or (path.exists() and not path.is_file()) or _is_ours(path):
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

    Where the cache cannot be written, the file is written without: it then counts as one of the user.
    """
    if any((folder / atomic.MARKER).is_file() for folder in path.absolute().parents):
        # A file in a temporary folder: the folder is recorded when it gets its place.
        return
    with suppress(OSError, ConfigurationError):
        FileRecord(_place(), MAX_RECORD).add({_name(path): sha256_of(content)})


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
