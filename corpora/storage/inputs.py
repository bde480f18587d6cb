"""From what the user names (files, folders, globs, archives, `-`) to open streams, one after another."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from corpora.errors import ConfigurationError, InputError
from corpora.storage.reserved_names import furniture_of

__all__ = ["READ_FAULTS", "STDIN", "InputFile", "Member", "article_files", "expand", "is_pipe", "members"]

STDIN = "-"
HEAD = 1 << 16
_DRIVE = re.compile(r"[A-Za-z]:")

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

    A folder that one of our commands wrote is read without its manifest, quarantine and report. Where the
    output folder `exclude` lies inside an input folder, it is left out. Raises `ConfigurationError`, at
    once, for an input that does not exist or that names nothing.
    """
    for name in inputs:
        _require(name)
    return _expanded(inputs, None if exclude is None else exclude.resolve())


def article_files(source: str) -> list[str]:
    """The paths of the files that a file, folder or glob names. Raises as `expand` does."""
    return [file.path for file in expand([source])]


def is_pipe(path: str) -> bool:
    """Whether an input can be read only once: standard input, or what a shell makes of `<(...)`."""
    return path == STDIN or (path.startswith(("/dev/fd/", "/proc/")) and Path(path).is_fifo())


def _require(name: str) -> None:
    try:
        if name == STDIN or Path(name).exists():
            return
    except OSError as error:
        raise ConfigurationError(f"{name} cannot be looked at: {error.strerror}; check its permissions") from error
    if not glob.has_magic(name):
        raise ConfigurationError(f"no file or folder at {name}; check the path")
    found = glob.iglob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
    if not any(not Path(match).is_dir() for match in found):
        raise ConfigurationError(f"no file matches {name}; check the pattern (quote it, so that ** works)")


def _expanded(inputs: Sequence[str], exclude: Path | None) -> Iterator[InputFile]:
    for name in inputs:
        path = Path(name)
        if name == STDIN:
            yield InputFile(STDIN, PurePosixPath("stdin"))
        elif path.is_dir():
            yield from _walk(path, exclude)
        elif path.exists():
            yield InputFile(name, PurePosixPath(path.name))
        else:
            yield from _matching(name, exclude)


def _matching(pattern: str, exclude: Path | None) -> Iterator[InputFile]:
    root = Path(*_fixed_parts(pattern))
    # Inside the output folder the pattern leads there on purpose.
    exclude = None if exclude and _inside(root, exclude) else exclude
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207
        path = Path(name)
        if not path.is_dir() and not (exclude and _inside(path, exclude)):
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
    seen: set[Path] = set()
    is_furniture = furniture_of(folder)
    while pending:
        here = pending.pop()
        real = here.resolve()
        # A link may lead to a folder that was walked already, or round in a circle.
        if real in seen or (real == exclude and here != folder):
            continue
        seen.add(real)
        entries = [entry for entry in _listed(here) if here != folder or not is_furniture(entry.name)]
        for entry in entries:
            if not entry.is_dir():
                path = Path(entry.path)
                yield InputFile(entry.path, PurePosixPath(path.relative_to(folder).as_posix()))
        pending += [Path(entry.path) for entry in reversed(entries) if entry.is_dir()]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        raise ConfigurationError(
            f"the folder {folder} cannot be listed: {error.strerror}; check its permissions"
        ) from error


def _inside(path: Path, folder: Path) -> bool:
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
        if stat.S_ISFIFO(mode) and not is_pipe(file.path):
            raise InputError("it is a named pipe, which may never end; read it as `nlmchem annotate - < PIPE`")
        if not stat.S_ISREG(mode) and not is_pipe(file.path):
            raise InputError("it is no regular file; name files, folders or archives")
        with Path(file.path).open("rb") as stream:
            yield from _unpacked(file, stream)
    except FileNotFoundError as error:
        raise InputError("it is not there any more; put it back and run again") from error
    except PermissionError as error:
        raise InputError("it may not be read; change its permissions and run again") from error
    except READ_FAULTS as error:
        raise InputError(f"it cannot be read ({error}); get the file again") from error


def _unpacked(file: InputFile, raw: BinaryIO) -> Iterator[tuple[Member, BinaryIO]]:
    relative = file.relative
    stream = _patient(raw)
    if (plain := _decompressed(stream)) is not None:
        stream = plain
        relative = _without(relative, (".gz", ".bz2", ".xz"))
    match _archive(stream):
        case "tar":
            yield from _tar_members(stream, _without(relative, (".tar", ".tgz")))
        case "zip":
            yield from _zip_members(stream, _without(relative, (".zip",)))
        case _:
            yield Member(None, relative), stream


def _decompressed(stream: BinaryIO) -> BinaryIO | None:
    """The stream behind a compressed one; None where it is not compressed."""
    head = _peek(stream, 6)
    plain: io.BufferedIOBase
    if head[:2] == b"\x1f\x8b":
        plain = gzip.open(stream)
    elif head[:3] == b"BZh":
        plain = bz2.open(stream)
    elif head == b"\xfd7zXZ\x00":
        plain = lzma.open(stream)
    else:
        return None
    return _buffered(plain)


def _archive(stream: BinaryIO) -> str | None:
    head = _peek(stream, 512)
    if head[257:262] == b"ustar":
        return "tar"
    return "zip" if head[:4] in (b"PK\x03\x04", b"PK\x05\x06") else None


def _of_archive(member: Member, content: object) -> tuple[Member, BinaryIO]:
    """A file of an archive, decompressed where need be; an archive in an archive is not opened."""
    stream = _buffered(content)
    try:
        if (plain := _decompressed(stream)) is not None:
            stream = plain
            member = replace(member, relative=_without(member.relative, (".gz", ".bz2", ".xz")))
        if _archive(stream):
            member = replace(member, fault="it is an archive inside an archive; unpack the outer one")
    except READ_FAULTS as error:
        member = replace(member, fault=f"it cannot be unpacked ({error}); get the file again")
    return member, stream


def _tar_members(stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    with tarfile.open(fileobj=cast(BinaryIO, _ToTheFault(stream)), mode="r|") as archive:
        for entry in archive:
            if entry.isdir() or _is_hidden(entry.name):
                continue
            name = _decoded(entry.name)
            fault = _path_fault(name)
            if not entry.isreg():
                fault = "it is a link or a device inside an archive; pack the file itself"
            content = archive.extractfile(entry) if fault is None else None
            member = Member(name, folder / _safe(name), fault)
            if content is None:
                yield member, io.BytesIO()
            else:
                yield _of_archive(member, content)


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
            try:
                content = archive.open(entry)
            except READ_FAULTS as error:
                # Encrypted, packed in a way that is not known here, or broken: it costs itself alone.
                yield replace(member, fault=f"it cannot be unpacked ({error}); pack it again"), io.BytesIO()
                continue
            with content:
                yield _of_archive(member, content)


def _decoded(name: str) -> str:
    """A name whose bytes are not UTF-8 comes with lone surrogates, which no output can have: from an old archive."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name


def _peek(stream: BinaryIO, size: int) -> bytes:
    return bytes(cast(io.BufferedReader, stream).peek(size)[:size])


def _buffered(stream: object) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Step(stream), HEAD))


class _Step(io.RawIOBase):
    """A stream that reads once what lies below when it is read once: a fault costs nothing of what came before."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read1(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)


class _ToTheFault:
    """A stream whose `read` gives everything that stands before a fault, which is raised in its turn."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._fault: BaseException | None = None

    def read(self, size: int) -> bytes:
        pieces: list[bytes] = []
        try:
            while size > 0 and self._fault is None and (chunk := self._stream.read1(size)):
                pieces.append(chunk)
                size -= len(chunk)
        except READ_FAULTS as error:
            self._fault = error
        if not pieces and self._fault is not None:
            raise self._fault
        return b"".join(pieces)


def _patient(raw: BinaryIO) -> BinaryIO:
    """A stream that can be peeked into: a pipe may give its first bytes one at a time."""
    if raw.seekable() or len(_peek(raw, 512)) == 512:
        return raw
    return _buffered(_Again(raw.read(512), raw))


class _Again:
    """A stream of which the first bytes were read already."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = cast(io.BufferedReader, stream)

    def seekable(self) -> bool:
        return False

    def read1(self, size: int) -> bytes:
        if not self._head:
            return self._stream.read1(size)
        chunk, self._head = self._head[:size], self._head[size:]
        return chunk


def _without(path: PurePosixPath, suffixes: tuple[str, ...]) -> PurePosixPath:
    return path.with_suffix("") if path.suffix.lower() in suffixes and path.stem else path


def _is_hidden(name: str) -> bool:
    # As in folders: whatever lies in a hidden folder is hidden.
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(part.startswith(".") and part != ".." for part in parts) or "__MACOSX" in parts


def _path_fault(name: str) -> str | None:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if "\0" in name or ".." in parts or name.startswith(("/", "\\")) or _DRIVE.match(name):
        return "its path leads out of the archive, so it was not read; repack the archive with plain names"
    return None


def _safe(name: str) -> PurePosixPath:
    # What leads out of the archive gets a place of its own, where it is not taken for an honest member.
    names = {"/": "_root", "//": "_root", "..": "_up"}
    parts = [names.get(part, part) for part in PurePosixPath(name.replace("\\", "/")).parts]
    return PurePosixPath(*(part.replace("\0", "_") for part in parts or ["unnamed"]))
