"""What a dictionary and its training need of each article, without its text: definitions, words, words of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model.document import Definition
from corpora.model.metadata import publication_year
from corpora.model.passages import passage_text
from nlmchem.abbreviations.dictionary import Splitter, samples_of
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.senses.resolver import words_of
from nlmchem.abbreviations.senses.words import counts_of

__all__ = ["Context", "Pair", "Record", "Records", "is_entry", "read_records"]

LONGEST_SHORT, LONGEST_LONG = 20, 100
"""Characters of the forms in a dictionary."""
MOST_WORDS = 10
"""Words of a long form in a dictionary: those of the window of the detector. Entries of lists can be longer."""
_PUNCTUATION = re.compile(r"[.!?;:]\s|[=<>~∼]|\s[-–—]\s|\(\w\)")
_GAP = re.compile(r"[\W_]+")

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition of an article, and how often its long form stands in the article."""

    short_form: str
    long_form: str
    times: int


@dataclass(frozen=True, slots=True)
class Context:
    """The other words of a sentence with a short form that the article defines elsewhere: their numbers and counts."""

    short_form: str
    long_form: str
    words: Numbers
    counts: Numbers


@dataclass(frozen=True, slots=True)
class Record:
    """One article: its distinct definitions, the numbers and counts of its folded words, and sentences."""

    document: str
    pairs: tuple[Pair, ...]
    words: Numbers
    counts: Numbers
    year: int | None = None
    contexts: tuple[Context, ...] = ()


@dataclass(slots=True)
class Records:
    """The records of many articles, and their common numbering of words."""

    numbers: dict[str, int] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)

    def add(self, document: BioCDocument, definitions: Iterable[Definition], sentences: Splitter | None = None) -> None:
        """Add an article. With a sentence splitter also the contexts of short forms in single sentences."""
        found = list(definitions)
        distinct = dict.fromkeys((_tidy(one.short_form), _tidy(one.long_form)) for one in found)
        entries = [(short, long) for short, long in distinct if is_entry(short, long)]
        text = _plain("\n".join(map(passage_text, document.passages))) if entries else ""
        pairs = tuple(Pair(short, long, _times(text, long)) for short, long in entries)
        contexts = () if sentences is None else tuple(self._contexts(document, found, entries, sentences))
        own = self._numbered(words_of(document))
        self.records.append(Record(str(document.id), pairs, *own, publication_year(document), contexts))

    def _contexts(
        self,
        document: BioCDocument,
        found: Sequence[Definition],
        entries: Sequence[tuple[str, str]],
        sentences: Splitter,
    ) -> Iterator[Context]:
        for sample in samples_of(document, found, entries, sentences):
            others = sample.tokens[: sample.position] + sample.tokens[sample.position + 1 :]
            yield Context(sample.short_form, sample.long_form, *self._numbered(counts_of([" ".join(others)])))

    def _numbered(self, counts: Mapping[str, int]) -> tuple[Numbers, Numbers]:
        """The numbers of words, sorted, and their counts."""
        found = sorted((self.numbers.setdefault(word, len(self.numbers)), number) for word, number in counts.items())
        both = np.array(found, dtype=np.int32).reshape(-1, 2)
        return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


def read_records(
    documents: Iterable[BioCDocument],
    detect: Callable[[BioCDocument], Iterable[Definition]],
    sentences: Splitter | None = None,
) -> Records:
    """The records of all articles, with the text of one article in memory at a time."""
    found = Records()
    for document in documents:
        found.add(document, detect(document), sentences)
    return found


def is_entry(short_form: str, long_form: str) -> bool:
    """Whether a definition can be an entry of a dictionary: an acronym and a name, not a sentence or a formula.

    >>> is_entry("ER", "endoplasmic reticulum"), is_entry("FM", "female. (B) The next panel"), is_entry("XY", "d = 2")
    (True, False, False)
    """
    return (
        len(short_form) <= LONGEST_SHORT
        and looks_like_acronym(short_form)
        and 0 < len(long_form) <= LONGEST_LONG
        and len(long_form.split()) <= MOST_WORDS
        and not _PUNCTUATION.search(long_form)
    )


def _times(text: str, long_form: str) -> int:
    return max(1, text.count(_plain(long_form).rstrip()))


def _plain(text: str) -> str:
    return f" {_GAP.sub(' ', text.lower())} "


def _tidy(form: str) -> str:
    return " ".join(form.split())
