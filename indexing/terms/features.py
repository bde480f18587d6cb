"""The features of the logistic indexer: one number for each candidate of an article."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import log, log1p, nan

import numpy as np

from corpora.model.mesh_ids import is_descriptor
from indexing.learning.linear import Floats
from indexing.terms.candidates import NUMBER, PLACES, ArticleCandidates, TermCandidate
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.statistics import Background, Prior

UNKNOWN = nan
"""The value of a feature that needs tree numbers, with a lexicon that has none. Models replace it by the mean."""

_TITLE, _ABSTRACT = NUMBER["title"], NUMBER["abstract"]


@dataclass(frozen=True)
class ArticleView:
    """An article with what is known of its concepts. Every value of it is computed once for the article."""

    article: ArticleCandidates
    prior: Prior
    background: Background
    concepts: Concepts = NO_CONCEPTS

    @cached_property
    def ranks(self) -> Mapping[int, int]:
        """The rank of each number of mentions outside the references; 1 for the greatest. Equal counts share it."""
        ranks: dict[int, int] = {}
        for rank, body in enumerate(sorted((candidate.body for candidate in self.article.candidates), reverse=True), 1):
            ranks.setdefault(body, rank)
        return ranks

    @cached_property
    def most(self) -> int:
        """The greatest number of mentions outside the references."""
        return next(iter(self.ranks))

    @cached_property
    def trees(self) -> Mapping[str, tuple[str, ...]]:
        """The tree numbers of each candidate."""
        return {term.identifier: self.concepts.trees(term.identifier) for term in self.article.candidates}

    @cached_property
    def all_trees(self) -> frozenset[str]:
        return frozenset(tree for of_one in self.trees.values() for tree in of_one)

    @cached_property
    def above(self) -> frozenset[str]:
        """The tree numbers above any of these."""
        return frozenset(branch for tree in self.all_trees for branch in _branches(tree))

    @cached_property
    def named(self) -> Sequence[int]:
        """The number of candidates in each place."""
        rows = [candidate.counts for candidate in self.article.candidates]
        return [sum(row[place] > 0 for row in rows) for place in range(len(PLACES))]


Feature = Callable[[TermCandidate, ArticleView], float]


def _branches(tree: str) -> list[str]:
    """The tree numbers above one: `D01.268.956` -> `D01.268`, `D01`."""
    parts = tree.split(".")
    return [".".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)]


def _rarity(term: TermCandidate, view: ArticleView) -> float:
    return view.background.rarity(term.identifier)


def _depth(term: TermCandidate, view: ArticleView) -> float:
    trees = view.trees[term.identifier]
    return float(min((tree.count(".") + 1 for tree in trees), default=0)) if view.all_trees else UNKNOWN


def _narrower(term: TermCandidate, view: ArticleView) -> float:
    return float(not view.above.isdisjoint(view.trees[term.identifier])) if view.all_trees else UNKNOWN


def _broader(term: TermCandidate, view: ArticleView) -> float:
    above = (branch for tree in view.trees[term.identifier] for branch in _branches(tree))
    return float(not view.all_trees.isdisjoint(above)) if view.all_trees else UNKNOWN


_OF_PLACE: Mapping[str, Callable[[int, TermCandidate, ArticleView], float]] = {
    "count": lambda place, term, view: float(term.counts[place]),
    "log": lambda place, term, view: log1p(term.counts[place]),
    "share": lambda place, term, view: term.counts[place] / max(1, view.article.total),
    "part": lambda place, term, view: term.counts[place] / max(1, view.article.counts[place]),
    "has": lambda place, term, view: float(term.counts[place] > 0),
}
"""Mentions by section: the count, its logarithm, its share of the article, its share of the section, whether any."""

FEATURES: Mapping[str, Feature] = {
    **{
        f"{kind}:{place}": partial(function, number)
        for kind, function in _OF_PLACE.items()
        for number, place in enumerate(PLACES)
    },
    # Mentions in the whole article without the references.
    "count": lambda term, view: float(term.body),
    "log": lambda term, view: log1p(term.body),
    "share": lambda term, view: term.body / max(1, view.article.body),
    "per-thousand-words": lambda term, view: log1p(1000 * term.body / max(1, view.article.words)),
    "of-most": lambda term, view: term.body / max(1, view.most),
    "log-rank": lambda term, view: log(view.ranks[term.body]),
    "most": lambda term, view: float(view.ranks[term.body] == 1),
    "sections": lambda term, view: float(sum(count > 0 for count in term.counts)),
    "log-passages": lambda term, view: log1p(term.passages),
    # Positions, as shares of the length of the article.
    "first": lambda term, view: term.first,
    "last": lambda term, view: term.last,
    "spread": lambda term, view: term.last - term.first,
    # The use of its names in the article.
    "keyword": lambda term, view: float(term.keyword),
    "defined": lambda term, view: float(term.defined),
    "log-surfaces": lambda term, view: log(len(term.surfaces)),
    # The concept.
    "prior": lambda term, view: view.prior.of(term.identifier, view.concepts),
    "rarity": _rarity,
    "prominence": lambda term, view: view.background.prominence(term.identifier),
    "titularity": lambda term, view: view.background.titularity(term.identifier),
    "record": lambda term, view: float(not is_descriptor(term.identifier)),
    "depth": _depth,
    "narrower-present": _narrower,
    "broader-present": _broader,
    # The article: articles about chemicals have many mentions.
    "article:log-candidates": lambda term, view: log(len(view.article.candidates)),
    "article:log-mentions": lambda term, view: log1p(view.article.body),
    "article:per-thousand-words": lambda term, view: log1p(1000 * view.article.body / max(1, view.article.words)),
    "article:title": lambda term, view: float(view.named[_TITLE]),
    "article:abstract": lambda term, view: log1p(view.named[_ABSTRACT]),
    # Frequent in the article and rare in others.
    "rarity*log": lambda term, view: _rarity(term, view) * log1p(term.body),
    "rarity*share": lambda term, view: _rarity(term, view) * term.body / max(1, view.article.body),
}  # fmt: skip
"""All features by name. A model names those that it has weights for."""


def matrix(
    article: ArticleCandidates,
    names: Sequence[str],
    prior: Prior,
    background: Background,
    concepts: Concepts = NO_CONCEPTS,
) -> Floats:
    """The values of features (columns, in the order of `names`) for every candidate of an article (rows).

    Raises `KeyError` for a name that is not in `FEATURES`.
    """
    functions = [FEATURES[name] for name in names]
    view = ArticleView(article, prior, background, concepts)
    values = [[function(candidate, view) for function in functions] for candidate in article.candidates]
    return np.array(values, dtype=np.float64).reshape(len(article.candidates), len(functions))
