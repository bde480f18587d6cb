"""The scores of single articles against the gold standard, as `nlmchem evaluate` computes them (strict)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.reporting import log
from nlmchem.evaluation.articles import Article, Pair, Side
from nlmchem.evaluation.identifiers import collect
from nlmchem.evaluation.scores import Counts
from nlmchem.evaluation.spans import match
from nlmchem.report.tables import Table

__all__ = ["CONCEPTS", "SPANS", "TERMS", "Scorer", "Scores", "f1_cell", "score_table"]

SPANS, CONCEPTS, TERMS = "Mentions", "Concepts", "Index terms"

Scores = Mapping[str, Counts]
"""What is scored -> strict counts. Only what the gold standard contains is scored."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores articles; `measured` is what the gold standard contains in any article."""

    measured: tuple[str, ...]

    @classmethod
    def of(cls, gold: Side) -> Scorer:
        """The scorer of a gold standard: one without identifiers or index terms does not score them."""
        types = gold.types()
        linked = any(item.identifiers for article in gold.articles for item in article.of_type(CHEMICAL))
        there = {SPANS: bool(types[CHEMICAL]), CONCEPTS: linked, TERMS: bool(types[INDEX_TERM])}
        return cls(tuple(name for name, is_there in there.items() if is_there))

    def __call__(self, gold: Article, predicted: Article) -> Scores:
        """The strict counts of an article. Mentions that cannot be scored are in the log."""
        pair = Pair(gold.name, gold, predicted)
        return {name: _counts(name, pair) for name in self.measured}


def _counts(name: str, pair: Pair) -> Counts:
    if name == SPANS:
        return match(pair, CHEMICAL, "the prediction", log).counts()
    return collect(pair, CHEMICAL if name == CONCEPTS else INDEX_TERM).counts()


def f1_cell(counts: Counts | None) -> str:
    """F1 with 4 decimals; empty if neither side has anything."""
    return f"{counts.f1:.4f}" if counts is not None and (counts.gold or counts.predicted) else ""


def score_table(scores: Scores, caption: str) -> Table:
    """The scores as a table; rows in which neither side has anything are left out."""
    head = ("Strict", "F1", "Precision", "Recall", "Gold", "Missed", "False")
    return Table(caption, head, tuple(_rows(scores)), cards=True)


def _rows(scores: Scores) -> Iterator[tuple[str, ...]]:
    for name, counts in scores.items():
        if counts.gold or counts.predicted:
            values = (counts.f1, counts.precision, counts.recall)
            numbers = (counts.gold, counts.missed, counts.false)
            yield (name, *(f"{value:.4f}" for value in values), *map(str, numbers))
