"""Files and folders that nlmchem wrote. A file that it did not write, or that was changed since, stays.

A record lists what was written, with the sha256 of each file. A line is flushed to the disk before its file gets its
name, so a killed command leaves no file that the next command takes for a file of the user. An output folder has its
record inside. The record of single files that users name is in the cache: a record beside each output would be a second
file. So a file that was moved, or that another user or machine wrote, counts as the user's, and so does one after the
cache was removed; it is replaced only if the user says so (`overwrite`).
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, BinaryIO, Self

from corpora.errors import Argument, ConfigurationError
from corpora.storage import atomic, cache, locks
from corpora.storage.atomic import sha256_of

# -- the record ---------------------------------------------------------------------------------


class FileRecord:
    """A record file, which may not exist yet: lines of sha256 and path, as `sha256sum` prints them.

    Several processes may write it. A path has several lines if its file was written again. In memory a line takes 16
    bytes: runs write millions of files. `largest`: bytes above which the older half of the lines is removed.
    """

    def __init__(self, path: Path, largest: int | None = None) -> None:
        self.path = path
        self._largest = largest
        self._sorted: array[int] | None = None
        self._later: set[int] = set()
        self._read = 0
        """The number of bytes that were read; later lines are read when they are needed."""

    def exists(self) -> bool:
        """Whether there is a record, even one without lines. Raises `ConfigurationError` for a folder or a pipe."""
        if self.path.exists() and not self.path.is_file():
            raise ConfigurationError(f"{self.path} is not a file of nlmchem; move it away")
        return self.path.is_file()

    def has(self, name: str, digest: str | None = None) -> bool:
        """Whether a path was written; with `digest`, whether it was written with this content."""
        if self._sorted is None:
            self._sorted = array("Q", sorted(self._unread()))
        key = _key(_line(name), digest)
        index = bisect_left(self._sorted, key)
        if key in self._later or (index < len(self._sorted) and self._sorted[index] == key):
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
        atomic.unshare(self.path)
        with self.path.open("a+b") as stream:
            locks.wait_for(partial(locks.lock_descriptor, stream.fileno()), self.path)
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
        if not self.exists():
            return keys
        with suppress(FileNotFoundError), self.path.open("rb") as stream:
            stream.seek(self._read)
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                digest, _, name = line[:-1].decode(errors="surrogateescape").partition("  ")
                keys.append(_key(name, None))
                keys.append(_key(name, digest))
        return keys


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


def _key(line: str, digest: str | None) -> int:
    text = f"{digest or ''}  {line}".encode(errors="surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def _line(name: str) -> str:
    return name.replace("\n", "\\n")


# -- single files -------------------------------------------------------------------------------

MAX_RECORD = 1 << 20
"""Bytes of the record of single files, about 8,000 files."""

_State = tuple[int, ...] | None
_CHECKED: dict[str, _State] = {}
"""What was at each path when `check` allowed to replace it."""


def check(path: Path, overwrite: bool | None = False) -> None:
    """Raise `ConfigurationError` for a file that nlmchem did not write, or that was changed since.

    An empty file has nothing to lose, and a device is written to. `overwrite`: whether the user wants it to be
    replaced; None: the caller has no such option.
    """
    if path.exists() and not path.is_file():
        return
    state = _state(path)
    if overwrite or state is None or _is_ours(path):
        _CHECKED[_real_name(path)] = state
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
    `ConfigurationError` where another program has written `path` since `check`: work may take hours.
    """
    name = _real_name(path)
    if name in _CHECKED and _CHECKED.pop(name) != _state(path):
        raise ConfigurationError(
            f"{path} was created or changed while the command worked, and is kept; move it away, and run the command "
            "again"
        )
    if any((folder / atomic.MARKER).is_file() for folder in path.absolute().parents):
        # A file in a temporary folder: the folder is recorded when it is renamed.
        return
    with suppress(OSError, ConfigurationError):
        _record_of_files().add({name: sha256_of(content)})


def _record_of_files() -> FileRecord:
    return FileRecord(cache.home() / "written-files", MAX_RECORD)


def _state(path: Path) -> _State:
    """What identifies the file at a path and its content; None where there is none."""
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
        return _record_of_files().has(_real_name(path), sha256_of(path))
    except (OSError, ConfigurationError):
        return False


def _real_name(path: Path) -> str:
    return os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118


# -- folders ------------------------------------------------------------------------------------

RECORD = ".nlmchem-files"
"""The record in a folder."""
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{8}\.tmp", re.DOTALL)
"""Names of temporary files of `atomic.replacing`, which killed commands leave."""


class FileState(Enum):
    """What is at the path of an output: nothing, a file as we wrote it, one that was changed since, one of others."""

    FREE = auto()
    OURS = auto()
    CHANGED = auto()
    FOREIGN = auto()


class OwnedFolder:
    """A folder for the files of a command. It may be new, empty, or written by nlmchem before.

    The folder is locked until `close`, or until the object ends. `record`: the file that lists what was written (None:
    `.nlmchem-files` in the folder). `among_others`: the folder may have files of others. `shared`: other processes may
    write to the folder at the same time, each with a record of its own. Raises `ConfigurationError` for a file, for a
    folder that has files of others only, and where another command works in the folder.
    """

    def __init__(
        self, path: Path, record: Path | None = None, among_others: bool = False, shared: bool = False
    ) -> None:
        if path.exists() and not path.is_dir():
            raise ConfigurationError(f"{path} is a file; name a folder")
        self.path = path
        self._shared = shared
        self._hold = locks.hold(path, shared)
        atomic.recover(path)
        self._record = FileRecord(record or path / RECORD)
        if among_others:
            return
        if not self._record.exists():
            # A killed command may leave empty folders.
            for file in path.rglob("*"):
                is_hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if not is_hidden and not _is_folder(file):
                    why = f"the folder {path} was not written by nlmchem and is not empty (it has {file.name})"
                    raise ConfigurationError(f"{why}; name a new folder")
        for file in path.rglob(".*.tmp"):
            if _TEMPORARY.fullmatch(file.name):
                atomic.remove_leftovers_in(file.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock of the folder."""
        self._hold.close()

    def begin(self) -> None:
        """Make the folder and its record: from now on the folder is ours, although it has no file yet."""
        self._make()
        self._record.begin()

    def state_of(self, name: PurePosixPath) -> FileState:
        """What is at the path of an output, a file or a folder with a record of its own."""
        path = self.path / name
        if not _is_folder(path):
            return _state_in(self._record, path, str(name))
        if all(map(_is_folder, path.rglob("*"))):
            return FileState.FREE
        record = FileRecord(path / RECORD)
        if not record.exists():
            return FileState.FOREIGN
        return FileState.OURS if _first_foreign(path, record) is None else FileState.CHANGED

    def is_foreign(self, name: PurePosixPath) -> bool:
        """Whether nlmchem did not write what is at the path of an output. Reads no file."""
        path = self.path / name
        if _is_folder(path):
            return not (path / RECORD).is_file() and not all(map(_is_folder, path.rglob("*")))
        return os.path.lexists(path) and (path.is_symlink() or not path.is_file() or not self._record.has(str(name)))

    def is_new(self) -> bool:
        """Whether no command has written to the folder yet."""
        return not self._record.exists()

    def fault(self, name: PurePosixPath) -> str | None:
        """Why a file below the folder must not be written; None if it may be."""
        for part in (name, *name.parents[:-1]):
            if (self.path / part).is_symlink():
                return f"{self.path / part} is a link, and no output is written to links; remove it"
        if self.state_of(name) in (FileState.FREE, FileState.OURS):
            return None
        path = self.path / name
        return f"{path} was not written by nlmchem, or was changed since; move it away, or name a new folder"

    def first_foreign(self) -> Path | None:
        """The first file that must not be overwritten or removed."""
        return _first_foreign(self.path, self._record)

    def check(self, *names: str) -> None:
        """Raise `ConfigurationError` where one of these files has a fault: before work that takes long."""
        for name in names:
            if (fault := self.fault(PurePosixPath(name))) is not None:
                raise ConfigurationError(fault)

    @contextmanager
    def writing(self, name: PurePosixPath) -> Iterator[BinaryIO]:
        """As `atomic.replacing`, for a file below the folder.

        Raises `ConfigurationError` where it has a fault, before the work and after it.
        """
        self.check(str(name))

        def before(made: Path) -> None:
            self.check(str(name))
            self.add(name, made)

        with atomic.replacing(self.path / name, before=before) as stream:
            yield stream

    def write_text(self, name: PurePosixPath, text: str) -> None:
        """Write a file as UTF-8. Raises as `writing` does."""
        self.write_bytes(name, atomic.encoded(text))

    def write_bytes(self, name: PurePosixPath, content: bytes) -> None:
        """Write a file. Raises as `writing` does."""
        with self.writing(name) as stream:
            stream.write(content)

    def write_all(self, contents: Mapping[PurePosixPath, bytes]) -> None:
        """Write several files, recorded at once. The caller calls `atomic.sync_folder`. Raises as `writing` does."""

        def check_again(name: str, _made: Path) -> None:
            # The user may have written there in the meantime.
            self.check(name)

        self.check(*map(str, contents))
        self._add({str(name): hashlib.sha256(content).hexdigest() for name, content in contents.items()})
        for name, content in contents.items():
            before = partial(check_again, str(name))
            with atomic.replacing(self.path / name, sync=False, before=before) as stream:
                stream.write(content)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A new folder beside this one. When the block ends without error, its files are moved into this folder.

        Raises `ConfigurationError` where one of them has a fault; no file is changed then.
        """
        atomic.make_folder(self.path.absolute().parent)
        self._lock()
        with atomic.partial_folder_beside(self.path) as part:
            yield part
            names = [path.relative_to(part).as_posix() for path in sorted(part.rglob("*")) if not path.is_dir()]
            self.check(*names)
            atomic.flush(part)
            self._add({name: sha256_of(part / name) for name in names})
            # To flush may take long.
            self.check(*names)
            for name in names:
                atomic.make_folder((self.path / name).parent)
                (part / name).replace(self.path / name)
            for folder in {(self.path / name).parent for name in names}:
                atomic.sync_folder(folder)

    def add(self, name: PurePosixPath, content: Path) -> None:
        """Record a file that is going to have the content of the file `content`."""
        self._add({str(name): sha256_of(content)})

    def remove(self, name: PurePosixPath) -> FileState:
        """Remove an output that is as we wrote it. Returns what was there. The caller calls `atomic.sync_folder`."""
        state = self.state_of(name)
        if state is FileState.OURS:
            atomic.remove(self.path / name)
        return state

    def _add(self, digests: Mapping[str, str]) -> None:
        new = {name: digest for name, digest in digests.items() if not self._record.has(name, digest)}
        if new:
            self._make()
            self._record.add(new)

    def _make(self) -> None:
        atomic.make_folder(self.path)
        self._lock()

    def _lock(self) -> None:
        """Lock a folder whose parent did not exist before."""
        if not self._hold:
            self._hold = locks.hold(self.path, self._shared)


@contextmanager
def replacing_owned(path: Path) -> Iterator[Path]:
    """As `atomic.replacing_folder`, for a folder of ours: its files are recorded.

    Raises as `check_replaceable` does, before the work and again after it, which may take hours.
    """
    with locks.hold(path):
        check_replaceable(path)
        with atomic.replacing_folder(path) as folder:
            yield folder
            record_files(folder)
            check_replaceable(path)


def check_replaceable(path: Path) -> None:
    """Raise `ConfigurationError` where a folder cannot be replaced as a whole: annotations corrected by hand, say."""
    with OwnedFolder(path) as folder:
        foreign = folder.first_foreign()
    if foreign is not None:
        raise ConfigurationError(f"{foreign} was changed or added and would be lost; name a new folder")


def record_files(folder: Path) -> None:
    """Write the record of a folder that has only files of ours. Raises `OSError`."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    FileRecord(folder / RECORD).add({path.relative_to(folder).as_posix(): sha256_of(path) for path in files})


def _state_in(record: FileRecord, path: Path, name: str) -> FileState:
    """What is at the path of a file with this name in the record."""
    if not os.path.lexists(path):
        return FileState.FREE
    if path.is_symlink() or not path.is_file() or not record.has(name):
        return FileState.FOREIGN
    return FileState.OURS if record.has(name, sha256_of(path)) else FileState.CHANGED


def _first_foreign(folder: Path, record: FileRecord) -> Path | None:
    """The first file in a folder that is not as its record says."""
    for path in sorted(folder.rglob("*")):
        is_of_ours = path.name == RECORD or locks.is_lock(path.name)
        if _is_folder(path) or is_of_ours:
            continue
        if _state_in(record, path, path.relative_to(folder).as_posix()) is not FileState.OURS:
            return path
    return None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
