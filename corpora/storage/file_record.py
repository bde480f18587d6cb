"""The record of the files that nlmchem wrote: a line with sha256 and path for each, as `sha256sum` prints them.

A line is written, and flushed to the disk, before its file gets its name. So a killed command leaves no file that the
next command takes for a file of the user. A path may have several lines: of a file that was written again.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from corpora.storage import atomic
from corpora.storage.locks import lock_descriptor


class FileRecord:
    """A record file, which may not exist yet. Several processes may write it.

    `largest`: bytes above which the older half of the lines is removed (None: no limit). In memory a line takes 16
    bytes: runs write millions of files. Nothing is read before the first question.
    """

    def __init__(self, path: Path, largest: int | None = None) -> None:
        self.path = path
        self._largest = largest
        self._sorted: array[int] | None = None
        self._later: set[int] = set()
        self._read = 0
        """The number of bytes that were read; later lines are read when they are needed."""

    def exists(self) -> bool:
        """Whether there is a record, even one without lines."""
        return self.path.is_file()

    def has(self, name: str, digest: str | None = None) -> bool:
        """Whether a path was written; with `digest`, whether it was written with this content."""
        if self._sorted is None:
            self._sorted = array("Q", sorted(self._unread()))
        key = _key(name, digest)
        if key in self._later or _is_in(key, self._sorted):
            return True
        self._later.update(self._unread())
        return key in self._later

    def add(self, digests: Mapping[str, str]) -> None:
        """Record the sha256 of files that are going to be written, by their paths. Raises `OSError`."""
        lines = "".join(f"{digest}  {_line(name)}\n" for name, digest in digests.items())
        self._append(lines.encode(errors="surrogateescape"))

    def begin(self) -> None:
        """Make the record, without lines. Raises `OSError`."""
        if not self.exists():
            self._append(b"")

    def _append(self, lines: bytes) -> None:
        is_new = not self.exists()
        atomic.make_folder(self.path.parent)
        with self.path.open("a+b") as stream:
            lock_descriptor(stream.fileno(), wait=True)
            size = stream.tell()
            whole = _size_of_whole_lines(stream, size)
            if whole < size:
                # The rest of a line that a killed command wrote in part.
                stream.truncate(whole)
            if self._largest is not None and whole > self._largest:
                stream.seek(whole // 2)
                newest = stream.read().partition(b"\n")[2]
                stream.truncate(0)
                lines = newest + lines
            stream.write(lines)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            atomic.sync_folder(self.path.parent)

    def _unread(self) -> array[int]:
        """The keys of the lines that were not read yet."""
        keys = array("Q")
        try:
            with self.path.open("rb") as stream:
                stream.seek(self._read)
                for line in stream:
                    if not line.endswith(b"\n"):
                        break
                    self._read += len(line)
                    digest, _, name = line[:-1].decode(errors="surrogateescape").partition("  ")
                    keys.append(_key_of_line(name, None))
                    keys.append(_key_of_line(name, digest))
        except FileNotFoundError:
            pass
        return keys


def _is_in(key: int, keys: array[int]) -> bool:
    place = bisect_left(keys, key)
    return place < len(keys) and keys[place] == key


def _size_of_whole_lines(stream: IO[bytes], size: int) -> int:
    end = size
    while end:
        start = max(0, end - 4096)
        stream.seek(start)
        newline = stream.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _key(name: str, digest: str | None) -> int:
    return _key_of_line(_line(name), digest)


def _key_of_line(name: str, digest: str | None) -> int:
    text = f"{digest or ''}  {name}".encode(errors="surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def _line(name: str) -> str:
    return name.replace("\n", "\\n")
