"""Error analysis: missed and false mentions, wrong boundaries, wrong and missed identifiers.

A gold mention is found exactly, or has wrong boundaries (it overlaps a predicted mention that is not right), or is
missed. A predicted mention is right, or has wrong boundaries, or is false.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from corpora.model.hierarchy import Hierarchy
from corpora.model.mesh_ids import NO_CONCEPT
from nlmchem.evaluation.articles import Annotation, ArticlePair, ScoredArticle, Side
from nlmchem.evaluation.comparison import Comparison, RunResult
from nlmchem.evaluation.matches import IdentifierSets, SpanMatches

LENGTHS = ((2, "1-2 characters"), (5, "3-5 characters"), (10, "6-10 characters"), (20, "11-20 characters"))
LONGER = "21 characters or more"
_ABBREVIATION = re.compile(r"(?=(?:[^A-Z]*[A-Z]){2})[A-Za-z0-9αβγδω+/()'-]{2,10}s?")


@dataclass(slots=True)
class MentionGroup:
    """Counts of the gold and predicted mentions with a common property; `*_boundary`: with wrong boundaries."""

    label: str
    gold: int = 0
    missed: int = 0
    gold_boundary: int = 0
    predicted: int = 0
    false: int = 0
    predicted_boundary: int = 0

    @property
    def errors(self) -> int:
        """The number of errors on both sides."""
        return self.missed + self.gold_boundary + self.false + self.predicted_boundary


@dataclass(frozen=True, slots=True)
class BoundaryError:
    """A gold mention and a predicted mention that overlap and differ; `kind`: how the prediction differs."""

    gold: str
    predicted: str
    kind: str


@dataclass(frozen=True, slots=True)
class IdentifierError:
    """An identifier that is predicted for a document and not gold (`wrong`), or gold and not predicted.

    `texts`: its mention texts. `sieves`: the sieves that assigned it, for wrong identifiers only. `nearest` and
    `distance`: the nearest identifier of the other side and the steps to it in the tree; None if there is no path.
    """

    document: str
    identifier: str
    wrong: bool
    texts: tuple[str, ...]
    sieves: tuple[str, ...]
    nearest: str | None
    distance: int | None


@dataclass(slots=True)
class SieveResult:
    """Right and wrong identifiers that a sieve assigned; `distances`: steps from wrong identifiers to gold -> count."""

    sieve: str
    right: int
    wrong: int
    distances: Counter[int | None]


# -- mentions -----------------------------------------------------------------------------------

Grouping = Callable[[Annotation, ArticlePair], str]


def text(mention: Annotation, pair: ArticlePair) -> str:
    """Its text in lower case."""
    return mention.text.casefold()


def section(mention: Annotation, pair: ArticlePair) -> str:
    """The section of its passage."""
    for side in (pair.gold, pair.predicted):
        if mention.passage < len(side.sections):
            return side.sections[mention.passage]
    return "no passage"


def length(mention: Annotation, pair: ArticlePair) -> str:
    """Its number of characters, in five classes."""
    number = len(mention.text)
    return next((label for limit, label in LENGTHS if number <= limit), LONGER)


def abbreviation(mention: Annotation, pair: ArticlePair) -> str:
    """Whether it is defined as an abbreviation in the article (on either side), or looks like one."""
    if any(
        mention.text == definition.short_form for side in (pair.gold, pair.predicted) for definition in side.definitions
    ):
        return "defined in the article"
    if _ABBREVIATION.fullmatch(mention.text):
        return "looks like an abbreviation (2-10 characters, two capitals)"
    return "not an abbreviation"


GROUPINGS: dict[str, Grouping] = {
    "Text": text,
    "Section": section,
    "Length": length,
    "Abbreviation": abbreviation,
}


def seen_texts(training: Side, type: str) -> frozenset[str]:
    """The mention texts of a training corpus, in lower case."""
    return frozenset(item.text.casefold() for article in training.articles for item in article.of_type(type))


def seen_in(texts: frozenset[str]) -> Grouping:
    """A grouping by whether the training corpus has a mention of this text."""
    return lambda mention, pair: "seen in training" if mention.text.casefold() in texts else "not seen in training"


def group_mentions(result: RunResult, grouping: Grouping) -> list[MentionGroup]:
    """The groups, ordered by number of errors, most errors first."""
    groups: dict[str, MentionGroup] = {}
    for pair, match in zip(result.pairs, result.spans, strict=True):
        gold_boundary, predicted_boundary = _wrong_boundaries(match)
        for position, mention in enumerate(match.gold):
            group = _group(groups, grouping(mention, pair))
            group.gold += 1
            if position in gold_boundary:
                group.gold_boundary += 1
            elif not match.gold_exact[position]:
                group.missed += 1
        for position, mention in enumerate(match.predicted):
            group = _group(groups, grouping(mention, pair))
            group.predicted += 1
            if position in predicted_boundary:
                group.predicted_boundary += 1
            elif not match.predicted_exact[position]:
                group.false += 1
    return sorted(groups.values(), key=lambda group: (-group.errors, -group.gold, group.label))


def _group(groups: dict[str, MentionGroup], label: str) -> MentionGroup:
    if label not in groups:
        groups[label] = MentionGroup(label)
    return groups[label]


def _wrong_boundaries(match: SpanMatches) -> tuple[set[int], set[int]]:
    """Positions of the gold and predicted mentions with wrong boundaries."""
    pairs = list(overlapping(match))
    return {gold for gold, _ in pairs}, {predicted for _, predicted in pairs}


def overlapping(match: SpanMatches) -> Iterator[tuple[int, int]]:
    """Positions of a gold and a predicted mention that overlap, if neither is exactly right."""
    gold = [(at, match.gold[at]) for at, exact in enumerate(match.gold_exact) if not exact and match.gold_near[at]]
    others = [
        (at, match.predicted[at])
        for at, exact in enumerate(match.predicted_exact)
        if not exact and match.predicted_near[at]
    ]
    for gold_at, mention in gold:
        for other_at, other in others:
            if any(
                max(start, other_start) < min(end, other_end)
                for start, end in mention.locations
                for other_start, other_end in other.locations
            ):
                yield gold_at, other_at


def boundary_errors(result: RunResult) -> Counter[BoundaryError]:
    """Pairs of a gold and a predicted mention that overlap and differ, with their counts."""
    errors: Counter[BoundaryError] = Counter()
    for match in result.spans:
        for gold_at, other_at in overlapping(match):
            gold, other = match.gold[gold_at], match.predicted[other_at]
            errors[BoundaryError(gold.text, other.text, _kind(gold, other))] += 1
    return errors


def _kind(gold: Annotation, predicted: Annotation) -> str:
    if gold.locations == predicted.locations:
        return "different text at the same place"
    if len(gold.locations) != len(predicted.locations):
        return "different number of locations"
    start, end = gold.locations[0][0], gold.locations[-1][1]
    other_start, other_end = predicted.locations[0][0], predicted.locations[-1][1]
    if other_start <= start and end <= other_end:
        return "too long"
    if start <= other_start and other_end <= end:
        return "too short"
    return "shifted"


# -- identifiers --------------------------------------------------------------------------------


def identifier_errors(comparison: Comparison, result: RunResult, hierarchy: Hierarchy | None) -> list[IdentifierError]:
    """Every wrong or missed identifier, ordered by document and identifier."""
    errors = []
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        for identifier in sorted(sets.predicted.keys() ^ sets.gold.keys()):
            wrong = identifier in sets.predicted
            mentions = _mentions_of(pair.predicted if wrong else pair.gold, comparison.type, identifier)
            nearest, distance = _nearest(identifier, sets.gold if wrong else sets.predicted, hierarchy)
            errors.append(
                IdentifierError(
                    pair.document,
                    identifier,
                    wrong,
                    tuple(sorted({item.text for item in mentions})),
                    tuple(sorted({item.evidence.sieve or "" for item in mentions} - {""})) if wrong else (),
                    nearest,
                    distance,
                )
            )
    return errors


def _mentions_of(article: ScoredArticle, type: str, identifier: str) -> list[Annotation]:
    return [item for item in article.of_type(type) if identifier in item.identifiers]


def _nearest(identifier: str, others: Iterable[str], hierarchy: Hierarchy | None) -> tuple[str | None, int | None]:
    if hierarchy is None or identifier == NO_CONCEPT:
        return None, None
    steps = ((hierarchy.distance(identifier, other), other) for other in others)
    distance, nearest = min(((far, other) for far, other in steps if far is not None), default=(None, None))
    return nearest, distance


def sieve_results(comparison: Comparison, result: RunResult, errors: Sequence[IdentifierError]) -> list[SieveResult]:
    """Right and wrong identifiers by sieve, most wrong first. An identifier of two sieves counts for both."""
    distance = {(error.document, error.identifier): error.distance for error in errors if error.wrong}
    results: dict[str, SieveResult] = {}
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        for identifier, sieves in _sieves(pair, sets, comparison.type).items():
            for sieve in sorted(sieves):
                of_sieve = results.setdefault(sieve, SieveResult(sieve, 0, 0, Counter()))
                if identifier in sets.gold:
                    of_sieve.right += 1
                else:
                    of_sieve.wrong += 1
                    of_sieve.distances[distance[pair.document, identifier]] += 1
    return sorted(results.values(), key=lambda of_sieve: (-of_sieve.wrong, of_sieve.sieve))


def _sieves(pair: ArticlePair, sets: IdentifierSets, type: str) -> dict[str, set[str]]:
    sieves_of: defaultdict[str, set[str]] = defaultdict(set)
    for annotation in pair.predicted.of_type(type):
        for identifier in annotation.identifiers:
            sieves_of[identifier].add(annotation.evidence.sieve or "not stated")
    return {identifier: sieves_of[identifier] for identifier in sorted(sets.predicted)}
