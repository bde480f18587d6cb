"""Open streams of an input file: the file itself, decompressed, or each member of an archive; and which are read.

Compression and archives are recognised by content: gzip, bzip2, xz, tar, zip.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from corpora.errors import InputError, OptionError, command, shortened
from corpora.storage import pmc_files, standoff
from corpora.storage.inputs import STDIN, InputFile, endless, is_pipe
from corpora.storage.packed_streams import (
    MAX_HEADER,
    READ_FAULTS,
    Forward,
    buffered,
    decompressed,
    peek,
    with_full_head,
)
from corpora.storage.pmc_files import ALONE, ArticleMetadata, Beside
from corpora.words.quantities import UNITS

COMPRESSED = (".gz", ".bz2", ".xz")
TAR = (".tar", ".tgz")
ZIP = (".zip",)
PACKED = (*COMPRESSED, *TAR, *ZIP)
"""Suffixes of compressed files and archives."""

_OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/", b"word/", b"xl/", b"ppt/", b"_rels/.rels", b"docProps/")
"""First members of the archives of office programs, after the header of a member."""
LONGEST_PART = 215
"""Bytes of one part of a member's path. File systems allow 255; an output adds a suffix and temporary names."""
LONGEST_PATH = 1000
"""Bytes of a member's path. File systems allow 4,096 for a whole path; the output folder and suffixes come on top."""

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Member:
    """A file itself (`name` None) or one member of an archive."""

    file: InputFile
    name: str | None
    relative: PurePosixPath
    """The path for outputs, without suffixes of compression."""
    fault: str | None = None
    """Why it cannot be read, or None."""
    is_rest: bool = False
    """Whether it is the unread rest of an archive that is broken after its first members."""
    position: Callable[[], int] | None = field(default=None, compare=False, repr=False)
    """Returns how many bytes of the file on the disk were read so far; None for standard input and pipes."""
    beside: Beside = field(default=ALONE, compare=False)
    """What was found of the same article and is not read."""
    metadata: ArticleMetadata | None = field(default=None, compare=False, repr=False)
    """Those of the article, where they are in the archive."""

    def __str__(self) -> str:
        return self.file.path if self.name is None else f"{self.file.path}, member {shortened(self.name, 300)}"

    @property
    def fallback_id(self) -> str:
        """The id of a document that has none: the name of its file without suffix."""
        return self.relative.stem or self.relative.name


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of the files that inputs name are read, how text files are divided, and what offsets count.

    A pattern applies to the name of a file and to its path below the input folder; `*` also matches `/`. In an archive
    it applies to the members; `exclude` applies to the archive, too. Raises `OptionError` for an unknown unit.
    """

    include: tuple[str, ...] = ()
    """Glob patterns of the files to read; empty: all."""
    exclude: tuple[str, ...] = ()
    lines: bool = False
    """Text files contain one article a line."""
    offsets: str | None = None
    """The unit of offsets that are not code points (`corpora.words.quantities.UNITS`)."""
    text_column: str | None = None
    id_column: str | None = None
    """The columns of tables of texts."""
    all_versions: bool = False
    """Each version of a PMC article is read, and not the newest one alone."""

    def __post_init__(self) -> None:
        if self.offsets is not None and self.offsets not in UNITS:
            raise OptionError("offsets", f"must be one of {', '.join(UNITS)}, not {self.offsets!r}")

    def leaves_out(self, file: InputFile) -> bool:
        """Whether a whole file is excluded by its name."""
        return any(_matches(self.exclude, name) for name in _names(file))

    def wants(self, member: Member) -> bool:
        """Whether a file or a member of an archive is read. Names count with and without suffixes of compression."""
        if member.is_rest:
            return True
        names = [PurePosixPath(member.name)] if member.name is not None else _names(member.file)
        names.append(member.relative)
        if any(_matches(self.exclude, name) for name in names):
            return False
        return not self.include or any(_matches(self.include, name) for name in names)


ALL = Selection()
"""Everything, with one article in each text file."""


def _names(file: InputFile) -> list[PurePosixPath]:
    """The path of a file below its folder, and its own name, which may have a version."""
    return [file.relative, PurePosixPath(PurePosixPath(file.path).name)]


def _matches(patterns: tuple[str, ...], path: PurePosixPath) -> bool:
    return any(fnmatchcase(path.name, pattern) or fnmatchcase(str(path), pattern) for pattern in patterns)


# -- the streams of a file ----------------------------------------------------------------------


def members(file: InputFile, all_versions: bool = False) -> Iterator[tuple[Member, BinaryIO]]:
    """Each member of a file with its open stream, in the order of the archive; valid until the next one is requested.

    Of the files of a PMC article one is returned, as `corpora.storage.inputs.expand` does it for folders; an archive
    from a pipe, which can be read only once, has all of them. The iterator does not raise for a file or archive that
    cannot be read (further): it ends with a member that has a `fault`.
    """
    opened = False
    try:
        for pair in _opened(file, all_versions):
            opened = True
            yield pair
        if not opened:
            raise InputError("the archive contains no file; get it again, or remove it from the input")
    except InputError as error:
        yield Member(file, None, file.relative, str(error), is_rest=opened), io.BytesIO()
    except Exception as error:
        # The readers of archives raise many kinds of exceptions for broken headers: UnicodeDecodeError, struct.error.
        fault = f"it cannot be read ({type(error).__name__}: {error}); get the file again"
        yield Member(file, None, file.relative, fault, is_rest=opened), io.BytesIO()


def _opened(file: InputFile, all_versions: bool) -> Iterator[tuple[Member, BinaryIO]]:
    if file.fault is not None:
        raise InputError(file.fault)
    try:
        if file.path == STDIN:
            yield from _unpacked(file, cast(BinaryIO, sys.stdin.buffer))
            return
        mode = Path(file.path).stat().st_mode
        if stat.S_ISFIFO(mode) and not is_pipe(file.path):
            raise InputError(f"it is a named pipe, which may never end; read it as {command('annotate - < PIPE')}")
        if stat.S_ISDIR(mode):
            os.scandir(file.path).close()  # Raises the reason why the folder was not walked.
        if endless(file.path) is not None and stat.S_ISREG(mode):
            raise InputError("it is a file of the system, which may never end; name files, folders or archives")
        if not stat.S_ISREG(mode) and not is_pipe(file.path):
            raise InputError("it is not a regular file; name files, folders or archives")
        if annotations := standoff.annotations_of(file.path):
            yield Member(file, None, file.relative), standoff.joined_files(Path(file.path), annotations)
            return
        with Path(file.path).open("rb") as stream:
            position = stream.tell if stat.S_ISREG(mode) else None
            choice: _ChosenMembers | None = None
            for member, content in _unpacked(file, stream):
                if choice is None:
                    is_read_again = member.name is not None and position is not None
                    choice = _ChosenMembers.of(file, all_versions) if is_read_again else _ChosenMembers()
                if (chosen := choice.apply(member)) is not None:
                    yield replace(chosen, position=position), content
    except FileNotFoundError as error:
        raise InputError("it no longer exists; restore it and run again") from error
    except PermissionError as error:
        raise InputError("there is no permission to read it; change its permissions and run again") from error
    except READ_FAULTS as error:
        raise InputError(f"it cannot be read ({error}); get the file again") from error


@dataclass(frozen=True, slots=True)
class _ChosenMembers:
    """Which members of an archive are read, and the metadata of articles in it."""

    chosen: dict[PurePosixPath, Beside | None] = field(default_factory=dict)
    metadata: dict[PurePosixPath, ArticleMetadata] = field(default_factory=dict)
    all_versions: bool = False

    @classmethod
    def of(cls, file: InputFile, all_versions: bool) -> _ChosenMembers:
        """The choice by the names of the members: the archive is read once for it."""
        names: list[PurePosixPath] = []
        metadata: dict[PurePosixPath, ArticleMetadata] = {}
        try:
            with Path(file.path).open("rb") as raw:
                for member, content in _unpacked(file, raw):
                    name = PurePosixPath(member.name or "")
                    form = pmc_files.form_of(name)
                    # A supplement may be an archive.
                    if form is None or (member.fault is not None and not form.is_not_read):
                        continue
                    names.append(name)
                    if member.fault is None and name.suffix == ".json":
                        parsed = pmc_files.parse_metadata(content.read(pmc_files.LARGEST_METADATA + 1))
                        metadata |= {} if parsed is None else {name: parsed}
        except Exception:
            # The archive is broken there. Its readers raise many kinds of exceptions; `members` reports the same one
            # when the archive is read.
            pass
        return cls(pmc_files.choose(names, metadata.__contains__, all_versions), metadata, all_versions)

    def apply(self, member: Member) -> Member | None:
        """The member as it is read; None where another file of its article is."""
        if member.name is None:
            path, beside, relative = member.file.path, member.file.beside, member.relative
            metadata = None if is_pipe(path) else pmc_files.metadata_of(path)
            is_own = metadata is not None and (not beside.json or pmc_files.has_own_metadata(path))
        else:
            name = PurePosixPath(member.name)
            chosen = self.chosen.get(name, ALONE)
            if chosen is None:
                return None
            if member.fault is not None:
                return member
            beside = chosen
            relative = member.relative if self.all_versions else pmc_files.without_versions(member.relative)
            places = pmc_files.places_of_metadata(name)
            metadata = next((self.metadata[place] for place in places if place in self.metadata), None)
            is_own = metadata is not None and places[0] in self.metadata
        # JSON files beside it that are not its metadata are other forms.
        beside = replace(beside, forms=beside.forms + (0 if is_own else beside.json), json=0)
        return replace(member, relative=relative, beside=beside, metadata=metadata)


def _unpacked(file: InputFile, raw: BinaryIO) -> Iterator[tuple[Member, BinaryIO]]:
    relative = file.relative
    stream = with_full_head(raw)
    if (plain := decompressed(stream)) is not None:
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


def _archive(stream: BinaryIO) -> str | None:
    head = peek(stream, 512)
    if head[257:262] == b"ustar":
        return "tar"
    is_zip = head[:4] in (b"PK\x03\x04", b"PK\x05\x06")
    # A document of an office program is an archive, too; its members are no articles.
    return "zip" if is_zip and not head[30:].startswith(_OFFICE) else None


def _in_archive(member: Member, content: object, packed: Callable[[], int] | None = None) -> tuple[Member, BinaryIO]:
    """A member of an archive, decompressed where needed. An archive inside an archive is a fault.

    `packed`: the number of compressed bytes of the member, if the archive compresses it.
    """
    stream = buffered(content, packed)
    try:
        if (plain := decompressed(stream)) is not None:
            stream = plain
            member = replace(member, relative=_without(member.relative, COMPRESSED))
        if _archive(stream):
            member = replace(member, fault="it is an archive inside an archive; unpack the outer one")
    except READ_FAULTS as error:
        member = replace(member, fault=f"it cannot be unpacked ({error}); get the file again")
    return member, stream


def _tar_members(file: InputFile, stream: BinaryIO, folder: PurePosixPath) -> Iterator[tuple[Member, BinaryIO]]:
    forward = Forward(stream)
    for archive, entry in _tar_entries(forward):
        if entry.isdir() or _is_hidden(entry.name):
            continue
        name = entry.name
        try:
            name.encode()
        except UnicodeEncodeError:
            # Old archives have names that are not UTF-8, and no output can contain lone surrogates.
            name = name.encode("utf-8", "surrogateescape").decode("latin-1")
        fault = _path_fault(name)
        if not entry.isreg():
            fault = "it is a link or a device inside an archive; pack the file itself"
        content = archive.extractfile(entry) if fault is None else None
        member = Member(file, name, folder / _safe(name), fault)
        if content is None:
            yield member, io.BytesIO()
        else:
            yield _in_archive(member, content)


def _tar_entries(stream: Forward) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
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
    safe = PurePosixPath(*(_short_part(part.replace("\0", "_")) for part in parts or ["unnamed"]))
    return safe if len(str(safe).encode()) <= LONGEST_PATH else PurePosixPath(_short_part("_".join(safe.parts)))


def _short_part(part: str) -> str:
    if len(part.encode()) <= LONGEST_PART:
        return part
    # Two long names can begin alike, so a digest tells them apart.
    return f"{part[:40]}-{hashlib.sha256(part.encode()).hexdigest()[:16]}"
