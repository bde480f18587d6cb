"""The TF-IDF indexer: chooses concepts that are frequent in the article and rare in others."""

from __future__ import annotations

from math import log

from bioc import BioCDocument

from indexing.terms.background import Background
from indexing.terms.candidates import ArticleCandidates, TermCandidate, candidates_of
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


def tfidf(candidate: TermCandidate, article: ArticleCandidates, background: Background) -> float:
    """The share of a concept in the article's mentions outside the references, times its rarity (0..1)."""
    greatest = log((background.articles + 1) / 0.5)
    return candidate.body / max(1, article.body) * background.rarity(candidate.identifier) / greatest


class TfIdfIndexer:
    """Chooses the concepts whose score, in 0..1, reaches the threshold."""

    name = "tfidf"

    def __init__(
        self, background: Background, version: str, threshold: float, concepts: Concepts = NO_CONCEPTS
    ) -> None:
        """`version`: the version of the model that has the background counts."""
        self.version = f"{version}:tfidf={threshold:g}"
        self.threshold = threshold
        self._background = background
        self._concepts = concepts

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        return self.explain(document).choices()

    def explain(self, document: BioCDocument) -> TermExplanation:
        """Every candidate with its share of the mentions and its rarity."""
        article = candidates_of(document, self._concepts)
        candidates = ranked(self._judged(candidate, article) for candidate in article.candidates)
        return TermExplanation(str(document.id), self.name, self.version, self.threshold, None, candidates)

    def _judged(self, candidate: TermCandidate, article: ArticleCandidates) -> ExplainedTerm:
        score = tfidf(candidate, article, self._background)
        return ExplainedTerm(
            candidate.identifier,
            entry_term(candidate.identifier, candidate.surfaces, self._concepts),
            score,
            score > 0 and score >= self.threshold,
            (
                Contribution("share", candidate.body / max(1, article.body), None),
                Contribution("rarity", self._background.rarity(candidate.identifier), None),
            ),
        )
