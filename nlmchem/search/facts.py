"""What the index of a run stores of one article: its mentions by concept, their sentences, its index terms.

A run can compute the facts while it has the article in memory (`packed`), so that nothing is read again for the index.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from bioc import BioCDocument, BioCPassage

from corpora.errors import DAMAGE, shortened
from corpora.formats.columns import is_abbreviation
from corpora.model.document import Mention, index_terms, mentions, split_names
from corpora.model.metadata import pmcid, pmid, publication_year
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.tokenization.tokens import sentences

VERSION = 1
"""Changes when the facts of the same article change."""
LONGEST_TITLE = 200
LONGEST_SENTENCE = 400
"""Characters of a sentence; a longer one is cut around each mention."""
MOST_IN_SENTENCE = 40
"""Concepts of one sentence that are counted as standing together. A table row can have hundreds."""


class Use(NamedTuple):
    """One mention of a concept: the numbers of its section and sentence, and both probabilities where it has them."""

    section: int
    sentence: int
    probability: float | None
    identifier_probability: float | None


@dataclass(slots=True)
class ArticleFacts:
    document: str
    pmid: str | None
    pmcid: str | None
    title: str
    year: int | None
    terms: list[tuple[str, float | None]]
    """Identifiers and scores."""
    mentions: int = 0
    unlinked: int = 0
    sections: Counter[str] = field(default_factory=Counter)
    """The number of mentions with a concept by section; the place of a section here is its number."""
    names: dict[str, str] = field(default_factory=dict)
    uses: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The number of mentions of each concept, and the mentions as `uses_of` reads them."""
    together: list[tuple[str, str, int]] = field(default_factory=list)
    """Two concepts in the order of their identifiers, and the number of sentences with both."""
    texts: bytes = b""
    """The sentences with mentions, as `sentence_of` reads them."""

    def packed(self) -> bytes:
        """The facts as bytes."""
        content = _packed([getattr(self, name) for name in _FIELDS])
        return len(content).to_bytes(_LENGTH) + content + self.texts


_FIELDS = tuple(name for name in ArticleFacts.__dataclass_fields__ if name != "texts")
_LENGTH = 4


def unpacked(content: bytes) -> ArticleFacts:
    """The facts that `ArticleFacts.packed` has returned."""
    end = _LENGTH + int.from_bytes(content[:_LENGTH])
    values = json.loads(zlib.decompress(content[_LENGTH:end]))
    return ArticleFacts(**dict(zip(_FIELDS, values, strict=True)), texts=content[end:])


def sentence_of(texts: bytes, number: int) -> str:
    """One of the sentences of an article. Raises `sqlite3.DatabaseError` if they are damaged."""
    try:
        return str(json.loads(zlib.decompress(texts))[number])
    except (zlib.error, *DAMAGE) as error:
        raise sqlite3.DatabaseError("the sentences of an article are damaged") from error


def uses_of(text: str) -> list[Use]:
    """The mentions of a concept in an article. Raises `sqlite3.DatabaseError` if they are damaged."""
    try:
        return list(map(Use._make, json.loads(text)))
    except DAMAGE as error:
        raise sqlite3.DatabaseError("the mentions of a concept are damaged") from error


def _packed(values: list[Any]) -> bytes:
    return zlib.compress(json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace"), 1)


def facts_of(document: BioCDocument) -> ArticleFacts:
    terms = list(index_terms(document))
    facts = ArticleFacts(
        str(document.id), pmid(document), pmcid(document), title_of(document), publication_year(document),
        [(term.identifier, term.score) for term in terms],
    )  # fmt: skip
    by_passage: dict[int, list[Mention]] = {}
    for mention in mentions(document, None):
        if not is_abbreviation(mention.annotation):
            by_passage.setdefault(id(mention.passage), []).append(mention)
    uses, stored, together = dict[str, list[Use]](), list[str](), Counter[tuple[str, str]]()
    for passage in document.passages:
        if of_passage := by_passage.get(id(passage)):
            together.update(_add_passage(facts, passage, of_passage, uses, stored))
    facts.together = [(*pair, number) for pair, number in together.items()]
    facts.uses = {id: (len(listed), json.dumps(listed, ensure_ascii=False)) for id, listed in uses.items()}
    facts.texts = _packed(stored)
    for term in terms:
        if term.entry_term:
            facts.names.setdefault(term.identifier, str(term.entry_term))
    return facts


def title_of(document: BioCDocument) -> str:
    """The beginning of the first passage with text, on one line: the title, where an article has one."""
    texts = (" ".join(passage_text(passage)[: 2 * LONGEST_TITLE].split()) for passage in document.passages)
    return shortened(next(filter(None, texts), ""), LONGEST_TITLE)


def _add_passage(
    facts: ArticleFacts, passage: BioCPassage, of_passage: list[Mention], uses: dict[str, list[Use]], stored: list[str]
) -> Iterator[tuple[str, str]]:
    """Add the mentions of a passage to the facts and `uses`, and their sentences to `stored`.

    Yields the pairs of concepts of each sentence.
    """
    linked = [(mention, identifiers) for mention in of_passage if (identifiers := mention.identifiers)]
    facts.mentions += len(of_passage)
    facts.unlinked += len(of_passage) - len(linked)
    if not linked:
        return
    section = section_type(passage) or ""
    facts.sections[section] += len(linked)
    section_number = list(facts.sections).index(section)
    places = _Sentences(passage_text(passage), stored)
    by_sentence: dict[int, set[str]] = {}
    for mention, identifiers in linked:
        start, end = mention.spans[0]
        number, place = places.at(start - passage.offset, end - passage.offset)
        by_sentence.setdefault(number, set()).update(identifiers)
        if not all(identifier in facts.names for identifier in identifiers):
            names = split_names(mention.concept_name)
            if len(names) == len(identifiers):
                for identifier, name in zip(identifiers, names, strict=True):
                    if name:
                        facts.names.setdefault(identifier, name)
        evidence = mention.evidence
        use = Use(section_number, place, evidence.probability, evidence.identifier_probability)
        for identifier in dict.fromkeys(identifiers):
            uses.setdefault(identifier, []).append(use)
    for together in by_sentence.values():
        yield from combinations(sorted(together)[:MOST_IN_SENTENCE], 2)


class _Sentences:
    """The sentences of a passage. Those with mentions are added to `stored`, once each."""

    def __init__(self, text: str, stored: list[str]) -> None:
        self._text = text
        self._bounds = sentences(text)
        self._starts = [start for start, _ in self._bounds]
        self._stored = stored
        self._numbers: dict[int, int] = {}

    def at(self, start: int, end: int) -> tuple[int, int]:
        """The sentence of a mention: its number in the passage, and its number in `stored`."""
        number = bisect_right(self._starts, start) - 1
        if number in self._numbers:
            return number, self._numbers[number]
        first, last = self._bounds[number] if 0 <= number < len(self._bounds) else (0, len(self._text))
        before = after = ""
        if last - first <= LONGEST_SENTENCE:
            self._numbers[number] = len(self._stored)
        else:
            # What is around the mention.
            room = max(0, LONGEST_SENTENCE - (end - start)) // 2
            if start - room > first:
                first, before = start - room, "… "
            if end + room < last:
                last, after = end + room, " …"
        self._stored.append(before + " ".join(self._text[first:last].split()) + after)
        return number, len(self._stored) - 1
