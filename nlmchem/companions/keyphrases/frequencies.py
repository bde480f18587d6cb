"""How often phrases occur in unlabelled articles, a table of hashes, made to be small; and how often as keywords."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError, command
from corpora.storage.atomic import write_bytes
from nlmchem.companions.keyphrases.candidates import PLACES, Words, phrases_of

DEFAULT = Path(__file__).with_name("frequencies.safetensors")
"""The embedded table; nlmchem/companions/keyphrases/default.md has its card."""
LONGEST = 3
"""Words of a counted phrase."""
FEWEST = 5
"""Phrases of fewer articles are left out. For a phrase that is not in the table the count is 0."""
COLUMNS = ("articles", "titles", "occurrences", "left", "right")

_STEPS = 8.0
"""Steps of a quantised count for each factor of two; the error is at most 5%."""
_SMOOTH = 8.0
_BLOCK = 400
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_TITLE = PLACES.index("title")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """What a table has about phrases; one item for each phrase."""

    rarity: Floats
    """The logarithm of articles in the table by articles with the phrase."""
    known: Floats
    """Whether the phrase is in the table."""
    titled: Floats
    """Of the articles with the phrase, the share that has it in the title."""
    burst: Floats
    """The logarithm of its mean number of occurrences in these."""
    left: Floats
    """The share of occurrences without a content word before it; `right`: behind it."""
    right: Floats


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Counts of phrases in `articles` articles. `keys`: shortened hashes, ascending; `counts`: (keys, COLUMNS)."""

    articles: int
    keys: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    notes: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self, hashes: NDArray[np.uint64]) -> Rows:
        """Look up phrases by their hashes (`Candidates.hashes`)."""
        wanted = _short(hashes)
        if len(self.keys):
            place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            known = self.keys[place] == wanted
            counts = np.where(known[:, None], np.exp2(self.counts[place] / _STEPS) - 1, 0.0)
        else:
            known = np.zeros(len(wanted), dtype=np.bool_)
            counts = np.zeros((len(wanted), len(COLUMNS)))
        articles, titles, occurrences, left, right = counts.T
        return Rows(
            np.log((self.articles + 1) / (articles + 1)),
            known.astype(np.float64),
            (titles + _SMOOTH * 0.02) / (articles + _SMOOTH),
            np.log((occurrences + _SMOOTH) / (articles + _SMOOTH)),
            (left + _SMOOTH * 0.5) / (occurrences + _SMOOTH),
            (right + _SMOOTH * 0.5) / (occurrences + _SMOOTH),
        )


def count_articles(
    articles: Iterable[Words], fewest: int = FEWEST, notes: Mapping[str, str] | None = None
) -> Frequencies:
    """Count the phrases of articles. Memory grows with the number of different phrases."""
    hashes, counts = np.zeros(0, dtype=np.uint64), np.zeros((0, len(COLUMNS)))
    number = 0
    counted = map(_article, articles)
    while block := list(islice(counted, _BLOCK)):
        number += len(block)
        hashes, counts = _grouped(
            np.concatenate([hashes, *(phrases for phrases, _ in block)]),
            np.concatenate([counts, *(sums for _, sums in block)]),
        )
    often = counts[:, 0] >= fewest
    counts = counts[often]
    keys = _short(hashes[often])
    # Of two phrases with the same short key, the more frequent one is kept.
    order = np.lexsort((-counts[:, 0], keys))
    keys, places = np.unique(keys[order], return_index=True)
    quantised = np.minimum(np.round(_STEPS * np.log2(counts[order][places] + 1)), 255).astype(np.uint8)
    return Frequencies(number, keys, quantised, notes or {})


def _article(words: Words) -> tuple[NDArray[np.uint64], Floats]:
    """The phrases of one article with their counts: (phrases, COLUMNS)."""
    free = words.free
    hashes, counts = [], []
    for length, starts, numbers, phrase_hashes in phrases_of(words, LONGEST):
        titled = words.places[starts] == _TITLE
        left, right = free[starts - 1], free[starts + length]
        hashes.append(phrase_hashes[numbers])
        counts.append(np.stack([np.zeros(len(starts)), titled, np.ones(len(starts)), left, right], axis=1))
    keys, sums = _grouped(np.concatenate(hashes), np.concatenate(counts))
    sums[:, 0] = 1.0
    sums[:, 1] = np.minimum(sums[:, 1], 1.0)
    return keys, sums


def _grouped(hashes: NDArray[np.uint64], counts: Floats) -> tuple[NDArray[np.uint64], Floats]:
    keys, numbers = np.unique(hashes, return_inverse=True)
    columns = [np.bincount(numbers, weights=column, minlength=len(keys)) for column in counts.T]
    return keys, np.stack(columns, axis=1)


def read(path: Path = DEFAULT) -> Frequencies:
    """Read a table. Raises `ResourceError` if the file is missing or is not a table."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            card = dict(json.loads((file.metadata() or {})["card"]))
            keys, counts = file.get_tensor("keys"), file.get_tensor("counts")
            articles = int(card.pop("articles"))
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ResourceError(
            f"cannot read the table of phrases at {path} ({error}); install nlmchem again, or train a model with "
            f"{command('train keyphrases')}"
        ) from error
    if keys.dtype != np.uint32 or counts.dtype != np.uint8 or counts.shape != (len(keys), len(COLUMNS)):
        raise ResourceError(f"{path} is not a table of phrases of this version; install nlmchem again")
    return Frequencies(articles, keys, counts, card)


def write(path: Path, table: Frequencies) -> None:
    """Write a table atomically."""
    from safetensors.numpy import save

    # One entry: the library writes several in a different order each time.
    card = json.dumps({**table.notes, "articles": table.articles}, sort_keys=True)
    write_bytes(path, save({"keys": table.keys, "counts": table.counts}, metadata={"card": card}))


def _short(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return ((hashes * _FACTOR) >> np.uint64(32)).astype(np.uint32)


STRENGTH = 4.0
"""Smoothing: the share of all phrases counts as this number of articles."""
LEAST = 8
"""What fewer articles have, and no article as a keyword, is left out."""
_KINDS = ("phrases", "words", "first", "last")

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class KeyphrasePrior:
    """Log-odds of being a keyword against those of all candidates; 0 for what was not seen.

    `tables`: for phrases, words, first words and last words the hashes in ascending order, and their values.
    """

    tables: Mapping[str, tuple[Hashes, Floats]] = field(default_factory=dict)

    @classmethod
    def of_values(cls, values: Mapping[str, Mapping[int, float]]) -> KeyphrasePrior:
        """A prior from the value of each hash."""
        return cls(
            {
                kind: (np.array(sorted(table), dtype=np.uint64), np.array([table[key] for key in sorted(table)]))
                for kind, table in values.items()
            }
        )

    def of(self, kind: str, hashes: Hashes) -> Floats:
        """The values of phrases, words, first or last words (`kind`) by their hashes."""
        if kind not in self.tables or not len(self.tables[kind][0]):
            return np.zeros(len(hashes))
        known, values = self.tables[kind]
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.where(known[places] == hashes, values[places], 0.0)


NO_PRIOR = KeyphrasePrior()
"""A prior without any article."""


Seen = tuple[Mapping[str, frozenset[int]], Mapping[str, frozenset[int]]]
"""What one article shows, as hashes by kind (phrases, words, first and last words): of candidates, of keyphrases."""


def learn_prior(articles: Iterable[Seen], least: int = LEAST) -> KeyphrasePrior:
    seen: dict[str, Counter[int]] = {kind: Counter() for kind in _KINDS}
    chosen: dict[str, Counter[int]] = {kind: Counter() for kind in _KINDS}
    for found, keys in articles:
        for kind in _KINDS:
            seen[kind].update(found[kind])
            chosen[kind].update(keys[kind])
    values: dict[str, dict[int, float]] = {}
    for kind in _KINDS:
        total = seen[kind].total()
        share = (chosen[kind].total() + 1) / (total + 2) if total else 0.5
        values[kind] = {
            key: float(np.log((chosen[kind][key] + STRENGTH * share) / (number + STRENGTH) / share))
            for key, number in seen[kind].items()
            if number >= least or key in chosen[kind]
        }
    return KeyphrasePrior.of_values(values)


def plain_prior(prior: KeyphrasePrior) -> dict[str, Any]:
    """A prior as plain data; hashes are hexadecimal numbers."""
    return {
        kind: {f"{key:x}": round(value, 3) for key, value in zip(hashes.tolist(), values.tolist(), strict=True)}
        for kind, (hashes, values) in prior.tables.items()
    }


def prior_of(content: Any) -> KeyphrasePrior:
    """A prior from plain data. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` for wrong data."""
    prior = KeyphrasePrior.of_values(
        {kind: {int(key, 16): float(value) for key, value in content[kind].items()} for kind in _KINDS}
    )
    if not all(np.isfinite(values).all() for _, values in prior.tables.values()):
        raise ValueError("a prior is not finite")
    return prior
