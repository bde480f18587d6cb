"""How often a phrase, or its words, are keywords of other articles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRENGTH = 4.0
"""Smoothing: the share of all phrases counts as this number of articles."""
LEAST = 8
"""What fewer articles have, and no article as a keyword, is left out."""
_KINDS = ("phrases", "words", "first", "last")

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class KeyphrasePrior:
    """Log-odds of being a keyword against those of all candidates; 0 for what was not seen.

    `tables`: for phrases, words, first words and last words the value of each hash.
    """

    tables: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    @cached_property
    def _columns(self) -> Mapping[str, tuple[Hashes, Floats]]:
        """For each kind: the hashes in ascending order, and their values."""
        columns = {}
        for kind, table in self.tables.items():
            hashes = sorted(table)
            columns[kind] = (
                np.array(hashes, dtype=np.uint64),
                np.array([table[key] for key in hashes], dtype=np.float64),
            )
        return columns

    def phrases(self, hashes: Hashes) -> Floats:
        return self._of("phrases", hashes)

    def words(self, hashes: Hashes) -> Floats:
        return self._of("words", hashes)

    def first(self, hashes: Hashes) -> Floats:
        return self._of("first", hashes)

    def last(self, hashes: Hashes) -> Floats:
        return self._of("last", hashes)

    def _of(self, kind: str, hashes: Hashes) -> Floats:
        if not self.tables.get(kind):
            return np.zeros(len(hashes))
        known, values = self._columns[kind]
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.where(known[places] == hashes, values[places], 0.0)


NO_PRIOR = KeyphrasePrior()
"""A prior without any article."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one article shows, as hashes: `found` and `chosen` by kind (phrases, words, first and last words)."""

    found: Mapping[str, frozenset[int]]
    chosen: Mapping[str, frozenset[int]]


def learn(articles: Iterable[Seen], least: int = LEAST) -> KeyphrasePrior:
    """The prior of articles."""
    seen: dict[str, dict[int, int]] = {kind: {} for kind in _KINDS}
    chosen: dict[str, dict[int, int]] = {kind: {} for kind in _KINDS}
    for article in articles:
        for kind in _KINDS:
            for counts, hashes in ((seen, article.found[kind]), (chosen, article.chosen[kind])):
                for key in hashes:
                    counts[kind][key] = counts[kind].get(key, 0) + 1
    return KeyphrasePrior({kind: _log_odds(seen[kind], chosen[kind], least) for kind in _KINDS})


def _log_odds(seen: Mapping[int, int], chosen: Mapping[int, int], least: int) -> dict[int, float]:
    total = sum(seen.values())
    share = (sum(chosen.values()) + 1) / (total + 2) if total else 0.5
    values = {}
    for key, number in seen.items():
        if number >= least or key in chosen:
            rate = (chosen.get(key, 0) + STRENGTH * share) / (number + STRENGTH)
            values[key] = float(np.log(rate / share))
    return values


def plain(prior: KeyphrasePrior) -> dict[str, Any]:
    """A prior as plain data; hashes are hexadecimal numbers."""
    return {
        kind: {f"{key:x}": round(value, 3) for key, value in sorted(table.items())}
        for kind, table in prior.tables.items()
    }


def prior_of(content: Any) -> KeyphrasePrior:
    """A prior from plain data. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` for wrong data."""
    tables = {kind: {int(key, 16): float(value) for key, value in content[kind].items()} for kind in _KINDS}
    if not all(isfinite(value) for table in tables.values() for value in table.values()):
        raise ValueError("a prior is not finite")
    return KeyphrasePrior(tables)
