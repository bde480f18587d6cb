"""The learnt decision: every candidate gets a probability, and the best set without overlaps stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from bioc import BioCDocument

from corpora.model.document import Span, note_left_out
from indexing.learning import model_file
from indexing.learning.forest import Forest
from indexing.learning.linear import Floats, finite
from nlmchem.deciding.calibration import (
    OF_ARTICLES,
    OF_SHORT_TEXTS,
    Calibration,
    calibration_columns,
    lowest_for,
)
from nlmchem.deciding.candidates import candidates_of, possible
from nlmchem.deciding.features import FEATURES, SpanFeatures, features_of
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.meanings import Meanings, in_words
from nlmchem.deciding.whole_names import whole_names
from nlmchem.deciding.wording import arguments, strongest
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan, leave_out
from nlmchem.tagging.lexicon_tagger import LexiconTagger
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon

KIND = "decision"
"""The kind of the model files."""
SPANS = "spans"
"""The name of the trees in the file."""
ARTICLES, SHORT_TEXTS, SIZES = "articles", "short texts", "sizes"
"""The names of the parts of a calibration in the file."""
REASONS = 3
"""How many reasons a mention gets."""


@dataclass(frozen=True, slots=True)
class DecisionModel:
    """Trees on the features of a candidate. `threshold` (0..1): a candidate needs a higher probability.

    `floor` (0..1): the least probability of a span of the tagger that the lexicon has as a chemical, and of those
    without a meaning in articles about new compounds (`log_odds_of`). This is knowledge and not learnt: whether such a
    name is marked differs between guidelines. `calibration`: how probable its mentions are (None: not measured).
    `version`: the sha256 of the file.
    """

    trees: Forest
    threshold: float
    floor: float
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    calibration: Calibration | None = None


def read_model(path: Path) -> DecisionModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    threshold, floor = file.share("threshold"), file.share("floor")
    if not (0 < threshold < 1 and 0 < floor < 1):
        raise file.broken("has a threshold or a floor of 0 or 1")
    calibration = _calibration_of(file) if ARTICLES in file.content["linear"] else None
    return DecisionModel(file.forest(SPANS, FEATURES), threshold, floor, file.card, file.version, calibration)


def _calibration_of(file: model_file.ModelFile) -> Calibration:
    short = file.linear(SHORT_TEXTS, OF_SHORT_TEXTS) if SHORT_TEXTS in file.content["linear"] else None
    few, many = file.value(SIZES, _sizes_of)
    if not 0 < few < many:
        raise file.broken("has wrong sizes of texts")
    return Calibration(file.linear(ARTICLES, OF_ARTICLES), short, few, many)


def _sizes_of(value: Any) -> tuple[float, float]:
    few, many = map(finite, value)
    return few, many


def write_model(path: Path, model: DecisionModel) -> None:
    """Write a model atomically. Numbers are rounded; the same model gives the same bytes."""
    values: dict[str, Any] = {"threshold": model.threshold, "floor": model.floor}
    linear = {}
    if (calibration := model.calibration) is not None:
        linear[ARTICLES] = calibration.articles
        values[SIZES] = [calibration.few, calibration.many]
        if calibration.short is not None:
            linear[SHORT_TEXTS] = calibration.short
    model_file.write(path, KIND, model.card, linear, {SPANS: model.trees}, values)


class SpanFeatureMaker:
    """Makes the candidates of an article and their features. It keeps nothing of an article."""

    def __init__(self, lexicon: Lexicon, cascade: Cascade | None = None) -> None:
        """`cascade`: sieves over the undated lexicon, whose cached answers are used as well."""
        self._lexicon = lexicon.undated()
        self._cascade = cascade or Cascade(self._lexicon)
        self._names = LexiconTagger(self._lexicon)

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> tuple[SpanFeatures, Meanings]:
        """The features of the candidates of the passages, and the meanings of their texts.

        Spans become whole names (`nlmchem.deciding.whole_names`) in place.
        """
        marked = {passage.text_of(span) for passage in passages for span in passage.spans}
        meanings = Meanings(self._cascade, self._lexicon, article_of(document, marked))
        short_forms = self._names.short_forms(document)
        texts, within = [passage.text for passage in passages], [possible(passage) for passage in passages]
        named = [[span[:2] for span in spans] for spans in self._names.find(texts, short_forms, within)]
        for passage, spans in zip(passages, named, strict=True):
            passage.spans = whole_names(passage, spans, meanings)
        candidates = [candidates_of(passage, spans, meanings) for passage, spans in zip(passages, named, strict=True)]
        return features_of(passages, candidates, named, meanings), meanings


@dataclass(frozen=True, slots=True)
class Considered:
    """The candidates of an article, their log-odds, and the positions of those that stand.

    `without_floor`: the log-odds of the trees alone. `calibration`: of the decision (None: not measured).
    """

    features: SpanFeatures
    meanings: Meanings
    log_odds: Floats
    chosen: frozenset[int]
    without_floor: Floats
    calibration: Calibration | None = None

    def by_text(self) -> dict[str, list[int]]:
        """The positions of the candidates with each text."""
        groups: dict[str, list[int]] = {}
        for at, text in enumerate(self.features.texts):
            groups.setdefault(text, []).append(at)
        return groups

    def write(self, passages: Sequence[PassageSpans]) -> None:
        """Replace the spans of the passages by those that stand."""
        for passage in passages:
            passage.spans = []
        scores, calibrated = self.scores.tolist(), self.calibration is not None
        for at in sorted(self.chosen):
            number, start, end = self.features.spans[at]
            passages[number].spans.append(ScoredSpan(start, end, scores[at], calibrated=calibrated))

    def marked(self, positions: Sequence[int]) -> int:
        """How many of these candidates the tagger marked."""
        return int((self.features.columns["marked"][list(positions)] > 0).sum())

    @property
    def probabilities(self) -> Floats:
        """The probability of each candidate by the trees, with the floor: what the decision compares."""
        probabilities: Floats = 1 / (1 + np.exp(-self.log_odds))
        return probabilities

    @property
    def scores(self) -> Floats:
        """The scores of candidates that stand: how probably each is right, if the decision is calibrated."""
        if self.calibration is None:
            return self.probabilities
        columns = calibration_columns(self.features.columns, self.without_floor, self.log_odds)
        return self.calibration(columns, len(self.chosen))


class Decision:
    """Replaces the spans of an article by the best set of its candidates. The score of a span is its probability.

    The knowledge (`nlmchem.deciding.knowledge`) is applied before: its spans are candidates of the tagger.
    """

    def __init__(
        self, lexicon: Lexicon, model: DecisionModel, explain: bool = False, target: float | None = None
    ) -> None:
        """`explain`: whether the spans get reasons in words: what they mean, and the three strongest features.

        `target`: the least probable spans of an article are left out, so that the mean probability of the others
        reaches it (None: all stay); only with a calibrated model.
        """
        self._explain = explain
        self._target = target
        self._knowledge = Knowledge(lexicon)
        self._features = SpanFeatureMaker(lexicon, self._knowledge.cascade)
        self._model = model

    @property
    def threshold(self) -> float:
        """The probability that a candidate must exceed."""
        return self._model.threshold

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
        """Change the spans of the passages of one article in place."""
        considered = self.consider(document, passages)
        considered.write(passages)
        if self._target is not None:
            note_left_out(document, leave_out(passages, self.lowest(considered)))
        if self._explain:
            self._write_reasons(considered, passages)

    def lowest(self, considered: Considered) -> float:
        """The lowest score of a span that stays: that of the target."""
        return 0.0 if self._target is None else lowest_for(self._target, considered.scores[sorted(considered.chosen)])

    def _write_reasons(self, considered: Considered, passages: Sequence[PassageSpans]) -> None:
        places = considered.by_text()
        words = {
            text: in_words(sense, considered.marked(places[text]), len(places[text]))
            for text, sense in considered.meanings.of_mentions(passages).items()
        }
        standing = sorted(considered.chosen)
        candidates = {considered.features.spans[at]: at for at in standing}
        spoken = dict(zip(standing, self.arguments(considered, standing), strict=True))
        for number, passage in enumerate(passages):
            passage.spans = [
                replace(
                    span,
                    reasons="; ".join(
                        filter(None, (words[passage.text_of(span)], spoken[candidates[number, span.start, span.end]]))
                    ),
                )
                for span in passage.spans
            ]

    def consider(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> Considered:
        """The candidates and which of them stand. Applies the knowledge to the passages."""
        self._knowledge(document, passages)
        features, meanings = self._features(document, passages)
        trees = self._model.trees
        without_floor = trees.log_odds(features.matrix(trees.features))
        log_odds = with_floor(without_floor, features, self._model.floor)
        chosen = chosen_of(features.spans, log_odds, self._model.threshold)
        return Considered(features, meanings, log_odds, chosen, without_floor, self._model.calibration)

    def arguments(self, considered: Considered, positions: Sequence[int]) -> list[str]:
        """For each of these candidates: what is for it and what is against it, in words."""
        features = self._model.trees.features
        kept = "kept because the lexicon has it or the tagger is sure"
        raised = [kept if by_floor else "" for by_floor in self._raised(considered, positions)]
        spoken = [arguments(features, *row, REASONS) for row in zip(*self._added(considered, positions), strict=True)]
        return ["; ".join(filter(None, parts)) for parts in zip(spoken, raised, strict=True)]

    def reasons(self, considered: Considered, positions: Sequence[int]) -> list[str]:
        """For each of these candidates: its probability, and the three features that changed the log-odds most."""
        features = self._model.trees.features
        probabilities = considered.probabilities[list(positions)]
        raised = self._raised(considered, positions)
        return [
            f"probability {probability:.4f}{' (floor)' if floor else ''}: {_in_numbers(features, row, changes)}"
            for probability, floor, row, changes in zip(
                probabilities, raised, *self._added(considered, positions), strict=True
            )
        ]

    def _added(self, considered: Considered, positions: Sequence[int]) -> tuple[Floats, Floats]:
        """The values of the features of these candidates, and what each adds to the log-odds."""
        trees = self._model.trees
        values = considered.features.matrix(trees.features)[list(positions)]
        return values, trees.contributions(values) if len(values) else values

    @staticmethod
    def _raised(considered: Considered, positions: Sequence[int]) -> list[bool]:
        """Whether the floor raised the probability of these candidates."""
        rows = list(positions)
        return [bool(raised) for raised in considered.log_odds[rows] > considered.without_floor[rows]]


def _in_numbers(features: Sequence[str], values: Floats, added: Floats) -> str:
    shown = strongest(features, added)[:REASONS]
    return "; ".join(f"{features[at]} {values[at]:.3g} ({added[at]:+.2f})" for at in shown)


def log_odds_of(features: SpanFeatures, model: DecisionModel) -> Floats:
    """The log-odds of the candidates of one article, with the floor."""
    return with_floor(model.trees.log_odds(features.matrix(model.trees.features)), features, model.floor)


def with_floor(log_odds: Floats, features: SpanFeatures, floor: float) -> Floats:
    """The log-odds of the trees for the candidates of one article, raised where the floor holds.

    Spans of the tagger that the lexicon has as a chemical (also by a reliable sieve), those of a notation
    (`nlmchem.tagging.rules.notations`), and trade names and misspelt names that the tagger missed, have at least the
    probability `floor`; in an article about new compounds (`NEW_SHARE`, `NEW_PLACES`) so have spans of the
    tagger without a meaning.
    """
    columns = features.columns
    marked = columns["marked"] > 0
    known = ((columns["known"] > 0) & (columns["chemical"] > 0)) | (columns["reliable"] > 0)
    sure = (marked & (known | (columns["notation"] > 0))) | ((columns["rare word"] > 0) & (columns["in larger"] == 0))
    new = marked & (columns["unknown"] > 0)
    if new.sum() >= NEW_PLACES and columns["article unknown"][0] >= NEW_SHARE:
        sure |= new
    return np.where(sure, np.maximum(log_odds, np.log(floor / (1 - floor))), log_odds)


NEW_SHARE, NEW_PLACES = 0.3, 40
"""An article is about new compounds if at least this share of the texts that the tagger marks, and marks at this many
places, have no meaning. Abstracts have fewer places. Such names are in no lexicon, so the missing meaning is no
evidence against them; too few articles of the training are like that (docs/measurements/deciding.md)."""


def chosen_of(spans: Sequence[tuple[int, int, int]], log_odds: Floats, threshold: float) -> frozenset[int]:
    """The positions of the best set of spans (passage, start, end) without overlaps in each passage."""
    weights = log_odds - np.log(threshold / (1 - threshold))
    chosen: list[int] = []
    first = 0
    while first < len(spans):
        last = first
        while last < len(spans) and spans[last][0] == spans[first][0]:
            last += 1
        of_passage: list[Span] = [span[1:] for span in spans[first:last]]
        chosen += [first + at for at in best_set(of_passage, weights[first:last].tolist())]
        first = last
    return frozenset(chosen)


def best_set(spans: Sequence[Span], weights: Sequence[float]) -> list[int]:
    """The positions of the spans with the largest sum of weights; only spans with positive weights are taken.

    Of sets with equal sums, the one whose last spans begin first and are longest is taken, so the result does not
    depend on the order of the spans. Weighted interval scheduling; time: n log n.
    """
    order = sorted(
        (at for at in range(len(spans)) if weights[at] > 0), key=lambda at: (spans[at][1], -spans[at][0], weights[at])
    )
    ends = [spans[at][1] for at in order]
    before = [bisect_right(ends, spans[at][0], hi=place) for place, at in enumerate(order)]
    sums = [0.0]
    for place, at in enumerate(order):
        sums.append(max(sums[place], weights[at] + sums[before[place]]))
    chosen: list[int] = []
    place = len(order)
    while place:
        at = order[place - 1]
        if weights[at] + sums[before[place - 1]] >= sums[place]:
            chosen.append(at)
            place = before[place - 1]
        else:
            place -= 1
    return chosen[::-1]
