"""Label Studio: tasks in its JSON format, with the mentions as predictions.

A region has `start` and `end`, and a text field beside it with the identifiers (`identifier`). Label Studio runs in a
browser, whose strings count UTF-16 code units: 𝛼 counts two. Releases differ (issues 1008, 1347 and 4988 of its
repository), but a region also has its text, so the reader takes the way of counting by which all texts of a task are
right.

Source: https://labelstud.io/guide/task_format, https://labelstud.io/guide/predictions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

from bioc import BioCDocument

from corpora.errors import DAMAGE, InputError
from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.model.document import ABBREVIATION, NO_CONCEPT
from corpora.reporting import Report
from nlmchem.companions.curation.formats.tasks import (
    Key,
    Region,
    Task,
    grouped,
    loaded,
    parsed,
    place_of,
    report_losses,
    score_of,
    tasks_of,
    value_of,
)

TITLE = "Label Studio"
STORED = frozenset({"type", "identifier", "score"})
LABEL, TEXT, IDENTIFIER = "label", "text", "identifier"
"""The names of the tags in the labelling configuration."""

_CONFIGURATION = """<View>
  <Style>.htx-text {{ white-space: pre-wrap; }}</Style>
  <Header value="$document, $section, offset $offset" size="5"/>
  <Header value="$why" size="5"/>
  <Labels name="label" toName="text">
{labels}
  </Labels>
  <Text name="text" value="$text" saveTextResult="yes"/>
  <TextArea name="identifier" toName="text" perRegion="true" editable="true" maxSubmissions="1"
            placeholder="MESH:D015032; several with commas; - for none"/>
  <Text name="candidates" value="$candidates" selectionEnabled="false"/>
</View>
"""


# -- writing ------------------------------------------------------------------------------------


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The tasks of an article. Raises `ArticleError`. Reports what they lack."""
    losses = Losses()
    texts = [json.dumps(_value(task), ensure_ascii=False) for task in tasks_of(document, losses, STORED)]
    report_losses(losses, report, TITLE)
    return encoded(",\n".join(texts), document)


def _value(task: Task) -> dict[str, Any]:
    units = utf16_positions(task.text)
    numbered = enumerate(task.regions, 1)
    results = [result for number, region in numbered for result in _results(task, units, region, number)]
    return {
        "data": {TEXT: task.text, **task.facts},
        "predictions": [{"model_version": "nlmchem", "result": results}],
    }


def _results(task: Task, units: Sequence[int], region: Region, number: int) -> Iterator[dict[str, Any]]:
    place = {"start": units[region.start], "end": units[region.end]}
    common = {"id": f"m{number}", "to_name": TEXT}
    value = {**place, "text": task.text[region.start : region.end], "labels": [region.type]}
    label: dict[str, Any] = {**common, "from_name": LABEL, "type": "labels", "value": value}
    if region.score is not None:
        label["score"] = region.score
    if region.candidates:
        label["meta"] = {"text": [region.candidates]}
    yield label
    if region.identifiers is not None:
        text = ",".join(region.identifiers) or NO_CONCEPT
        yield {**common, "from_name": IDENTIFIER, "type": "textarea", "value": {**place, "text": [text]}}


def utf16_positions(text: str) -> list[int]:
    """The position in UTF-16 code units of each character of a text, and of its end."""
    positions, reached = [0], 0
    for character in text:
        reached += 2 if character > "\uffff" else 1
        positions.append(reached)
    return positions


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The labelling configuration."""
    labels = "\n".join(f"    <Label value={quoteattr(type)}/>" for type in types)
    return {"labeling-config.xml": _CONFIGURATION.format(labels=labels).encode()}


# -- reading ------------------------------------------------------------------------------------


def sniff(head: bytes) -> bool:
    """Whether a file is a list of tasks."""
    if not head.startswith(b"[") or b'"passages"' in head:
        return False
    return (b'"data"' in head and (b'"predictions"' in head or b'"annotations"' in head)) or b'"completed_by"' in head


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The tasks of each article and annotator. Raises `InputError`."""
    tasks = value_of(loaded(stream), "the file")
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise InputError("it is not a list of tasks; export the project as JSON")
    yield from grouped((one for task in tasks for one in _annotated(task)), _key)


def _annotated(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each annotation of a task with its text; where there is none, the prediction."""
    annotations = [one for one in task.get("annotations") or [] if isinstance(one, dict)]
    done = [one for one in annotations if not one.get("was_cancelled")]
    for one in done:
        yield {"data": task.get("data"), "result": one.get("result"), "annotator": _annotator(one.get("completed_by"))}
    if not done:
        first = next((one for one in task.get("predictions") or [] if isinstance(one, dict)), {})
        yield {"data": task.get("data"), "result": first.get("result"), "open": True}


def _annotator(completed_by: Any) -> str | None:
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return None if completed_by is None else str(completed_by)


def _key(value: dict[str, Any]) -> Key:
    data = value["data"]
    name = str(data.get("document")) if isinstance(data, dict) else ""
    return name, value.get("annotator"), bool(value.get("open"))


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article with the regions of one annotator. Raises `ArticleError`."""
    return parsed(raw, _task)


def _task(value: Any) -> Task:
    data, results = value["data"], value.get("result") or []
    text = str(data[TEXT])
    document, offset = place_of(data)
    labels = [one for one in results if one["type"] == "labels"]
    texts = {one["id"]: one["value"]["text"] for one in results if one["type"] == "textarea"}
    counted = _counted(text, labels)
    regions = tuple(
        Region(
            *counted(one["value"]),
            str(one["value"]["labels"][0]),
            _stated(texts, one["id"], str(one["value"]["labels"][0])),
            score_of(one.get("score")),
        )
        for one in labels
    )
    return Task(
        document, offset, text, str(data.get("section") or ""), regions, value.get("annotator"), bool(value.get("open"))
    )


def _stated(texts: dict[str, Any], id: str, label: str) -> tuple[str, ...] | None:
    """The identifiers of a region. A task that states some has an empty field for the regions without one.

    Short and long forms are not looked up, so that no field states nothing about them.
    """
    if not texts or (label == ABBREVIATION and id not in texts):
        return None
    lines = texts.get(id) or []
    parts = ",".join([lines] if isinstance(lines, str) else lines).split(",")
    return tuple(part.strip() for part in parts if part.strip() not in ("", NO_CONCEPT))


Place = Callable[[dict[str, Any]], tuple[int, int]]


def _counted(text: str, labels: Sequence[dict[str, Any]]) -> Place:
    """The function from a region to its start and end in code points."""
    at = {unit: point for point, unit in enumerate(utf16_positions(text))}

    def by_unit(value: dict[str, Any]) -> tuple[int, int]:
        # A position inside a character, or behind the text, is no place: `document_of` refuses it.
        outside = len(text) + 1
        return at.get(int(value["start"]), outside), at.get(int(value["end"]), outside)

    def by_point(value: dict[str, Any]) -> tuple[int, int]:
        return int(value["start"]), int(value["end"])

    def is_right(place: Place) -> bool:
        try:
            return all(text[slice(*place(one["value"]))] == one["value"].get("text") for one in labels)
        except DAMAGE:
            return False

    return by_point if not is_right(by_unit) and is_right(by_point) else by_unit


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps, b",\n", lambda header: b"[\n", lambda header: b"\n]\n")
