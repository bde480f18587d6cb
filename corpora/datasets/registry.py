"""The corpora on disk: from a name and a folder to documents or samples. Readers are imported at first use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.datasets.cards import ARTICLES, Card, Form, card
from corpora.datasets.corpus_files import listing, matching
from corpora.errors import Argument, ConfigurationError, OptionError, ResourceError, command
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.storage.members import Member

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
    "craft": "corpora.datasets.craft:read",
    "indexing": "corpora.datasets.gold_terms:read_indexed",
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
            there = ", ".join(self.splits) or "none"
            raise ResourceError(
                f"{self.folder} lacks {lacking[0]}, which the split {split!r} of {self.card.name} needs "
                f"(complete splits there: {there}); get it from {self.card.source}, or choose a complete split"
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
    ranked = [(_whole(form, entries), -rank, form) for rank, form in enumerate(known.forms)]
    most, _, form = max(ranked, key=lambda entry: entry[:2])
    if not most:
        expected = next(iter(next(iter(known.forms[0].splits.values())).values()))[0]
        raise ResourceError(
            f"{folder} contains no file of {name} (such as {expected}); get the corpus from {known.source}, "
            "or give the folder that contains it"
        )
    return Corpus(known, Path(folder), form, entries)


def _whole(form: Form, entries: Sequence[Member]) -> int:
    patterns = [wanted for roles in form.splits.values() for wanted in roles.values()]
    return sum(1 for wanted in patterns if matching(entries, wanted))


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
