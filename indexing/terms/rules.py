"""Indexers without a model: all chemicals of title and abstract, and the rules of a team of the NLM-Chem track."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class SectionRules:
    """A concept is chosen if its share of the mentions of any section reaches the threshold of that section.

    `thresholds`: place (`indexing.terms.candidates.PLACES`) -> share (0..1). A share of 0 is never enough.
    """

    name: str
    thresholds: Mapping[str, float]


TITLE_ABSTRACT = SectionRules("title-abstract", {"title": 0.0, "abstract": 0.0})
"""Every chemical of title and abstract: the simple benchmark of the track (Leaman et al. 2023)."""

TEAM_110 = SectionRules("rules", {"title": 0.02, "abstract": 0.1, "figure": 0.22, "conclusion": 0.1})
"""Team 110 of the track: shares of the mentions in title, abstract, captions and conclusion."""


class RuleIndexer:
    """Chooses by `SectionRules`. The score is the greatest share of a concept in the sections of the rules.

    `threshold` replaces the thresholds of all these sections.
    """

    def __init__(self, rules: SectionRules, concepts: Concepts = NO_CONCEPTS, threshold: float | None = None) -> None:
        shares = {place: share if threshold is None else threshold for place, share in rules.thresholds.items()}
        self.name = rules.name
        self.version = f"{rules.name}:" + ",".join(f"{place}={share:g}" for place, share in shares.items())
        self.threshold = min(shares.values())
        self._rules = SectionRules(rules.name, shares)
        self._concepts = concepts

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        return self.explain(document).choices()

    def explain(self, document: BioCDocument) -> TermExplanation:
        """Every candidate with its shares in the sections of the rules."""
        article = candidates_of(document, self._concepts)
        candidates = ranked(self._judged(candidate, article) for candidate in article.candidates)
        return TermExplanation(str(document.id), self.name, self.version, self.threshold, None, candidates)

    def _judged(self, candidate: TermCandidate, article: ArticleCandidates) -> ExplainedTerm:
        judgement = judge(candidate, article, self._rules)
        return ExplainedTerm(
            candidate.identifier,
            entry_term(candidate.identifier, candidate.surfaces, self._concepts),
            max(judgement.shares.values()),
            judgement.chosen,
            tuple(Contribution(f"part:{place}", share, None) for place, share in judgement.shares.items()),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """The shares of a concept in the sections of rules, and whether one of them reaches its threshold."""

    shares: Mapping[str, float]
    chosen: bool


def judge(candidate: TermCandidate, article: ArticleCandidates, rules: SectionRules) -> Judgement:
    """Apply rules to a candidate of an article. Only mentions count, not unmarked names."""
    numbers = {place: PLACES.index(place) for place in rules.thresholds}
    shares = {place: candidate.marked[n] / max(1, article.marked[n]) for place, n in numbers.items()}
    return Judgement(shares, any(0 < share >= rules.thresholds[place] for place, share in shares.items()))
