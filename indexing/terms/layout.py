"""Where a candidate stands within title, abstract, headings and the paragraphs that begin or end a section.

Section counts do not tell the sentence that states the aim from one that names a buffer. These values do, as far as a
position can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

from indexing.terms.candidates import PLACES, ArticleCandidates, Occurrence, TermCandidate

_NUMBER = {place: number for number, place in enumerate(PLACES)}
_TITLE, _ABSTRACT = _NUMBER["title"], _NUMBER["abstract"]
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(])")
_SHORTEST_SENTENCE = 15
"""Characters. Shorter pieces are labels of a structured abstract, or the rest of an abbreviation."""
_SHORTEST_PARAGRAPH = 80
"""Characters."""
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Layout:
    """The layout of an article; every value of it is computed once for the article."""

    article: ArticleCandidates

    @cached_property
    def sentences(self) -> list[tuple[int, int, int]]:
        """Passage, start and end of the sentences of the abstract."""
        spans = []
        for number, place in enumerate(self.article.places):
            if place == _ABSTRACT:
                text = self.article.texts[number]
                starts = [0, *(match.end() for match in _SENTENCE.finditer(text))]
                ends = [*(match.start() for match in _SENTENCE.finditer(text)), len(text)]
                pairs = zip(starts, ends, strict=True)
                spans += [(number, start, end) for start, end in pairs if end - start > _SHORTEST_SENTENCE]
        return spans

    @cached_property
    def before(self) -> Mapping[int, int]:
        """The characters of the abstract before each of its passages."""
        totals: dict[int, int] = {}
        total = 0
        for number, place in enumerate(self.article.places):
            if place == _ABSTRACT:
                totals[number] = total
                total += len(self.article.texts[number])
        return totals

    @cached_property
    def length(self) -> int:
        """The characters of the abstract."""
        return sum(len(self.article.texts[number]) for number in self.before)

    @cached_property
    def paragraphs(self) -> Mapping[int, list[int]]:
        """The passages of each place that are paragraphs, not headings."""
        passages: dict[int, list[int]] = {}
        for number, place in enumerate(self.article.places):
            if number not in self.article.headings and len(self.article.texts[number]) > _SHORTEST_PARAGRAPH:
                passages.setdefault(place, []).append(number)
        return passages

    @cached_property
    def company(self) -> Mapping[int, int]:
        """The number of candidates in each passage."""
        identifiers: dict[int, set[str]] = {}
        for candidate in self.article.candidates:
            for occurrence in candidate.occurrences:
                identifiers.setdefault(occurrence.passage, set()).add(candidate.identifier)
        return {passage: len(names) for passage, names in identifiers.items()}

    @cached_property
    def named(self) -> Mapping[int, int]:
        """The number of candidates in each place."""
        rows = [candidate.counts for candidate in self.article.candidates]
        return {place: sum(row[place] > 0 for row in rows) for place in range(len(PLACES))}

    @cached_property
    def keywords(self) -> list[str]:
        return [_spaced(keyword) for keyword in self.article.keywords]

    def sentences_of(self, candidate: TermCandidate) -> set[int]:
        """The numbers of the sentences of the abstract with the candidate."""
        there = [occurrence for occurrence in candidate.occurrences if occurrence.place == _ABSTRACT]
        return {
            number
            for number, sentence in enumerate(self.sentences)
            if any(_inside(occurrence, sentence) for occurrence in there)
        }

    def keywords_of(self, candidate: TermCandidate) -> list[int]:
        """The numbers of the keywords that contain one of its texts."""
        names = [_spaced(name) for name in candidate.surfaces if len(name) > 2]
        return [number for number, keyword in enumerate(self.keywords) if any(name in keyword for name in names)]


Value = Callable[[TermCandidate, Layout], float]


def _inside(occurrence: Occurrence, sentence: tuple[int, int, int]) -> bool:
    passage, start, end = sentence
    return occurrence.passage == passage and start <= occurrence.start < end


def _spaced(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _in_paragraph(place: str, which: int) -> Value:
    """Whether the first (0) or last (-1) paragraph of a section has the candidate."""
    number = _NUMBER[place]

    def value(candidate: TermCandidate, layout: Layout) -> float:
        paragraphs = layout.paragraphs.get(number, [])[which:][:1]
        return float(any(occurrence.passage in paragraphs for occurrence in candidate.occurrences))

    return value


def _position(place: int, candidate: TermCandidate, layout: Layout) -> float:
    """The first position in title or abstract as a share of its length; 1 if it is not there."""
    if place == _TITLE:
        starts = [
            occurrence.start / max(1, len(layout.article.texts[occurrence.passage]))
            for occurrence in _at(candidate, place)
        ]
    else:
        starts = [
            (layout.before[occurrence.passage] + occurrence.start) / max(1, layout.length)
            for occurrence in _at(candidate, place)
        ]
    return min(starts, default=1.0)


def _at(candidate: TermCandidate, place: int) -> Sequence[Occurrence]:
    return [occurrence for occurrence in candidate.occurrences if occurrence.place == place]


def _company(candidate: TermCandidate, layout: Layout) -> float:
    """The logarithm of the mean number of other candidates in the passages of its mentions."""
    others = [layout.company[occurrence.passage] - 1 for occurrence in candidate.occurrences]
    return log1p(sum(others) / len(others)) if others else 0.0


def _exact(candidate: TermCandidate, layout: Layout) -> float:
    names = {_spaced(name) for name in candidate.surfaces}
    return float(any(keyword in names or f"{keyword[:-1]}s " in names for keyword in layout.keywords))


LAYOUT: Mapping[str, Value] = {
    "abstract:first-sentence": lambda c, layout: float(0 in layout.sentences_of(c)),
    "abstract:last-sentence": lambda c, layout: float(len(layout.sentences) - 1 in layout.sentences_of(c)),
    "abstract:sentences": lambda c, layout: len(layout.sentences_of(c)) / max(1, len(layout.sentences)),
    "abstract:position": lambda c, layout: _position(_ABSTRACT, c, layout),
    "title:position": lambda c, layout: _position(_TITLE, c, layout),
    "heading": lambda c, layout: log1p(sum(place.passage in layout.article.headings for place in c.occurrences)),
    "introduction:last": _in_paragraph("introduction", -1),
    "conclusion:last": _in_paragraph("conclusion", -1),
    "discussion:first": _in_paragraph("discussion", 0),
    "discussion:last": _in_paragraph("discussion", -1),
    "keyword:number": lambda c, layout: log1p(len(layout.keywords_of(c))),
    "keyword:exact": _exact,
    "company": _company,
    "title:others": lambda c, layout: log1p(layout.named[_TITLE] - (c.counts[_TITLE] > 0)),
    "title:alone": lambda c, layout: float(c.counts[_TITLE] > 0 and layout.named[_TITLE] == 1),
    "outside-front": lambda c, layout: float(c.counts[_TITLE] + c.counts[_ABSTRACT] == 0),
    "methods:part": lambda c, layout: c.counts[_NUMBER["methods"]] / max(1, c.body),
}
"""Features of a candidate in the layout of its article, by name."""
