"""Error analysis: missed and false mentions, wrong boundaries, wrong and missed identifiers.

A gold mention is found exactly, or has wrong boundaries (it overlaps a predicted mention that is not right), or is
missed. A predicted mention is right, or has wrong boundaries, or is false.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpora.model.hierarchy import Hierarchy
from corpora.model.mesh_ids import NO_CONCEPT
from nlmchem.evaluation.articles import Annotation, ArticlePair, Side
from nlmchem.evaluation.comparison import Comparison, RunResult
from nlmchem.evaluation.matches import SpanMatches

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


# -- mentions -----------------------------------------------------------------------------------

Grouping = Callable[[Annotation, ArticlePair], str]


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
    if any(mention.text == each.short_form for side in (pair.gold, pair.predicted) for each in side.definitions):
        return "defined in the article"
    if _ABBREVIATION.fullmatch(mention.text):
        return "looks like an abbreviation (2-10 characters, two capitals)"
    return "not an abbreviation"


GROUPINGS: dict[str, Grouping] = {
    "Text": lambda mention, pair: mention.text.casefold(),
    "Section": section,
    "Length": length,
    "Abbreviation": abbreviation,
}


def seen_in(training: Side, type: str) -> Grouping:
    """A grouping by whether a training corpus has a mention of this text, in upper or lower case."""
    texts = {item.text.casefold() for article in training.articles for item in article.of_type(type)}
    return lambda mention, pair: "seen in training" if mention.text.casefold() in texts else "not seen in training"


def group_mentions(result: RunResult, grouping: Grouping) -> list[MentionGroup]:
    """The groups, ordered by number of errors, most errors first."""
    groups: dict[str, MentionGroup] = {}
    for pair, match in zip(result.pairs, result.spans, strict=True):
        near = list(overlapping(match))
        gold_near, predicted_near = {gold for gold, _ in near}, {predicted for _, predicted in near}
        for position, mention in enumerate(match.gold):
            label = grouping(mention, pair)
            group = groups.setdefault(label, MentionGroup(label))
            group.gold += 1
            group.gold_boundary += position in gold_near
            group.missed += not match.gold_exact[position] and position not in gold_near
        for position, mention in enumerate(match.predicted):
            label = grouping(mention, pair)
            group = groups.setdefault(label, MentionGroup(label))
            group.predicted += 1
            group.predicted_boundary += position in predicted_near
            group.false += not match.predicted_exact[position] and position not in predicted_near
    return sorted(groups.values(), key=lambda group: (-group.errors, -group.gold, group.label))


def overlapping(match: SpanMatches) -> Iterator[tuple[int, int]]:
    """Positions of a gold and a predicted mention that overlap, if neither is exactly right."""
    others = [
        (at, mention)
        for at, mention in enumerate(match.predicted)
        if match.predicted_near[at] and not match.predicted_exact[at]
    ]
    for gold_at, mention in enumerate(match.gold):
        if match.gold_near[gold_at] and not match.gold_exact[gold_at]:
            for other_at, other in others:
                if any(
                    max(start, other_start) < min(end, other_end)
                    for start, end in mention.locations
                    for other_start, other_end in other.locations
                ):
                    yield gold_at, other_at


def boundary_errors(result: RunResult) -> Counter[tuple[str, str, str]]:
    """Gold and predicted mentions that overlap and differ: both texts and how the prediction differs, with counts."""
    return Counter(
        (gold.text, other.text, _kind(gold, other))
        for match in result.spans
        for gold, other in ((match.gold[at], match.predicted[other_at]) for at, other_at in overlapping(match))
    )


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
            article, others = (pair.predicted, sets.gold) if wrong else (pair.gold, sets.predicted)
            mentions = [item for item in article.of_type(comparison.type) if identifier in item.identifiers]
            texts = sorted({item.text for item in mentions})
            sieves = sorted({item.evidence.sieve or "" for item in mentions} - {""}) if wrong else ()
            distance, nearest = None, None
            if hierarchy is not None and identifier != NO_CONCEPT:
                steps = ((hierarchy.distance(identifier, other), other) for other in others)
                known = ((far, other) for far, other in steps if far is not None)
                distance, nearest = min(known, default=(None, None))
            errors.append(
                IdentifierError(pair.document, identifier, wrong, tuple(texts), tuple(sieves), nearest, distance)
            )
    return errors


def sieve_results(
    comparison: Comparison, result: RunResult, errors: Sequence[IdentifierError]
) -> list[tuple[str, int, Counter[int | None]]]:
    """For each sieve the number of right identifiers, and of wrong ones by their steps from gold; most wrong first.

    An identifier of two sieves counts for both.
    """
    distance = {(error.document, error.identifier): error.distance for error in errors if error.wrong}
    right: Counter[str] = Counter()
    wrong: defaultdict[str, Counter[int | None]] = defaultdict(Counter)
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        given = pair.predicted.of_type(comparison.type)
        for identifier, sieve in {
            (id, item.evidence.sieve or "not stated") for item in given for id in item.identifiers
        }:
            if identifier in sets.gold:
                right[sieve] += 1
            else:
                wrong[sieve][distance[pair.document, identifier]] += 1
    results = [(sieve, right[sieve], wrong[sieve]) for sieve in right.keys() | wrong.keys()]
    return sorted(results, key=lambda item: (-item[2].total(), item[0]))
