"""Folders that commands write files into. A file that nlmchem did not write, or that was changed since, stays.

One class decides for all commands what is ours: the files that a hidden record in the folder lists, with their sha256
(`corpora.storage.file_record`). It locks the folder, so that a second command does not work in it at the same time
(`corpora.storage.locks`), and it removes what a killed command has left.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO, Self

from corpora.errors import ConfigurationError
from corpora.storage import atomic, locks
from corpora.storage.file_record import FileRecord
from corpora.storage.hashing import sha256_of

RECORD = ".nlmchem-files"
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{8}\.tmp", re.DOTALL)
"""Names of temporary files of `atomic.replacing`, which killed commands leave."""


class Standing(Enum):
    """What is at the place of an output: nothing, a file as we wrote it, one that was changed since, one of others."""

    FREE = auto()
    OURS = auto()
    CHANGED = auto()
    FOREIGN = auto()


class OwnedFolder:
    """A folder for the files of a command. It may be new, empty, or written by nlmchem before.

    `record`: the file that lists what was written (None: `.nlmchem-files` in the folder). `among_others`: the folder
    may have files of others. `shared`: other processes may write to the folder at the same time, each with a record of
    its own. The folder is locked until `close`, or until the object ends. Raises `ConfigurationError` for a file, for a
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
        if not among_others:
            self._refuse_foreign()
            self._remove_leftovers()

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
        atomic.make_folder(self.path)
        self._lock()
        self._record.begin()

    # -- what is ours ---------------------------------------------------------------------------

    def standing(self, name: PurePosixPath) -> Standing:
        """What is at the place of an output, a file or a folder with a record of its own."""
        path = self.path / name
        return _standing_of_folder(path) if _is_folder(path) else _standing(path, str(name), self._record)

    def is_foreign(self, name: PurePosixPath) -> bool:
        """Whether there is something at the place of an output that nlmchem did not write. Reads no file."""
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
        if self.standing(name) in (Standing.FREE, Standing.OURS):
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

    # -- writing --------------------------------------------------------------------------------

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
        self.check(*map(str, contents))
        self._add({str(name): hashlib.sha256(content).hexdigest() for name, content in contents.items()})
        for name, content in contents.items():
            before = partial(self._check_again, str(name))
            with atomic.replacing(self.path / name, sync=False, before=before) as stream:
                stream.write(content)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A new folder beside this one. When the block ends without error, its files get their places in this folder.

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

    def _check_again(self, name: str, _made: Path) -> None:
        """Check a place when the file for it is complete: the user may have written there in the meantime."""
        self.check(name)

    def add(self, name: PurePosixPath, content: Path) -> None:
        """Record a file that is going to have the content of the file `content`."""
        self._add({str(name): sha256_of(content)})

    def _add(self, digests: Mapping[str, str]) -> None:
        new = {name: digest for name, digest in digests.items() if not self._record.has(name, digest)}
        if new:
            atomic.make_folder(self.path)
            self._lock()
            self._record.add(new)

    def remove(self, name: PurePosixPath) -> Standing:
        """Remove an output that is as we wrote it. Returns what was there. The caller calls `atomic.sync_folder`."""
        standing = self.standing(name)
        if standing is Standing.OURS:
            atomic.remove(self.path / name)
        return standing

    # -- the start ------------------------------------------------------------------------------

    def _lock(self) -> None:
        """Lock a folder whose parent did not exist before."""
        if not self._hold:
            self._hold = locks.hold(self.path, self._shared)

    def _refuse_foreign(self) -> None:
        if not self._record.exists() and (foreign := self._first_file()) is not None:
            why = f"the folder {self.path} was not written by nlmchem and is not empty (it has {foreign.name})"
            raise ConfigurationError(f"{why}; name a new folder")

    def _first_file(self) -> Path | None:
        """The first file that is not hidden. A killed command may leave empty folders."""
        for path in self.path.rglob("*"):
            hidden = any(part.startswith(".") for part in path.relative_to(self.path).parts)
            if not hidden and (path.is_symlink() or not path.is_dir()):
                return path
        return None

    def _remove_leftovers(self) -> None:
        for path in self.path.rglob(".*.tmp"):
            if _TEMPORARY.fullmatch(path.name):
                atomic.remove_leftovers_in(path.parent)


@contextmanager
def replacing_owned(path: Path) -> Iterator[Path]:
    """As `atomic.replacing_folder`, for a folder of ours: its files are recorded.

    Raises `ConfigurationError` where a file in the folder would be lost, before the work and again after it, which may
    take hours.
    """
    with locks.hold(path):
        check_replaceable(path)
        with atomic.replacing_folder(path) as folder:
            yield folder
            record_files(folder)
            check_replaceable(path)


def check_replaceable(path: Path) -> None:
    """Raise `ConfigurationError` where a folder cannot be replaced as a whole: a file in it would be lost."""
    # Annotations may have been corrected by hand.
    with OwnedFolder(path) as folder:
        foreign = folder.first_foreign()
    if foreign is not None:
        raise ConfigurationError(f"{foreign} was changed or added and would be lost; name a new folder")


def record_files(folder: Path) -> None:
    """Write the record of a folder that has only files of ours. Raises `OSError`."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    FileRecord(folder / RECORD).add({path.relative_to(folder).as_posix(): sha256_of(path) for path in files})


def _standing(path: Path, name: str, record: FileRecord) -> Standing:
    if not os.path.lexists(path):
        return Standing.FREE
    if path.is_symlink() or not path.is_file() or not record.has(name):
        return Standing.FOREIGN
    return Standing.OURS if record.has(name, sha256_of(path)) else Standing.CHANGED


def _standing_of_folder(folder: Path) -> Standing:
    """What is at the place of an output that is a folder: its own record lists its files."""
    if all(map(_is_folder, folder.rglob("*"))):
        return Standing.FREE
    record = FileRecord(folder / RECORD)
    if not record.exists():
        return Standing.FOREIGN
    return Standing.OURS if _first_foreign(folder, record) is None else Standing.CHANGED


def _first_foreign(folder: Path, record: FileRecord) -> Path | None:
    """The first file in a folder that is not as its record says."""
    files = (path for path in sorted(folder.rglob("*")) if not _is_folder(path) and not _is_hidden_part(path))
    names = ((path, path.relative_to(folder).as_posix()) for path in files)
    return next((path for path, name in names if _standing(path, name, record) is not Standing.OURS), None)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_hidden_part(path: Path) -> bool:
    """Whether a file is a record or a lock of ours."""
    return path.name == RECORD or locks.is_lock(path.name)
