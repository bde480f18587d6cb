"""The check whether the scorer of the NLM-Chem track accepts a submission file. It reads the written file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from bioc import BioCDocument, BioCPassage

from corpora.model.alignment import layout, text_differences
from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.document import NO_CONCEPT, Mention, every_annotation
from corpora.model.invariant import check
from corpora.model.mesh_ids import is_mesh_id
from corpora.model.votes import stated_identifiers
from corpora.reading import read
from corpora.reporting import ignore

TASKS = {"identification": 1, "indexing": 2}
"""The subtasks of the track and their numbers in file names."""


def check_submission(path: Path, reference: str, task: str) -> Iterator[str]:
    """All reasons why the scorer would reject a file, one sentence each; none if it accepts the file.

    Documents, passages, offsets and texts must equal the reference, in the same order. There must be only annotations
    of the task, with ids that are unique in the document. Identifiers must be MeSH ids joined by commas, or `-`.
    Mentions must have the text at their locations and must not overlap.
    """
    mine = read(path, report=ignore)
    for wanted in read(reference, report=ignore):
        document = next(mine, None)
        if document is None:
            yield f"document {wanted.id!r} is missing"
            return
        if document.id != wanted.id:
            yield f"document {document.id!r} is in the position of {wanted.id!r} in the reference"
            return
        yield from map(str, text_differences(layout(wanted), layout(document), ("the reference", path.name)))
        yield from _faults(document, CHEMICAL if task == "identification" else INDEX_TERM)
    rest = next(mine, None)
    if rest is not None:
        yield f"document {rest.id!r} is not in the reference"


def _faults(document: BioCDocument, wanted: str) -> Iterator[str]:
    where = f"document {document.id!r}"
    yield from map(str, check(document))
    seen: set[str] = set()
    reached: dict[int, list[tuple[int, int]]] = {}
    for annotation, passage in every_annotation(document):
        place = f"{where}, annotation {annotation.id!r}"
        if annotation.id in seen:
            yield f"{place}: its id occurs twice"
        seen.add(annotation.id)
        mention = Mention(annotation, passage or BioCPassage())
        if passage is None or mention.type != wanted:
            yield f"{place}: {mention.type or 'no type'!r} does not belong to this task, which needs {wanted}"
        elif wanted == CHEMICAL and not annotation.locations:
            yield f"{place}: it has no location"
        elif wanted == CHEMICAL:
            outer = (mention.spans[0][0], max(end for _, end in mention.spans))
            reached.setdefault(id(passage), []).append(outer)
        yield from (f"{place}: {fault}" for fault in _identifier_faults(mention, wanted))
    for spans in reached.values():
        spans.sort()
        for left, right in pairwise(spans):
            if right[0] < left[1]:
                yield f"{where}: the mentions at {left} and {right} overlap"
    if any(holder.relations for holder in (document, *document.passages)):
        yield f"{where}: it has relations"


def _identifier_faults(mention: Mention, wanted: str) -> Iterator[str]:
    stated = stated_identifiers(mention)
    if stated is None:
        yield "it has no identifier; write `-` for a mention without concept"
        return
    if not stated and wanted == INDEX_TERM:
        yield "an index term must have a concept"
    for part in stated:
        if not is_mesh_id(part) and part != NO_CONCEPT:
            yield f"{part!r} is not a MeSH identifier with its prefix"
