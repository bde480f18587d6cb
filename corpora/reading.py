"""Reading from any sources: `articles()` yields articles and faults, `read()` yields documents.

Every command reads through this module: files, folders, globs, archives and standard input, in all formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import BinaryIO

from bioc import BioCDocument

from corpora.errors import ArticleError, InputError
from corpora.formats import registry
from corpora.formats.format import Reader
from corpora.formats.header import Header
from corpora.reporting import Report, log, once, prefixed
from corpora.storage import inputs
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member, members

__all__ = [
    "Article",
    "Fault",
    "RawArticle",
    "Source",
    "articles",
    "documents",
    "parse",
    "read",
    "sources",
]


MAX_NOTES = 1000
"""Sentences about one article."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article that was read. `place` is its file, and its member of an archive, in words."""

    place: str
    document: BioCDocument


@dataclass(frozen=True, slots=True)
class Fault:
    """An article, or the rest of a file, that cannot be read. Its text is the place and the error."""

    place: str
    error: InputError | ArticleError

    def __str__(self) -> str:
        return f"{self.place}: {self.error}"


@dataclass(frozen=True, slots=True)
class RawArticle:
    """The bytes of one article, not parsed yet, and the name of their format."""

    format: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """An open file or an open member of an archive.

    `header` is filled while the articles are read, and complete after the last one. A source can be read once.
    """

    member: Member
    stream: BinaryIO
    header: Header = field(default_factory=Header)

    def raw_articles(self, report: Report, format: Reader | None = None) -> Iterator[RawArticle]:
        """The raw articles, one in memory at a time.

        `format`: the format of the source; None: it is recognised by content. Raises `InputError` where the source
        cannot be read (further), after the articles before that place.
        """
        if self.member.fault is not None:
            raise InputError(self.member.fault)
        number = 0
        try:
            for name, raw in registry.split(self.stream, self.header, report, format):
                number += 1
                yield RawArticle(name, raw)
        except InputError as error:
            if number:
                raise InputError(f"{error} (the {number} articles before that place were read)") from error
            raise

    def articles(self, report: Report, format: Reader | None = None) -> Iterator[Article | Fault]:
        """The parsed articles, and a fault for each that cannot be parsed; the last item may be a fault of the file.

        Sentences for `report` get the place of the source in front. A document without id gets the name of the file.
        """
        place = str(self.member)
        report = prefixed(report, place)
        try:
            for article in self.raw_articles(report, format):
                try:
                    yield Article(place, parse(format or article.format, article.raw, self.member.fallback_id, report))
                except ArticleError as error:
                    yield Fault(place, error)
        except InputError as error:
            yield Fault(place, error)


def parse(format: str | Reader, raw: bytes, fallback_id: str, report: Report) -> BioCDocument:
    """One article as a document; `fallback_id` is the id of a document that has none. Raises `ArticleError`."""
    reader = registry.readable(format) if isinstance(format, str) else format
    # A hostile article can give a note for each of its elements.
    document = reader.parse(raw, once(report, MAX_NOTES))
    document.id = document.id or fallback_id
    return document


def sources(files: Iterable[InputFile]) -> Iterator[Source]:
    """Every file, or every member of an archive, opened one after another.

    Each is valid until the next one is requested. A file that cannot be opened is a source with a single fault.
    """
    for file in files:
        for member, stream in members(file):
            yield Source(member, stream)


def articles(files: Iterable[InputFile], report: Report) -> Iterator[Article | Fault]:
    """Every article of the files in order, one in memory at a time, and a fault for everything that cannot be read.

    A fault does not stop the iteration. `corpora.storage.inputs.expand` returns the files for the names that a user
    gives.
    """
    for source in sources(files):
        yield from source.articles(report)


def read(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    header: Header | None = None,
    report: Report = log,
) -> Iterator[BioCDocument]:
    """The documents of files, folders, globs, archives or `-`, one in memory at a time.

    A document without id gets the name of its file. `header` receives the collection header of the first file, and is
    complete when that file was read. Raises `ConfigurationError`, immediately, for a path that does not exist, and
    `InputError` or `ArticleError`, with the file name, at the first fault. To continue after faults, use
    `articles()` or `nlmchem annotate`.
    """
    names = [source] if isinstance(source, (str, PathLike)) else list(source)
    return _read(inputs.expand([str(name) for name in names]), header, report)


def _read(files: Iterable[InputFile], header: Header | None, report: Report) -> Iterator[BioCDocument]:
    for source in sources(files):
        if header is not None:
            source, header = replace(source, header=header), None
        yield from documents(source.articles(report))


def documents(found: Iterable[Article | Fault]) -> Iterator[BioCDocument]:
    """The documents of articles. Raises the error of the first fault, with its place in front."""
    for item in found:
        if isinstance(item, Fault):
            raise type(item.error)(str(item)) from item.error
        yield item.document
