"""What an annotator changed in a passage, and how several annotators become one.

A mention of the selection is kept (same spans, and the same identifiers if the editor states them), relinked (other
identifiers), moved (its spans are gone, and a new mention overlaps them) or removed. All other mentions are added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from corpora.model.document import Mention, Span
from nlmchem.companions.curation.tasks_done import Marked

MERGES = ("majority", "union", "intersection", "first")
"""Which mentions of several annotators are kept: those of more than half, of any, of all, or of the first one."""
KINDS = ("kept", "relinked", "moved", "removed", "added")

Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a mention. `former`: that of the selection. `spans`: empty for a removed mention.

    `identifiers`: None where neither the editor nor the selection states them. `rank`: which of the mentions of the
    selection with these spans it is; most often there is one.
    """

    kind: str
    former: Mention | None
    spans: Spans = ()
    identifiers: tuple[str, ...] | None = None
    rank: int = 0

    @property
    def before(self) -> str:
        """The former state, as far as it is another one: spans, identifiers, annotator."""
        if self.former is None:
            return ""
        words = []
        if self.kind == "moved":
            words.append("+".join(f"{start}-{end}" for start, end in self.former.spans))
        if self.former.identifiers and self.former.identifiers != self.identifiers:
            words.append(",".join(self.former.identifiers))
        if self.former.annotator:
            words.append(f"by {self.former.annotator}")
        return " ".join(words)


def changes_of(former: Sequence[Mention], marks: Sequence[Marked]) -> list[Change]:
    """What became of each mention of a passage, and what was added: in the order of the text, removed ones last."""
    left = ranked(former)
    changes: list[Change] = []
    new: list[Marked] = []
    # First the marks that were not changed: several mentions may have one place.
    for mark in sorted(marks, key=lambda mark: not any(_is_same(left[place], mark) for place in _at(left, mark))):
        place = min(_at(left, mark), key=lambda place: (not _is_same(left[place], mark), place), default=None)
        if place is None:
            new.append(mark)
            continue
        mention = left.pop(place)
        stated = mention.identifiers if mention.sought else None
        is_same = mark.identifiers is None or mark.identifiers == mention.identifiers
        identifiers = stated if is_same else mark.identifiers
        changes.append(Change("kept" if is_same else "relinked", mention, mark.spans, identifiers, place[1]))
    for mark in new:
        near = max(left, key=lambda place: (overlap(place[0], mark.spans), place), default=((), 0))
        if overlap(near[0], mark.spans):
            # Another span can mean another concept: identifiers are those that the editor states.
            changes.append(Change("moved", left.pop(near), mark.spans, mark.identifiers))
        else:
            changes.append(Change("added", None, mark.spans, mark.identifiers))
    changes.sort(key=lambda change: (change.spans, change.rank))
    return changes + [Change("removed", mention) for mention in left.values()]


def ranked(former: Iterable[Mention]) -> dict[tuple[Spans, int], Mention]:
    """The mentions of a passage by their sorted spans, and their number among those with the same spans."""
    numbers: Counter[Spans] = Counter()
    mentions: dict[tuple[Spans, int], Mention] = {}
    for mention in former:
        spans = tuple(sorted(mention.spans))
        mentions[spans, numbers[spans]] = mention
        numbers[spans] += 1
    return mentions


def _at(left: Mapping[tuple[Spans, int], Mention], mark: Marked) -> list[tuple[Spans, int]]:
    """The places of the mentions with the spans of a mark."""
    return [place for place in left if place[0] == mark.spans]


def _is_same(mention: Mention, mark: Marked) -> bool:
    return mark.identifiers is None or mark.identifiers == mention.identifiers


def overlap(left: Spans, right: Spans) -> int:
    """The number of characters that two mentions have in common."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in left for c, d in right)


def merged(changes: Mapping[str, Sequence[Change]], merge: str) -> list[tuple[Change, tuple[str, ...]]]:
    """The mentions of a passage by all its annotators: each with the names of those that have it.

    The identifiers are those that most of them state; ties: those of the first one. `merge`: one of `MERGES`.
    """
    names = list(changes)
    by_place: dict[tuple[Spans, int], dict[str, Change]] = {}
    for name in names:
        for change in changes[name]:
            if change.spans:
                by_place.setdefault((change.spans, change.rank), {})[name] = change
    needed = {"majority": len(names) // 2 + 1, "intersection": len(names)}.get(merge, 1)
    kept = []
    for place in sorted(by_place):
        by_name = by_place[place]
        if len(by_name) >= needed and (merge != "first" or names[0] in by_name):
            kept.append((_agreed(by_name.values()), tuple(by_name)))
    return kept


def _agreed(changes: Iterable[Change]) -> Change:
    """The change with the identifiers that occur most often; ties: the first one."""
    every = list(changes)
    numbers = Counter(change.identifiers for change in every if change.identifiers is not None)
    return max(every, key=lambda change: numbers[change.identifiers] if change.identifiers is not None else 0)


def is_contested(changes: Mapping[str, Sequence[Change]], spans: Spans) -> bool:
    """Whether not all annotators have a mention at these spans, or not with the same identifiers."""
    answers = [
        tuple(sorted(change.identifiers or () for change in of_name if change.spans == spans))
        for of_name in changes.values()
    ]
    return len(set(answers)) > 1
