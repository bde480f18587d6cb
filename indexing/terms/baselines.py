"""Indexers without a trained model: all chemicals of title and abstract, the rules of a team of the NLM-Chem track, and
TF-IDF, which chooses concepts that are frequent in the article and rare in others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from bioc import BioCDocument

from indexing.terms.candidates import PLACES, ArticleCandidates, TermCandidate, candidates_of
from indexing.terms.indexer import (
    NO_CONCEPTS,
    ChosenTerm,
    Concepts,
    Contribution,
    ExplainedTerm,
    TermExplanation,
    entry_term,
    ranked,
)
from indexing.terms.statistics import Background

Judge = Callable[[TermCandidate, ArticleCandidates], tuple[float, bool, Mapping[str, float]]]
"""The score of a candidate, whether it is chosen, and the values that the score depends on."""


class BaselineIndexer:
    """Judges each candidate by itself: see `rule_indexer` and `tfidf_indexer`."""

    def __init__(self, name: str, version: str, threshold: float, concepts: Concepts, judge: Judge) -> None:
        self.name = name
        self.version = version
        self.threshold = threshold
        self._concepts = concepts
        self._judge = judge

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        return self.explain(document).choices()

    def explain(self, document: BioCDocument) -> TermExplanation:
        """Every candidate with the values that its score depends on."""
        article = candidates_of(document, self._concepts)
        terms = []
        for candidate in article.candidates:
            score, chosen, values = self._judge(candidate, article)
            name = entry_term(candidate.identifier, candidate.surfaces, self._concepts)
            reasons = tuple(Contribution(feature, value, None) for feature, value in values.items())
            terms.append(ExplainedTerm(candidate.identifier, name, score, chosen, reasons))
        return TermExplanation(str(document.id), self.name, self.version, self.threshold, None, ranked(terms))


# -- rules --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SectionRules:
    """A concept is chosen if its share of the mentions of any section reaches the threshold of that section.

    `thresholds`: place (`indexing.terms.candidates.PLACES`) -> share (0..1). A share of 0 is never enough.
    """

    name: str
    thresholds: Mapping[str, float]

    def judge(self, candidate: TermCandidate, article: ArticleCandidates) -> tuple[float, bool, Mapping[str, float]]:
        """The greatest share of a concept, whether one reaches its threshold, and all shares. Unmarked names do not
        count."""
        numbers = {place: PLACES.index(place) for place in self.thresholds}
        shares = {place: candidate.marked[n] / max(1, article.marked[n]) for place, n in numbers.items()}
        chosen = any(0 < share >= self.thresholds[place] for place, share in shares.items())
        return max(shares.values()), chosen, {f"part:{place}": share for place, share in shares.items()}


TITLE_ABSTRACT = SectionRules("title-abstract", {"title": 0.0, "abstract": 0.0})
"""Every chemical of title and abstract: the simple benchmark of the track (Leaman et al. 2023)."""

TEAM_110 = SectionRules("rules", {"title": 0.02, "abstract": 0.1, "figure": 0.22, "conclusion": 0.1})
"""Team 110 of the track: shares of the mentions in title, abstract, captions and conclusion."""


def rule_indexer(
    rules: SectionRules, concepts: Concepts = NO_CONCEPTS, threshold: float | None = None
) -> BaselineIndexer:
    """An indexer whose score is the greatest share of a concept in the sections of the rules.

    `threshold` replaces the thresholds of all these sections.
    """
    shares = {place: share if threshold is None else threshold for place, share in rules.thresholds.items()}
    version = f"{rules.name}:" + ",".join(f"{place}={share:g}" for place, share in shares.items())
    return BaselineIndexer(rules.name, version, min(shares.values()), concepts, SectionRules(rules.name, shares).judge)


# -- TF-IDF -------------------------------------------------------------------------------------


def tfidf(candidate: TermCandidate, article: ArticleCandidates, background: Background) -> float:
    """The share of a concept in the mentions outside the references, times its rarity (0..1)."""
    greatest = log((background.articles + 1) / 0.5)
    return candidate.body / max(1, article.body) * background.rarity(candidate.identifier) / greatest


def tfidf_indexer(
    background: Background, version: str, threshold: float, concepts: Concepts = NO_CONCEPTS
) -> BaselineIndexer:
    """An indexer of the concepts whose score reaches the threshold. `version`: of the model with the background."""

    def judge(candidate: TermCandidate, article: ArticleCandidates) -> tuple[float, bool, Mapping[str, float]]:
        score = tfidf(candidate, article, background)
        share, rarity = candidate.body / max(1, article.body), background.rarity(candidate.identifier)
        return score, score > 0 and score >= threshold, {"share": share, "rarity": rarity}

    return BaselineIndexer("tfidf", f"{version}:tfidf={threshold:g}", threshold, concepts, judge)
