"""The prior of a concept: how often indexers choose it if an article mentions it. Water is seldom chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import log

from indexing.terms.indexer import NO_CONCEPTS, Concepts

DEPTHS = (1, 2, 3)
"""The depths of branches, in parts of a tree number: `D02`, `D02.241`, `D02.241.081`."""
STRENGTH = 6.0
"""Smoothing: the share of the broader group counts as this number of articles."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Log-odds that an article is indexed with a concept that it mentions.

    Used in this order: the value of the concept, that of its deepest known branch, that of all concepts (`base`).
    """

    base: float
    concepts: Mapping[str, float] = field(default_factory=dict)
    branches: Mapping[str, float] = field(default_factory=dict)

    def of(self, identifier: str, concepts: Concepts) -> float:
        """The log-odds of a concept; the mean, where it lies in several branches of the same depth."""
        known = self.concepts.get(identifier)
        return self.of_branches(concepts.trees(identifier)) if known is None else known

    def of_branches(self, trees: Iterable[str]) -> float:
        """The log-odds of an unknown concept with these tree numbers."""
        trees = tuple(trees)
        for depth in reversed(DEPTHS):
            log_odds = [self.branches[branch] for branch in _at(trees, depth) if branch in self.branches]
            if log_odds:
                return sum(log_odds) / len(log_odds)
        return self.base


def learn(
    articles: Iterable[tuple[Iterable[str], frozenset[str]]],
    concepts: Concepts = NO_CONCEPTS,
    strength: float = STRENGTH,
) -> Prior:
    """Learn from articles, given as the concepts that each mentions and those that it is indexed with.

    The share of a group is smoothed towards that of the next broader group, as if `strength` more articles had that.
    """
    named: dict[str, list[int]] = {}
    for candidates, gold in articles:
        for identifier in candidates:
            counts = named.setdefault(identifier, [0, 0])
            counts[0] += 1
            counts[1] += identifier in gold
    all_named = sum(count for count, _ in named.values())
    base = (sum(chosen for _, chosen in named.values()) + 0.5) / (all_named + 1)
    trees = {identifier: concepts.trees(identifier) for identifier in sorted(named)}
    shares: dict[str, float] = {}
    for depth in DEPTHS:
        for branch, (count, chosen) in sorted(_branches(named, trees, depth)):
            above = shares.get(branch.rpartition(".")[0], base)
            shares[branch] = (chosen + strength * above) / (count + strength)
    known = Prior(base, {}, shares)
    by_concept = {
        identifier: (chosen + strength * known.of_branches(trees[identifier])) / (count + strength)
        for identifier, (count, chosen) in sorted(named.items())
    }
    return Prior(
        _log_odds(base),
        {identifier: _log_odds(share) for identifier, share in by_concept.items()},
        {branch: _log_odds(share) for branch, share in sorted(shares.items())},
    )


def _branches(
    named: Mapping[str, list[int]], trees: Mapping[str, tuple[str, ...]], depth: int
) -> Iterator[tuple[str, tuple[int, int]]]:
    counted: dict[str, list[int]] = {}
    for identifier, (count, chosen) in named.items():
        for branch in _at(trees[identifier], depth):
            counts = counted.setdefault(branch, [0, 0])
            counts[0] += count
            counts[1] += chosen
    return ((branch, (count, chosen)) for branch, (count, chosen) in counted.items())


def _at(trees: Iterable[str], depth: int) -> list[str]:
    """The distinct branches of a depth that contain these tree numbers."""
    parts = (tree.split(".") for tree in trees)
    return sorted({".".join(part[:depth]) for part in parts if len(part) >= depth})


def _log_odds(share: float) -> float:
    return log(share / (1 - share))
