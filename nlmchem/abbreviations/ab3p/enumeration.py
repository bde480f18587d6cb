"""Filters brackets that number list items: (a) ... (b) ..., (i) ... (ii) ... Source: Sohn et al. 2008, "Filters"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, takewhile

from nlmchem.abbreviations.ab3p.candidates import Bracket, trimmed

_SEQUENCES = {
    sequence[0]: sequence
    for sequence in (("i", "ii", "iii", "iv", "v", "vi"), ("I", "II", "III", "IV", "V", "VI"), "abcdef", "ABCDEF")
}


def without_enumerations(text: str, brackets: Sequence[Bracket]) -> list[Bracket]:
    """The brackets without runs of two or more items that begin a known sequence."""
    labels = [text[slice(*trimmed(text, *bracket.inside))] for bracket in brackets]
    kept: list[Bracket] = []
    index = 0
    while index < len(brackets):
        length = _items(labels, index)
        if length < 2:
            kept.append(brackets[index])
            length = 1
        index += length
    return kept


def _items(labels: Sequence[str], begin: int) -> int:
    """The number of labels from `begin` that are the items of a sequence."""
    label = labels[begin]
    if label.endswith("1"):
        stem = label[:-1]
        return sum(1 for _ in takewhile(lambda n: labels[begin + n : begin + n + 1] == [f"{stem}{n + 1}"], count()))
    sequence = _SEQUENCES.get(label, ())
    return sum(1 for _ in takewhile(lambda n: labels[begin + n : begin + n + 1] == [sequence[n]], range(len(sequence))))
