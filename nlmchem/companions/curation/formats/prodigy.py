"""Prodigy: JSON lines for its interface `spans_manual`, one passage a line.

    {"text": "Zinc ...", "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "meta": {...}, "document": ..., ...}

Offsets count code points. Prodigy adds `answer` (`accept`, `reject`, `ignore`) and the session of the annotator. A task
with another answer than `accept` counts as not finished. Identifiers have no place in a span.

Source: https://prodi.gy/docs/api-interfaces#spans_manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nlmchem.companions.curation.formats.task_lines import TaskLines
from nlmchem.companions.curation.formats.tasks import Region, Task, score_of


def _line(task: Task) -> dict[str, Any]:
    facts = task.facts
    meta = {key: facts.pop(key) for key in ("why", "candidates")}
    spans = [_span(region) for region in task.regions]
    return {"text": task.text, "spans": spans, **facts, "meta": {key: text for key, text in meta.items() if text}}


def _span(region: Region) -> dict[str, Any]:
    span: dict[str, Any] = {"start": region.start, "end": region.end, "label": region.type}
    return span if region.score is None else {**span, "score": region.score}


def _found(value: dict[str, Any]) -> Iterator[Region]:
    # A task without any span can lack the key.
    for one in value.get("spans") or []:
        yield Region(int(one["start"]), int(one["end"]), str(one["label"]), score=score_of(one.get("score")))


def _whose(value: dict[str, Any]) -> tuple[str | None, bool]:
    name = value.get("_annotator_id") or value.get("_session_id")
    return None if name is None else str(name), value.get("answer") != "accept"


_LINES = TaskLines("Prodigy", "spans", frozenset({"type", "score"}), _line, _found, _whose)
READER, WRITER = _LINES.reader, _LINES.writer
