"""The files of a corpus, in a folder or in archives in it, found by the patterns of its card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from os import PathLike
from pathlib import PurePosixPath
from typing import BinaryIO

from corpora.errors import InputError
from corpora.storage import inputs
from corpora.storage.inputs import InputFile

__all__ = ["Entry", "listing", "matching", "read_text", "streams"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a file inside an archive (`member`); `path` is its place, without suffixes of compression."""

    file: InputFile
    member: str | None
    path: PurePosixPath

    def __str__(self) -> str:
        return self.file.path if self.member is None else f"{self.file.path}, member {self.member}"


def listing(folder: str | PathLike[str]) -> list[Entry]:
    """Every file in a folder (or archive), archives opened. Raises `InputError` for an archive that is broken."""
    found: list[Entry] = []
    for file in inputs.expand([str(folder)]):
        try:
            found += [Entry(file, member.name, member.relative) for member, _ in inputs.members(file)]
        except InputError as error:
            raise InputError(f"{file.path}: {error}") from error
    return found


def matching(entries: Sequence[Entry], patterns: Sequence[str]) -> list[Entry]:
    """The entries whose path ends as one of the patterns says, in the order of the listing."""
    return [entry for entry in entries if any(entry.path.match(pattern) for pattern in patterns)]


def streams(entries: Sequence[Entry]) -> Iterator[tuple[Entry, BinaryIO]]:
    """The entries, opened one after another; an archive is read once, in its own order.

    A stream is valid until the next one is asked for. Raises `InputError`, with the file named.
    """
    for path, group in groupby(entries, key=lambda entry: entry.file.path):
        wanted = {entry.member: entry for entry in group}
        try:
            for member, stream in inputs.members(next(iter(wanted.values())).file):
                entry = wanted.get(member.name)
                if entry is None:
                    continue
                if member.fault is not None:
                    raise InputError(member.fault)
                yield entry, stream
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        except inputs.READ_FAULTS as error:
            raise InputError(f"{path}: it cannot be read any further ({error}); get the file again") from error


def read_text(stream: BinaryIO, where: object) -> str:
    """A whole stream as UTF-8, a byte order mark left out; line ends stay. Raises `InputError`."""
    try:
        return stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
