"""The corpora on disk: from a name and a folder to documents or samples. Readers are imported at first use.

The files of a corpus are in a folder or in archives. They are found by the path patterns of its card.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from bioc import BioCDocument

from corpora.datasets.cards import ARTICLES, Card, Form, card
from corpora.errors import (
    DAMAGE,
    Argument,
    ConfigurationError,
    InputError,
    OptionError,
    ResourceError,
    command,
    damage,
)
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.storage.inputs import expand
from corpora.storage.members import Member, members
from corpora.storage.packed_streams import READ_FAULTS

T = TypeVar("T")

Files = Mapping[str, Sequence[Member]]
"""The files of a reader, by their role."""

Reader = Callable[[Files, Report], Iterator[Any]]
"""Yields the items of one split, one in memory at a time. Raises `InputError` or `ArticleError`."""

READERS = {
    "articles": "corpora.datasets.articles:read",
    "plain-text": "corpora.datasets.articles:read_plain_text",
    "medline": "corpora.datasets.articles:read_medline",
    "conll": "corpora.datasets.articles:read_conll",
    "entity-tables": "corpora.datasets.tables:read_entities",
    "chemdner": "corpora.datasets.tables:read_chemdner",
    "craft": "corpora.datasets.tables:read_craft",
    "indexing": "corpora.datasets.index_terms:read_indexed",
    "sciai": "corpora.datasets.acronyms:read_sciai",
    "sciad": "corpora.datasets.acronyms:read_sciad",
    "gladis": "corpora.datasets.acronyms:read_gladis",
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus on disk, in the form that was found there."""

    card: Card
    folder: Path
    form: Form
    entries: tuple[Member, ...]

    @property
    def splits(self) -> tuple[str, ...]:
        """The complete splits of this form, in the order of the card."""
        return tuple(split for split in self.form.splits if not self._lacking(split))

    def read(self, split: str | None = None, report: Report = log) -> Iterator[Any]:
        """The items of a split (None: of all splits of the form, one after another).

        Raises `ResourceError` for a missing file, before anything is read, and `InputError` or `ArticleError` for a
        file that cannot be read. Raises `ConfigurationError` for an unknown split.
        """
        wanted = [split] if split is not None else list(self.form.splits)
        for name in wanted:
            self._require(name)
        return self._items(wanted, report)

    def _items(self, wanted: Sequence[str], report: Report) -> Iterator[Any]:
        reader = reader_of(self.card)
        for name in wanted:
            files = {role: matching(self.entries, patterns) for role, patterns in self.form.splits[name].items()}
            yield from reader(files, report)

    def _require(self, split: str) -> None:
        if split not in self.form.splits:
            known = ", ".join(self.form.splits)
            raise ConfigurationError(
                f"{self.card.name} ({self.form.name}) has no split {split!r}; choose one of {known}"
            )
        lacking = self._lacking(split)
        if lacking:
            complete = ", ".join(self.splits) or "none"
            raise ResourceError(
                f"{self.folder} lacks {lacking[0]}, which the split {split!r} of {self.card.name} needs "
                f"(complete splits there: {complete}); get it from {self.card.source}, or choose a complete split"
            )

    def _lacking(self, split: str) -> list[str]:
        roles = self.form.splits[split].values()
        return [" or ".join(patterns) for patterns in roles if not matching(self.entries, patterns)]


def open_corpus(name: str, folder: str | PathLike[str]) -> Corpus:
    """Find a corpus in a folder or archive. Of its forms, the most complete one is used.

    Raises `ConfigurationError` for an unknown name or folder, and `ResourceError` if the folder has no file of the
    corpus.
    """
    known = card(name)
    entries = tuple(listing(folder))

    def number_found(form: Form) -> int:
        return sum(bool(matching(entries, wanted)) for roles in form.splits.values() for wanted in roles.values())

    # Of forms that are equally complete, the first one on the card.
    form = max(known.forms, key=number_found)
    if not number_found(form):
        expected = next(iter(next(iter(known.forms[0].splits.values())).values()))[0]
        raise ResourceError(
            f"{folder} contains no file of {name} (such as {expected}); get the corpus from {known.source}, "
            "or give the folder that contains it"
        )
    return Corpus(known, Path(folder), form, entries)


def reader_of(card: Card) -> Reader:
    """The reader of a corpus. It is imported."""
    module, _, function = READERS.get(card.reader, card.reader).partition(":")
    reader: Reader = getattr(importlib.import_module(module), function)
    return reader


def documents(
    inputs: Sequence[str], corpus: str | None = None, split: str | None = None, report: Report = log
) -> Iterator[BioCDocument]:
    """The articles of all inputs. With `corpus`, each input is a folder of that corpus, and `split` is read.

    Raises `ConfigurationError` for a corpus without articles, and the errors of reading.
    """
    if corpus is None:
        if split is not None:
            raise OptionError(
                "split", "needs a corpus; add ", Argument("corpus", "NAME"), ", or leave ", Argument("split"), " out"
            )
        return read(list(inputs), report=report)
    opened = [open_corpus(corpus, folder) for folder in inputs]
    for source in opened:
        if source.card.kind != ARTICLES:
            raise ConfigurationError(
                f"{corpus} contains {source.card.kind}, not articles; see {command('corpora list')}"
            )
    return (document for source in opened for document in source.read(split, report))


# -- files --------------------------------------------------------------------------------------


def listing(folder: str | PathLike[str]) -> list[Member]:
    """Every file in a folder or archive, and every member of the archives in it.

    Raises `InputError` for a broken archive.
    """
    entries: list[Member] = []
    for file in expand([str(folder)]):
        for member, _ in members(file):
            if member.fault is not None and member.name is None:
                raise InputError(f"{member}: {member.fault}")
            entries.append(member)
    return entries


def matching(files: Sequence[Member], patterns: Sequence[str]) -> list[Member]:
    """The files with a path that ends as one of the patterns, in the order of the listing."""
    return [file for file in files if any(file.relative.match(pattern) for pattern in patterns)]


def streams(files: Sequence[Member]) -> Iterator[tuple[Member, BinaryIO]]:
    """The files, opened one after another; an archive is read once, in its own order.

    A stream is valid until the next one is requested. Raises `InputError` with the place.
    """
    for file, group in groupby(files, key=lambda member: member.file):
        wanted = {member.name for member in group}
        for member, stream in members(file):
            if member.fault is not None and (member.name in wanted or member.name is None):
                raise InputError(f"{member}: {member.fault}")
            if member.name in wanted:
                yield member, stream


def read_text(stream: BinaryIO, where: object, most: int | None = None) -> str:
    """A whole stream as UTF-8 without a byte order mark; line ends are kept. Raises `InputError` with the place.

    `most`: bytes of a stream; a larger one is refused.
    """
    try:
        raw = stream.read(-1 if most is None else most + 1)
        if most is not None and len(raw) > most:
            raise InputError(f"{where}: it has more than {most >> 20} MB; divide it into several files")
        return raw.decode("utf-8-sig")
    except READ_FAULTS as error:
        raise InputError(f"{where}: it cannot be read any further ({error}); get the file again") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error


def json_lines(
    lines: Iterable[str | bytes], where: object, parse: Callable[[Any], T], what: str, remedy: str
) -> Iterator[T]:
    """What `parse` makes of the JSON value in each line that is not empty. Raises `InputError` for other lines.

    `what`: what a line should be, for the message, with the `remedy`.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse(json.loads(line))
        except DAMAGE as error:
            raise InputError(f"{where}, line {number}: not {what} ({damage(error)}); {remedy}") from error
        yield value
