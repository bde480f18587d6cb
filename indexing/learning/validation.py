"""Cross-validation: folds, scores of held-out rows, and the lowest score that is chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from indexing.learning.linear import Flags, Floats


def folds(groups: Sequence[Hashable], number: int, seed: int) -> list[Flags]:
    """For each fold, which rows are in it; `groups` has the group of each row.

    Rows of a group are in the same fold, and folds have equal numbers of groups, give or take one. The fold of a group
    depends only on the groups and the seed. With fewer groups than `number` there are fewer folds.
    """
    names = shuffled({str(group) for group in groups}, seed)
    fold_of = {name: place % number for place, name in enumerate(names)}
    own = np.array([fold_of[str(group)] for group in groups], dtype=np.int64)
    return [own == fold for fold in range(min(number, len(names)))]


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
