"""Open streams of an input file: the file itself, decompressed, or each member of an archive.

Compression and archives are recognised by content: gzip, bzip2, xz, tar, zip.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from corpora.errors import InputError, command, shortened
from corpora.storage import standoff
from corpora.storage.inputs import STDIN, InputFile, is_pipe

BUFFER = 1 << 16
COMPRESSED = (".gz", ".bz2", ".xz")
TAR = (".tar", ".tgz")
ZIP = (".zip",)
PACKED = (*COMPRESSED, *TAR, *ZIP)
"""Suffixes of compressed files and archives."""

MAX_HEADER = 1 << 20
"""Bytes of the headers of one member of a tar archive; a path and the attributes of a file need less than 100 kB."""
MAX_RATIO = 250
"""How many times larger than its file compressed content can be, beyond `FREE_EXPANSION`; XML has about 10."""
FREE_EXPANSION = 1 << 28
"""Bytes of decompressed content that `MAX_RATIO` does not limit."""
LONGEST_PART = 215
"""Bytes of one part of a member's path. File systems allow 255; an output adds a suffix and temporary names."""

LONGEST_PATH = 1000
"""Bytes of a member's path. File systems allow 4,096 for a whole path; the output folder and suffixes come on top."""

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
"""Exceptions that broken files and archives raise while they are read (RuntimeError: an encrypted zip member)."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file itself (`name` None) or one member of an archive.

    `relative` is its path for outputs, without suffixes of compression. `fault` is the reason why it cannot be
    read, or None. `is_rest` marks the unread rest of an archive that is broken after its first members. `position`
    returns how many bytes of the file on the disk were read so far; None for standard input and pipes.
    """

    file: InputFile
    name: str | None
    relative: PurePosixPath
    fault: str | None = None
    is_rest: bool = False
    position: Callable[[], int] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.file.path if self.name is None else f"{self.file.path}, member {shortened(self.name, 300)}"

    @property
    def fallback_id(self) -> str:
        """The id of a document that has none: the name of its file without suffix."""
        return self.relative.stem or self.relative.name


def members(file: InputFile) -> Iterator[tuple[Member, BinaryIO]]:
    """Each member of a file with its open stream, in the order of the archive.

    A stream is valid until the next member is requested. The iterator does not raise for a file or archive that
    cannot be read (further), whatever its content: it ends with a member that has a `fault`.
    """
    found = False
    try:
        for pair in _opened(file):
            found = True
            yield pair
    except InputError as error:
        yield Member(file, None, file.relative, str(error), is_rest=found), io.BytesIO()
    except Exception as error:
        # The readers of archives raise many kinds of exceptions for broken headers: UnicodeDecodeError, struct.error.
        fault = f"it cannot be read ({type(error).__name__}: {error}); get the file again"
        yield Member(file, None, file.relative, fault, is_rest=found), io.BytesIO()


def _opened(file: InputFile) -> Iterator[tuple[Member, BinaryIO]]:
    try:
        if file.path == STDIN:
            yield from _unpacked(file, cast(BinaryIO, sys.stdin.buffer))
            return
        mode = Path(file.path).stat().st_mode
        if stat.S_ISFIFO(mode) and not is_pipe(file.path):
            raise InputError(f"it is a named pipe, which may never end; read it as {command('annotate - < PIPE')}")
        if stat.S_ISDIR(mode):
            os.scandir(file.path).close()  # Raises the reason why the folder was not walked.
        if not stat.S_ISREG(mode) and not is_pipe(file.path):
            raise InputError("it is not a regular file; name files, folders or archives")
        if (annotations := standoff.annotations_of(file.path)) is not None:
            yield Member(file, None, file.relative), standoff.joined_files(Path(file.path), annotations)
            return
        with Path(file.path).open("rb") as stream:
            position = stream.tell if stat.S_ISREG(mode) else None
            for member, content in _unpacked(file, stream):
                yield replace(member, position=position), content
    except FileNotFoundError as error:
        raise InputError("it no longer exists; restore it and run again") from error
    except PermissionError as error:
        raise InputError("there is no permission to read it; change its permissions and run again") from error
    except READ_FAULTS as error:
        raise InputError(f"it cannot be read ({error}); get the file again") from error


def _unpacked(file: InputFile, raw: BinaryIO) -> Iterator[tuple[Member, BinaryIO]]:
    relative = file.relative
    stream = _with_full_head(raw)
    if (plain := _decompressed(stream)) is not None:
        stream = plain
        relative = _without(relative, COMPRESSED)
    match _archive(stream):
        case "tar":
            yield from _tar_members(file, stream, file.relative if file.keep_suffix else _without(relative, TAR))
        case "zip" if plain is not None:
            raise InputError("it is a zip archive inside a compressed file; unpack the outer one")
        case "zip":
            yield from _zip_members(file, stream, file.relative if file.keep_suffix else _without(relative, ZIP))
        case _:
            yield Member(file, None, relative), stream


def _decompressed(stream: BinaryIO) -> BinaryIO | None:
    """A stream of the decompressed content; None where the content is not compressed."""
    head = _peek(stream, 6)
    plain: io.BufferedIOBase
    packed = _Counted(stream)
    if head[:2] == b"\x1f\x8b":
        plain = gzip.open(cast(BinaryIO, packed))
    elif head[:3] == b"BZh":
        plain = bz2.open(cast(BinaryIO, packed))
    elif head == b"\xfd7zXZ\x00":
        plain = lzma.open(cast(BinaryIO, packed))
    else:
        return None
    return _buffered(plain, lambda: packed.count)


def _archive(stream: BinaryIO) -> str | None:
    head = _peek(stream, 512)
    if head[257:262] == b"ustar":
        return "tar"
    return "zip" if head[:4] in (b"PK\x03\x04", b"PK\x05\x06") else None


def _in_archive(member: Member, content: object, packed: Callable[[], int] | None = None) -> tuple[Member, BinaryIO]:
    """A member of an archive, decompressed where needed. An archive inside an archive is a fault.

    `packed`: the number of compressed bytes of the member, if the archive compresses it.
    """
    stream = _buffered(content, packed)
    try:
        if (plain := _decompressed(stream)) is not None:
            stream = plain
            member = replace(member, relative=_without(member.relative, COMPRESSED))
        if _archive(stream):
            member = replace(member, fault="it is an archive inside an archive; unpack the outer one")
    except READ_FAULTS as error:
        member = replace(member, fault=f"it cannot be unpacked ({error}); get the file again")
    return member, stream


def _tar_members(file: InputFile, stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    forward = _Forward(stream)
    for archive, entry in _tar_entries(forward):
        if entry.isdir() or _is_hidden(entry.name):
            continue
        name = _decoded(entry.name)
        fault = _path_fault(name)
        if not entry.isreg():
            fault = "it is a link or a device inside an archive; pack the file itself"
        content = archive.extractfile(entry) if fault is None else None
        member = Member(file, name, folder / _safe(name), fault)
        if content is None:
            yield member, io.BytesIO()
        else:
            yield _in_archive(member, content)


def _tar_entries(stream: _Forward) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """The entries of a tar archive. Raises `tarfile.TarError` for headers that are broken or too large."""
    stream.begin_header()
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r:") as archive:
        while (entry := archive.next()) is not None:
            stream.begin_content()
            yield archive, entry
            # `TarFile` keeps every entry, and global headers for all later entries.
            archive.members.clear()  # type: ignore[attr-defined]
            if sum(len(key) + len(value) for key, value in archive.pax_headers.items()) > MAX_HEADER:
                raise tarfile.ReadError(f"its global headers have more than {MAX_HEADER >> 20} MB")
            stream.begin_header()
    # `TarFile.next` returns None for a broken header as for the end of the archive.
    stream.require_end()


def _zip_members(file: InputFile, stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    if not stream.seekable():
        raise InputError("a zip archive cannot be read from a pipe; give it as a file")
    with zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith("/") or _is_hidden(entry.filename):
                continue
            fault = _path_fault(entry.filename)
            member = Member(file, entry.filename, folder / _safe(entry.filename), fault)
            if fault is not None:
                yield member, io.BytesIO()
                continue
            try:
                content = archive.open(entry)
            except READ_FAULTS as error:
                # Encrypted, broken, or packed by an unknown method: the other members can still be read.
                yield replace(member, fault=f"it cannot be unpacked ({error}); pack it again"), io.BytesIO()
                continue
            with content:
                yield _in_archive(member, content, partial(int, entry.compress_size))


def _decoded(name: str) -> str:
    """The name without lone surrogates, which no output can contain. Old archives have names that are not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name


# -- streams ------------------------------------------------------------------------------------


def _peek(stream: BinaryIO, size: int) -> bytes:
    return bytes(cast(io.BufferedReader, stream).peek(size)[:size])


def _buffered(stream: object, packed: Callable[[], int] | None = None) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_OneRead(stream, packed), BUFFER))


class _OneRead(io.RawIOBase):
    """A stream that calls the underlying `read1` once for each read, so that a fault loses no data before it.

    `packed` returns the number of compressed bytes that were read, if the stream is compressed. The stream raises
    `OSError` where it expands more than `MAX_RATIO` allows: a small file can expand to terabytes.
    """

    def __init__(self, stream: Any, packed: Callable[[], int] | None = None) -> None:
        self._stream = stream
        self._packed = packed
        self._count = 0

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
        self._count += len(chunk)
        if self._packed is not None and self._count > FREE_EXPANSION + MAX_RATIO * self._packed():
            raise OSError(f"it expands to more than {MAX_RATIO} times its size")
        return len(chunk)


class _Counted:
    """A stream that counts the bytes that were read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        self.count += len(chunk)
        return chunk

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


class _Forward:
    """A tar archive that is read once, from its start to its end, also from a pipe.

    `seek` moves forward and ends where the data ends: `tarfile` would seek for ever after a member that claims 2**60
    bytes. Headers of one member are limited to `MAX_HEADER` bytes. A fault of the stream is raised after all data
    before it was read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._fault: BaseException | None = None
        self._position = 0
        self._left: int | None = None
        self._last = b""

    def begin_header(self) -> None:
        self._left = MAX_HEADER

    def begin_content(self) -> None:
        self._left = None

    def require_end(self) -> None:
        """Raise where the last header that was read is not the empty one at the end of an archive."""
        if self._fault is not None:
            raise self._fault
        if self._last.strip(b"\0"):
            raise tarfile.ReadError("the header of its next member is broken")

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return False

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.ReadError("its headers lead back to an earlier place")
        while self._position < position and self._pull(min(BUFFER, position - self._position)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        if self._left is not None:
            self._left -= size
            if self._left < 0:
                raise tarfile.ReadError(f"the headers of a member have more than {MAX_HEADER >> 20} MB")
        self._last = self._pull(size)
        return self._last

    def _pull(self, size: int) -> bytes:
        pieces: list[bytes] = []
        try:
            while size > 0 and self._fault is None and (chunk := self._stream.read1(size)):
                pieces.append(chunk)
                size -= len(chunk)
                self._position += len(chunk)
        except READ_FAULTS as error:
            self._fault = error
        if not pieces and self._fault is not None:
            raise self._fault
        return b"".join(pieces)


def _with_full_head(raw: BinaryIO) -> BinaryIO:
    """A stream that can be peeked at for 512 bytes. A pipe may return its first bytes one at a time."""
    if raw.seekable() or len(_peek(raw, 512)) == 512:
        return raw
    return _buffered(_HeadThenRest(raw.read(512), raw))


class _HeadThenRest:
    """A stream of bytes that were already read, followed by the rest."""

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


# -- names --------------------------------------------------------------------------------------


def _without(path: PurePosixPath, suffixes: tuple[str, ...]) -> PurePosixPath:
    return path.with_suffix("") if path.suffix.lower() in suffixes and path.stem else path


def unpacked_name(relative: PurePosixPath) -> tuple[PurePosixPath, bool]:
    """A path without suffixes of compression and archives, and whether it is the name of an archive."""
    plain = _without(relative, COMPRESSED)
    folder = _without(plain, (*TAR, *ZIP))
    return folder, folder != plain


def _is_hidden(name: str) -> bool:
    # The same rule as in folders: everything inside a hidden folder is hidden.
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(part.startswith(".") and part != ".." for part in parts) or "__MACOSX" in parts


def _path_fault(name: str) -> str | None:
    if len(name.encode(errors="surrogateescape")) > LONGEST_PATH:
        return f"its path is longer than {LONGEST_PATH} bytes, so it was not read; pack it under a shorter path"
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if "\0" in name or ".." in parts or name.startswith(("/", "\\")) or _DRIVE.match(name):
        return "its path leads out of the archive, so it was not read; repack the archive with plain names"
    if any(len(part.encode()) > LONGEST_PART for part in parts):
        return (
            f"a part of its path is longer than {LONGEST_PART} bytes, so it was not read; pack it under a shorter name"
        )
    return None


def _safe(name: str) -> PurePosixPath:
    # Parts that lead out of the archive are replaced by names that cannot collide with a regular member.
    names = {"/": "_root", "//": "_root", "..": "_up"}
    parts = [names.get(part, part) for part in PurePosixPath(name.replace("\\", "/")).parts]
    safe = PurePosixPath(*(_shortened(part.replace("\0", "_")) for part in parts or ["unnamed"]))
    return safe if len(str(safe).encode()) <= LONGEST_PATH else PurePosixPath(_shortened("_".join(safe.parts)))


def _shortened(part: str) -> str:
    if len(part.encode()) <= LONGEST_PART:
        return part
    # Two long names can begin alike, so a digest tells them apart.
    return f"{part[:40]}-{hashlib.sha256(part.encode()).hexdigest()[:16]}"
