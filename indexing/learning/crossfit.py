"""The trainer of all small models: examples, folds, what models predict for examples of other folds, and thresholds.

A trainer declares its features, how a model is fitted on some examples, and what the model predicts for others. It gets
out-of-fold predictions (`cross_fitted`, `held_out_scores`), from which it chooses a threshold, or which the next stage
learns from (stacked generalization, Wolpert 1992).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from corpora.errors import ConfigurationError
from indexing.learning.linear import Flags, Floats, Ints

Positions = list[int]
"""The places of items in a sequence."""
Fitted = TypeVar("Fitted")
Predicted = TypeVar("Predicted")


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows to learn from: their features (rows, features), labels, and the numbers of their groups.

    Rows of a group, such as the candidates of an article, are always in the same fold.
    """

    values: Floats
    labels: Flags
    groups: Ints

    @classmethod
    def of(cls, values: Floats, labels: Iterable[bool], group: int) -> Examples:
        flags = np.array(labels, dtype=bool)
        return cls(values, flags, np.full(len(flags), group, dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """The rows of several tables, in their order."""
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.groups for part in parts]),
        )

    def where(self, rows: Flags | Positions) -> Examples:
        return Examples(self.values[rows], self.labels[rows], self.groups[rows])

    def folds(self, number: int, seed: int) -> list[Flags]:
        """For each fold, which rows are in it (`folds`)."""
        return folds(self.groups.tolist(), number, seed)


def check_features(names: Iterable[str], known: Collection[str]) -> None:
    """Raises `ConfigurationError` for a feature that is not known."""
    for name in names:
        if name not in known:
            raise ConfigurationError(f"there is no feature {name!r}; choose from {', '.join(known)}")


def folds(groups: Sequence[Hashable], number: int, seed: int) -> list[Flags]:
    """For each fold, which rows are in it; `groups` has the group of each row.

    Rows of a group are in the same fold, and folds have equal numbers of groups, give or take one. The fold of a group
    depends only on the groups and the seed. With fewer groups than `number` there are fewer folds.
    """
    names = shuffled({str(group) for group in groups}, seed)
    fold_of = {name: place % number for place, name in enumerate(names)}
    numbers = np.array([fold_of[str(group)] for group in groups], dtype=np.int64)
    return [numbers == fold for fold in range(min(number, len(names)))]


def parts_of(groups: Sequence[Hashable]) -> list[Flags]:
    """For each group, which rows are in it, in the order of their first rows: each group is a fold of its own."""
    return [np.array([group == name for group in groups], dtype=bool) for name in dict.fromkeys(groups)]


def models_by_part(parts: Iterable[Flags], fit: Callable[[Positions], Fitted]) -> Iterator[tuple[Fitted, Positions]]:
    """For each part, a model that was fitted without it, and the positions of the items in it.

    `fit`: fits a model on the items at some positions.
    """
    for held in parts:
        yield fit(np.flatnonzero(~held).tolist()), np.flatnonzero(held).tolist()


def cross_fitted(
    parts: Iterable[Flags],
    fit: Callable[[Positions], Fitted],
    predict: Callable[[Fitted, Positions], Iterable[Predicted]],
) -> list[Predicted]:
    """What is predicted for each item by a model that was fitted without the items of its part.

    Each item is in exactly one part. `predict`: one result for each of the positions, in their order.
    """
    results: dict[int, Predicted] = {}
    for model, held in models_by_part(parts, fit):
        results.update(zip(held, predict(model, held), strict=True))
    return [results[at] for at in range(len(results))]


def held_out_scores(
    examples: Examples, parts: Iterable[Flags], fit: Callable[[Examples], Callable[[Floats], Floats]]
) -> Floats:
    """The score of each row by a model that was fitted without its part. `fit` returns the scorer of values."""
    return np.array(
        cross_fitted(
            parts,
            lambda rows: fit(examples.where(rows)),
            lambda score, rows: score(examples.values[rows]).tolist(),
        )
    )


def shuffled(keys: Iterable[str], seed: int) -> list[str]:
    """The keys in an order that depends only on the keys and the seed."""
    return sorted(keys, key=lambda key: hashlib.sha256(f"{seed}:{key}".encode()).digest())


def best_threshold(scores: Floats, labels: Flags | Floats, total: float) -> tuple[float, float]:
    """The threshold with the best F, and this F. `total`: all index terms, including those that are no candidates.

    The threshold lies half-way between the lowest chosen score and the next one. `labels` may be probabilities: then F
    is computed from expected numbers.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    right = np.cumsum(labels[order].astype(np.float64))
    f = 2 * right / (np.arange(1, len(order) + 1) + total)
    # Candidates with equal scores are chosen together or not at all.
    last = np.append(ordered[:-1] > ordered[1:], True)
    place = int(np.argmax(np.where(last, f, -1.0)))
    below = ordered[place + 1] if place + 1 < len(ordered) else 0.0
    return float(ordered[place] + below) / 2, float(f[place])


def expected_threshold(scores: Floats, missing: int) -> float:
    """The threshold with the best expected F, for scores that are probabilities (Lipton et al. 2014, section 4).

    It depends on the scores alone, so that the labels of a few candidates near the threshold do not move it. `missing`:
    index terms that have no score.
    """
    return best_threshold(scores, scores, float(scores.sum()) + missing)[0]


def f_at(threshold: float, scores: Floats, labels: Flags, total: int) -> float:
    """The F of choosing the scores that reach a threshold."""
    chosen = scores >= threshold
    return 2 * int((labels & chosen).sum()) / max(1, int(chosen.sum()) + total)
