"""Step 5 of making pairs: as many pairs with yes as with no in each group, and parts without common sentences.

Source: Rouhizadeh et al. 2024, Scientific Data 11:455. In its test part, no sentence and no pair of terms occurs twice,
and neither occurs in the other parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from nlmchem.companions.pairs.grouping import KnownNames, NoNames, candidates
from nlmchem.companions.pairs.occurrences import Occurrences, name_of, rank_of
from nlmchem.companions.pairs.pair import GROUPS, ContextPair

NO_NAMES = NoNames()
TRAINING_USES = 100
"""In the training part, a sentence or a pair of terms occurs in at most this number of pairs."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`most`: pairs of a group with one answer (None: all). `uses`: pairs with the same sentence or pair of terms.

    `balanced`: whether a group has as many pairs of each answer.
    """

    most: int | None = 500
    uses: int = 4
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class PairParts:
    """Pairs for training, development and test. No sentence and no pair of terms is in two parts."""

    train: list[ContextPair]
    dev: list[ContextPair]
    test: list[ContextPair]


def pairs(occurrences: Occurrences, limits: Limits | None = None, names: KnownNames = NO_NAMES) -> list[ContextPair]:
    """Pairs of all groups from the mentions of a corpus. The same corpus and seed give the same pairs."""
    return select(_drawn(occurrences, names), limits or Limits())


def parts(occurrences: Occurrences, most: int = 400, names: KnownNames = NO_NAMES) -> PairParts:
    """Pairs in three parts. `most`: pairs of a group with one answer in the test part; the development part has half.

    All other pairs that share no sentence and no pair of terms with these parts are the training part.
    """
    drawn = _drawn(occurrences, names)
    test = select(drawn, Limits(most, 1))
    drawn = _apart(drawn, test)
    dev = select(drawn, Limits(max(1, most // 2), 1))
    train = select(_apart(drawn, dev), Limits(None, TRAINING_USES))
    return PairParts(train, dev, test)


def select(drawn: Sequence[ContextPair], limits: Limits) -> list[ContextPair]:
    """Pairs in the order of `drawn`, with as many of each answer in a group, numbered from 1.

    The rarest group and answer is selected first, because its pairs are used up soonest.
    """
    by_kind: dict[tuple[str, bool | None], list[ContextPair]] = defaultdict(list)
    for pair in drawn:
        by_kind[pair.group, pair.same].append(pair)
    used: Counter[str | tuple[str, str]] = Counter()
    chosen: dict[str, list[ContextPair]] = {}
    for group in sorted(GROUPS, key=lambda group: (_rarer(by_kind, group), group)):
        answers = sorted((True, False), key=lambda same: (len(by_kind[group, same]), same))
        first, second = (_within(by_kind[group, same], used, limits) for same in answers)
        # Balanced pairs are taken in turns, because both answers use up the same sentences and terms.
        chosen[group] = list(chain(*zip(first, second, strict=False)) if limits.balanced else chain(first, second))
    ordered = [pair for group in GROUPS for pair in sorted(chosen[group], key=lambda pair: not pair.same)]
    return [replace(pair, id=str(number)) for number, pair in enumerate(ordered, 1)]


def clusters(pairs: Sequence[ContextPair], by_concept: bool = False) -> NDArray[np.int64]:
    """The number of the group of each pair. Pairs that share a sentence or a term are in one group.

    `by_concept`: pairs that share a known concept, too.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for pair in pairs:
        keys = [f"t{name_of(pair.term1)}", f"t{name_of(pair.term2)}", f"s{pair.sentence1}", f"s{pair.sentence2}"]
        keys += [f"c{concept}" for concept in pair.concepts if concept and by_concept]
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
    numbers: dict[str, int] = {}
    cluster_numbers = [numbers.setdefault(root(f"t{name_of(pair.term1)}"), len(numbers)) for pair in pairs]
    return np.array(cluster_numbers, dtype=np.int64)


def _drawn(occurrences: Occurrences, names: KnownNames) -> list[ContextPair]:
    """All pairs in a random order that depends on their texts and the seed."""
    return sorted(candidates(occurrences.found, names), key=lambda pair: _rank(pair, occurrences.seed))


def _rank(pair: ContextPair, seed: int) -> str:
    return rank_of(seed, pair.term1, pair.term2, pair.sentence1, pair.sentence2, *pair.concepts)


def _rarer(by_kind: dict[tuple[str, bool | None], list[ContextPair]], group: str) -> int:
    return min(len(by_kind[group, True]), len(by_kind[group, False]))


def _within(
    drawn: Iterable[ContextPair], used: Counter[str | tuple[str, str]], limits: Limits
) -> Iterator[ContextPair]:
    """The first pairs whose sentences and terms are not used up. Counts their use."""
    number = 0
    for pair in drawn:
        if limits.most is not None and number >= limits.most:
            return
        if all(used[key] < limits.uses for key in _keys(pair)):
            used.update(_keys(pair))
            number += 1
            yield pair


def _keys(pair: ContextPair) -> tuple[str, str, tuple[str, str]]:
    """The sentences of a pair, and its terms in either order."""
    first, second = sorted((name_of(pair.term1), name_of(pair.term2)))
    return pair.sentence1, pair.sentence2, (first, second)


def _apart(drawn: Iterable[ContextPair], chosen: Iterable[ContextPair]) -> list[ContextPair]:
    """The pairs that share no sentence and no pair of terms with the chosen ones."""
    used = {key for pair in chosen for key in _keys(pair)}
    return [pair for pair in drawn if used.isdisjoint(_keys(pair))]
