"""The candidates for indexing: the concepts that an article mentions, counted by section, with their positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bioc import BioCDocument, BioCPassage

from corpora.model import chemical, sections
from corpora.model.document import Span, defined_forms, mentions
from corpora.model.metadata import keyword_list, keywords
from corpora.model.passages import passage_kind, passage_text
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.spotting import spotted

PLACES = (
    "title", "abstract", "keywords", "introduction", "methods", "results", "discussion", "conclusion", "figure",
    "table", "reference", "supplement", "other",
)  # fmt: skip
"""The kinds of section that are distinguished, in the order of `TermCandidate.counts`."""

_PLACE_OF = {
    sections.TITLE: "title", sections.ABSTRACT: "abstract", sections.KEYWORD: "keywords",
    sections.INTRO: "introduction", sections.CASE: "results", sections.METHODS: "methods",
    sections.RESULTS: "results", sections.DISCUSS: "discussion", sections.CONCL: "conclusion",
    sections.FIG: "figure", sections.TABLE: "table", sections.REF: "reference", sections.SUPPL: "supplement",
    sections.APPENDIX: "supplement",
}  # fmt: skip
_NUMBER = {place: number for number, place in enumerate(PLACES)}
REFERENCE = _NUMBER["reference"]
_FRONT = (_NUMBER["title"], _NUMBER["abstract"])

_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """`passage`: its number in the document. `place`: a number of `PLACES`. `start`, `end`: in the passage's text."""

    passage: int
    place: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TermCandidate:
    """A concept that the article mentions.

    `marked`: its mentions by place (`PLACES`). `counts`: the same with its names in title and abstract that are not
    marked as mentions. `passages`: the number of passages with a mention. `first` and `last`: the positions of the
    first and the last mention, as shares (0..1) of the characters of the article. `surfaces`: its texts, the most
    frequent first, then in alphabetical order. `defined`: whether the article defines one of them as an abbreviation.
    `keyword`: whether one of them is a keyword of the article. `occurrences`: where its mentions and names are.
    """

    identifier: str
    counts: tuple[int, ...]
    marked: tuple[int, ...]
    passages: int
    first: float
    last: float
    surfaces: tuple[str, ...]
    defined: bool
    keyword: bool
    occurrences: tuple[Occurrence, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def body(self) -> int:
        """Mentions outside the references; some users do not annotate references."""
        return sum(self.counts) - self.counts[REFERENCE]


@dataclass(frozen=True, slots=True)
class ArticleCandidates:
    """All candidates of an article, sorted by identifier, and the totals of the article.

    `counts`, `marked`: the sums of those of all candidates. `words`: the number of words outside the references.
    `texts`: the texts of the passages; `places`: their kinds of section, as numbers of `PLACES`;
    `headings`: the numbers of those that are headings. `keywords`: the keywords of the authors.
    """

    document: str
    candidates: tuple[TermCandidate, ...]
    counts: tuple[int, ...]
    marked: tuple[int, ...]
    words: int
    texts: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    headings: frozenset[int] = frozenset()
    keywords: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def body(self) -> int:
        return sum(self.counts) - self.counts[REFERENCE]


@dataclass(slots=True)
class _ConceptCounts:
    counts: list[int] = field(default_factory=lambda: [0] * len(PLACES))
    marked: list[int] = field(default_factory=lambda: [0] * len(PLACES))
    passages: set[int] = field(default_factory=set)
    positions: list[int] = field(default_factory=list)
    surfaces: Counter[str] = field(default_factory=Counter)
    occurrences: list[Occurrence] = field(default_factory=list)


def is_chemical(identifier: str, concepts: Concepts) -> bool:
    """Whether a concept is of NLM-Chem's kinds, as far as is known: one without tree numbers is."""
    trees = concepts.trees(identifier)
    return not trees or chemical.is_chemical(trees)


def candidates_of(document: BioCDocument, concepts: Concepts = NO_CONCEPTS) -> ArticleCandidates:
    """Count the concepts of an article. Concepts that the lexicon has in other branches than chemicals are left out.

    A mention of several concepts counts for each of them. In title and abstract, names of the lexicon outside all
    mentions count like mentions (`indexing.terms.spotting`). Sections are those of the file; if it has none, they are
    derived from headings and positions (`corpora.model.sections.sections_of`). Positions are counted in the texts of
    the passages, so that wrong offsets in the file do not matter.
    """
    texts = [passage_text(passage) for passage in document.passages]
    begins = list(accumulate((len(text) + 1 for text in texts), initial=0))
    places = [_NUMBER[_PLACE_OF.get(section, "other")] for section in sections.sections_of(document)]
    numbers = {id(passage): number for number, passage in enumerate(document.passages)}
    tallies: dict[str, _ConceptCounts] = {}
    taken: dict[int, list[Span]] = {}

    def count(number: int, span: Span, text: str, identifiers: Iterable[str], marked: bool) -> None:
        start = span[0]
        for identifier in dict.fromkeys(identifiers):
            tally = tallies.setdefault(identifier, _ConceptCounts())
            tally.counts[places[number]] += 1
            tally.marked[places[number]] += marked
            tally.passages.add(number)
            tally.positions.append(begins[number] + min(start, len(texts[number])))
            tally.surfaces[text] += 1
            tally.occurrences.append(Occurrence(number, places[number], *span))

    for mention in mentions(document):
        number, offset = numbers[id(mention.passage)], int(mention.passage.offset)
        spans = [(start - offset, end - offset) for start, end in mention.spans]
        taken.setdefault(number, []).extend(spans)
        span = (max(0, min(start for start, _ in spans)), max(end for _, end in spans))
        count(number, span, mention.text, mention.identifiers, True)
    for number, place in enumerate(places):
        if place in _FRONT:
            for start, end, identifiers in spotted(texts[number], concepts, taken.get(number, ())):
                count(number, (start, end), texts[number][start:end], identifiers, False)
    shorts = {short for short, _ in defined_forms(document)}
    listed = _spaced(keywords(document))
    candidates = [
        _candidate(identifier, tallies[identifier], begins[-1], shorts, listed)
        for identifier in sorted(tallies)
        if is_chemical(identifier, concepts)
    ]
    words = sum(len(_WORDS.findall(text)) for text, place in zip(texts, places, strict=True) if place != REFERENCE)
    counts = _sums([candidate.counts for candidate in candidates])
    marked = _sums([candidate.marked for candidate in candidates])
    headings = frozenset(
        number for number, passage in enumerate(document.passages) if _is_heading(passage, places[number])
    )
    return ArticleCandidates(
        str(document.id), tuple(candidates), counts, marked, words, tuple(texts), tuple(places), headings,
        keyword_list(document),
    )  # fmt: skip


def _is_heading(passage: BioCPassage, place: int) -> bool:
    return passage_kind(passage).startswith("title") and place not in _FRONT


def _sums(rows: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sum(row[place] for row in rows) for place in range(len(PLACES)))


def _candidate(identifier: str, tally: _ConceptCounts, length: int, shorts: set[str], listed: str) -> TermCandidate:
    surfaces = tuple(sorted(tally.surfaces, key=lambda name: (-tally.surfaces[name], name)))
    return TermCandidate(
        identifier,
        tuple(tally.counts),
        tuple(tally.marked),
        len(tally.passages),
        min(tally.positions) / max(1, length),
        max(tally.positions) / max(1, length),
        surfaces,
        not shorts.isdisjoint(surfaces),
        bool(tally.counts[_NUMBER["keywords"]]) or _among(surfaces, listed),
        tuple(tally.occurrences),
    )


def _among(surfaces: Iterable[str], listed: str) -> bool:
    return bool(listed.strip()) and any(len(name) > 2 and _spaced(name) in listed for name in surfaces)


def _spaced(text: str) -> str:
    """Lower-case words between spaces, so that a substring search finds whole words only."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "
