"""The logistic indexer: a regression on counts by section and other features, computed in numpy from a JSON file.

After the benchmark of the NLM-Chem track (Leaman et al. 2023, Database 2023:baad005), which counts a concept's mentions
by section. Here the model has further features of the concept and of the article (`indexing.features`). It may have
boosted trees on the same features besides the regression; then the log-odds of both are averaged. A chosen
supplementary record brings the headings that it maps to (`indexing.headings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
from bioc import BioCDocument

from indexing import models
from indexing import trees as plain_trees
from indexing.background import Background
from indexing.candidates import ArticleCandidates, candidates_of
from indexing.features import FEATURES, Floats, matrix
from indexing.headings import records_of
from indexing.indexer import NO_CONCEPTS, Choice, Concepts, Contribution, Explained, Explanation, entry_term, ranked
from indexing.models import ModelFile
from indexing.prior import Prior
from indexing.trees import Trees

__all__ = ["METHODS", "LogisticIndexer", "LogisticModel", "model_of", "plain_model", "sigmoid"]

METHOD, BLEND = METHODS = ("logistic", "logistic and trees")
"""The methods of model files that this module reads: without and with trees."""
NO_TREES = Trees(0.0, ())


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of standardised features: log-odds = intercept + sum of weight * (value - mean) / scale.

    An unknown value counts as the mean. With `trees`, the log-odds are (1 - share) * those above + share * those of the
    trees.

    `means`, `scales` and `weights` are in the order of `features`. `threshold` (0..1): the lowest score that is chosen;
    `tfidf_threshold`: the same for the indexer `tfidf`, which uses the same file. `headings`: whether a heading has at
    least the score of the supplementary records that map to it; models of earlier versions have False.
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    threshold: float
    tfidf_threshold: float
    prior: Prior
    background: Background
    provenance: Mapping[str, Any] = field(default_factory=dict)
    trees: Trees = NO_TREES
    share: float = 0.0
    headings: bool = False

    @property
    def base(self) -> float:
        """The log-odds without any feature."""
        return (1 - self.share) * self.intercept + self.share * self.trees.start

    def known(self, values: Floats) -> Floats:
        """The values with means in place of unknown ones."""
        found: Floats = np.where(np.isnan(values), np.array(self.means), values)
        return found

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds; of the shape of `values`, (candidates, features)."""
        known = self.known(values)
        product: Floats = (known - np.array(self.means)) / np.array(self.scales) * np.array(self.weights)
        if not self.share:
            return product
        added: Floats = (1 - self.share) * product + self.share * self.trees.contributions(known)
        return added

    def scores(self, values: Floats) -> Floats:
        """The score of each candidate, in 0..1."""
        return sigmoid(self.contributions(values).sum(axis=1) + self.base)

    def values(self, article: ArticleCandidates, concepts: Concepts) -> Floats:
        """The features of an article's candidates, as `scores` expects them."""
        return matrix(article, self.features, self.prior, self.background, concepts)


class LogisticIndexer:
    """Chooses the concepts whose score reaches the threshold."""

    def __init__(
        self, model: LogisticModel, version: str, concepts: Concepts = NO_CONCEPTS, threshold: float | None = None,
        name: str = METHOD,
    ) -> None:  # fmt: skip
        """`threshold`: replaces that of the model."""
        self.name = name
        self.model = model
        self.threshold = model.threshold if threshold is None else threshold
        self.version = version if threshold is None else f"{version}:threshold={threshold:g}"
        self._concepts = concepts

    def __call__(self, document: BioCDocument) -> list[Choice]:
        return self.explain(document).choices()

    def explain(self, document: BioCDocument) -> Explanation:
        """Every candidate with what each feature adds to its log-odds."""
        article = candidates_of(document, self._concepts)
        found = {one.identifier: one for one in self._explained(article)} if article.candidates else {}
        if self.model.headings:
            own = tuple(found.values())
            for heading, rows in records_of(article, self._concepts).items():
                found[heading] = self._raised(heading, found.get(heading), [own[row] for row in rows])
        candidates = ranked(found.values())
        return Explanation(str(document.id), self.name, self.version, self.threshold, self.model.base, candidates)

    def _explained(self, article: ArticleCandidates) -> Iterator[Explained]:
        """The candidates by their own features, in their order."""
        values = self.model.values(article, self._concepts)
        contributions, scores = self.model.contributions(values), self.model.scores(values)
        for row, candidate in enumerate(article.candidates):
            yield Explained(
                candidate.identifier,
                entry_term(candidate.identifier, candidate.surfaces, self._concepts),
                float(scores[row]),
                bool(scores[row] >= self.threshold),
                self._contributions(values[row], contributions[row]),
            )

    def _raised(self, heading: str, own: Explained | None, records: Sequence[Explained]) -> Explained:
        """A heading with the score of the best of its records, if its own score is lower or it has none."""
        best = ranked(records)[0]
        if own is not None and own.score >= best.score:
            return own
        before = self.model.base if own is None else _log_odds(own.score)
        added = Contribution(f"record:{best.identifier}", best.score, _log_odds(best.score) - before)
        return Explained(
            heading,
            entry_term(heading, (), self._concepts) if own is None else own.entry_term,
            best.score,
            best.chosen,
            _by_strength([*(own.contributions if own else ()), added]),
        )

    def _contributions(self, values: Floats, contributions: Floats) -> tuple[Contribution, ...]:
        known = self.model.known(values)
        found = [
            Contribution(name, float(value), float(contribution))
            for name, value, contribution, unknown in zip(
                self.model.features, known, contributions, np.isnan(values), strict=True
            )
            # An unknown value adds nothing to the regression; trees may add something for the mean.
            if contribution or not unknown
        ]
        return _by_strength(found)


def _by_strength(found: Iterable[Contribution]) -> tuple[Contribution, ...]:
    return tuple(sorted(found, key=lambda item: (-abs(item.contribution or 0.0), item.feature)))


def _log_odds(score: float) -> float:
    # A score of a saturated model can be exactly 0 or 1.
    clipped = min(max(score, 1e-15), 1 - 1e-15)
    return log(clipped / (1 - clipped))


def model_of(file: ModelFile) -> LogisticModel:
    """The model in a file. Raises `ResourceError` for a missing part or an unknown feature."""
    content = file.content
    features = content.get("features")
    if not isinstance(features, list) or not features or not all(isinstance(name, str) for name in features):
        raise file.broken("names no features")
    unknown = [name for name in features if name not in FEATURES]
    if unknown:
        raise file.broken(f"has the feature {unknown[0]!r}, which this version does not have")
    if len(set(features)) < len(features):
        raise file.broken("names a feature twice")
    numbers = {key: models.numbers_of(file, content.get(key), key) for key in ("means", "scales", "weights")}
    for key, values in numbers.items():
        if len(values) != len(features):
            raise file.broken(f"has {len(features)} features but {len(values)} {key}")
    if not all(value > 0 for value in numbers["scales"]):
        raise file.broken("has a scale that is not greater than 0")
    single = ("intercept", "threshold", "tfidf_threshold")
    intercept, *thresholds = models.numbers_of(file, [content.get(key) for key in single], " or ".join(single))
    if not all(0 <= threshold <= 1 for threshold in thresholds):
        raise file.broken("has a threshold outside 0..1")
    if not isinstance(content.get("headings", False), bool):
        raise file.broken("has headings that are neither true nor false")
    return LogisticModel(
        tuple(features),
        tuple(numbers["means"]),
        tuple(numbers["scales"]),
        tuple(numbers["weights"]),
        intercept,
        thresholds[0],
        thresholds[1],
        _prior_of(file),
        _background_of(file),
        content.get("provenance") or {},
        *_trees_of(file, len(features)),
        content.get("headings", False),
    )


def plain_model(model: LogisticModel) -> dict[str, Any]:
    """A model as plain data for `indexing.models.write`; numbers have 6 decimals."""
    trees = {"share": model.share, **plain_trees.plain(model.trees)}
    return {
        "method": BLEND if model.share else METHOD,
        "provenance": dict(model.provenance),
        "features": list(model.features),
        "means": _short(model.means),
        "scales": [max(scale, 1e-6) for scale in _short(model.scales)],
        "weights": _short(model.weights),
        "intercept": round(model.intercept, 6),
        "threshold": round(model.threshold, 6),
        "tfidf_threshold": round(model.tfidf_threshold, 6),
        "prior": {
            "base": round(model.prior.base, 4),
            "branches": {branch: round(value, 4) for branch, value in model.prior.branches.items()},
            "concepts": {identifier: round(value, 4) for identifier, value in model.prior.concepts.items()},
        },
        "background": model.background.plain(),
        **({"headings": True} if model.headings else {}),
        **({"trees": trees} if model.share else {}),
    }


def _prior_of(file: ModelFile) -> Prior:
    value = file.content.get("prior")
    if not isinstance(value, dict):
        raise file.broken("has no prior")
    tables = []
    for key in ("concepts", "branches"):
        table = value.get(key)
        if not isinstance(table, dict):
            raise file.broken(f"has a prior without {key}")
        tables.append(
            dict(zip(table, models.numbers_of(file, list(table.values()), f"{key} of the prior"), strict=True))
        )
    (base,) = models.numbers_of(file, [value.get("base")], "a base of the prior")
    return Prior(base, *tables)


def _trees_of(file: ModelFile, features: int) -> tuple[Trees, float]:
    """The trees and their share; none for a regression alone."""
    if file.content.get("method") != BLEND:
        return NO_TREES, 0.0
    value = file.content.get("trees")
    try:
        found, share = plain_trees.trees_of(value, features), float(value["share"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise file.broken(f"has no valid trees ({error})") from error
    if not 0 < share <= 1:
        raise file.broken("has a share of the trees outside 0..1")
    return found, share


def _background_of(file: ModelFile) -> Background:
    try:
        return Background.from_plain(file.content["background"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise file.broken("has no valid counts of background articles") from error


def _short(values: Sequence[float]) -> list[float]:
    return [round(value, 6) for value in values]


def sigmoid(values: Floats) -> Floats:
    """Probabilities of log-odds."""
    # By tanh, because exp overflows for large numbers.
    result: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return result
