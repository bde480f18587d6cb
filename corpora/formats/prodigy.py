"""Prodigy: JSON lines for its interface `spans_manual`, one passage a line.

    {"text": "Zinc ...", "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "meta": {...}, "document": ..., ...}

Offsets count code points. Prodigy adds `answer` (`accept`, `reject`, `ignore`) and the session of the annotator. A task
with another answer than `accept` counts as not finished. Identifiers have no place in a span.

Source: https://prodi.gy/docs/api-interfaces#spans_manual.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.tasks import Key, Region, Task, grouped, lines, parsed, place_of, report_losses, score_of, tasks_of
from corpora.formats.utf8 import encoded
from corpora.reporting import Report

TITLE = "Prodigy"


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The lines of an article. Raises `ArticleError`. Reports what they lack."""
    losses = Losses()
    rows = [_value(task) for task in tasks_of(document, losses, frozenset({"type", "score"}))]
    report_losses(losses, report, TITLE)
    return encoded("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), document)


def _value(task: Task) -> dict[str, Any]:
    facts = task.facts
    meta = {key: facts.pop(key) for key in ("why", "candidates")}
    spans = [_span(region) for region in task.regions]
    return {"text": task.text, "spans": spans, **facts, "meta": {key: text for key, text in meta.items() if text}}


def _span(region: Region) -> dict[str, Any]:
    span: dict[str, Any] = {"start": region.start, "end": region.end, "label": region.type}
    return span if region.score is None else {**span, "score": region.score}


def sniff(head: bytes) -> bool:
    """Whether a file has a span list and the document of a task in its first line."""
    line = head.partition(b"\n")[0]
    return head.startswith(b"{") and b'"spans"' in line and b'"document"' in line and b'"offset"' in line


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The tasks of each article and annotator. Raises `InputError`."""
    return grouped(lines(stream), _key)


def _key(value: Any) -> Key:
    if not isinstance(value, dict):
        return "", None, True
    return str(value.get("document")), _annotator(value), value.get("answer") != "accept"


def _annotator(value: dict[str, Any]) -> str | None:
    name = value.get("_annotator_id") or value.get("_session_id")
    return None if name is None else str(name)


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article with the spans of one annotator. Raises `ArticleError`."""
    return parsed(raw, _task)


def _task(value: Any) -> Task:
    document, offset = place_of(value)
    regions = tuple(
        Region(int(one["start"]), int(one["end"]), str(one["label"]), score=score_of(one.get("score")))
        for one in value.get("spans") or []
    )
    section = str(value.get("section") or "")
    is_open = value.get("answer") != "accept"
    return Task(document, offset, str(value["text"]), section, regions, _annotator(value), is_open)


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps)
