"""Counts in unlabelled articles: how many mention a concept, and how many of these in title or abstract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from indexing.terms.candidates import PLACES, ArticleCandidates

STRENGTH = 4.0
"""Smoothing: the share of all concepts counts as this number of articles."""
_TITLE, _ABSTRACT = PLACES.index("title"), PLACES.index("abstract")


@dataclass(slots=True)
class Background:
    """Counts of articles by concept, out of `articles` articles.

    `named`: articles that mention it outside the references. `abstract`: those that mention it in title or abstract.
    `title`: those that mention it in the title.
    """

    articles: int = 0
    named: dict[str, int] = field(default_factory=dict)
    abstract: dict[str, int] = field(default_factory=dict)
    title: dict[str, int] = field(default_factory=dict)
    _shares: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    """Cache: the shares of all concepts together, by kind of count; emptied when an article is added."""

    def rarity(self, identifier: str) -> float:
        """The inverse document frequency, smoothed: ln((articles + 1) / (articles that mention it + 0.5))."""
        return log((self.articles + 1) / (self.named.get(identifier, 0) + 0.5))

    def prominence(self, identifier: str) -> float:
        """Log-odds that an article mentions it in title or abstract, if at all: high for topics, low for tools."""
        return self._log_odds("abstract", self.abstract, identifier)

    def titularity(self, identifier: str) -> float:
        """Log-odds that an article mentions it in the title, if at all."""
        return self._log_odds("title", self.title, identifier)

    def _log_odds(self, name: str, counts: Mapping[str, int], identifier: str) -> float:
        everywhere = self._shares.get(name)
        if everywhere is None:
            everywhere = (sum(counts.values()) + 0.5) / (sum(self.named.values()) + 1)
            self._shares[name] = everywhere
        share = (counts.get(identifier, 0) + STRENGTH * everywhere) / (self.named.get(identifier, 0) + STRENGTH)
        return log(share / (1 - share))

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


def count(background: Background, article: ArticleCandidates) -> Background:
    """Add an article to the counts, in place."""
    background.articles += 1
    background._shares.clear()
    for candidate in article.candidates:
        if not candidate.body:
            continue
        titled = candidate.counts[_TITLE] > 0
        for counts, there in (
            (background.named, True),
            (background.abstract, titled or candidate.counts[_ABSTRACT] > 0),
            (background.title, titled),
        ):
            if there:
                counts[candidate.identifier] = counts.get(candidate.identifier, 0) + 1
    return background
