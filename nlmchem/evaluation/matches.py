"""Matches of mentions and of identifiers, by the rules of the NLM-Chem track's script.

Mentions, strict: a mention is (document, type, all locations sorted, text); a prediction is right if the gold set
contains the same. Approximate: a mention is found (or right) if any of its locations overlaps any location of the other
side in the document. Both sides are sets: duplicates count once.

Identifiers, strict: a set of (document, type, identifier). The infon is split at commas and each part counts, including
`-`. Approximate: see `nlmchem.evaluation.lca`. Index terms are scored in the same way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpora.errors import command
from corpora.model.document import Span
from corpora.model.hierarchy import Hierarchy
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.reporting import Report
from corpora.words.quantities import quantity
from nlmchem.evaluation import lca
from nlmchem.evaluation.articles import Annotation, ArticlePair, ScoredArticle
from nlmchem.evaluation.scores import Counts

Key = tuple[str, tuple[Span, ...], str]
"""Type, sorted locations and text: mentions of a document with equal keys are equal."""


def key(annotation: Annotation) -> Key:
    """The strict key of a mention in its document."""
    return annotation.type, annotation.locations, annotation.text


def scorable(article: ScoredArticle, type: str, side: str, report: Report) -> list[Annotation]:
    """The distinct mentions of a type, in the order of the file.

    Mentions of length zero and mentions that extend beyond their passage are reported and left out, because the
    track's script does not count them.
    """
    kept: dict[Key, Annotation] = {}
    for annotation in article.of_type(type):
        if annotation.empty or not annotation.inside:
            reason = "has length zero" if annotation.empty else "extends beyond its passage"
            where = ", ".join(f"{start}..{end}" for start, end in annotation.locations) or "no location"
            report(f"{side}, document {article.name!r}: {annotation.text!r} at {where} {reason} and is not scored")
        else:
            kept.setdefault(key(annotation), annotation)
    return list(kept.values())


@dataclass(frozen=True, slots=True)
class SpanMatches:
    """The mentions of both sides of a document. The four tuples of flags have the order of the mentions.

    `gold_exact[i]`: the prediction contains gold mention i. `gold_near[i]`: a predicted mention overlaps it.
    `predicted_exact` and `predicted_near`: the same for predicted mentions.
    """

    document: str
    passages: int
    gold: tuple[Annotation, ...]
    predicted: tuple[Annotation, ...]
    gold_exact: tuple[bool, ...]
    gold_near: tuple[bool, ...]
    predicted_exact: tuple[bool, ...]
    predicted_near: tuple[bool, ...]

    def counts(self, approximate: bool = False) -> Counts:
        """The counts of the document."""
        gold_matched = self.gold_near if approximate else self.gold_exact
        right = self.predicted_near if approximate else self.predicted_exact
        return Counts(len(self.gold), sum(gold_matched), len(self.predicted), sum(right))

    def passage_counts(self, approximate: bool = False) -> list[list[int]]:
        """For each passage the counts of its mentions: gold, found, predicted, right."""
        table = [[0, 0, 0, 0] for _ in range(self.passages)]
        sides = (
            (0, self.gold, self.gold_near if approximate else self.gold_exact),
            (2, self.predicted, self.predicted_near if approximate else self.predicted_exact),
        )
        for column, mentions, flags in sides:
            for mention, flag in zip(mentions, flags, strict=True):
                table[mention.passage][column] += 1
                table[mention.passage][column + 1] += flag
        return table


def match(pair: ArticlePair, type: str, run: str, report: Report) -> SpanMatches:
    """Compare the predicted mentions of a type with the gold mentions; `run` is the name of the run in warnings."""
    gold = scorable(pair.gold, type, "the gold standard", report)
    predicted = scorable(pair.predicted, type, run, report)
    gold_keys, predicted_keys = {key(mention) for mention in gold}, {key(mention) for mention in predicted}
    gold_coverage, predicted_coverage = CoveredText(gold), CoveredText(predicted)
    return SpanMatches(
        pair.document,
        pair.passages,
        tuple(gold),
        tuple(predicted),
        tuple(key(mention) in predicted_keys for mention in gold),
        tuple(predicted_coverage.overlaps(mention) for mention in gold),
        tuple(key(mention) in gold_keys for mention in predicted),
        tuple(gold_coverage.overlaps(mention) for mention in predicted),
    )


class CoveredText:
    """The characters of a document that mentions cover, as disjoint sorted intervals."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, mentions: Iterable[Annotation]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(span for mention in mentions for span in mention.locations):
            if start >= end:
                continue
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def overlaps(self, mention: Annotation) -> bool:
        """Whether any location of the mention contains a covered character."""
        for start, end in mention.locations:
            last = bisect_left(self._starts, end) - 1
            if start < end and last >= 0 and self._ends[last] > start:
                return True
        return False


# -- identifiers ------------------------------------------------------------------------------


Places = Mapping[str, frozenset[int]]
"""Identifier -> the passages with annotations of this identifier, for one side of a document."""


@dataclass(frozen=True, slots=True)
class IdentifierSets:
    """The identifiers of both sides of a document, with their passages."""

    document: str
    passages: int
    gold: Places
    predicted: Places

    def counts(self) -> Counts:
        """The strict counts of the document."""
        both = len(self.gold.keys() & self.predicted.keys())
        return Counts(len(self.gold), both, len(self.predicted), both)


def collect(pair: ArticlePair, type: str) -> IdentifierSets:
    sides = []
    for article in (pair.gold, pair.predicted):
        passages_of: defaultdict[str, set[int]] = defaultdict(set)
        for annotation in article.of_type(type):
            for identifier in annotation.identifiers:
                passages_of[identifier].add(annotation.passage)
        sides.append({identifier: frozenset(passages) for identifier, passages in passages_of.items()})
    gold, predicted = sides
    return IdentifierSets(pair.document, pair.passages, gold, predicted)


def approximate(sets: IdentifierSets, hierarchy: Hierarchy) -> Counts | None:
    """The LCA counts of a document; None if neither side has an identifier, which excludes it from means."""
    if not sets.gold and not sets.predicted:
        return None
    return lca.compare(sets.gold.keys(), sets.predicted.keys(), hierarchy)


def report_odd_identifiers(article: ScoredArticle, type: str, side: str, report: Report) -> None:
    """Report identifiers that are empty or surrounded by blanks; the track's script does not change them."""
    odd = {part for item in article.of_type(type) for part in item.identifiers if not part or part != part.strip()}
    for part in sorted(odd):
        report(
            f"{side}, document {article.name!r}: the identifier {part!r} is empty or surrounded by blanks and is "
            "compared unchanged; correct the infon"
        )


def report_spelling(of_run: Iterable[IdentifierSets], run: str, report: Report) -> None:
    """Report a run that writes identifiers differently from the gold standard (`D014867`), so that none match."""
    gold: dict[str, str] = {}
    predicted: dict[str, str] = {}
    for sets in of_run:
        gold.update((id.rpartition(":")[2].upper(), id) for id in sets.gold)
        predicted.update((id.rpartition(":")[2].upper(), id) for id in sets.predicted)
    both = gold.keys() & predicted.keys() - {NO_CONCEPT}
    if both and not any(gold[bare] == predicted[bare] for bare in both):
        bare = min(both)
        report(
            f"{run} has {predicted[bare]} and the gold standard has {gold[bare]}, so no identifiers match; "
            f"use the same spelling in both ({command('corpora convert')} does this for the corpora that it reads)"
        )


def report_unknown(identifiers: Iterable[str], side: str, hierarchy: Hierarchy, report: Report) -> None:
    """Report the identifiers of a side that the hierarchy does not contain, in one sentence."""
    unknown = sorted({id for id in identifiers if id != NO_CONCEPT and id not in hierarchy})
    if unknown:
        some = ", ".join(unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        report(
            f"{side}: {quantity(len(unknown), 'identifier')} without an entry in the parents file ({some}): "
            "they have no ancestors, so only exact matches count"
        )
