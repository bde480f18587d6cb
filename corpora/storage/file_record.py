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

from corpora.storage import atomic


class FileRecord:
    """A record file, which may not exist yet. One process writes it at a time.

    In memory a line takes 16 bytes: runs write millions of files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sorted = array("Q")
        self._later: set[int] = set()
        self._read = 0
        """The number of bytes that were read; later lines are read when they are needed."""
        self._sorted = array("Q", sorted(self._unread()))

    def exists(self) -> bool:
        """Whether there is a record, even one without lines."""
        return self.path.is_file()

    def has(self, name: str, digest: str | None = None) -> bool:
        """Whether a path was written; with `digest`, whether it was written with this content."""
        key = _key(name, digest)
        if key in self._later or self._is_sorted_in(key):
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
        with self.path.open("ab") as stream:
            if stream.tell() > self._size_of_whole_lines(stream.tell()):
                stream.truncate(self._size_of_whole_lines(stream.tell()))
            stream.write(lines)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            atomic.sync_folder(self.path.parent)

    def _size_of_whole_lines(self, size: int) -> int:
        """The size without the rest of a line that a killed command wrote in part."""
        end = size
        with self.path.open("rb") as stream:
            while end:
                start = max(0, end - 4096)
                stream.seek(start)
                found = stream.read(end - start).rfind(b"\n")
                if found >= 0:
                    return start + found + 1
                end = start
        return 0

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

    def _is_sorted_in(self, key: int) -> bool:
        place = bisect_left(self._sorted, key)
        return place < len(self._sorted) and self._sorted[place] == key


def _key(name: str, digest: str | None) -> int:
    return _key_of_line(_line(name), digest)


def _key_of_line(name: str, digest: str | None) -> int:
    text = f"{digest or ''}  {name}".encode(errors="surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def _line(name: str) -> str:
    return name.replace("\n", "\\n")
