"""Tasks as JSON lines, one passage a line: doccano and Prodigy. Offsets count code points in both.

Metadata (`document`, `offset`, `candidates` ...) stand beside the text, and come back. Tasks without `document` and
`offset`, as other programs write them, are read as well: each is an article of its own. A region has no place for
identifiers.

doccano, a project for sequence labelling with relations (`JSONL(relation)`):

    {"text": "Zinc ...", "entities": [{"id": 1, "start_offset": 0, "end_offset": 4, "label": "Chemical"}], ...}

Its export `JSONL` has `"label": [[0, 4, "Chemical"]]` in place of `entities`, and older releases have `annotations` or
the text as `data`. Comments, labels of whole texts beside regions, and other fields are left out and reported. A
project can be set to count grapheme clusters, which its export does not state.

Prodigy, for its interface `spans_manual`:

    {"text": "Zinc ...", "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "meta": {...}, "document": ..., ...}

It adds `answer` (`accept`, `reject`, `ignore`) and the session of the annotator. A task with another answer than
`accept`, or without, counts as not finished.

Sources: https://github.com/doccano/doccano/pull/1703 (export) and 1823 (import);
https://prodi.gy/docs/api-interfaces#spans_manual.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import DAMAGE
from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import encoded
from corpora.reporting import Report
from corpora.words.quantities import quantity
from nlmchem.companions.curation.formats.tasks import (
    FACTS,
    EditorTask,
    Key,
    Region,
    RegionLink,
    document_named,
    first_values,
    grouped,
    other_fields,
    parsed,
    place_of,
    report_unread,
    score_of,
    tasks_of,
    values,
)

_OF_OTHER_FORMATS = {"passages", "documents", "ner_tags"}
"""Keys that no task has."""


@dataclass(frozen=True, slots=True)
class TaskLines:
    """A format of tasks as JSON lines."""

    title: str
    stored: frozenset[str]
    """The infons of mentions that a region has."""
    are_own: Callable[[Sequence[dict[str, Any]]], bool]
    """Whether tasks are of this format."""
    line: Callable[[EditorTask], dict[str, Any]]
    """The value of a line."""
    found: Callable[[dict[str, Any]], tuple[Iterable[Region], Iterable[RegionLink]]]
    """The regions of a line, and their relations."""
    left_out: Callable[[dict[str, Any]], Iterable[str]]
    """The kinds of what a line has that is not read."""
    whose: Callable[[dict[str, Any]], tuple[str | None, bool]] = lambda value: (None, False)
    """The annotator of a line (None: not stated), and whether nobody has finished it."""
    is_doubtful: Callable[[dict[str, Any]], bool] = lambda value: False
    """Whether the offsets of a line can mean something else."""
    doubt: str = ""
    """What the report has about such texts."""

    @property
    def reader(self) -> Reader:
        """Reads the tasks of each article and annotator."""
        return Reader(self._split, lambda raw, report: parsed(raw, self._task), self._sniff)

    @property
    def writer(self) -> Joined:
        """Writes a line for each passage. Reports what it lacks."""

        def dumps(document: BioCDocument, report: Report) -> bytes:
            rows = map(self.line, tasks_of(document, self.stored, self.title, report))
            return encoded("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), document)

        return Joined(dumps)

    def _sniff(self, head: bytes) -> bool:
        # A task without regions can lack their key.
        tasks = first_values(head)
        are_tasks = all(_text_of(task) is not None and not task.keys() & _OF_OTHER_FORMATS for task in tasks)
        return are_tasks and self.are_own(tasks)

    def _split(self, stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
        unfinished, doubtful, left_out = 0, 0, Counter[str]()

        def key(value: Any) -> Key:
            nonlocal unfinished, doubtful
            if not isinstance(value, dict):
                # `parsed` refuses it.
                return "", None, False
            annotator, is_open = self.whose(value)
            left_out.update(self.left_out(value))
            doubtful += self.is_doubtful(value)
            unfinished += is_open and bool(value.get("spans"))
            return document_named(value), annotator, is_open

        yield from grouped(values(stream), key)
        report_unread(unfinished, left_out, report)
        if doubtful:
            report(f"{quantity(doubtful, 'text has', 'texts have')} {self.doubt}")

    def _task(self, value: Any) -> EditorTask:
        document, offset = place_of(value)
        found, linked = self.found(value)
        regions, links = tuple(found), tuple(linked)
        section, text = str(value.get("section") or ""), _text_of(value)
        if text is None:
            raise KeyError("text")
        own = value.get("id")
        document = document or (own if isinstance(own, str) else "")
        return EditorTask(document, offset, text, section, regions, *self.whose(value), links=links)


def _text_of(value: dict[str, Any]) -> str | None:
    """The text of a task; some releases of doccano export it as `data`. None for an object that is no task."""
    text = value.get("text", value.get("data"))
    return text if isinstance(text, str) else None


# -- doccano ------------------------------------------------------------------------------------

_REGIONS = ("entities", "label", "labels", "annotations")
"""The keys of the regions in the exports of several releases."""
_DOCCANO_KEYS = frozenset({"id", "text", "data", "relations", "Comments", *_REGIONS})
_CLUSTER = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f\u200d\U0001f3fb-\U0001f3ff]|\r\n"
)
"""Combining marks, joiners and modifiers: they are one grapheme cluster with what is before them."""
_DOUBT = (
    "regions behind characters of several code points (combined letters, emoji, CRLF), and regions of doccano state no "
    "text: offsets are read as code points, so check them if the project counts grapheme clusters as one character"
)
_COLOURS = ("#1565c0", "#2e7d32", "#ad1457", "#6a1b9a", "#ef6c00")


def _doccano_line(task: EditorTask) -> dict[str, Any]:
    entities = [
        {"id": number, "start_offset": region.start, "end_offset": region.end, "label": region.type}
        for number, region in enumerate(task.regions, 1)
    ]
    return {"text": task.text, **task.facts, "entities": entities, "relations": []}


def _doccano_found(value: dict[str, Any]) -> tuple[Iterable[Region], Iterable[RegionLink]]:
    entities = _listed(value)
    places = {entity.get("id"): number for number, entity in enumerate(entities) if isinstance(entity, dict)}
    links = (
        RegionLink(str(relation["type"]), places[relation["from_id"]], places[relation["to_id"]])
        for relation in value.get("relations") or []
    )
    return map(_region, entities), links


def _are_of_doccano(tasks: Sequence[dict[str, Any]]) -> bool:
    """Whether tasks have regions, or nothing but the fields of tasks. Lists of words and tags are of other programs."""
    lists = [task[key] for task in tasks for key in _REGIONS if isinstance(task.get(key), list)]
    if any(lists):
        return any(isinstance(item, list | dict) for items in lists for item in items)
    known = {*_DOCCANO_KEYS, *FACTS}
    return bool(lists) and all(task.keys() <= known and not isinstance(task.get("id"), str) for task in tasks)


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


def _left_out_of_doccano(value: dict[str, Any]) -> Iterator[str]:
    for key in ("label", "labels", "Comments"):
        listed = value.get(key)
        items = listed if isinstance(listed, list) else [listed]
        kind = "comments" if key == "Comments" else "labels of whole texts"
        yield from (kind for item in items if item and isinstance(item, str))
    yield from other_fields(value, _DOCCANO_KEYS)


def _has_clusters(value: dict[str, Any]) -> bool:
    """Whether a text has regions behind a character of several code points, which a project can count as one."""
    text, regions = _text_of(value) or "", _listed(value)
    cluster = _CLUSTER.search(text)
    try:
        return cluster is not None and any(cluster.start() < _region(item).end for item in regions)
    except DAMAGE:
        return False


def beside_doccano(types: Sequence[str]) -> dict[str, bytes]:
    """The labels of the project."""
    labels = [
        {"text": type, "suffixKey": None, "backgroundColor": _COLOURS[at % len(_COLOURS)], "textColor": "#ffffff"}
        for at, type in enumerate(types)
    ]
    return {"labels.json": json.dumps(labels, indent=1, ensure_ascii=False).encode() + b"\n"}


_DOCCANO = TaskLines(
    "doccano",
    frozenset({"type"}),
    are_own=_are_of_doccano,
    line=_doccano_line,
    found=_doccano_found,
    left_out=_left_out_of_doccano,
    is_doubtful=_has_clusters,
    doubt=_DOUBT,
)
DOCCANO_READER, DOCCANO_WRITER = _DOCCANO.reader, _DOCCANO.writer


# -- Prodigy ------------------------------------------------------------------------------------

_PRODIGY_KEYS = frozenset(
    {"text", "data", "spans", "tokens", "relations", "meta", "answer", "accept", "label", "options"}
    | {"config", "view_id", "score", "html"}
)
"""What the interfaces of Prodigy write beside the text; `score` in `meta` is that of a suggestion."""
_ANSWERS = ("accept", "reject", "ignore")


def _prodigy_line(task: EditorTask) -> dict[str, Any]:
    facts = task.facts
    meta = {key: text for key in ("why", "candidates") if (text := facts.pop(key))}
    spans = []
    for region in task.regions:
        score = {} if region.score is None else {"score": region.score}
        spans.append({"start": region.start, "end": region.end, "label": region.type, **score})
    return {"text": task.text, "spans": spans, **facts, "meta": meta}


def _prodigy_found(value: dict[str, Any]) -> tuple[Iterable[Region], Iterable[RegionLink]]:
    # A task without any span can lack the key.
    regions = [
        Region(int(span["start"]), int(span["end"]), str(span["label"]), score=score_of(span.get("score")))
        for span in value.get("spans") or []
    ]
    numbers = {(region.start, region.end): number for number, region in enumerate(regions)}

    def number_of(span: dict[str, Any]) -> int:
        return numbers[int(span["start"]), int(span["end"])]

    links = (
        RegionLink(str(relation["label"]), number_of(relation["head_span"]), number_of(relation["child_span"]))
        for relation in value.get("relations") or []
    )
    return regions, links


def _left_out_of_prodigy(value: dict[str, Any]) -> Iterator[str]:
    """Labels of whole texts, of the interfaces for classification, and fields of other programs."""
    chosen = value.get("accept") or value.get("label")
    meta = value.get("meta")
    yield from other_fields(value, _PRODIGY_KEYS)
    yield from other_fields(meta if isinstance(meta, dict) else {}, _PRODIGY_KEYS)
    yield from ("labels of whole texts" for _ in ([chosen] if isinstance(chosen, str) else chosen or ()))


def _whose(value: dict[str, Any]) -> tuple[str | None, bool]:
    name = value.get("_annotator_id") or value.get("_session_id")
    return None if name is None else str(name), value.get("answer") != "accept"


_PRODIGY = TaskLines(
    "Prodigy",
    frozenset({"type", "score"}),
    are_own=lambda tasks: any(
        isinstance(task.get("spans"), list) or "_task_hash" in task or task.get("answer") in _ANSWERS for task in tasks
    ),
    line=_prodigy_line,
    found=_prodigy_found,
    left_out=_left_out_of_prodigy,
    whose=_whose,
)
PRODIGY_READER, PRODIGY_WRITER = _PRODIGY.reader, _PRODIGY.writer
