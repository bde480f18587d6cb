"""Decisions by name, and the learnt one: every candidate gets a probability, the best set without overlaps stands."""

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
from nlmchem.deciding import KNOWLEDGE, LEARNT
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS, Calibration, calibration_columns, lowest_for
from nlmchem.deciding.candidates import candidates_of, possible
from nlmchem.deciding.features import FEATURES, SpanFeatures, arguments, features_of, strongest
from nlmchem.deciding.knowledge import Knowledge, whole_names
from nlmchem.deciding.meanings import Meanings, in_words
from nlmchem.deciding.other_meanings import label_stems
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan, leave_out
from nlmchem.tagging.lexicon_tagger import LexiconTagger
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon

_EMBEDDED = Path(__file__).with_name("default.json")

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
    """Trees on the features of a candidate."""

    trees: Forest
    threshold: float
    """0..1: a candidate needs a higher probability."""
    floor: float
    """0..1: the least probability of a span of the tagger that the lexicon has as a chemical, and of those without a
    meaning in articles about new compounds (`with_floor`). This is knowledge and not learnt: whether such a name is
    marked differs between guidelines."""
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    """The sha256 of the file."""
    calibration: Calibration | None = None
    """How probable its mentions are (None: not measured)."""

    def choose(self, features: SpanFeatures, threshold: float | None = None) -> Choice:
        """The candidates of one article that stand. `threshold`: instead of that of the model."""
        without_floor = self.trees.log_odds(features.matrix(self.trees.features))
        log_odds = with_floor(without_floor, features, self.floor)
        return Choice(without_floor, log_odds, best_sets(features.spans, log_odds, threshold or self.threshold))


@dataclass(frozen=True, slots=True)
class Choice:
    """The log-odds of candidates, and the positions of those that stand, in order."""

    without_floor: Floats
    """The log-odds of the trees alone."""
    log_odds: Floats
    chosen: list[int]


def read_model(path: Path) -> DecisionModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    threshold, floor = file.share("threshold"), file.share("floor")
    if not (0 < threshold < 1 and 0 < floor < 1):
        raise file.broken("has a threshold or a floor of 0 or 1")
    calibration = None
    if ARTICLES in file.content["linear"]:
        short = file.linear(SHORT_TEXTS, OF_SHORT_TEXTS) if SHORT_TEXTS in file.content["linear"] else None
        few, many = file.value(SIZES, _sizes_of)
        if not 0 < few < many:
            raise file.broken("has wrong sizes of texts")
        calibration = Calibration(file.linear(ARTICLES, OF_ARTICLES), short, few, many)
    return DecisionModel(file.forest(SPANS, FEATURES), threshold, floor, file.card, file.version, calibration)


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

        Spans become whole names (`whole_names`) in place.
        """
        marked = {passage.text_of(span) for passage in passages for span in passage.spans}
        labels = label_stems(passage.text for passage in passages)
        meanings = Meanings(self._cascade, self._lexicon, article_of(document, marked), labels)
        short_forms = self._names.short_forms(document)
        texts, within = [passage.text for passage in passages], [possible(passage) for passage in passages]
        named = [[span[:2] for span in spans] for spans in self._names.find(texts, short_forms, within)]
        for passage, spans in zip(passages, named, strict=True):
            passage.spans = whole_names(passage, spans, meanings)
        candidates = [candidates_of(passage, spans, meanings) for passage, spans in zip(passages, named, strict=True)]
        return features_of(passages, candidates, named, meanings), meanings


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """The candidates of an article, what their texts mean, and which of them stand."""

    features: SpanFeatures
    meanings: Meanings
    choice: Choice
    calibration: Calibration | None = None
    """Of the decision (None: not measured)."""

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
        for at in self.choice.chosen:
            number, start, end = self.features.spans[at]
            passages[number].spans.append(ScoredSpan(start, end, scores[at], calibrated=calibrated))

    def marked(self, positions: Sequence[int]) -> int:
        """How many of these candidates the tagger marked."""
        return int((self.features.columns["marked"][list(positions)] > 0).sum())

    @property
    def probabilities(self) -> Floats:
        """The probability of each candidate by the trees, with the floor: what the decision compares."""
        probabilities: Floats = 1 / (1 + np.exp(-self.choice.log_odds))
        return probabilities

    @property
    def scores(self) -> Floats:
        """The scores of candidates that stand: how probably each is right, if the decision is calibrated."""
        if self.calibration is None:
            return self.probabilities
        columns = calibration_columns(self.features.columns, self.choice.without_floor, self.choice.log_odds)
        return self.calibration(columns, len(self.choice.chosen))


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
        self.knowledge = Knowledge(lexicon)
        self._features = SpanFeatureMaker(lexicon, self.knowledge.cascade)
        self._model = model

    @property
    def threshold(self) -> float:
        """The probability that a candidate must exceed."""
        return self._model.threshold

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
        """Change the spans of the passages of one article in place."""
        scored = self.score(document, passages)
        scored.write(passages)
        if self._target is not None:
            note_left_out(document, leave_out(passages, self.lowest(scored)))
        if self._explain:
            self._write_reasons(scored, passages)

    def score(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> ScoredCandidates:
        """The candidates and which of them stand. Applies the knowledge to the passages."""
        self.knowledge(document, passages)
        features, meanings = self._features(document, passages)
        return ScoredCandidates(features, meanings, self._model.choose(features), self._model.calibration)

    def lowest(self, scored: ScoredCandidates) -> float:
        """The lowest score of a span that stays: that of the target."""
        return 0.0 if self._target is None else lowest_for(self._target, scored.scores[scored.choice.chosen])

    def _write_reasons(self, scored: ScoredCandidates, passages: Sequence[PassageSpans]) -> None:
        """Write what each span means, what is for it and what is against it."""
        features, places = self._model.trees.features, scored.by_text()
        meanings = {
            text: in_words(sense, scored.marked(places[text]), len(places[text]))
            for text, sense in scored.meanings.of_mentions(passages).items()
        }
        evidence: dict[tuple[int, int, int], list[str]] = {}
        standing = scored.choice.chosen
        for at, values, added in zip(standing, *self._contributions(scored, standing), strict=True):
            raised = scored.choice.log_odds[at] > scored.choice.without_floor[at]
            floor = "kept because the lexicon has it or the tagger is sure" if raised else ""
            evidence[scored.features.spans[at]] = [arguments(features, values, added, REASONS), floor]
        for number, passage in enumerate(passages):
            parts = [
                (span, [meanings[passage.text_of(span)], *evidence[number, span.start, span.end]])
                for span in passage.spans
            ]
            passage.spans = [replace(span, reasons="; ".join(filter(None, words))) for span, words in parts]

    def reasons(self, scored: ScoredCandidates, at: int) -> str:
        """The probability of a candidate, and the three features that changed the log-odds most."""
        features = self._model.trees.features
        (values,), (added,) = self._contributions(scored, [at])
        floor = " (floor)" if scored.choice.log_odds[at] > scored.choice.without_floor[at] else ""
        shown = strongest(features, added)[:REASONS]
        numbers = "; ".join(f"{features[one]} {values[one]:.3g} ({added[one]:+.2f})" for one in shown)
        return f"probability {scored.probabilities[at]:.4f}{floor}: {numbers}"

    def _contributions(self, scored: ScoredCandidates, positions: Sequence[int]) -> tuple[Floats, Floats]:
        """The values of the features of these candidates, and what each adds to the log-odds."""
        trees = self._model.trees
        values = scored.features.matrix(trees.features)[list(positions)]
        return values, trees.contributions(values) if len(values) else values


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


def best_sets(spans: Sequence[tuple[int, int, int]], log_odds: Floats, threshold: float) -> list[int]:
    """The positions of the best set of spans (passage, start, end) without overlaps in each passage, in order."""
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
    return sorted(chosen)


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


def open_decision(
    name: str, lexicon: Lexicon, explain: bool = False, calibrated: bool = False, target: float | None = None
) -> Knowledge | Decision:
    """The decision with a name, or of a model file.

    `explain`: whether the mentions get reasons. `calibrated`: whether the calibration of the model holds, which was
    measured with one tagger. `target`: as in `Decision`.
    Raises `ResourceError` for a missing or damaged model.
    """
    if name == KNOWLEDGE:
        return Knowledge(lexicon, explain=explain)
    model = _model(name)
    return Decision(lexicon, model if calibrated else replace(model, calibration=None), explain, target)


def calibration_of(name: str) -> Calibration | None:
    """The calibration of a decision; None if it has none. Raises `ResourceError` as `open_decision` does."""
    return None if name == KNOWLEDGE else _model(name).calibration


def version_of(name: str) -> str:
    """`knowledge`, or the sha256 of a model. Raises `ResourceError` as `open_decision` does."""
    return KNOWLEDGE if name == KNOWLEDGE else _model(name).version


def _model(name: str) -> DecisionModel:
    return read_model(_EMBEDDED if name == LEARNT else Path(name))
