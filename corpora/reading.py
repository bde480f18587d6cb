"""Reading from any sources: `articles()` yields articles and faults, `read()` yields documents.

Every command reads through this module: files, folders, globs, archives and standard input, in all formats.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from types import MappingProxyType
from typing import BinaryIO, ClassVar

from bioc import BioCDocument

from corpora import plugins
from corpora.errors import ArticleError, ConfigurationError, InputError, ResourceError, UnclaimedError
from corpora.formats import detection, registry
from corpora.formats.format import Header, Reader
from corpora.formats.records import ANY, TextColumns
from corpora.formats.streams import GuardedStream
from corpora.model.invariant import settle
from corpora.model.metadata import line_number, set_facts, set_source_file
from corpora.reporting import Report, log, once, prefixed
from corpora.storage import inputs
from corpora.storage.inputs import InputFile, is_pipe
from corpora.storage.members import ALL, Member, Selection, members
from corpora.words.quantities import quantity

MAX_NOTES = 1000
"""Sentences about one article."""
NO_INFONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReadArticle:
    place: str
    """Its file, and its member of an archive, in words."""
    document: BioCDocument
    format: str = ""
    """The name of its format; empty where the caller has chosen a reader."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An article, or the rest of a file, that cannot be read. Its text is the place and the error."""

    place: str
    error: InputError | ArticleError

    def __str__(self) -> str:
        return f"{self.place}: {self.error}"


@dataclass(frozen=True, slots=True)
class RawArticle:
    """The bytes of one article, not parsed yet, the name of their format, and the id of an article without one.

    `infons`: what the metadata beside the file state about the article (`corpora.storage.pmc_files`).
    """

    format: str
    raw: bytes
    fallback_id: str
    infons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpenInput:
    """An open file or an open member of an archive. It can be read once."""

    member: Member
    stream: BinaryIO | GuardedStream
    header: Header = field(default_factory=Header)
    """Filled while the articles are read, and complete after the last one."""
    lines: bool = False
    """Whether a text file contains one article in each line."""
    offsets: str | None = None
    """The unit that the offsets of annotations count, where it is not code points from the start of the document."""
    check_offsets: bool = True
    """Whether annotations whose text is not at their offsets are reported."""
    columns: TextColumns = ANY
    """The columns of tables of texts that the user names."""

    def unclaimed(self) -> str | None:
        """Why the source is no article in any format, such as a picture; None where it is to be read, or damaged.

        Standard input is always read: the user named it for its content. Requires a source of `sources`.
        """
        if self.member.fault is not None or is_pipe(self.member.file.path):
            return None
        assert isinstance(self.stream, GuardedStream)
        try:
            head = detection.head_of(self.stream)
            name = self.member.relative.name
            self.stream.format = detection.sniff(head, name, lines=self.lines, columns=self.columns)
        except UnclaimedError as error:
            return error.text
        except InputError:
            return None
        return None

    def raw_articles(self, report: Report, format: Reader | None = None) -> Iterator[RawArticle]:
        """The raw articles, one in memory at a time.

        `format`: the format of the source; None: it is recognised by content. Raises `InputError` where the source
        cannot be read (further), after the articles before that place.
        """
        if self.member.fault is not None:
            raise InputError(self.member.fault)
        number = 0
        is_from_pipe = is_pipe(self.member.file.path) and self.member.name is None
        name = detection.PIPE if is_from_pipe else self.member.relative.name
        try:
            pieces = detection.split(
                self.stream, self.header, report, format, name, lines=self.lines, columns=self.columns
            )
            infons = self.member.metadata.infons() if self.member.metadata else NO_INFONS
            for number, found, raw, is_only in _numbered(pieces):
                # The id of an article that has none: the name of its file, with its number if the file has several.
                # `parse` adds the line to the id of an article that is a line.
                id = self.member.fallback_id
                by_line = bool(found) and registry.named(found).by_line
                id = id if is_only or by_line else f"{id}-{number}"
                yield RawArticle(found, raw, id, infons if is_only else NO_INFONS)
        except InputError as error:
            if number:
                raise InputError(f"{error} (read before that place: {quantity(number, 'article')})") from error
            raise

    def articles(self, report: Report, format: Reader | None = None) -> Iterator[ReadArticle | Fault]:
        """The parsed articles, and a fault for each that cannot be parsed; the last item may be a fault of the file.

        Sentences for `report` get the place of the source in front. A document without id gets the name of the file,
        and its number if the file has several documents.
        """
        place = str(self.member)
        report = prefixed(report, place)
        try:
            for article in self.raw_articles(report, format):
                try:
                    document = parse(format or article.format, article.raw, article.fallback_id, report, article.infons)
                    set_source_file(document, self.member.file.path, self.member.name)
                    if self.check_offsets:
                        settle(document, once(report, MAX_NOTES), self.offsets)
                    yield ReadArticle(place, document, article.format)
                except ArticleError as error:
                    yield Fault(place, error)
                except ResourceError as error:
                    yield Fault(place, ArticleError(error.text))
                except Exception as error:
                    # A defect of ours must not end a command that has other articles.
                    yield Fault(place, ArticleError(f"{plugins.unexpected(error)} with the article"))
        except InputError as error:
            yield Fault(place, error)


def parse(
    format: str | Reader, raw: bytes, fallback_id: str, report: Report, infons: Mapping[str, str] = NO_INFONS
) -> BioCDocument:
    """One article as a document; `fallback_id` is the id of a document that has none. Raises `ArticleError`.

    `infons`: what metadata state about the article. They become infons of the document.
    """
    reader = registry.readable(format) if isinstance(format, str) else format
    # A hostile article can give a note for each of its elements.
    document = plugins.returned(reader.parse(raw, once(report, MAX_NOTES)), BioCDocument, reader.parse)
    if not str(document.id).strip():
        line = line_number(document)
        document.id = fallback_id if line is None else f"{fallback_id}-{line}"
    set_facts(document, infons)
    return document


def _numbered(pieces: Iterable[tuple[str, bytes]]) -> Iterator[tuple[int, str, bytes, bool]]:
    """The articles of a file with their numbers, from 1, and whether an article is the only one.

    The first one is returned when the second one, or the end or a fault of the file, was read.
    """
    remaining = iter(pieces)
    first = next(remaining, None)
    if first is None:
        return
    fault: InputError | None = None
    second: tuple[str, bytes] | None = None
    try:
        second = next(remaining, None)
    except InputError as error:
        fault = error
    yield 1, *first, second is None and fault is None
    if fault is not None:
        raise fault
    if second is not None:
        yield 2, *second, False
    for number, piece in enumerate(remaining, 3):
        yield number, *piece, False


def sources(files: Iterable[InputFile], selection: Selection = ALL) -> Iterator[OpenInput]:
    """Every selected file, or every selected member of an archive, opened one after another.

    Each is valid until the next one is requested. A file that cannot be opened is a source with a single fault.
    """
    for file in files:
        if selection.leaves_out(file):
            continue
        for member, stream in members(file, selection.all_versions):
            if selection.wants(member):
                columns = TextColumns(selection.text_column, selection.id_column)
                yield OpenInput(
                    member, GuardedStream(stream), lines=selection.lines, offsets=selection.offsets, columns=columns
                )


@dataclass(slots=True)
class Unclaimed:
    """Files and members in no known format, such as pictures: their number, and the first of them."""

    number: int = 0
    first: list[str] = field(default_factory=list)
    reason: str = ""

    LISTED: ClassVar[int] = 1000

    def add(self, place: str, reason: str) -> None:
        """Count a file."""
        self.reason = self.reason or reason
        self.number += 1
        if self.number <= self.LISTED:
            self.first.append(place)

    def sentence(self) -> str:
        """What was skipped, in one sentence."""
        files = quantity(self.number, "file was", "files were")
        return f"{files} skipped, because the content has no format that is read (the first: {self.first[0]})"


def claimed(sources: Iterable[OpenInput], report: Report) -> Iterator[OpenInput]:
    """The sources that have a format; the others are counted, and reported in one sentence after the last one.

    Where no source has a format, the first one is returned with a fault.
    """
    skipped, any_claimed, first = Unclaimed(), False, None
    for source in sources:
        if (reason := source.unclaimed()) is None:
            any_claimed = True
            yield source
        else:
            first = first or source.member
            skipped.add(str(source.member), reason)
    if first is not None and not any_claimed:
        yield OpenInput(replace(first, fault=skipped.reason), GuardedStream(io.BytesIO()))
    if skipped.number > (not any_claimed):
        report(skipped.sentence())


def articles(files: Iterable[InputFile], report: Report, selection: Selection = ALL) -> Iterator[ReadArticle | Fault]:
    """Every article of the files in order, one in memory at a time, and a fault for everything that cannot be read.

    Files in no known format are skipped, and reported in one sentence. A fault does not stop the iteration.
    `corpora.storage.inputs.expand` returns the files for the names that a user gives.
    """
    for source in claimed(sources(files, selection), report):
        yield from source.articles(report)


def read(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    header: Header | None = None,
    report: Report = log,
    *,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    lines: bool = False,
    offsets: str | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Iterator[BioCDocument]:
    """The documents of files, folders, globs, archives or `-`, one in memory at a time.

    A document without id gets the name of its file, and its number if the file has several. Files in no known format,
    such as pictures, are skipped and reported. `include`, `exclude`: a glob pattern of names, or several. `lines`: text
    files have one article a line. `text_column`, `id_column`: the columns of CSV and TSV, and the keys of JSON lines,
    with the text and the id of an article; None: the usual names. `offsets`: the unit that the offsets of annotations
    count, one of `corpora.words.quantities.UNITS`, where it is not code points; annotations whose text is not at
    their offsets are corrected, and those that are left are reported.
    `header` receives the collection header of the first file, and is complete when that file was read. Raises
    `ConfigurationError`, immediately, for a path that does not exist or if none is given, and `InputError` or
    `ArticleError`, with the file name, at the first fault. To continue after faults, use `articles()` or `nlmchem
    annotate`.
    """
    names = [source] if isinstance(source, (str, PathLike)) else list(source)
    if not names:
        raise ConfigurationError("no input is named; name a file or folder, or correct the pattern that found nothing")
    included, excluded = (((given,) if isinstance(given, str) else tuple(given)) for given in (include, exclude))
    selection = Selection(included, excluded, lines, offsets, text_column, id_column)
    return _read(sources(inputs.expand([str(name) for name in names]), selection), header, report)


def _read(sources: Iterable[OpenInput], header: Header | None, report: Report) -> Iterator[BioCDocument]:
    for source in claimed(sources, report):
        if header is not None:
            source, header = replace(source, header=header), None
        yield from documents(source.articles(report))


def documents(items: Iterable[ReadArticle | Fault]) -> Iterator[BioCDocument]:
    """The documents of articles. Raises the error of the first fault, with its place in front."""
    for item in items:
        if isinstance(item, Fault):
            raise type(item.error)(str(item)) from item.error
        yield item.document
