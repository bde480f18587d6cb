"""Learns the order of sieves from gold mentions: more precise sieves come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from sieves.cascade import Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import article_of
from sieves.registry import DEFAULT_ORDER, facts

FEWEST = 20
"""Answers that a sieve must have to change its place."""


@dataclass(slots=True)
class SieveTally:
    """The mentions that reached a sieve, those that it answered, and those that it answered correctly."""

    sieve: str
    reached: int = 0
    answered: int = 0
    right: int = 0

    @property
    def precision(self) -> float | None:
        return self.right / self.answered if self.answered else None


def learned_order(documents: Sequence[BioCDocument], lexicon: Lexicon) -> tuple[list[SieveTally], tuple[str, ...]]:
    """The precision of each sieve alone, and the sieves in the order of falling precision (`by_precision`).

    Precision is measured on all mentions that a sieve answers, also if an earlier sieve answers them.
    """
    rows = tallies(documents, lexicon)
    return rows, by_precision(rows)


def tallies(documents: Sequence[BioCDocument], lexicon: Lexicon) -> list[SieveTally]:
    """The answers of each sieve to all mentions of gold articles, in the default order."""
    rows = {name: SieveTally(name) for name in DEFAULT_ORDER}
    cascade = Cascade(lexicon)
    for document in documents:
        article = article_of(document)
        gold: dict[str, list[frozenset[str]]] = {}
        for mention in mentions(document):
            gold.setdefault(tidy(mention.text), []).append(frozenset(mesh_ids(mention.identifiers)))
        for text, wanted in sorted(gold.items()):
            for name, candidates in cascade.explain(text, article):
                row = rows[name]
                row.reached += len(wanted)
                if candidates:
                    row.answered += len(wanted)
                    row.right += sum(frozenset(candidates[0].identifiers) == identifiers for identifiers in wanted)
    return list(rows.values())


def by_precision(rows: Sequence[SieveTally]) -> tuple[str, ...]:
    """The sieves in the order of falling precision.

    Sieves with fewer than 20 answers, and definitions, keep their places. Sieves with equal precision keep their order.
    """
    # Definitions of the article come before the lexicon in any sample.
    movable = [row for row in rows if not facts(row.sieve).fixed and row.answered >= FEWEST]
    queue = iter(sorted(movable, key=lambda row: -(row.precision or 0.0)))
    return tuple(next(queue).sieve if row in movable else row.sieve for row in rows)
