"""Files and folders that are complete or absent: written beside the target, flushed to disk, renamed."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["partial_folder", "remove", "replacing", "replacing_folder", "write_bytes", "write_text"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file in `path`'s folder for writing. It is renamed to `path` when the block ends without error.

    Creates the folder if it is missing. When the block raises, `path` does not change and the temporary file is
    removed. Raises `OSError` (no space, no permission).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A random name: two processes that write the same file do not share a temporary file.
    temporary = path.with_name(f".{_shortened(path.name)}.{secrets.token_hex(4)}.tmp")
    try:
        # Opened inside the `try`, so that Ctrl-C right after it leaves no file either.
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Create an empty folder beside `path`. It is renamed to `path` when the block ends without error.

    A folder at `path` is replaced as a whole. When the block raises, `path` does not change. A process that is killed
    leaves `partial_folder(path)` behind; the next call removes it. At no time does `path` contain a part of the files.
    Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial, old = partial_folder(path), path.with_name(f".{_shortened(path.name)}.old")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir()
        yield partial
        _flush(partial)
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
            path.rename(old)
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)


def partial_folder(path: Path) -> Path:
    """The temporary folder of `replacing_folder(path)`."""
    return path.with_name(f".{_shortened(path.name)}.partial")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with replacing(path) as stream:
        stream.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a whole file in UTF-8 atomically. A lone surrogate, which UTF-8 cannot store, becomes `\\ud800`."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush(folder: Path) -> None:
    """Bring all files of a folder to the disk."""
    for where, _, names in os.walk(folder):
        for name in names:
            with (Path(where) / name).open("rb") as stream:
                os.fsync(stream.fileno())


def _shortened(name: str) -> str:
    # File systems allow 255 bytes for a name.
    return os.fsencode(name)[:220].decode(errors="ignore")
