"""The features of the logistic indexer: one number for each candidate of an article."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log1p, nan

import numpy as np

from corpora.model.mesh_ids import is_descriptor
from indexing.learning.linear import Floats
from indexing.terms.background import Background
from indexing.terms.candidates import PLACES, ArticleCandidates, TermCandidate
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.layout import LAYOUT, Layout
from indexing.terms.prior import Prior

UNKNOWN = nan
"""The value of a feature that needs tree numbers, with a lexicon that has none. Models replace it by the mean."""


@dataclass(frozen=True, slots=True)
class _CandidateView:
    """A candidate in its article. `rank`: 1 for the candidate with the most mentions outside the references."""

    candidate: TermCandidate
    article: ArticleCandidates
    rank: int
    most: int
    trees: tuple[str, ...]
    others: frozenset[str]
    """Tree numbers of all candidates of the article."""
    above: frozenset[str]
    """The tree numbers above any of these."""
    prior: float
    background: Background
    layout: Layout
    named: Mapping[str, int]
    """How many candidates each section names."""


Feature = Callable[[_CandidateView], float]


def _count(place: int) -> Feature:
    return lambda view: float(view.candidate.counts[place])


def _log(place: int) -> Feature:
    return lambda view: log1p(view.candidate.counts[place])


def _share(place: int) -> Feature:
    return lambda view: view.candidate.counts[place] / max(1, view.article.total)


def _part(place: int) -> Feature:
    return lambda view: view.candidate.counts[place] / max(1, view.article.counts[place])


def _has(place: int) -> Feature:
    return lambda view: float(view.candidate.counts[place] > 0)


def _of_layout(name: str) -> Feature:
    return lambda view: LAYOUT[name](view.candidate, view.layout)


def _rarity(view: _CandidateView) -> float:
    return view.background.rarity(view.candidate.identifier)


def _depth(view: _CandidateView) -> float:
    if not view.others:
        return UNKNOWN
    return float(min((tree.count(".") + 1 for tree in view.trees), default=0))


def _narrower(view: _CandidateView) -> float:
    return float(any(tree in view.above for tree in view.trees)) if view.others else UNKNOWN


def _broader(view: _CandidateView) -> float:
    if not view.others:
        return UNKNOWN
    return float(any(branch in view.others for tree in view.trees for branch in _branches(tree)))


def _branches(tree: str) -> list[str]:
    """The tree numbers above one: `D01.268.956` -> `D01.268`, `D01`."""
    branches = []
    while "." in tree:
        tree = tree.rpartition(".")[0]
        branches.append(tree)
    return branches


def _named_in(candidates: Sequence[TermCandidate]) -> Mapping[str, int]:
    return {place: sum(candidate.counts[number] > 0 for candidate in candidates) for number, place in enumerate(PLACES)}


FEATURES: Mapping[str, Feature] = {
    # Mentions by section: the count, its logarithm, its share of the article, its share of the section, whether any.
    **{f"count:{place}": _count(number) for number, place in enumerate(PLACES)},
    **{f"log:{place}": _log(number) for number, place in enumerate(PLACES)},
    **{f"share:{place}": _share(number) for number, place in enumerate(PLACES)},
    **{f"part:{place}": _part(number) for number, place in enumerate(PLACES)},
    **{f"has:{place}": _has(number) for number, place in enumerate(PLACES)},
    # Mentions in the whole article without the references.
    "count": lambda view: float(view.candidate.body),
    "log": lambda view: log1p(view.candidate.body),
    "share": lambda view: view.candidate.body / max(1, view.article.body),
    "per-thousand-words": lambda view: log1p(1000 * view.candidate.body / max(1, view.article.words)),
    "of-most": lambda view: view.candidate.body / max(1, view.most),
    "log-rank": lambda view: log(view.rank),
    "most": lambda view: float(view.rank == 1),
    "sections": lambda view: float(sum(count > 0 for count in view.candidate.counts)),
    "log-passages": lambda view: log1p(view.candidate.passages),
    # Positions, as shares of the length of the article.
    "first": lambda view: view.candidate.first,
    "last": lambda view: view.candidate.last,
    "spread": lambda view: view.candidate.last - view.candidate.first,
    # Positions within title, abstract and sections.
    **{name: _of_layout(name) for name in LAYOUT},
    # The use of its names in the article.
    "keyword": lambda view: float(view.candidate.keyword),
    "defined": lambda view: float(view.candidate.defined),
    "log-surfaces": lambda view: log(len(view.candidate.surfaces)),
    # The concept.
    "prior": lambda view: view.prior,
    "rarity": _rarity,
    "prominence": lambda view: view.background.prominence(view.candidate.identifier),
    "titularity": lambda view: view.background.titularity(view.candidate.identifier),
    "record": lambda view: float(not is_descriptor(view.candidate.identifier)),
    "depth": _depth,
    "narrower-present": _narrower,
    "broader-present": _broader,
    # The article: articles about chemicals have many mentions.
    "article:log-candidates": lambda view: log(len(view.article.candidates)),
    "article:log-mentions": lambda view: log1p(view.article.body),
    "article:per-thousand-words": lambda view: log1p(1000 * view.article.body / max(1, view.article.words)),
    "article:title": lambda view: float(view.named["title"]),
    "article:abstract": lambda view: log1p(view.named["abstract"]),
    # Frequent in the article and rare in others.
    "rarity*log": lambda view: _rarity(view) * log1p(view.candidate.body),
    "rarity*share": lambda view: _rarity(view) * view.candidate.body / max(1, view.article.body),
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
    views = _views(article, prior, background, concepts)
    values = [[function(view) for function in functions] for view in views]
    return np.array(values, dtype=np.float64).reshape(len(views), len(functions))


def _views(
    article: ArticleCandidates, prior: Prior, background: Background, concepts: Concepts
) -> list[_CandidateView]:
    bodies = sorted((candidate.body for candidate in article.candidates), reverse=True)
    ranks: dict[int, int] = {}
    for rank, body in enumerate(bodies, 1):
        # Candidates with equal counts share the better rank.
        ranks.setdefault(body, rank)
    trees = [concepts.trees(candidate.identifier) for candidate in article.candidates]
    others = frozenset(tree for of_one in trees for tree in of_one)
    above = frozenset(branch for tree in others for branch in _branches(tree))
    layout = Layout(article)
    named = _named_in(article.candidates)
    return [
        _CandidateView(
            candidate,
            article,
            ranks[candidate.body],
            bodies[0],
            of_one,
            others,
            above,
            prior.of(candidate.identifier, concepts),
            background,
            layout,
            named,
        )
        for candidate, of_one in zip(article.candidates, trees, strict=True)
    ]
