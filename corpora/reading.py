"""Reading from any sources: `articles()` yields articles and faults, `read()` yields documents.

Every command reads through this module: files, folders, globs, archives and standard input, in all formats.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import BinaryIO, ClassVar

from bioc import BioCDocument

from corpora.errors import ArticleError, ConfigurationError, InputError, UnclaimedError, unexpected
from corpora.formats import detection, registry
from corpora.formats.format import Reader
from corpora.formats.guarded_stream import GuardedStream
from corpora.formats.header import Header
from corpora.model.metadata import line_number
from corpora.reporting import Report, log, once, prefixed
from corpora.storage import inputs
from corpora.storage.inputs import InputFile, is_pipe
from corpora.storage.members import Member, members
from corpora.storage.selection import ALL, Selection

MAX_NOTES = 1000
"""Sentences about one article."""


@dataclass(frozen=True, slots=True)
class ReadArticle:
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
class OpenInput:
    """An open file or an open member of an archive.

    `header` is filled while the articles are read, and complete after the last one. A source can be read once.
    `lines`: a text file contains one article in each line.
    """

    member: Member
    stream: BinaryIO | GuardedStream
    header: Header = field(default_factory=Header)
    lines: bool = False

    def unclaimed(self) -> str | None:
        """Why the source is no article in any format, such as a picture; None where it is to be read, or damaged.

        Standard input is always read: the user named it for its content. Requires a source of `sources`.
        """
        if self.member.fault is not None or is_pipe(self.member.file.path):
            return None
        assert isinstance(self.stream, GuardedStream)
        try:
            detection.sniff(self.stream.head(), self.member.relative.name, lines=self.lines)
        except UnclaimedError as error:
            return str(error)
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
        try:
            for name, raw in detection.split(self.stream, self.header, report, format, self._name(), lines=self.lines):
                number += 1
                yield RawArticle(name, raw)
        except InputError as error:
            if number:
                raise InputError(f"{error} (the {number} articles before that place were read)") from error
            raise

    def _name(self) -> str:
        """The name of the file or the member; `PIPE` for what comes from a pipe itself."""
        return (
            detection.PIPE if is_pipe(self.member.file.path) and self.member.name is None else self.member.relative.name
        )

    def articles(self, report: Report, format: Reader | None = None) -> Iterator[ReadArticle | Fault]:
        """The parsed articles, and a fault for each that cannot be parsed; the last item may be a fault of the file.

        Sentences for `report` get the place of the source in front. A document without id gets the name of the file.
        """
        place = str(self.member)
        report = prefixed(report, place)
        try:
            for article in self.raw_articles(report, format):
                try:
                    yield ReadArticle(
                        place, parse(format or article.format, article.raw, self.member.fallback_id, report)
                    )
                except ArticleError as error:
                    yield Fault(place, error)
                except Exception as error:
                    # A defect of ours must not end a command that has other articles.
                    yield Fault(place, ArticleError(unexpected(error)))
        except InputError as error:
            yield Fault(place, error)


def parse(format: str | Reader, raw: bytes, fallback_id: str, report: Report) -> BioCDocument:
    """One article as a document; `fallback_id` is the id of a document that has none. Raises `ArticleError`."""
    reader = registry.readable(format) if isinstance(format, str) else format
    # A hostile article can give a note for each of its elements.
    document = reader.parse(raw, once(report, MAX_NOTES))
    if not document.id:
        line = line_number(document)
        document.id = fallback_id if line is None else f"{fallback_id}-{line}"
    return document


def sources(files: Iterable[InputFile], selection: Selection = ALL) -> Iterator[OpenInput]:
    """Every selected file, or every selected member of an archive, opened one after another.

    Each is valid until the next one is requested. A file that cannot be opened is a source with a single fault.
    """
    for file in files:
        if selection.leaves_out(file):
            continue
        for member, stream in members(file):
            if selection.wants(member):
                yield OpenInput(member, GuardedStream(stream), lines=selection.lines)


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
        files = "1 file was" if self.number == 1 else f"{self.number} files were"
        return f"{files} skipped, because the content has no format that is read (the first: {self.first[0]})"


def claimed(found: Iterable[OpenInput], report: Report) -> Iterator[OpenInput]:
    """The sources that have a format; the others are counted, and reported in one sentence after the last one.

    Where no source has a format, the first one is returned with a fault.
    """
    skipped, any_claimed, first = Unclaimed(), False, None
    for source in found:
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
) -> Iterator[BioCDocument]:
    """The documents of files, folders, globs, archives or `-`, one in memory at a time.

    A document without id gets the name of its file. Files in no known format, such as pictures, are skipped and
    reported. `include`, `exclude`: a glob pattern of names, or several. `lines`: text files have one article a line.
    `header` receives the collection header of the first file, and is complete when that file was read. Raises
    `ConfigurationError`, immediately, for a path that does not exist or if none is given, and `InputError` or
    `ArticleError`, with the file name, at the first fault. To continue after faults, use `articles()` or `nlmchem
    annotate`.
    """
    names = [source] if isinstance(source, (str, PathLike)) else list(source)
    if not names:
        raise ConfigurationError("no input is named; name a file or folder, or correct the pattern that found nothing")
    selection = Selection(_patterns(include), _patterns(exclude), lines)
    return _read(sources(inputs.expand([str(name) for name in names]), selection), header, report)


def _patterns(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _read(found: Iterable[OpenInput], header: Header | None, report: Report) -> Iterator[BioCDocument]:
    for source in claimed(found, report):
        if header is not None:
            source, header = replace(source, header=header), None
        yield from documents(source.articles(report))


def documents(found: Iterable[ReadArticle | Fault]) -> Iterator[BioCDocument]:
    """The documents of articles. Raises the error of the first fault, with its place in front."""
    for item in found:
        if isinstance(item, Fault):
            raise type(item.error)(str(item)) from item.error
        yield item.document
