"""From what the user names (files, folders, globs, archives, `-`) to open streams, one after another."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from corpora.errors import ConfigurationError, InputError

__all__ = ["READ_FAULTS", "STDIN", "InputFile", "Member", "expand", "members"]

STDIN = "-"
HEAD = 1 << 16

READ_FAULTS = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
)
"""What broken files and archives raise while they are read (RuntimeError: an encrypted zip member)."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that is named by the user or found in a folder; `relative` is its place under the output."""

    path: str
    relative: PurePosixPath

    def size(self) -> int:
        """Bytes on disk; 0 for standard input and for a file that is gone."""
        try:
            return 0 if self.path == STDIN else Path(self.path).stat().st_size
        except OSError:
            return 0


@dataclass(frozen=True, slots=True)
class Member:
    """A file as such (`name` None) or one file of an archive; `fault` says why it cannot be read."""

    name: str | None
    relative: PurePosixPath
    fault: str | None = None


def expand(inputs: Sequence[str], exclude: Path | None = None) -> Iterator[InputFile]:
    """Every file that the inputs name, folders walked in sorted order, hidden files left out.

    Files under `exclude` (the output folder) are left out. Raises `ConfigurationError` for an input
    that does not exist or that names nothing.
    """
    hidden_from = None if exclude is None else exclude.resolve()
    for name in inputs:
        if name == STDIN:
            yield InputFile(STDIN, PurePosixPath("stdin"))
            continue
        path = Path(name)
        if path.is_dir():
            yield from _walk(path, hidden_from)
        elif path.exists():
            yield InputFile(name, PurePosixPath(path.name))
        elif glob.has_magic(name):
            yield from _matching(name, hidden_from)
        else:
            raise ConfigurationError(f"no file or folder at {name}; check the path")


def _matching(pattern: str, exclude: Path | None) -> Iterator[InputFile]:
    found = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (patterns may be absolute)
    if not found:
        raise ConfigurationError(f"nothing matches {pattern}; check the pattern (quote it, so that ** works)")
    root = Path(*_fixed_parts(pattern))
    for name in found:
        path = Path(name)
        if path.is_file() and not _inside(path, exclude):
            yield InputFile(name, PurePosixPath(path.relative_to(root).as_posix()))


def _fixed_parts(pattern: str) -> list[str]:
    parts: list[str] = []
    for part in Path(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return parts


def _walk(folder: Path, exclude: Path | None) -> Iterator[InputFile]:
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            with os.scandir(here) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            raise ConfigurationError(
                f"the folder {here} cannot be listed: {error.strerror}; check its permissions"
            ) from error
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                continue
            path = Path(entry.path)
            if not (entry.is_symlink() and path.is_dir()):
                yield InputFile(entry.path, PurePosixPath(path.relative_to(folder).as_posix()))
        folders = [Path(e.path) for e in entries if not e.name.startswith(".") and e.is_dir(follow_symlinks=False)]
        pending += [path for path in reversed(folders) if not _inside(path, exclude)]


def _inside(path: Path, folder: Path | None) -> bool:
    if folder is None:
        return False
    here = path.resolve()
    return here == folder or folder in here.parents


def members(file: InputFile) -> Iterator[tuple[Member, BinaryIO]]:
    """The file itself, unpacked where it is compressed, or each file of an archive, in its order.

    Formats are told by content: gzip, bzip2, xz, tar, zip. A stream is valid until the next one is
    asked for. Raises `InputError` where the file or the archive cannot be read (further).
    """
    try:
        if file.path == STDIN:
            yield from _unpacked(file, cast(BinaryIO, sys.stdin.buffer))
            return
        mode = Path(file.path).stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
            raise InputError("it is no regular file; name files, folders or archives")
        with Path(file.path).open("rb") as stream:
            yield from _unpacked(file, stream)
    except FileNotFoundError as error:
        raise InputError("it is not there any more; put it back and run again with --retry-failed") from error
    except PermissionError as error:
        raise InputError("it may not be read; change its permissions") from error
    except READ_FAULTS as error:
        raise InputError(f"it cannot be read ({error}); get the file again") from error


def _unpacked(file: InputFile, raw: BinaryIO) -> Iterator[tuple[Member, BinaryIO]]:
    # A reader of our own keeps the file's position, which is what progress is told by.
    stream = cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, raw), HEAD)) if not hasattr(raw, "peek") else raw
    head = _peek(stream, 6)
    relative = file.relative
    if head[:2] == b"\x1f\x8b":
        stream = cast(BinaryIO, gzip.open(stream))
    elif head[:3] == b"BZh":
        stream = cast(BinaryIO, bz2.open(stream))
    elif head == b"\xfd7zXZ\x00":
        stream = cast(BinaryIO, lzma.open(stream))
    if stream is not raw:
        relative = _without(relative, (".gz", ".bz2", ".xz"))
        stream = cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, stream), HEAD))
    head = _peek(stream, 512)
    if head[257:262] == b"ustar":
        yield from _tar_members(stream, _without(relative, (".tar", ".tgz")))
    elif head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _zip_members(stream, _without(relative, (".zip",)))
    else:
        yield Member(None, relative), stream


def _tar_members(stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for entry in archive:
            if entry.isdir() or _is_hidden(entry.name):
                continue
            fault = _path_fault(entry.name)
            if not entry.isreg():
                fault = "it is a link or a device inside an archive; pack the file itself"
            content = archive.extractfile(entry) if fault is None else None
            member = Member(entry.name, folder / _safe(entry.name), fault)
            if content is None:
                yield member, io.BytesIO()
            else:
                yield member, cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, content), HEAD))


def _zip_members(stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    if not stream.seekable():
        raise InputError("a zip archive cannot be read from a pipe; give it as a file")
    with zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or _is_hidden(entry.filename):
                continue
            fault = _path_fault(entry.filename)
            member = Member(entry.filename, folder / _safe(entry.filename), fault)
            if fault is not None:
                yield member, io.BytesIO()
                continue
            with archive.open(entry) as content:
                yield member, cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, content), HEAD))


def _peek(stream: BinaryIO, size: int) -> bytes:
    peek = getattr(stream, "peek", None)
    return bytes(peek(size)[:size]) if peek else b""


def _without(path: PurePosixPath, suffixes: tuple[str, ...]) -> PurePosixPath:
    return path.with_suffix("") if path.suffix.lower() in suffixes and path.stem else path


def _is_hidden(name: str) -> bool:
    last = PurePosixPath(name).name
    return (last.startswith(".") and last not in (".", "..")) or "__MACOSX" in PurePosixPath(name).parts


def _path_fault(name: str) -> str | None:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if ".." in parts or name.startswith(("/", "\\")) or (parts and ":" in parts[0]):
        return "its path leads out of the archive, so it was not read; repack the archive with plain names"
    return None


def _safe(name: str) -> PurePosixPath:
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")]
    return PurePosixPath(*(part.replace(":", "_") for part in parts)) if parts else PurePosixPath("unnamed")
