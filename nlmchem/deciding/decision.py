"""The learnt decision: every candidate gets a probability, and the best set without overlaps stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model.document import Span
from nlmchem.deciding.candidates import candidates_of, possible
from nlmchem.deciding.evidence import FEATURES, Evidence, evidence_of
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.meanings import Meanings, article_with
from nlmchem.deciding.schedule import best_set
from nlmchem.deciding.trees import Trees
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon

__all__ = ["Considered", "Decision", "Evidences", "chosen_of", "log_odds_of"]

Floats = NDArray[np.float64]

REASONS = 3
"""How many reasons a mention gets."""


class Evidences:
    """Makes the evidence for the candidates of an article. It keeps nothing of an article."""

    def __init__(self, lexicon: Lexicon, cascade: Cascade | None = None) -> None:
        """`cascade`: sieves over the undated lexicon, whose cached answers are used as well."""
        self._lexicon = lexicon.undated()
        self._cascade = cascade or Cascade(self._lexicon)
        self._names = LexiconTagger(self._lexicon)

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> tuple[Evidence, Meanings]:
        """The evidence for the candidates of the passages, and the meanings of their texts."""
        marked = {passage.text_of(span) for passage in passages for span in passage.spans}
        meanings = Meanings(self._cascade, self._lexicon, article_with(document, marked))
        short_forms = self._names.short_forms(document)
        named = [
            [span[:2] for span in self._names.find(passage.text, short_forms, possible(passage))]
            for passage in passages
        ]
        candidates = [candidates_of(passage, own, meanings) for passage, own in zip(passages, named, strict=True)]
        return evidence_of(passages, candidates, named, meanings), meanings


@dataclass(frozen=True, slots=True)
class Considered:
    """The candidates of an article, their log-odds, and the positions of those that stand."""

    evidence: Evidence
    meanings: Meanings
    log_odds: Floats
    chosen: frozenset[int]

    @property
    def probabilities(self) -> Floats:
        """The probability of each candidate of being a mention."""
        found: Floats = 1 / (1 + np.exp(-self.log_odds))
        return found


class Decision:
    """Replaces the spans of an article by the best set of its candidates. The score of a span is its probability.

    The knowledge (`nlmchem.deciding.knowledge`) is applied before: its spans are candidates of the tagger.
    """

    def __init__(self, lexicon: Lexicon, model: Trees, explain: bool = False) -> None:
        """`explain`: whether the spans get the probability and the three strongest reasons in words."""
        self._explain = explain
        self._knowledge = Knowledge(lexicon)
        self._evidences = Evidences(lexicon, self._knowledge.cascade)
        self._model = model

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
        """Change the spans of the passages of one article in place."""
        considered = self.consider(document, passages)
        stands: list[list[ScoredSpan]] = [[] for _ in passages]
        chosen = sorted(considered.chosen)
        reasons = self.reasons(considered, chosen) if self._explain else [""] * len(chosen)
        for at, why in zip(chosen, reasons, strict=True):
            number, start, end = considered.evidence.spans[at]
            stands[number].append(ScoredSpan(start, end, float(considered.probabilities[at]), why))
        for passage, spans in zip(passages, stands, strict=True):
            passage.spans = spans

    def consider(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> Considered:
        """The candidates and which of them stand. Applies the knowledge to the passages."""
        self._knowledge(document, passages)
        evidence, meanings = self._evidences(document, passages)
        log_odds = log_odds_of(evidence.values, self._model)
        return Considered(evidence, meanings, log_odds, chosen_of(evidence.spans, log_odds, self._model.threshold))

    def reasons(self, considered: Considered, positions: Sequence[int]) -> list[str]:
        """For each of these candidates: its probability, and the three features that changed the log-odds most."""
        if not positions:
            return []
        rows = list(positions)
        values = considered.evidence.values[rows][:, _columns(self._model)]
        added = self._model.contributions(values)
        raised = considered.log_odds[rows] > self._model.log_odds(values)
        return [
            f"probability {probability:.4f}{' (floor)' if floor else ''}: {_in_words(self._model.features, row, own)}"
            for probability, floor, row, own in zip(considered.probabilities[rows], raised, values, added, strict=True)
        ]


def _in_words(features: Sequence[str], values: Floats, added: Floats) -> str:
    strongest = sorted(range(len(features)), key=lambda at: (-abs(added[at]), features[at]))[:REASONS]
    return "; ".join(f"{features[at]} {values[at]:.3g} ({added[at]:+.2f})" for at in strongest)


def log_odds_of(values: Floats, model: Trees) -> Floats:
    """The log-odds of the candidates of one article. `values`: all features (candidates x `FEATURES`).

    Spans of the tagger that the lexicon has as a chemical have at least the probability `model.floor`; in an article
    about new compounds (`NEW_SHARE`, `NEW_PLACES`) so have spans of the tagger without a meaning.
    """
    log_odds = model.log_odds(values[:, _columns(model)])
    sure = np.all(values[:, _KNOWN_CHEMICAL] > 0, axis=1)
    new = np.all(values[:, _NEW_NAME] > 0, axis=1)
    if new.sum() >= NEW_PLACES and values[0, _ARTICLE_UNKNOWN] >= NEW_SHARE:
        sure |= new
    return np.where(sure, np.maximum(log_odds, np.log(model.floor / (1 - model.floor))), log_odds)


NEW_SHARE, NEW_PLACES = 0.3, 40
"""An article is about new compounds if at least this share of the texts that the tagger marks, and marks at this many
places, have no meaning. Abstracts have fewer places. Such names are in no lexicon, so the missing meaning is no
evidence against them; too few articles of the training are like that (docs/measurements/deciding.md)."""
_KNOWN_CHEMICAL = [FEATURES.index(name) for name in ("marked", "known", "chemical")]
_NEW_NAME = [FEATURES.index(name) for name in ("marked", "unknown")]
_ARTICLE_UNKNOWN = FEATURES.index("article unknown")


def _columns(model: Trees) -> list[int]:
    return [FEATURES.index(name) for name in model.features]


def chosen_of(spans: Sequence[tuple[int, int, int]], log_odds: Floats, threshold: float) -> frozenset[int]:
    """The positions of the best set of spans (passage, start, end) without overlaps in each passage."""
    weights = log_odds - np.log(threshold / (1 - threshold))
    chosen: list[int] = []
    first = 0
    while first < len(spans):
        last = first
        while last < len(spans) and spans[last][0] == spans[first][0]:
            last += 1
        own: list[Span] = [span[1:] for span in spans[first:last]]
        chosen += [first + at for at in best_set(own, weights[first:last].tolist())]
        first = last
    return frozenset(chosen)
