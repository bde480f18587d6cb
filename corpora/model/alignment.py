"""The comparison of the texts of two sets of documents, passage by passage.

Scores, ensembles and submissions use it before they compare or join annotations of two files, because offsets have no
meaning between different texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bioc import BioCDocument

from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.words.quantities import quantity

Passage = tuple[int, str]
"""Offset in code points and text."""


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The id and passages of a document."""

    document: str
    key: str
    """Joins files with different document ids (see `join_key`)."""
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `passage` counts from 0; None: the difference is in the whole document."""

    document: str
    passage: int | None
    reason: str

    def __str__(self) -> str:
        place = "" if self.passage is None else f", passage {self.passage + 1}"
        return f"document {self.document!r}{place}: {self.reason}"


def layout(document: BioCDocument) -> DocumentLayout:
    """The layout of a document. Raises `ArticleError` where sentences of a passage overlap."""
    passages = tuple((passage.offset, passage_text(passage)) for passage in document.passages)
    return DocumentLayout(str(document.id), join_key(document), passages)


def pairs(left: Sequence[DocumentLayout], right: Sequence[DocumentLayout]) -> list[tuple[int | None, int | None]]:
    """Pairs of positions of the same document left and right: all of the left side, then the rest of the right side.

    Documents are joined by id; if an id occurs several times, its first document is joined. The remaining documents are
    joined by key (PMCID without prefix, else PMID), if the key is unique on its side. None: no partner.
    """
    by_id: dict[str, int] = {}
    for position, item in enumerate(right):
        by_id.setdefault(item.document, position)
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


def _unique_keys(items: Sequence[DocumentLayout], joined: set[int]) -> dict[str, int]:
    rest = [position for position in range(len(items)) if position not in joined]
    count = Counter(items[position].key for position in rest)
    return {items[position].key: position for position in rest if count[items[position].key] == 1}


def differences(
    left: Sequence[DocumentLayout],
    right: Sequence[DocumentLayout],
    names: tuple[str, str] = ("the first", "the second"),
) -> list[Difference]:
    """All differences between two sets of documents: in documents, passages, offsets and texts.

    `names`: the names of the two sides in messages. Empty if all texts are the same.
    """
    all_differences: list[Difference] = []
    for items, name in ((left, names[0]), (right, names[1])):
        count = Counter(item.document for item in items)
        all_differences += [
            Difference(document, None, f"occurs {times} times in {name}")
            for document, times in count.items()
            if times > 1
        ]
    for here, there in pairs(left, right):
        if there is None and here is not None:
            all_differences.append(Difference(left[here].document, None, f"is not in {names[1]}"))
        elif here is None and there is not None:
            all_differences.append(Difference(right[there].document, None, f"is not in {names[0]}"))
        elif here is not None and there is not None:
            all_differences += text_differences(left[here], right[there], names)
    return all_differences


def text_differences(
    left: DocumentLayout, right: DocumentLayout, names: tuple[str, str] = ("the first", "the second")
) -> Iterator[Difference]:
    """All differences between two texts of one document, in the order of the left text."""
    if left.passages == right.passages:
        return
    here, there = left.passages, right.passages
    if len(here) == len(there):
        for position, (mine, other) in enumerate(zip(here, there, strict=True)):
            yield from _passage_differences(left.document, position, mine, other, names)
        return
    yield Difference(
        left.document, None, f"has {quantity(len(here), 'passage')} in {names[0]}, {len(there)} in {names[1]}"
    )
    # If passages are missing or added, the passages after them can still be equal: only the others are listed.
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
        shorter = min(len(left[1]), len(right[1]))
        at = next((at for at in range(shorter) if left[1][at] != right[1][at]), shorter)
        # ascii() makes characters visible that look the same, such as a blank and a no-break space.
        mine, other = (
            ascii(text[max(0, at - 10) : at + 20]) if at < len(text) or not text else "its end"
            for text in (left[1], right[1])
        )
        reason = f"the texts differ from character {at}: {mine} in {names[0]}, {other} in {names[1]}"
        yield Difference(document, position, reason)


def _shown(passage: Passage) -> str:
    offset, text = passage
    return f"the passage at offset {offset}, {text[:40]!a},"
