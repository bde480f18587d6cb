"""doccano: JSON lines of a project for sequence labelling with relations (`JSONL(relation)`), one passage a line.

    {"text": "Zinc ...", "entities": [{"id": 1, "start_offset": 0, "end_offset": 4, "label": "Chemical"}], ...}

Offsets count code points. The other keys (`document`, `offset`, `candidates` ...) are metadata, which doccano shows
beside the text and exports again. Identifiers have no place in a region.

Source: https://github.com/doccano/doccano/pull/1703 (export) and 1823 (import).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.tasks import Key, Region, Task, grouped, lines, parsed, place_of, report_losses, tasks_of
from corpora.formats.utf8 import encoded
from corpora.reporting import Report

TITLE = "doccano"
_COLOURS = ("#1565c0", "#2e7d32", "#ad1457", "#6a1b9a", "#ef6c00")


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The lines of an article. Raises `ArticleError`. Reports what they lack."""
    losses = Losses()
    rows = [_value(task) for task in tasks_of(document, losses, frozenset({"type"}))]
    report_losses(losses, report, TITLE)
    return encoded("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), document)


def _value(task: Task) -> dict[str, Any]:
    entities = [
        {"id": number, "start_offset": region.start, "end_offset": region.end, "label": region.type}
        for number, region in enumerate(task.regions, 1)
    ]
    return {"text": task.text, **task.facts, "entities": entities, "relations": []}


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The labels of the project."""
    labels = [
        {"text": type, "suffixKey": None, "backgroundColor": _COLOURS[at % len(_COLOURS)], "textColor": "#ffffff"}
        for at, type in enumerate(types)
    ]
    return {"labels.json": json.dumps(labels, indent=1, ensure_ascii=False).encode() + b"\n"}


def sniff(head: bytes) -> bool:
    """Whether a file has an entity list and the document of a task in its first line."""
    line = head.partition(b"\n")[0]
    return head.startswith(b"{") and b'"entities"' in line and b'"document"' in line and b'"offset"' in line


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The tasks of each article. Raises `InputError`."""
    return grouped(lines(stream), _key)


def _key(value: Any) -> Key:
    return str(value.get("document")) if isinstance(value, dict) else "", None, False


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article. Raises `ArticleError`."""
    return parsed(raw, _task)


def _task(value: Any) -> Task:
    document, offset = place_of(value)
    regions = tuple(
        Region(int(one["start_offset"]), int(one["end_offset"]), str(one["label"])) for one in value["entities"]
    )
    return Task(document, offset, str(value["text"]), str(value.get("section") or ""), regions)


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps)
