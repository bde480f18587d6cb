"""Statistics of concepts in other articles: how often indexers choose them (prior), authors name them (background)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from indexing.learning.linear import finite
from indexing.terms.candidates import PLACES, ArticleCandidates
from indexing.terms.indexer import NO_CONCEPTS, Concepts

DEPTHS = (1, 2, 3)
"""The depths of branches, in parts of a tree number: `D02`, `D02.241`, `D02.241.081`."""
PRIOR_STRENGTH, BACKGROUND_STRENGTH = 6.0, 4.0
"""Smoothing: the share of the broader group, or of all concepts, counts as this number of articles."""
_TITLE, _ABSTRACT = PLACES.index("title"), PLACES.index("abstract")


def _log_odds(share: float) -> float:
    return log(share / (1 - share))


# -- prior --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prior:
    """Log-odds that an article is indexed with a concept that it mentions. Water, for example, is seldom chosen.

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

    def plain(self) -> dict[str, Any]:
        """For JSON; numbers have 4 decimals."""
        return {
            "base": round(self.base, 4),
            "branches": {branch: round(value, 4) for branch, value in self.branches.items()},
            "concepts": {identifier: round(value, 4) for identifier, value in self.concepts.items()},
        }

    @classmethod
    def from_plain(cls, value: Mapping[str, Any]) -> Prior:
        """The reverse of `plain`. Raises `KeyError`, `TypeError`, `ValueError`, `AttributeError` for anything else."""
        concepts, branches = (
            {name: finite(number) for name, number in value[key].items()} for key in ("concepts", "branches")
        )
        return cls(finite(value["base"]), concepts, branches)


def learn(
    articles: Iterable[tuple[Iterable[str], frozenset[str]]],
    concepts: Concepts = NO_CONCEPTS,
    strength: float = PRIOR_STRENGTH,
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
    base = (sum(chosen for _, chosen in named.values()) + 0.5) / (sum(count for count, _ in named.values()) + 1)
    trees = {identifier: concepts.trees(identifier) for identifier in sorted(named)}
    shares: dict[str, float] = {}
    for depth in DEPTHS:
        by_branch: dict[str, list[int]] = {}
        for identifier, (count, chosen) in named.items():
            for branch in _at(trees[identifier], depth):
                counts = by_branch.setdefault(branch, [0, 0])
                counts[0] += count
                counts[1] += chosen
        for branch, (count, chosen) in sorted(by_branch.items()):
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


def _at(trees: Iterable[str], depth: int) -> list[str]:
    """The distinct branches of a depth that contain these tree numbers."""
    parts = (tree.split(".") for tree in trees)
    return sorted({".".join(part[:depth]) for part in parts if len(part) >= depth})


# -- background ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Background:
    """Counts of unlabelled articles by concept, out of `articles` articles."""

    articles: int = 0
    named: dict[str, int] = field(default_factory=dict)
    """Articles that mention it outside the references."""
    abstract: dict[str, int] = field(default_factory=dict)
    """Those that mention it in title or abstract."""
    title: dict[str, int] = field(default_factory=dict)
    """Those that mention it in the title."""
    _shares: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    """Cache: the shares of all concepts together, by kind of count; emptied when an article is added."""

    def add(self, article: ArticleCandidates) -> None:
        self.articles += 1
        self._shares.clear()
        for candidate in article.candidates:
            if not candidate.body:
                continue
            in_title = candidate.counts[_TITLE] > 0
            for counts, has_it in (
                (self.named, True),
                (self.abstract, in_title or candidate.counts[_ABSTRACT] > 0),
                (self.title, in_title),
            ):
                if has_it:
                    counts[candidate.identifier] = counts.get(candidate.identifier, 0) + 1

    def rarity(self, identifier: str) -> float:
        """The inverse document frequency, smoothed: ln((articles + 1) / (articles that mention it + 0.5))."""
        return log((self.articles + 1) / (self.named.get(identifier, 0) + 0.5))

    def prominence(self, identifier: str) -> float:
        """Log-odds that an article mentions it in title or abstract, if at all: high for topics, low for tools."""
        return self._smoothed("abstract", self.abstract, identifier)

    def titularity(self, identifier: str) -> float:
        """Log-odds that an article mentions it in the title, if at all."""
        return self._smoothed("title", self.title, identifier)

    def _smoothed(self, name: str, counts: Mapping[str, int], identifier: str) -> float:
        everywhere = self._shares.get(name)
        if everywhere is None:
            everywhere = (sum(counts.values()) + 0.5) / (sum(self.named.values()) + 1)
            self._shares[name] = everywhere
        number, of = counts.get(identifier, 0), self.named.get(identifier, 0)
        return _log_odds((number + BACKGROUND_STRENGTH * everywhere) / (of + BACKGROUND_STRENGTH))

    def plain(self) -> dict[str, Any]:
        """For JSON: `{articles, concepts: {identifier: [named, abstract, title]}}`."""
        return {
            "articles": self.articles,
            "concepts": {
                identifier: [named, self.abstract.get(identifier, 0), self.title.get(identifier, 0)]
                for identifier, named in sorted(self.named.items())
            },
        }

    @classmethod
    def from_plain(cls, value: Mapping[str, Any]) -> Background:
        """The reverse of `plain`. Raises `KeyError`, `TypeError`, `ValueError` for anything else."""
        made = cls(_whole(value["articles"]))
        for identifier, (named, abstract, title) in value["concepts"].items():
            if not _whole(title) <= _whole(abstract) <= _whole(named):
                raise ValueError(f"{identifier} occurs in more titles or abstracts than articles")
            for counts, number in ((made.named, named), (made.abstract, abstract), (made.title, title)):
                if number:
                    counts[identifier] = number
        return made


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value
