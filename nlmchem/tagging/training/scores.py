"""Strict and approximate scores of a tagger on gold articles, article by article, for use in training.

The counts are those of `nlmchem evaluate spans`. That command also reports significance.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, mentions, remove_mentions
from corpora.model.metadata import join_key
from nlmchem.evaluation.scores import Counts, total

Tag = Callable[[Sequence[BioCDocument]], None]
"""A stage that adds mentions."""

CHUNK = 8


@dataclass(frozen=True, slots=True)
class ArticleScore:
    """The counts of an article. `strict`: equal spans. `approximate`: spans that share a character."""

    strict: Counts
    approximate: Counts


def bare(document: BioCDocument) -> BioCDocument:
    """A copy without chemical mentions. Definitions of abbreviations are kept."""
    stripped = copy.deepcopy(document)
    remove_mentions(stripped, CHEMICAL)
    return stripped


def article_scores(tag: Tag, gold: Sequence[BioCDocument]) -> dict[str, ArticleScore]:
    """Tag copies of gold articles and compare them with the originals. The keys are those of `join_key`."""
    scores: dict[str, ArticleScore] = {}
    for at in range(0, len(gold), CHUNK):
        originals = gold[at : at + CHUNK]
        copies = [bare(document) for document in originals]
        tag(copies)
        for original, tagged in zip(originals, copies, strict=True):
            scores[join_key(original)] = compare(_spans(original), _spans(tagged))
    return scores


def compare(gold: set[tuple[Span, ...]], predicted: set[tuple[Span, ...]]) -> ArticleScore:
    """The counts of two sets of mentions. A mention is given by its sorted locations."""
    same = len(gold & predicted)
    return ArticleScore(
        Counts(len(gold), same, len(predicted), same),
        Counts(len(gold), _touching(gold, predicted), len(predicted), _touching(predicted, gold)),
    )


def strict_f(scores: Mapping[str, ArticleScore]) -> float:
    """The micro-averaged strict F of articles (0 to 1)."""
    return total(score.strict for score in scores.values()).f1


def as_json(scores: Mapping[str, ArticleScore]) -> dict[str, object]:
    """Micro-averaged scores of all articles, and the counts of each: gold, found, predicted, right."""
    strict = total(score.strict for score in scores.values())
    near = total(score.approximate for score in scores.values())
    return {
        "strict": {"precision": strict.precision, "recall": strict.recall, "f1": strict.f1},
        "approximate": {"precision": near.precision, "recall": near.recall, "f1": near.f1},
        "articles": {key: [_row(score.strict), _row(score.approximate)] for key, score in sorted(scores.items())},
    }


def _row(counts: Counts) -> list[int]:
    return [counts.gold, counts.found, counts.predicted, counts.right]


def _spans(document: BioCDocument) -> set[tuple[Span, ...]]:
    return {tuple(sorted(mention.spans)) for mention in mentions(document)}


def _touching(these: set[tuple[Span, ...]], those: set[tuple[Span, ...]]) -> int:
    """How many of `these` share a character with one of `those`."""
    taken = {place for spans in those for start, end in spans for place in range(start, end)}
    return sum(1 for spans in these if any(not taken.isdisjoint(range(start, end)) for start, end in spans))
