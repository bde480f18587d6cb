"""doccano: JSON lines of a project for sequence labelling with relations (`JSONL(relation)`), one passage a line.

    {"text": "Zinc ...", "entities": [{"id": 1, "start_offset": 0, "end_offset": 4, "label": "Chemical"}], ...}

The export `JSONL` has `"label": [[0, 4, "Chemical"]]` in place of `entities`, and older releases have `annotations` or
the text as `data`. They are read as well, and so are tasks without `document` and `offset`, as other programs write
them: each is an article of its own. Labels of whole texts, comments and other fields are left out and reported.

Offsets count code points; a project can be set to count grapheme clusters, which its export does not state. The other
keys (`document`, `offset`, `candidates` ...) are metadata, which doccano shows beside the text and exports again.
Identifiers have no place in a region.

Source: https://github.com/doccano/doccano/pull/1703 (export) and 1823 (import).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from corpora.errors import DAMAGE
from nlmchem.companions.curation.formats.task_lines import TaskLines, text_of
from nlmchem.companions.curation.formats.tasks import EditorTask, Region, RegionLink, other_fields

_REGIONS = ("entities", "label", "labels", "annotations")
"""The keys of the regions in the exports of several releases."""
_KNOWN = frozenset({"id", "text", "data", "relations", "Comments", *_REGIONS})
_CLUSTER = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f\u200d\U0001f3fb-\U0001f3ff]|\r\n"
)
"""Combining marks, joiners and modifiers: they are one grapheme cluster with what is before them."""
_DOUBT = (
    "regions behind characters of several code points (combined letters, emoji, CRLF), and regions of doccano state no "
    "text: offsets are read as code points, so check them if the project counts grapheme clusters as one character"
)
_COLOURS = ("#1565c0", "#2e7d32", "#ad1457", "#6a1b9a", "#ef6c00")


def _line(task: EditorTask) -> dict[str, Any]:
    entities = [
        {"id": number, "start_offset": region.start, "end_offset": region.end, "label": region.type}
        for number, region in enumerate(task.regions, 1)
    ]
    return {"text": task.text, **task.facts, "entities": entities, "relations": []}


def _found(value: dict[str, Any]) -> tuple[tuple[Region, ...], tuple[RegionLink, ...]]:
    entities = _listed(value)
    places = {entity.get("id"): number for number, entity in enumerate(entities) if isinstance(entity, dict)}
    links = (
        RegionLink(str(relation["type"]), places[relation["from_id"]], places[relation["to_id"]])
        for relation in value.get("relations") or []
    )
    return tuple(map(_region, entities)), tuple(links)


def _listed(value: dict[str, Any]) -> list[Any]:
    """The regions of a line as they are stored. A text is the label of the whole line."""
    listed: list[Any] = next((value[key] for key in _REGIONS if value.get(key) is not None), [])
    return [item for item in listed if not isinstance(item, str)]


def _region(entity: Any) -> Region:
    """A region from an object, or from `[start, end, label]`."""
    if isinstance(entity, dict):
        return Region(int(entity["start_offset"]), int(entity["end_offset"]), str(entity["label"]))
    start, end, label = entity
    return Region(int(start), int(end), str(label))


def _is_line(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(key), list) for key in _REGIONS)


def _left_out(value: dict[str, Any]) -> Iterator[str]:
    for key, kind in (
        ("label", "labels of whole texts"),
        ("labels", "labels of whole texts"),
        ("Comments", "comments"),
    ):
        listed = value.get(key)
        items = listed if isinstance(listed, list) else [listed]
        yield from (kind for item in items if item and isinstance(item, str))
    yield from other_fields(value, _KNOWN)


def _has_clusters(value: dict[str, Any]) -> bool:
    """Whether a text has regions behind a character of several code points, which a project can count as one."""
    text, regions = text_of(value) or "", _listed(value)
    cluster = _CLUSTER.search(text)
    try:
        return cluster is not None and any(cluster.start() < _region(item).end for item in regions)
    except DAMAGE:
        return False


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The labels of the project."""
    labels = [
        {"text": type, "suffixKey": None, "backgroundColor": _COLOURS[at % len(_COLOURS)], "textColor": "#ffffff"}
        for at, type in enumerate(types)
    ]
    return {"labels.json": json.dumps(labels, indent=1, ensure_ascii=False).encode() + b"\n"}


_LINES = TaskLines(
    "doccano", _is_line, frozenset({"type"}), _line, _found, left_out=_left_out, is_doubtful=_has_clusters, doubt=_DOUBT
)
READER, WRITER = _LINES.reader, _LINES.writer
