"""One side of an article page, prediction or gold standard: its marks, passage by passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.model.passages import PassageSearch
from nlmchem.deciding.linking import link_of, probabilities_of
from nlmchem.evaluation.articles import Annotation, ScoredArticle
from nlmchem.evaluation.matches import CoveredText, key
from nlmchem.report.view.marking import Mark
from nlmchem.report.view.panel import Abbreviation, Details, PageConcepts, abbreviations_of

GOLD, PREDICTION = "g", "m"
"""The first letter of all HTML ids of a side."""

STATUS = {
    "same": "same in gold and prediction",
    "concept": "same place, different concept",
    "cut": "overlap with different boundaries",
    "alone": "on this side only",
}
"""How a mention compares with the other side: CSS class without its prefix -> text of the legend."""


@dataclass(frozen=True, slots=True)
class MentionCounts:
    """How many mentions an article has, in how many concepts, and how many mentions have no concept."""

    mentions: int
    concepts: int
    unlinked: int


@dataclass(slots=True)
class MarkedSide:
    """`passages[i]`: the marks of passage i. `differing`: the passages with marks that the other side does not have."""

    name: str
    article: ScoredArticle
    prefix: str
    passages: list[list[Mark]] = field(default_factory=list)
    abbreviations: list[Abbreviation] = field(default_factory=list)
    differing: set[int] = field(default_factory=set)

    @property
    def summary(self) -> MentionCounts:
        """The counts of this side."""
        return summary(self.article)


DEEPEST = 50
"""Marks around one place of a text. The page of marks without such a limit grows as the square of their number."""


def shown(article: ScoredArticle) -> list[Annotation]:
    """The annotations that a page shows as mentions, in the order of the file.

    Mention i has the HTML id `g<i>` on the gold side and `m<i>` on the side of the prediction.
    """
    return _not_too_deep(_shown(article))


def too_deep(article: ScoredArticle) -> int:
    """How many mentions a page leaves out, because they begin inside of `DEEPEST` others."""
    return len(_shown(article)) - len(shown(article))


def _shown(article: ScoredArticle) -> list[Annotation]:
    passages = len(article.layout.passages)
    return [item for item in article.annotations if _is_shown(item) and item.passage < passages]


def _not_too_deep(mentions: Sequence[Annotation]) -> list[Annotation]:
    dropped: set[int] = set()
    ends: dict[int, list[int]] = {}
    extents = [
        (item.passage, start, -end, number) for number, item in enumerate(mentions) for start, end in item.locations
    ]
    for passage, start, end, number in sorted(extents):
        around = ends.setdefault(passage, [])
        while around and around[0] <= start:
            heappop(around)
        if len(around) >= DEEPEST:
            dropped.add(number)
        else:
            heappush(around, -end)
    return [item for number, item in enumerate(mentions) if number not in dropped]


def _is_shown(annotation: Annotation) -> bool:
    return bool(annotation.locations) and not annotation.empty and annotation.type != ABBREVIATION


def summary(article: ScoredArticle) -> MentionCounts:
    """The counts of an article as all pages show them."""
    mentions = shown(article)
    concepts = {identifier for item in mentions for identifier in concepts_of(item)}
    return MentionCounts(len(mentions), len(concepts), sum(not concepts_of(item) for item in mentions))


def concepts_of(mention: Annotation) -> tuple[str, ...]:
    """The concepts of a mention, without `-`."""
    return tuple(identifier for identifier in mention.identifiers if identifier.strip() not in ("", NO_CONCEPT, "-1"))


def mark_sides(
    predicted: ScoredArticle, gold: ScoredArticle | None, concepts: PageConcepts, details: Details
) -> list[MarkedSide]:
    """The sides of a page with their marks, gold first; adds to `concepts` and `details`."""
    if gold is None:
        side = MarkedSide("Text", predicted, PREDICTION)
        _mark(side, lambda mention: None, {}, concepts, details)
        return [side]
    sides = [MarkedSide("Gold", gold, GOLD), MarkedSide("Prediction", predicted, PREDICTION)]
    compare = [_comparison(predicted), _comparison(gold)]
    errors = _errors([(side, status) for side, status in zip(sides, compare, strict=True)])
    for side, status in zip(sides, compare, strict=True):
        _mark(side, status, errors, concepts, details)
    return sides


def _mark(
    side: MarkedSide,
    status_of: Callable[[Annotation], str | None],
    errors: Mapping[str, int],
    concepts: PageConcepts,
    details: Details,
) -> None:
    """Add the marks of a side: definitions first, then mentions. `errors`: HTML id -> number of the error."""
    passages = side.article.layout.passages
    search = PassageSearch(passages)
    side.passages = [[] for _ in passages]
    side.abbreviations = abbreviations_of(side.article, side.prefix)
    for abbreviation in side.abbreviations:
        for passage, mark in abbreviation.marks(search):
            side.passages[passage].append(mark)
    defined: dict[str, Abbreviation] = {}
    for abbreviation in side.abbreviations:
        if not abbreviation.origin:
            defined.setdefault(abbreviation.short_form, abbreviation)
    annotations = list(shown(side.article))
    links = [link_of(annotation.text, concepts_of(annotation), annotation.evidence) for annotation in annotations]
    right = probabilities_of(links)
    for number, (annotation, link) in enumerate(zip(annotations, links, strict=True)):
        element = f"{side.prefix}{number}"
        linked = concepts_of(annotation)
        identifiers = linked or (NO_CONCEPT,)
        for identifier in identifiers:
            concepts.add_mention(identifier, annotation, element)
        numbers = tuple(concepts.number(identifier) for identifier in identifiers)
        status = status_of(annotation)
        if status not in (None, "same"):
            side.differing.add(annotation.passage)
        definition = defined.get(annotation.text)
        entry = details.number(
            annotation.type,
            numbers,
            annotation.evidence.sieve,
            annotation.evidence.score,
            annotation.evidence.matched_name,
            round(right[link], 2) if link in right else None,
            None if definition is None else (definition.long_form, definition.long_element),
            STATUS[status] if status else None,
            annotation.reasons,
        )
        classes = ["m"]
        classes += ["other"] if annotation.type != CHEMICAL else []
        classes += [] if linked else ["u"]
        classes += [f"s-{status}"] if status else []
        attributes = {"class": " ".join(classes), "data-c": " ".join(map(str, numbers)), "data-e": str(entry)}
        first = {"id": element, "tabindex": "0", "role": "button"}
        if element in errors:
            first["data-x"] = str(errors[element])
        # The last piece of a mention is followed by the names of its concepts, if the reader selects them.
        last = {"class": " ".join((*classes, "z"))}
        side.passages[annotation.passage].append(Mark(annotation.locations, attributes, first, last))


def _comparison(other: ScoredArticle) -> Callable[[Annotation], str]:
    """A function from an annotation to its key in STATUS, compared with the mentions of the other side."""
    mentions = shown(other)
    identifiers = {key(item): set(concepts_of(item)) for item in mentions}
    by_type: defaultdict[str, list[Annotation]] = defaultdict(list)
    for item in mentions:
        by_type[item.type].append(item)
    coverage = {type: CoveredText(items) for type, items in by_type.items()}

    def status(annotation: Annotation) -> str:
        same = identifiers.get(key(annotation))
        if same is not None:
            return "same" if same == set(concepts_of(annotation)) else "concept"
        overlaps = annotation.type in coverage and coverage[annotation.type].overlaps(annotation)
        return "cut" if overlaps else "alone"

    return status


def _errors(sides: Sequence[tuple[MarkedSide, Callable[[Annotation], str]]]) -> dict[str, int]:
    """HTML id -> number of the error, from 0 in the order of the text.

    Mentions of both sides that overlap belong to the same error.
    """
    differing: list[tuple[int, int, int, str]] = []
    for side, status_of in sides:
        for number, mention in enumerate(shown(side.article)):
            if status_of(mention) != "same":
                end = max(end for _, end in mention.locations)
                differing.append((mention.passage, mention.locations[0][0], end, f"{side.prefix}{number}"))
    return dict(_numbered(sorted(differing)))


def _numbered(differing: Sequence[tuple[int, int, int, str]]) -> Iterator[tuple[str, int]]:
    number, reached = -1, (-1, 0)
    for passage, start, end, element in differing:
        if (passage, start) >= reached:
            number += 1
            reached = (passage, end)
        else:
            reached = max(reached, (passage, end))
        yield element, number
