"""Simulates undefined short forms: hides a definition, and resolves it by the senses that other articles define.

All places of the long form are hidden, and the article itself does not count as evidence. What remains is what an
article has that uses the short form without a definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.senses.context_index import ContextIndex
from nlmchem.abbreviations.senses.features import AmbiguousForm, SenseFeatures, features_of
from nlmchem.abbreviations.senses.inventory import Inventory, InventorySense
from nlmchem.abbreviations.senses.records import Pair, Record, Records
from nlmchem.abbreviations.senses.words import folded, words

FEWEST = 2
"""Senses of an ambiguous short form."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden definition and the features of its short form.

    `article`: its number. `gold`: the position of its sense among the candidates, -1 if it is not among them. `known`:
    whether another article defines this sense. `senses`: how many senses other articles define.
    """

    article: int
    short_form: str
    long_form: str
    features: SenseFeatures
    gold: int
    known: bool
    senses: int


def hidden(
    records: Records,
    chosen: Sequence[int],
    inventory: Inventory,
    context: ContextIndex,
    forms: Mapping[str, Mapping[str, str]],
    accepted: Callable[[str], bool] = looks_like_acronym,
) -> Iterator[Hidden]:
    """The hidden definitions of the chosen articles. Short forms with two meanings in the article are left out.

    Other articles define at least two senses of the short form. `accepted`: which short forms are hidden; by default
    those that would be found without their definition.
    """
    names = list(records.numbers)
    for article in chosen:
        record = records.records[article]
        counts = {names[word]: int(number) for word, number in zip(record.words, record.counts, strict=True)}
        for short, own in _by_short_form(record, forms).items():
            if not accepted(short):
                continue
            senses = list(_elsewhere(inventory.senses(short), context, article))
            if len(own) != 1 or len(senses) < FEWEST:
                continue
            ((long, pairs),) = own.items()
            visible = _without(counts, pairs)
            form = AmbiguousForm([sense for sense, _ in senses], [rows for _, rows in senses])
            found = features_of([form], context.query(visible), visible, context)
            known = [sense.long_form for sense, _ in senses]
            gold = known.index(long) if long in known else -1
            yield Hidden(
                article, short, long, found, gold if gold < len(found.candidates[0]) else -1, gold >= 0, len(senses)
            )


def _by_short_form(record: Record, forms: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, list[Pair]]]:
    found: dict[str, dict[str, list[Pair]]] = {}
    for pair in record.pairs:
        found.setdefault(pair.short_form, {}).setdefault(forms[pair.short_form][pair.long_form], []).append(pair)
    return found


def _elsewhere(
    senses: Sequence[InventorySense], context: ContextIndex, article: int
) -> Iterator[tuple[InventorySense, NDArray[np.int64]]]:
    """The senses without an article, the most frequent first."""
    found = []
    for sense in senses:
        rows = context.of_sense(sense.row)
        rows = rows[rows != article]
        if len(rows):
            found.append((InventorySense(sense.long_form, len(rows), sense.years, sense.row), rows))
    found.sort(key=lambda item: (-item[0].articles, item[0].long_form))
    yield from found


def _without(counts: Mapping[str, int], pairs: Sequence[Pair]) -> dict[str, int]:
    """The words of an article without those of the long forms."""
    left = Counter(counts)
    for pair in pairs:
        for word in words(pair.long_form):
            left[folded(word)] -= pair.times
    return {word: number for word, number in left.items() if number > 0}
