"""Are two sets of documents the same text, passage by passage? Where not?

Whatever compares or joins annotations of two files (scores, ensembles, submissions) asks here first:
offsets mean nothing between texts that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bioc import BioCDocument

from corpora.model.document import join_key, passage_text

__all__ = ["Difference", "Layout", "differences", "layout", "pairs", "text_differences"]

Passage = tuple[int, str]
"""Offset in code points and text."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What must be the same on both sides: a document's passages; `key` joins files that name ids differently."""

    document: str
    key: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same; `passage` counts from 0, None where the whole document is meant."""

    document: str
    passage: int | None
    reason: str

    def __str__(self) -> str:
        place = "" if self.passage is None else f", passage {self.passage + 1}"
        return f"document {self.document!r}{place}: {self.reason}"


def layout(document: BioCDocument) -> Layout:
    """A document's passages. Raises `ArticleError` where a passage's sentences overlap."""
    passages = tuple((passage.offset, passage_text(passage)) for passage in document.passages)
    return Layout(str(document.id), join_key(document), passages)


def pairs(left: Sequence[Layout], right: Sequence[Layout]) -> list[tuple[int | None, int | None]]:
    """Which document of the right is which of the left, as positions: all of the left, then the rest of the right.

    Documents are joined by id. What is left over on both sides is joined by the article's key (PMCID
    without prefix, else PMID), where that is unique on its side. Of documents that bear one id the
    first is joined.
    """
    by_id = _first_positions(item.document for item in right)
    joined: dict[int, int] = {}
    taken: set[int] = set()
    for position, item in enumerate(left):
        other = by_id.get(item.document)
        if other is not None and other not in taken:
            joined[position] = other
            taken.add(other)
    open_left = _unique_keys(left, set(joined))
    open_right = _unique_keys(right, taken)
    joined |= {position: open_right[key] for key, position in open_left.items() if key in open_right}
    rest = sorted(set(range(len(right))) - set(joined.values()))
    return [(position, joined.get(position)) for position in range(len(left))] + [(None, other) for other in rest]


def _first_positions(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for position, name in enumerate(names):
        found.setdefault(name, position)
    return found


def _unique_keys(items: Sequence[Layout], joined: set[int]) -> dict[str, int]:
    rest = [position for position in range(len(items)) if position not in joined]
    count = Counter(items[position].key for position in rest)
    return {items[position].key: position for position in rest if count[items[position].key] == 1}


def differences(
    left: Sequence[Layout], right: Sequence[Layout], names: tuple[str, str] = ("the first", "the second")
) -> list[Difference]:
    """Everything in which two sets of documents differ: documents, passages, offsets, texts.

    `names` are what the two sides are called in the sentences. Empty where the sides are the same text.
    """
    found: list[Difference] = []
    for items, name in ((left, names[0]), (right, names[1])):
        count = Counter(item.document for item in items)
        found += [
            Difference(document, None, f"stands {times} times in {name}")
            for document, times in count.items()
            if times > 1
        ]
    for here, there in pairs(left, right):
        if there is None and here is not None:
            found.append(Difference(left[here].document, None, f"is not in {names[1]}"))
        elif here is None and there is not None:
            found.append(Difference(right[there].document, None, f"is not in {names[0]}"))
        elif here is not None and there is not None:
            found += text_differences(left[here], right[there], names)
    return found


def text_differences(
    left: Layout, right: Layout, names: tuple[str, str] = ("the first", "the second")
) -> Iterator[Difference]:
    """Everything in which two texts of one document differ, in the order of the left one."""
    if left.passages == right.passages:
        return
    here, there = left.passages, right.passages
    if len(here) == len(there):
        for position, (mine, other) in enumerate(zip(here, there, strict=True)):
            yield from _passage_differences(left.document, position, mine, other, names)
        return
    yield Difference(left.document, None, f"has {len(here)} passages in {names[0]}, {len(there)} in {names[1]}")
    # Where passages are missing or added, those after them are still the same: only the others are listed.
    matcher = SequenceMatcher(None, here, there, autojunk=False)
    for kind, from_here, to_here, from_there, to_there in matcher.get_opcodes():
        if kind == "equal":
            continue
        both = min(to_here - from_here, to_there - from_there)
        for step in range(both):
            mine, other = here[from_here + step], there[from_there + step]
            yield from _passage_differences(left.document, from_here + step, mine, other, names)
        for position in range(from_here + both, to_here):
            yield Difference(left.document, position, f"{_shown(here[position])} is not in {names[1]}")
        for position in range(from_there + both, to_there):
            yield Difference(left.document, position, f"{_shown(there[position])} is not in {names[0]}")


def _passage_differences(
    document: str, position: int, left: Passage, right: Passage, names: tuple[str, str]
) -> Iterator[Difference]:
    if left[0] != right[0]:
        reason = f"begins at offset {left[0]} in {names[0]}, at {right[0]} in {names[1]}"
        yield Difference(document, position, reason)
    if left[1] != right[1]:
        at = _first_difference(left[1], right[1])
        yield Difference(
            document,
            position,
            f"the texts part at character {at}: {_excerpt(left[1], at)} in {names[0]}, "
            f"{_excerpt(right[1], at)} in {names[1]}",
        )


def _first_difference(left: str, right: str) -> int:
    shorter = min(len(left), len(right))
    return next((at for at in range(shorter) if left[at] != right[at]), shorter)


def _excerpt(text: str, at: int, before: int = 10, after: int = 20) -> str:
    # ascii() shows what a terminal cannot tell apart: a blank from a no-break space, a hyphen from a minus.
    return ascii(text[max(0, at - before) : at + after]) if at < len(text) or not text else "its end"


def _shown(passage: Passage) -> str:
    offset, text = passage
    return f"the passage at offset {offset}, {text[:40]!a},"
