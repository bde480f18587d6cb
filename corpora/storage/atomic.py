"""Files and folders that are complete or absent, also after a power failure.

They are written beside the target, flushed to disk and renamed; then the folder with the new name is flushed. (A rename
that is not flushed can be lost: Pillai et al. 2014, OSDI, "All file systems are not created equal".)
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from corpora.system_errors import WHILE_WRITING

_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)
"""Errors of file systems that do not flush folders, such as some network file systems."""


@contextmanager
def replacing(path: Path, sync: bool = True, before: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file in `path`'s folder for writing. It is renamed to `path` when the block ends without error.

    Creates the folder if it is missing. When the block raises, `path` does not change and the temporary file is
    removed. `sync` False: the caller calls `sync_folder` after a number of files. `before` receives the temporary file
    when it is complete, before it is renamed. Raises `OSError` (no space, no permission).
    """
    if path.exists() and not path.is_file():
        # A device or a pipe, such as /dev/stdout, is written to; a folder raises `IsADirectoryError`.
        with path.open("wb") as stream:
            yield stream
        return
    make_folder(path.parent)
    # A random name: two processes that write the same file do not share a temporary file.
    temporary = path.with_name(f".{_shortened(path.name)}.{secrets.token_hex(4)}.tmp")
    try:
        # Opened inside the `try`, so that Ctrl-C right after it leaves no file either.
        with temporary.open("xb") as stream:
            _lock(stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            before(temporary)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        name_written(error, path)
        raise
    if sync:
        sync_folder(path.parent)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Create an empty folder beside `path`. It is renamed to `path` when the block ends without error.

    A folder at `path` is replaced as a whole. When the block raises, `path` does not change. A process that is killed
    leaves `partial_folder(path)` behind; the next call removes it. At no time does `path` contain a part of the files.
    Raises `OSError`.
    """
    make_folder(path.parent)
    old = path.with_name(f".{_shortened(path.name)}.old")
    with partial_folder_beside(path) as partial:
        yield partial
        flush(partial)
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
            path.rename(old)
        partial.rename(path)
    sync_folder(path.parent)
    shutil.rmtree(old, ignore_errors=True)


def partial_folder(path: Path) -> Path:
    """The temporary folder of `replacing_folder(path)`."""
    return path.with_name(f".{_shortened(path.name)}.partial")


@contextmanager
def partial_folder_beside(path: Path) -> Iterator[Path]:
    """`partial_folder(path)`, created empty, and removed at the end if it is still there. Raises `OSError`."""
    partial = partial_folder(path)
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir()
        yield partial
    except OSError as error:
        name_written(error, path)
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with replacing(path) as stream:
        stream.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a whole file as UTF-8 atomically."""
    write_bytes(path, encoded(text))


def encoded(text: str) -> bytes:
    """A text in UTF-8. A lone surrogate, which UTF-8 cannot store, becomes `\\ud800`."""
    return text.encode("utf-8", "backslashreplace")


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of `replacing(path)` that killed processes have left. Those that are written now stay."""
    remove_leftovers_in(path.parent, re.escape(_shortened(path.name)))


def remove_leftovers_in(folder: Path, names: str = ".*") -> None:
    """As `remove_leftovers`, for all files of a folder. `names`: a regular expression that their names have."""
    temporary = re.compile(rf"\.{names}\.[0-9a-f]{{8}}\.tmp", re.DOTALL)
    if folder.is_dir():
        for entry in folder.iterdir():
            if temporary.fullmatch(entry.name) and not _is_locked(entry):
                entry.unlink(missing_ok=True)


def name_written(error: BaseException, path: Path) -> None:
    """Add the path to an error of writing, because Python raises it without one."""
    if isinstance(error, OSError) and error.errno in WHILE_WRITING and error.filename is None:
        error.filename = str(path)


def _lock(descriptor: int) -> bool:
    """Lock an open file until it is closed. False: another process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # Some network file systems have no locks.
        if error.errno not in (*_CANNOT_SYNC, errno.ENOLCK, errno.ENOSYS):
            raise
    return True


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return not _lock(stream.fileno())
    except FileNotFoundError:
        return True


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents. Each new folder is flushed in its parent. Raises `OSError`."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk: new, renamed and removed files. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)


def flush(folder: Path) -> None:
    """Bring all files of a folder, and their names, to the disk."""
    for where, _, names in os.walk(folder):
        for name in names:
            with (Path(where) / name).open("rb") as stream:
                os.fsync(stream.fileno())
        sync_folder(Path(where))


def _shortened(name: str) -> str:
    # File systems allow 255 bytes for a name.
    return os.fsencode(name)[:220].decode(errors="ignore")
