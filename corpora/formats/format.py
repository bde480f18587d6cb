"""A format: its name, its suffixes, what it loses, and the functions that read and write it.

`corpora.formats.registry` has the entry of each format. Nothing else lists formats by name.

Writing has two steps. `dumps` turns one article into bytes; a batch run does this in its workers and stores the bytes
until the whole output can be written. The second step joins the articles into one output. There are three kinds of
output: text with the articles one after another (`Joined`), a table (`Table`) and a folder of files (`Folder`).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar, cast

from corpora.reporting import Report

if TYPE_CHECKING:
    from bioc import BioCDocument

__all__ = ["Folder", "Header", "Joined", "Table", "Writer"]

T = TypeVar("T")
Dumps: TypeAlias = "Callable[[BioCDocument, Report], bytes]"
"""Serialises one article and reports what the format cannot store. Raises `ArticleError`."""


@dataclass(slots=True)
class Header:
    """The header of a BioC collection: everything in it except its documents.

    The date is that of the input, never today's: outputs contain no clock time.
    """

    source: str = ""
    date: str = ""
    key: str = ""
    infons: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    """JSON keys that BioC does not define."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a format. A file is split into the raw bytes of its articles, and each of these is parsed."""

    split: Callable[[BinaryIO, Header, Report], Iterator[bytes]]
    """The bytes of each article, one in memory at a time. It fills the header and raises `InputError`."""
    parse: Callable[[bytes, Report], BioCDocument]
    """One article. Raises `ArticleError`."""
    sniff: Callable[[bytes], bool] = lambda head: False
    """Whether a file that begins with these bytes has this format: up to 64 kB; XML as UTF-8, without its mark."""
    is_other: Callable[[bytes], bool] = lambda head: False
    """Whether a file with a suffix of the format is no article, although `sniff` accepts it: JSON of metadata."""
    columns: Callable[..., Iterator[bytes]] | None = None
    """For a format of records: `split` with a fourth argument, the columns that the user names."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Writes one file: an opening, the articles with a separator between them, and a closing."""

    dumps: Dumps
    separator: bytes = b""
    opening: Callable[[Header], bytes] = lambda header: b""
    closing: Callable[[Header], bytes] = lambda header: b""
    header_losses: Callable[[Header, Report], None] | None = None
    """Reports what it cannot store of a collection's header; None where it stores no header."""

    def write(self, articles: Iterable[bytes], header: Header, stream: BinaryIO) -> None:
        """Write articles (what `dumps` returned) to an open file, one in memory at a time."""
        stream.write(self.opening(header))
        for number, article in enumerate(articles):
            if number:
                stream.write(self.separator)
            stream.write(article)
        stream.write(self.closing(header))


@dataclass(frozen=True, slots=True)
class Table:
    """Writes one file by a function of its own, from articles as `dumps` returned them."""

    dumps: Dumps
    write: Callable[[Iterable[bytes], Header, BinaryIO], None]


@dataclass(frozen=True, slots=True)
class Folder:
    """Writes a folder with some files for each article. Of two with the same name, the second one gets a number."""

    dumps: Dumps
    files: Callable[[bytes], tuple[str, dict[str, bytes]]]
    """From what `dumps` returned: a file name without suffix, and the content of each file by its suffix."""
    suffixes: Sequence[str] = field(default=())
    """All suffixes that `files` uses."""


@dataclass(frozen=True, slots=True)
class Parted:
    """Writes numbered parts of many articles: a file in each of several folders."""

    dumps: Dumps
    tables: tuple[str, ...]
    """The names of the folders; `""` is the top folder."""
    suffix: str
    write: Callable[[Iterable[bytes], Sequence[BinaryIO]], None]
    """Writes one part, from articles as `dumps` returned them, to a stream for each table."""


_UNSAFE = re.compile(r"^\.|[/\\:%\x00-\x1f]")
"""Characters that a file name cannot have, or that are special in it; written as `%2F`."""


def file_name(id: str) -> str:
    """The name of the files of an article, from its id."""
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", id) or "document"


Writer: TypeAlias = Joined | Table | Folder
Beside: TypeAlias = Callable[[Sequence[str]], dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read, written, or both.

    Readers, writers and functions can be given by their places, `package.module:NAME`. These are imported at first use.
    """

    name: str
    title: str
    """Its name in sentences."""
    suffixes: tuple[str, ...]
    """The first one is given to what is written, and selects the format by the name of an output. The others are only
    removed from the names of inputs."""
    reads: Reader | str | None = None
    writes: Writer | str | None = None
    stores_mentions: bool = True
    """Whether a file can contain mentions."""
    keeps_everything: bool = False
    """Whether corpora and ensembles can be written without loss."""
    by_suffix: bool = False
    """No content is typical of it: it is that of files with its suffix that have none of the other formats."""
    by_line: bool = False
    """It is that of all files with its suffix where the user states that each line is an article."""
    with_abbreviations: Writer | str | None = None
    """The writer where short forms are demanded, if `writes` leaves them out."""
    with_xrefs: Callable[[bool], Writer] | str | None = None
    """Returns the writer with the identifiers of other databases; its argument: with short forms."""
    package: str = ""
    """The package that must be installed before anything can be written."""
    extra: str = ""
    """The extra of nlmchem that installs it."""
    aliases: tuple[str, ...] = ()
    """Other names that users may give."""
    tried_first: bool = False
    """Its files have also the form of a more general format, so it is tried before the others."""
    after: str = ""
    """The name of the format that it follows in lists and in detection. Empty or unknown: it comes last."""
    editor: bool = False
    """People correct annotations in it."""
    beside: Beside | str | None = None
    """Returns what the editor needs beside the articles for some types of mentions, by file name."""
    in_parts: Parted | str | None = None
    """How numbered parts are written, each for many articles. None: they are not."""

    @property
    def suffix(self) -> str:
        """The suffix of what is written, such as `.xml`."""
        return self.suffixes[0]

    @property
    def reader(self) -> Reader | None:
        """The reader; None for a format that is only written."""
        return _imported(self.reads)

    @property
    def writer(self) -> Writer | None:
        """The writer; None for a format that is only read."""
        return _imported(self.writes)

    @property
    def writer_with_abbreviations(self) -> Writer | None:
        """The writer where short forms are demanded; None if the format makes no difference."""
        return _imported(self.with_abbreviations)

    def writer_with_xrefs(self, with_abbreviations: bool) -> Writer:
        """The writer of a table with the identifiers of other databases."""
        function = _imported(self.with_xrefs)
        assert function is not None
        return function(with_abbreviations)

    @property
    def parted(self) -> Parted | None:
        """The writer of numbered parts; None for formats without parts."""
        return _imported(self.in_parts)

    def files_beside(self, types: Sequence[str]) -> dict[str, bytes]:
        """What an editor needs beside the articles, by file name."""
        function = _imported(self.beside)
        return {} if function is None else function(types)


def _imported(place: T | str) -> T:
    return cast(T, _named(place)) if isinstance(place, str) else place


@cache
def _named(place: str) -> Any:
    """The value of a module, such as `module:NAME`. Each file of a run is compared with all formats."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
