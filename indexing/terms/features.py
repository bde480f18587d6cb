"""The features of the logistic indexer: one number for each candidate of an article.

Among them are positions within title, abstract, headings and the paragraphs that begin or end a section. The embedded
model does not use these: they did not improve it (docs/reference/indexing.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import log, log1p, nan

import numpy as np

from corpora.model.mesh_ids import is_descriptor
from indexing.learning.linear import Floats
from indexing.terms.candidates import NUMBER, PLACES, ArticleCandidates, TermCandidate, spaced
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.statistics import Background, Prior

UNKNOWN = nan
"""The value of a feature that needs tree numbers, with a lexicon that has none. Models replace it by the mean."""

_TITLE, _ABSTRACT = NUMBER["title"], NUMBER["abstract"]
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(])")
_SHORTEST_SENTENCE = 15
"""Characters. Shorter pieces are labels of a structured abstract, or the rest of an abbreviation."""
_SHORTEST_PARAGRAPH = 80
"""Characters."""


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
        """The tree numbers of all candidates."""
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

    @cached_property
    def sentences(self) -> list[tuple[int, int, int]]:
        """Passage, start and end of the sentences of the abstract."""
        spans = []
        for number in self.before:
            text = self.article.texts[number]
            starts = [0, *(match.end() for match in _SENTENCE.finditer(text))]
            ends = [*(match.start() for match in _SENTENCE.finditer(text)), len(text)]
            pairs = zip(starts, ends, strict=True)
            spans += [(number, start, end) for start, end in pairs if end - start > _SHORTEST_SENTENCE]
        return spans

    @cached_property
    def before(self) -> Mapping[int, int]:
        """The characters of the abstract before each of its passages."""
        totals: dict[int, int] = {}
        total = 0
        for number, place in enumerate(self.article.places):
            if place == _ABSTRACT:
                totals[number] = total
                total += len(self.article.texts[number])
        return totals

    @cached_property
    def length(self) -> int:
        """The characters of the abstract."""
        return sum(len(self.article.texts[number]) for number in self.before)

    @cached_property
    def paragraphs(self) -> Mapping[int, list[int]]:
        """The passages of each place that are paragraphs, not headings."""
        passages: dict[int, list[int]] = {}
        for number, place in enumerate(self.article.places):
            if number not in self.article.headings and len(self.article.texts[number]) > _SHORTEST_PARAGRAPH:
                passages.setdefault(place, []).append(number)
        return passages

    @cached_property
    def company(self) -> Mapping[int, int]:
        """The number of candidates in each passage."""
        identifiers: dict[int, set[str]] = {}
        for candidate in self.article.candidates:
            for occurrence in candidate.occurrences:
                identifiers.setdefault(occurrence.passage, set()).add(candidate.identifier)
        return {passage: len(names) for passage, names in identifiers.items()}

    @cached_property
    def keywords(self) -> list[str]:
        return [spaced(keyword) for keyword in self.article.keywords]


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


def _sentences_of(term: TermCandidate, view: ArticleView) -> set[int]:
    """The numbers of the sentences of the abstract with the candidate."""
    starts = [
        (occurrence.passage, occurrence.start) for occurrence in term.occurrences if occurrence.place == _ABSTRACT
    ]
    return {
        number
        for number, (passage, begin, end) in enumerate(view.sentences)
        if any(at == passage and begin <= start < end for at, start in starts)
    }


def _position(place: int, term: TermCandidate, view: ArticleView) -> float:
    """The first position in title or abstract as a share of its length; 1 if it is not there."""
    shares = []
    for occurrence in term.occurrences:
        if occurrence.place == place == _TITLE:
            shares.append(occurrence.start / max(1, len(view.article.texts[occurrence.passage])))
        elif occurrence.place == place:
            shares.append((view.before[occurrence.passage] + occurrence.start) / max(1, view.length))
    return min(shares, default=1.0)


def _in_paragraph(place: str, which: int, term: TermCandidate, view: ArticleView) -> float:
    """Whether the first (0) or last (-1) paragraph of a section has the candidate."""
    paragraphs = view.paragraphs.get(NUMBER[place], [])[which:][:1]
    return float(any(occurrence.passage in paragraphs for occurrence in term.occurrences))


def _company(term: TermCandidate, view: ArticleView) -> float:
    """The logarithm of the mean number of other candidates in the passages of its mentions."""
    others = [view.company[occurrence.passage] - 1 for occurrence in term.occurrences]
    return log1p(sum(others) / len(others)) if others else 0.0


def _keywords_with(term: TermCandidate, view: ArticleView) -> float:
    """The logarithm of the number of keywords that contain one of its texts."""
    names = [spaced(name) for name in term.surfaces if len(name) > 2]
    return log1p(sum(any(name in keyword for name in names) for keyword in view.keywords))


def _is_keyword(term: TermCandidate, view: ArticleView) -> float:
    names = {spaced(name) for name in term.surfaces}
    return float(any(keyword in names or f"{keyword[:-1]}s " in names for keyword in view.keywords))


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
    # Positions within title, abstract and sections.
    "abstract:first-sentence": lambda term, view: float(0 in _sentences_of(term, view)),
    "abstract:last-sentence": lambda term, view: float(len(view.sentences) - 1 in _sentences_of(term, view)),
    "abstract:sentences": lambda term, view: len(_sentences_of(term, view)) / max(1, len(view.sentences)),
    "abstract:position": partial(_position, _ABSTRACT),
    "title:position": partial(_position, _TITLE),
    "heading": lambda term, view: log1p(sum(where.passage in view.article.headings for where in term.occurrences)),
    "introduction:last": partial(_in_paragraph, "introduction", -1),
    "conclusion:last": partial(_in_paragraph, "conclusion", -1),
    "discussion:first": partial(_in_paragraph, "discussion", 0),
    "discussion:last": partial(_in_paragraph, "discussion", -1),
    "keyword:number": _keywords_with,
    "keyword:exact": _is_keyword,
    "company": _company,
    "title:others": lambda term, view: log1p(view.named[_TITLE] - (term.counts[_TITLE] > 0)),
    "title:alone": lambda term, view: float(term.counts[_TITLE] > 0 and view.named[_TITLE] == 1),
    "outside-front": lambda term, view: float(term.counts[_TITLE] + term.counts[_ABSTRACT] == 0),
    "methods:part": lambda term, view: term.counts[NUMBER["methods"]] / max(1, term.body),
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
