"""What a dictionary and its training need of each article: its definitions and its words, without its text."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model.document import Definition
from corpora.model.metadata import publication_year, texts_of, word_counts
from corpora.model.passages import passage_text
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.companions.senses.names import NameFinder

LONGEST_SHORT, LONGEST_LONG = 20, 100
"""Characters of the forms in a dictionary."""
MOST_WORDS = 10
"""Words of a long form in a dictionary: those of the window of the detector. Entries of lists can be longer."""
_PUNCTUATION = re.compile(r"[.!?;:]\s|[=<>~∼]|\s[-–—]\s|\(\w\)")
_GAP = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class DefinitionPair:
    """A definition of an article, and how often its long form stands in the article."""

    short_form: str
    long_form: str
    times: int


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """One article: its distinct definitions, the numbers and counts of its folded words, and the names in it."""

    document: str
    pairs: tuple[DefinitionPair, ...]
    words: NDArray[np.int32]
    counts: NDArray[np.int32]
    year: int | None = None
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Records:
    """The records of many articles, their common numbering of words, and the names that were searched for."""

    numbers: dict[str, int] = field(default_factory=dict)
    records: list[ArticleRecord] = field(default_factory=list)
    finder: NameFinder = field(default_factory=lambda: NameFinder(()))

    def add(self, document: BioCDocument, definitions: Iterable[Definition]) -> None:
        """Add an article."""
        distinct = dict.fromkeys(
            (_tidy(definition.short_form), _tidy(definition.long_form)) for definition in definitions
        )
        text = _plain("\n".join(map(passage_text, document.passages))) if distinct else ""
        pairs = tuple(
            DefinitionPair(short, long, _times(text, long)) for short, long in distinct if is_entry(short, long)
        )
        items = word_counts(document).items()
        numbered = sorted((self.numbers.setdefault(word, len(self.numbers)), n) for word, n in items)
        numbers, counts = array("i", [word for word, _ in numbered]), array("i", [n for _, n in numbered])
        self.records.append(
            ArticleRecord(
                str(document.id),
                pairs,
                np.frombuffer(numbers, dtype=np.int32) if numbers else np.zeros(0, dtype=np.int32),
                np.frombuffer(counts, dtype=np.int32) if counts else np.zeros(0, dtype=np.int32),
                publication_year(document),
                tuple(sys.intern(name) for name in sorted(self.finder.find(texts_of(document)))),
            )
        )


def read_records(
    documents: Iterable[BioCDocument],
    detect: Callable[[BioCDocument], Iterable[Definition]],
    finder: NameFinder | None = None,
) -> Records:
    """The records of all articles, with the text of one article in memory at a time."""
    records = Records(finder=finder or NameFinder(()))
    for document in documents:
        records.add(document, detect(document))
    return records


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
