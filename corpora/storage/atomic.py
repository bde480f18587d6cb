"""Files and folders that are complete or absent, also after a power failure.

They are written beside the target, flushed to disk and renamed; then the folder with the new name is flushed. (A rename
that is not flushed can be lost: Pillai et al. 2014, OSDI, "All file systems are not created equal".)
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from corpora.errors import WHILE_WRITING
from corpora.reporting import for_terminal
from corpora.storage.locks import hold, lock_descriptor, short_name

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
            yield for_terminal(stream)
        return
    make_folder(path.parent)
    # A random name: two processes that write the same file do not share a temporary file.
    temporary = path.with_name(f".{short_name(path.name)}.{secrets.token_hex(4)}.tmp")
    try:
        # Opened inside the `try`, so that Ctrl-C right after it leaves no file either.
        with temporary.open("xb") as stream:
            # Until it has its name, so that no other process takes it for a leftover.
            lock_descriptor(stream.fileno())
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


# -- folders ------------------------------------------------------------------------------------

MARKER = ".nlmchem-partial"
"""The file that a temporary folder has from its first moment on. Folders without it are not ours."""
_NEW, _OLD = "new", "old"
"""The folders in a temporary folder: the files that are written, and the folder that they replace."""


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Create an empty folder beside `path`. It is renamed to `path` when the block ends without error.

    A folder at `path` is replaced as a whole: the two are exchanged in one step. Where the file system cannot do that,
    the old folder is moved away first; if the process is killed then, the next command moves it back (`recover`). When
    the block raises, `path` does not change. At no time does `path` contain a part of the files. Raises
    `ConfigurationError` where another process writes to `path`, and `OSError`.
    """
    make_folder(path.parent)
    with hold(path), partial_folder_beside(path) as partial:
        yield partial
        flush(partial)
        if not path.exists():
            partial.rename(path)
        elif not _exchange(partial, path):
            path.rename(partial.with_name(_OLD))
            sync_folder(partial.parent)
            partial.rename(path)
        sync_folder(path.parent)


@contextmanager
def partial_folder_beside(path: Path) -> Iterator[Path]:
    """An empty folder beside `path`, removed at the end if it is still there. Raises `OSError`.

    It is in a temporary folder with a random name, a marker, and a lock that ends with the process.
    """
    recover(path)
    outer = path.with_name(f".{short_name(path.name)}.{secrets.token_hex(4)}.partial")
    try:
        outer.mkdir()
        with (outer / MARKER).open("xb") as marker:
            lock_descriptor(marker.fileno())
            partial = outer / _NEW
            partial.mkdir()
            yield partial
    except OSError as error:
        name_written(error, path)
        raise
    finally:
        _restore(outer, path)
        shutil.rmtree(outer, ignore_errors=True)


def recover(path: Path) -> None:
    """Finish what a killed process began: put a folder that was moved away back, and remove its temporary folders.

    Only folders with our marker are touched, and none of a process that lives. Raises `OSError`.
    """
    pattern = re.compile(rf"\.{re.escape(short_name(path.name))}\.[0-9a-f]{{8}}\.partial", re.DOTALL)
    for entry in _entries(path.parent, pattern):
        if is_abandoned(entry):
            _restore(entry, path)
            shutil.rmtree(entry)


def is_abandoned(folder: Path) -> bool:
    """Whether a folder is a temporary one of ours whose process has ended."""
    if folder.is_symlink() or not _PARTIAL.fullmatch(folder.name):
        return False
    if (folder / MARKER).is_file():
        return not _is_locked(folder / MARKER)
    # The process was killed before it made the marker.
    return folder.is_dir() and not any(folder.iterdir())


_PARTIAL = re.compile(r"\..+\.[0-9a-f]{8}\.partial", re.DOTALL)


def _restore(partial: Path, path: Path) -> None:
    """Move a folder back that was moved away, if the new one did not take its place."""
    if (partial / _OLD).is_dir() and not path.exists():
        (partial / _OLD).rename(path)
        sync_folder(path.parent)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step, by `renameat2` of Linux. False: it cannot be done here. Raises `OSError`."""
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(first.absolute()), _HERE, os.fsencode(second.absolute()), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(second))


_HERE, _EXCHANGE = -100, 2
"""`AT_FDCWD` and `RENAME_EXCHANGE` of <linux/fs.h>."""


# -- files --------------------------------------------------------------------------------------


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


def storable(text: str) -> str:
    """A text as SQLite stores it: a lone surrogate becomes `\\ud800`."""
    return encoded(text).decode("utf-8")


def sha256_of(path: Path) -> str:
    """The sha256 of the content of a file, in hexadecimal. Raises `OSError`."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unshare(path: Path) -> None:
    """Give a file that has other names the content for itself: it is going to be changed in place.

    A snapshot of hard links (`cp -al`, rsnapshot, `--link-dest`) shares its files with the folder. Raises `OSError`.
    """
    if path.is_file() and not path.is_symlink() and path.stat().st_nlink > 1:
        with replacing(path, before=lambda made: shutil.copystat(path, made)) as stream, path.open("rb") as shared:
            shutil.copyfileobj(shared, stream, 1 << 20)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes that wrote `path` have left, a file or a folder; see also `recover`.

    What is written now stays. Raises `OSError`.
    """
    recover(path)
    remove_leftovers_in(path.parent, re.escape(short_name(path.name)))


def remove_leftovers_in(folder: Path, names: str = ".*") -> None:
    """As `remove_leftovers`, for all files of a folder. `names`: a regular expression that their names have."""
    temporary = re.compile(rf"\.{names}\.[0-9a-f]{{8}}\.tmp", re.DOTALL)
    for entry in _entries(folder, temporary):
        if not _is_locked(entry):
            entry.unlink(missing_ok=True)


def _entries(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """What a folder has with such names. A folder may have millions of others."""
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if names.fullmatch(entry.name)]


def name_written(error: BaseException, path: Path) -> None:
    """Add the path to an error of writing, because Python raises it without one."""
    if isinstance(error, OSError) and error.errno in WHILE_WRITING and error.filename is None:
        error.filename = str(path)


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return not lock_descriptor(stream.fileno())
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
