"""Prodigy: JSON lines for its interface `spans_manual`, one passage a line.

    {"text": "Zinc ...", "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "meta": {...}, "document": ..., ...}

Offsets count code points. Prodigy adds `answer` (`accept`, `reject`, `ignore`) and the session of the annotator. A task
with another answer than `accept`, or without, counts as not finished. Identifiers have no place in a span. A task
without `document` and `offset`, as other programs write them, is an article of its own.

Source: https://prodi.gy/docs/api-interfaces#spans_manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nlmchem.companions.curation.formats.task_lines import TaskLines
from nlmchem.companions.curation.formats.tasks import EditorTask, Region, RegionLink, other_fields, score_of

_TASK = ("text", "data", "spans", "tokens", "relations", "meta", "answer", "accept", "label", "options")
_KNOWN = frozenset({*_TASK, "config", "view_id", "score", "html"})
"""What the interfaces of Prodigy write beside the text; `score` in `meta` is that of a suggestion."""
_ANSWERS = ("accept", "reject", "ignore")


def _line(task: EditorTask) -> dict[str, Any]:
    facts = task.facts
    meta = {key: facts.pop(key) for key in ("why", "candidates")}
    spans = [_span(region) for region in task.regions]
    return {"text": task.text, "spans": spans, **facts, "meta": {key: text for key, text in meta.items() if text}}


def _span(region: Region) -> dict[str, Any]:
    span: dict[str, Any] = {"start": region.start, "end": region.end, "label": region.type}
    return span if region.score is None else {**span, "score": region.score}


def _found(value: dict[str, Any]) -> tuple[tuple[Region, ...], tuple[RegionLink, ...]]:
    # A task without any span can lack the key.
    regions = tuple(
        Region(int(span["start"]), int(span["end"]), str(span["label"]), score=score_of(span.get("score")))
        for span in value.get("spans") or []
    )
    places = {(region.start, region.end): number for number, region in enumerate(regions)}
    links = (
        RegionLink(str(relation["label"]), *(places[_place(relation[key])] for key in ("head_span", "child_span")))
        for relation in value.get("relations") or []
    )
    return regions, tuple(links)


def _place(span: dict[str, Any]) -> tuple[int, int]:
    return int(span["start"]), int(span["end"])


def _is_line(value: dict[str, Any]) -> bool:
    return isinstance(value.get("spans"), list) or "_task_hash" in value or value.get("answer") in _ANSWERS


def _left_out(value: dict[str, Any]) -> Iterator[str]:
    """Labels of whole texts, of the interfaces for classification, and fields of other programs."""
    chosen = value.get("accept") or value.get("label")
    meta = value.get("meta")
    yield from other_fields(value, _KNOWN)
    yield from other_fields(meta if isinstance(meta, dict) else {}, _KNOWN)
    yield from ("labels of whole texts" for _ in ([chosen] if isinstance(chosen, str) else chosen or ()))


def _whose(value: dict[str, Any]) -> tuple[str | None, bool]:
    name = value.get("_annotator_id") or value.get("_session_id")
    return None if name is None else str(name), value.get("answer") != "accept"


_LINES = TaskLines("Prodigy", _is_line, frozenset({"type", "score"}), _line, _found, _whose, _left_out)
READER, WRITER = _LINES.reader, _LINES.writer
