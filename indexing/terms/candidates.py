"""The candidates for indexing: the concepts that an article mentions, counted by section, with their positions.

In title and abstract, names of the lexicon outside all mentions count like mentions: a precise tagger leaves out names
that an indexer can still choose (docs/measurements/indexing.md has the figures).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bioc import BioCDocument

from corpora.model import chemical, sections
from corpora.model.chemical import names_protein
from corpora.model.document import Span, defined_forms, mentions
from corpora.model.metadata import keywords
from corpora.model.passages import passage_text
from indexing.terms.indexer import NO_CONCEPTS, Concepts

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
NUMBER = {place: number for number, place in enumerate(PLACES)}
REFERENCE = NUMBER["reference"]
_FRONT = (NUMBER["title"], NUMBER["abstract"])

LONGEST = 4
"""Words of a name in title and abstract that is no mention."""
SHORTEST = 4
"""Characters of such a name. Shorter names have too many meanings."""
_TOKEN = re.compile(r"\S+")
_BEFORE = "\"'([{“‘*"
_BEHIND = "\"')]},.;:!?”’*"
_NO_EDGE = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "between", "both", "but", "by", "can", "during", "for", "from",
    "had", "has", "have", "in", "into", "is", "it", "its", "may", "more", "most", "no", "not", "of", "on", "or", "our",
    "such", "than", "that", "the", "their", "these", "they", "this", "those", "through", "to", "under", "was", "we",
    "were", "which", "while", "with",
))  # fmt: skip
"""A name neither begins nor ends with one of these words."""
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
    """A concept that the article mentions."""

    identifier: str
    counts: tuple[int, ...]
    """Its mentions by place (`PLACES`), with its names in title and abstract that are not marked as mentions."""
    marked: tuple[int, ...]
    """Its mentions by place."""
    passages: int
    """The number of passages with a mention."""
    first: float
    last: float
    """The positions of the first and the last mention, as shares (0..1) of the characters of the article."""
    surfaces: tuple[str, ...]
    """Its texts, the most frequent first, then in alphabetical order."""
    defined: bool
    """Whether the article defines one of them as an abbreviation."""
    keyword: bool
    """Whether one of them is a keyword of the article."""

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def body(self) -> int:
        """Mentions outside the references; some users do not annotate references."""
        return sum(self.counts) - self.counts[REFERENCE]


@dataclass(frozen=True, slots=True)
class ArticleCandidates:
    """All candidates of an article, sorted by identifier, and the totals of the article."""

    document: str
    candidates: tuple[TermCandidate, ...]
    counts: tuple[int, ...]
    marked: tuple[int, ...]
    """`counts`, `marked`: the sums of those of all candidates."""
    words: int
    """The number of words outside the references."""

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def body(self) -> int:
        return sum(self.counts) - self.counts[REFERENCE]


@dataclass(slots=True)
class _Tally:
    """The occurrences of a concept, whether each is a mention, and its texts."""

    occurrences: list[Occurrence] = field(default_factory=list)
    marks: list[bool] = field(default_factory=list)
    surfaces: Counter[str] = field(default_factory=Counter)


def is_chemical(identifier: str, concepts: Concepts) -> bool:
    """Whether a concept is of NLM-Chem's kinds, as far as is known: one without tree numbers is."""
    trees = concepts.trees(identifier)
    return not trees or chemical.is_chemical(trees)


def candidates_of(document: BioCDocument, concepts: Concepts = NO_CONCEPTS) -> ArticleCandidates:
    """Count the concepts of an article. Concepts that the lexicon has in other branches than chemicals are left out.

    A mention of several concepts counts for each of them. Sections are those of the file; if it has none, they are
    derived from headings and positions (`corpora.model.sections.sections_of`). Positions are counted in the texts of
    the passages, so that wrong offsets in the file do not matter.
    """
    texts = [passage_text(passage) for passage in document.passages]
    places = [NUMBER[_PLACE_OF.get(section, "other")] for section in sections.sections_of(document)]
    tallies = _tallies(document, texts, places, concepts)
    begins = list(accumulate((len(text) + 1 for text in texts), initial=0))
    length = max(1, begins[-1])
    shorts = {short for short, _ in defined_forms(document)}
    listed = spaced(keywords(document))
    candidates = []
    for identifier in sorted(tallies):
        if not is_chemical(identifier, concepts):
            continue
        tally = tallies[identifier]
        counts, marked = [0] * len(PLACES), [0] * len(PLACES)
        for occurrence, is_mention in zip(tally.occurrences, tally.marks, strict=True):
            counts[occurrence.place] += 1
            marked[occurrence.place] += is_mention
        positions = [begins[o.passage] + min(o.start, len(texts[o.passage])) for o in tally.occurrences]
        surfaces = tuple(sorted(tally.surfaces, key=lambda name: (-tally.surfaces[name], name)))
        candidates.append(
            TermCandidate(
                identifier,
                tuple(counts),
                tuple(marked),
                passages=len({occurrence.passage for occurrence in tally.occurrences}),
                first=min(positions) / length,
                last=max(positions) / length,
                surfaces=surfaces,
                defined=not shorts.isdisjoint(surfaces),
                keyword=counts[NUMBER["keywords"]] > 0 or _is_listed(surfaces, listed),
            )
        )
    return ArticleCandidates(
        str(document.id),
        tuple(candidates),
        counts=tuple(sum(candidate.counts[place] for candidate in candidates) for place in range(len(PLACES))),
        marked=tuple(sum(candidate.marked[place] for candidate in candidates) for place in range(len(PLACES))),
        words=sum(len(_WORDS.findall(text)) for text, place in zip(texts, places, strict=True) if place != REFERENCE),
    )


def _tallies(
    document: BioCDocument, texts: Sequence[str], places: Sequence[int], concepts: Concepts
) -> dict[str, _Tally]:
    """What each concept has: the mentions, then the names in title and abstract."""
    numbers = {id(passage): number for number, passage in enumerate(document.passages)}
    tallies: dict[str, _Tally] = {}
    taken: dict[int, list[Span]] = {}

    def count(number: int, span: Span, text: str, identifiers: Iterable[str], is_mention: bool) -> None:
        for identifier in dict.fromkeys(identifiers):
            tally = tallies.setdefault(identifier, _Tally())
            tally.occurrences.append(Occurrence(number, places[number], *span))
            tally.marks.append(is_mention)
            tally.surfaces[text] += 1

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
    return tallies


def _is_listed(surfaces: Iterable[str], listed: str) -> bool:
    return bool(listed.strip()) and any(len(name) > 2 and spaced(name) in listed for name in surfaces)


def spaced(text: str) -> str:
    """Lower-case words between spaces, so that a substring search finds whole words only."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


# -- names that are no mentions -----------------------------------------------------------------


def spotted(text: str, concepts: Concepts, taken: Sequence[Span]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Start, end and identifiers of the longest names, from left to right, that do not overlap `taken`.

    Only whole words between blanks are names here, and at most `LONGEST` of them; the embedded model was trained so. On
    these short texts the lookups take 2 ms for an article, a search by the hashes of keys
    (`nlmchem.tagging.gazetteer`) takes 8 ms.
    """
    words, breaks = _words(text)
    covered: list[Span] = []
    for start, end in sorted(taken):
        # Spans that overlap or meet are joined.
        if covered and start <= covered[-1][1]:
            covered[-1] = covered[-1][0], max(end, covered[-1][1])
        else:
            covered.append((start, end))
    position = 0
    while position < len(words):
        name = _longest(text, words, breaks, position, concepts, covered)
        if name is None:
            position += 1
            continue
        number, identifiers = name
        yield words[position][0], words[position + number - 1][1], identifiers
        position += number


def _words(text: str) -> tuple[list[Span], list[bool]]:
    """Words without punctuation at their edges; for each word, whether a name ends there at the latest."""
    words: list[Span] = []
    breaks: list[bool] = []
    for match in _TOKEN.finditer(text):
        shown = match.group()
        start = match.start() + len(shown) - len(shown.lstrip(_BEFORE))
        end = match.end() - (len(shown) - len(shown.rstrip(_BEHIND)))
        if start > match.start() and breaks:
            breaks[-1] = True
        if start < end:
            words.append((start, end))
            breaks.append(end < match.end())
    return words, breaks


def _longest(
    text: str,
    words: Sequence[Span],
    breaks: Sequence[bool],
    first: int,
    concepts: Concepts,
    covered: Sequence[Span],
) -> tuple[int, tuple[str, ...]] | None:
    """The number of words and the identifiers of the longest name that begins with this word; None if there is none.

    `covered`: spans in order and disjoint, which a name does not overlap.
    """
    if not _may_be_edge(text, words[first]):
        return None
    last = first
    while last + 1 < len(words) and last + 1 - first < LONGEST and not breaks[last]:
        last += 1
    for end in range(last, first - 1, -1):
        span = (words[first][0], words[end][1])
        after = bisect_right(covered, span[0], key=lambda other: other[1])
        overlaps = after < len(covered) and covered[after][0] < span[1]
        if span[1] - span[0] < SHORTEST or not _may_be_edge(text, words[end]) or overlaps:
            continue
        # As written, without folding case: the embedded model was trained with `ATPase` not being excluded.
        if not breaks[end] and end + 1 < len(words) and names_protein(text[slice(*words[end + 1])]):
            continue
        name = text[slice(*span)]
        for form in (name, name[:-1]) if name.endswith("s") else (name,):
            if matches := concepts.lookup(form):
                if matches[0].identifiers:
                    return end - first + 1, matches[0].identifiers
                break
    return None


def _may_be_edge(text: str, word: Span) -> bool:
    return text[slice(*word)].lower() not in _NO_EDGE
