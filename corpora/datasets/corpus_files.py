"""The files of a corpus, in a folder or in archives, found by the path patterns of its card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from os import PathLike
from typing import BinaryIO

from corpora.errors import InputError
from corpora.storage.inputs import expand
from corpora.storage.members import Member, members
from corpora.storage.packed_streams import READ_FAULTS


def listing(folder: str | PathLike[str]) -> list[Member]:
    """Every file in a folder or archive, and every member of the archives in it.

    Raises `InputError` for a broken archive.
    """
    entries: list[Member] = []
    for file in expand([str(folder)]):
        for member, _ in members(file):
            if member.fault is not None and member.name is None:
                raise InputError(f"{member}: {member.fault}")
            entries.append(member)
    return entries


def matching(files: Sequence[Member], patterns: Sequence[str]) -> list[Member]:
    """The files with a path that ends as one of the patterns, in the order of the listing."""
    return [file for file in files if any(file.relative.match(pattern) for pattern in patterns)]


def streams(files: Sequence[Member]) -> Iterator[tuple[Member, BinaryIO]]:
    """The files, opened one after another; an archive is read once, in its own order.

    A stream is valid until the next one is requested. Raises `InputError` with the place.
    """
    for file, group in groupby(files, key=lambda member: member.file):
        wanted = {member.name for member in group}
        for member, stream in members(file):
            if member.fault is not None and (member.name in wanted or member.name is None):
                raise InputError(f"{member}: {member.fault}")
            if member.name in wanted:
                yield member, stream


def read_text(stream: BinaryIO, where: object) -> str:
    """A whole stream as UTF-8 without a byte order mark; line ends are kept. Raises `InputError` with the place."""
    try:
        return stream.read().decode("utf-8-sig")
    except READ_FAULTS as error:
        raise InputError(f"{where}: it cannot be read any further ({error}); get the file again") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
