"""Folders that commands write files into. A file that nlmchem did not write, or that was changed since, stays.

Such a folder has a hidden record of its files, a line of sha256 and path for each. A line is written before its file
gets its name, so a killed command leaves no file that the next one takes for a file of the user.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from corpora.errors import ConfigurationError
from corpora.storage import atomic

RECORD = ".nlmchem-files"
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{8}\.tmp", re.DOTALL)
"""Names of temporary files of `atomic.replacing`, which killed commands leave."""


class OwnedFolder:
    """A folder for the files of a command. It may be new, empty, or written by nlmchem before.

    `earlier`: the names that versions without a record wrote; a folder without a record that has all of them is ours.
    Raises `ConfigurationError` for a file, and for a folder that has files of others only.
    """

    def __init__(self, path: Path, earlier: Sequence[str] = ()) -> None:
        if path.exists() and not path.is_dir():
            raise ConfigurationError(f"{path} is a file; name a folder")
        self.path = path
        self._written = _recorded(path / RECORD)
        if not self._written and earlier and all((path / name).is_file() for name in earlier):
            self._written = {name: _sha256(path / name) for name in earlier}
        if not self._written and (foreign := self._first_file()) is not None:
            why = f"the folder {path} was not written by nlmchem and is not empty (it has {foreign.name})"
            raise ConfigurationError(f"{why}; name a new folder")
        for left in path.rglob(".*.tmp"):
            if _TEMPORARY.fullmatch(left.name):
                left.unlink(missing_ok=True)

    def fault(self, name: PurePosixPath) -> str | None:
        """Why a file below the folder must not be written; None if it may be."""
        for part in (name, *name.parents[:-1]):
            if (self.path / part).is_symlink():
                return f"{self.path / part} is a link, and no output is written to links; remove it"
        path = self.path / name
        if not path.exists() or (path.is_file() and self._written.get(_line(name)) == _sha256(path)):
            return None
        return f"{path} was not written by nlmchem, or was changed since; move it away, or name a new folder"

    def first_foreign(self) -> Path | None:
        """The first file that must not be overwritten or removed."""
        files = (path.relative_to(self.path) for path in sorted(self.path.rglob("*")) if not path.is_dir())
        return next(
            (self.path / name for name in files if name.name != RECORD and self.fault(PurePosixPath(name))), None
        )

    def check(self, *names: str) -> None:
        """Raise `ConfigurationError` where one of these files has a fault: before work that takes long."""
        for name in names:
            if (fault := self.fault(PurePosixPath(name))) is not None:
                raise ConfigurationError(fault)

    @contextmanager
    def writing(self, name: PurePosixPath) -> Iterator[BinaryIO]:
        """As `atomic.replacing`, for a file below the folder. Raises `ConfigurationError` where it has a fault."""
        self.check(str(name))
        with atomic.replacing(self.path / name, before=partial(self.add, name)) as stream:
            yield stream

    def write_text(self, name: PurePosixPath, text: str) -> None:
        """Write a file as UTF-8. Raises as `writing` does."""
        self.write_bytes(name, atomic.encoded(text))

    def write_bytes(self, name: PurePosixPath, content: bytes) -> None:
        """Write a file. Raises as `writing` does."""
        with self.writing(name) as stream:
            stream.write(content)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A new folder beside this one. When the block ends without error, its files get their places in this folder.

        Raises `ConfigurationError` where one of them has a fault; no file is changed then.
        """
        atomic.make_folder(self.path.absolute().parent)
        with atomic.partial_folder_beside(self.path) as part:
            yield part
            names = [path.relative_to(part).as_posix() for path in sorted(part.rglob("*")) if not path.is_dir()]
            self.check(*names)
            atomic.flush(part)
            for name in names:
                atomic.make_folder((self.path / name).parent)
                self.add(PurePosixPath(name), part / name)
                (part / name).replace(self.path / name)
            for folder in {(self.path / name).parent for name in names}:
                atomic.sync_folder(folder)

    def add(self, name: PurePosixPath, content: Path) -> None:
        """Record a file that is going to have the content of the file `content`."""
        line, digest = _line(name), _sha256(content)
        if self._written.get(line) == digest:
            return
        self._written[line] = digest
        record = self.path / RECORD
        is_new = not record.exists()
        with record.open("a", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(f"{digest}  {line}\n")
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            atomic.sync_folder(self.path)

    def _first_file(self) -> Path | None:
        """The first file that is not hidden. A killed command may leave empty folders."""
        for path in self.path.rglob("*"):
            hidden = any(part.startswith(".") for part in path.relative_to(self.path).parts)
            if not hidden and (path.is_symlink() or not path.is_dir()):
                return path
        return None


def check_replaceable(path: Path) -> None:
    """Raise `ConfigurationError` where a folder cannot be replaced as a whole: a file in it would be lost."""
    # Annotations may have been corrected by hand.
    foreign = OwnedFolder(path).first_foreign()
    if foreign is not None:
        raise ConfigurationError(f"{foreign} was changed or added and would be lost; name a new folder")


def has_record(folder: Path) -> bool:
    """Whether the files of a folder are recorded."""
    return (folder / RECORD).is_file()


def record_files(folder: Path) -> None:
    """Write the record of a folder that has only files of ours."""
    lines = (
        f"{_sha256(path)}  {_line(PurePosixPath(path.relative_to(folder)))}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )
    (folder / RECORD).write_text("".join(lines), encoding="utf-8", errors="surrogateescape")


def _recorded(record: Path) -> dict[str, str]:
    """The sha256 of each path. The rest of a line that a killed command wrote in part is cut off."""
    try:
        content = record.read_bytes()
    except FileNotFoundError:
        return {}
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        atomic.write_bytes(record, whole)
    lines = whole.decode(errors="surrogateescape").split("\n")
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def _line(name: PurePosixPath) -> str:
    return name.as_posix().replace("\n", "\\n")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
