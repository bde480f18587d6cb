"""Label Studio: tasks in its JSON format, with the mentions as predictions.

A region has `start` and `end`, and a text field beside it with the identifiers (`identifier`). Label Studio runs in a
browser, whose strings count UTF-16 code units: 𝛼 counts two. Releases differ (issues 1008, 1347 and 4988 of its
repository), but a region also has its text, so the reader takes the way of counting by which all texts of a task are
right.

Source: https://labelstud.io/guide/task_format, https://labelstud.io/guide/predictions.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

from bioc import BioCDocument

from corpora.errors import DAMAGE, ArticleError, InputError, shortened
from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import encoded
from corpora.model.document import ABBREVIATION
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.reporting import Report
from corpora.words.quantities import utf16_width
from nlmchem.companions.curation.formats.tasks import (
    FACTS,
    EditorTask,
    Region,
    RegionLink,
    document_named,
    grouped,
    other_fields,
    parsed,
    place_of,
    report_unread,
    score_of,
    tasks_of,
    values,
)

TITLE = "Label Studio"
STORED = frozenset({"type", "identifier", "score"})
LABEL, TEXT, IDENTIFIER = "label", "text", "identifier"
"""The names of the tags in the labelling configuration."""
LINKED = "linked"
"""The fact of a task whose regions state identifiers."""
REGIONS = ("labels", "hypertextlabels", "htmllabels", "paragraphlabels")
"""The types of results that are regions of a text."""

_METADATA = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""The keys that the export JSON-MIN adds to the data."""
_TASK = re.compile(rb'[\[\s]*\{(?:\s*"id"\s*:\s*\d+\s*,)?\s*"data"\s*:\s*\{')
"""A task that nobody has opened has the data only."""

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
    texts = []
    for task in tasks_of(document, STORED, TITLE, report):
        units = utf16_positions(task.text)
        results: list[dict[str, Any]] = []
        for number, region in enumerate(task.regions, 1):
            place = {"start": units[region.start], "end": units[region.end]}
            common = {"id": f"m{number}", "to_name": TEXT}
            value = {**place, "text": task.text[region.start : region.end], "labels": [region.type]}
            results.append({**common, "from_name": LABEL, "type": "labels", "value": value})
            if region.score is not None:
                results[-1]["score"] = region.score
            if region.candidates:
                results[-1]["meta"] = {"text": [region.candidates]}
            if region.identifiers is not None:
                text = ",".join(region.identifiers) or NO_CONCEPT
                value = {**place, "text": [text]}
                results.append({**common, "from_name": IDENTIFIER, "type": "textarea", "value": value})
        # A curator may empty the fields of all regions: then only this fact shows that the regions had identifiers.
        linked = {LINKED: True} if any(region.identifiers is not None for region in task.regions) else {}
        data = {TEXT: task.text, **task.facts, **linked}
        predictions = [{"model_version": "nlmchem", "result": results}]
        texts.append(json.dumps({"data": data, "predictions": predictions}, ensure_ascii=False))
    return encoded(",\n".join(texts), document)


def utf16_positions(text: str) -> list[int]:
    """The position in UTF-16 code units of each character of a text, and of its end."""
    return list(accumulate(map(utf16_width, text), initial=0))


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The labelling configuration."""
    labels = "\n".join(f"    <Label value={quoteattr(type)}/>" for type in types)
    return {"labeling-config.xml": _CONFIGURATION.format(labels=labels).encode()}


# -- reading ------------------------------------------------------------------------------------


def sniff(head: bytes) -> bool:
    """Whether a file is a list of tasks, as Label Studio exports them as JSON or JSON-MIN."""
    if head[:1] not in (b"[", b"{") or b'"passages"' in head:
        return False
    keys = [key for key in (b"predictions", b"annotations", b"completions") if b'"%s"' % key in head]
    is_short = b'"text"' in head and (b'"annotation_id"' in head or b'"lead_time"' in head)
    return (b'"data"' in head and bool(keys)) or b'"completed_by"' in head or is_short or bool(_TASK.match(head))


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The tasks of each article and annotator. Reports results that are not regions. Raises `InputError`."""
    tasks = list(values(stream))
    if not all(isinstance(task, dict) for task in tasks):
        raise InputError("it is not a list of tasks; export the project as JSON")
    annotated = [
        annotation
        for task in tasks
        for annotation in (_annotated(task) if isinstance(task.get("data"), dict) else _of_short_export(task))
    ]
    unfinished = sum(bool(annotation.get("open") and annotation.get("result")) for annotation in annotated)
    report_unread(unfinished, Counter(kind for item in annotated for kind in _other_results(item)), report)
    yield from grouped(
        annotated, lambda one: (document_named(one["data"]), one.get("annotator"), bool(one.get("open")))
    )


def _other_results(value: dict[str, Any]) -> Iterator[str]:
    """What is not read: types of results with the name of their field, notes of regions, and fields of the data."""
    results = value.get("result") or []
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict) and result.get("type") not in (*REGIONS, "relation") and not _is_identifier(result):
            yield " ".join(str(result[key]) for key in ("type", "from_name") if result.get(key))
        try:
            notes, ours = result["meta"]["text"], str(value["data"].get("candidates"))
        except DAMAGE:
            continue
        # `dumps` writes the candidates in the same place.
        listed = notes if isinstance(notes, list) else [notes]
        yield from ("notes of regions" for note in listed if note and str(note) not in ours)
    # In a short export, the results are beside the data, as lists and objects.
    given = data if isinstance(data := value.get("data"), dict) else {}
    scalars = {key: item for key, item in given.items() if isinstance(item, (str, int, float))}
    texts = [TEXT] if TEXT in scalars else _texts(scalars)
    if len(texts) == 1:
        yield from other_fields(scalars, (LINKED, *_METADATA, *texts))


def _texts(data: dict[str, Any]) -> list[str]:
    """The fields of a task that can be its text."""
    return [key for key, value in data.items() if isinstance(value, str) and key not in (*_METADATA, *FACTS)]


def _is_identifier(result: dict[str, Any]) -> bool:
    return result.get("type") == "textarea" and result.get("from_name", IDENTIFIER) == IDENTIFIER


def _annotated(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each annotation of a task with its text; where there is none, the draft or the prediction.

    Annotations are what people submitted; drafts, and predictions of programs, count as not finished.
    """
    given = task.get("annotations") or task.get("completions") or []
    done = [annotation for annotation in given if isinstance(annotation, dict) and not annotation.get("was_cancelled")]
    for one in done:
        yield {"data": task.get("data"), "result": one.get("result"), "annotator": _annotator(one.get("completed_by"))}
    if not done:
        suggested = [*(task.get("drafts") or []), *(task.get("predictions") or [])]
        first = next((suggestion for suggestion in suggested if isinstance(suggestion, dict)), {})
        yield {"data": task.get("data"), "result": first.get("result"), "open": True}


def _of_short_export(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A task of the export JSON-MIN, which has the regions beside the data, as an annotation.

    Its regions have no ids: a text field belongs to the region with the same place.
    """
    fields = _listed(task.get(IDENTIFIER))
    # The key of the regions is the name of their tag in the labelling configuration.
    given = {key: _listed(value) for key, value in task.items() if key not in (*_METADATA, IDENTIFIER)}
    labels = [value for key, listed in given.items() for value in listed if key == LABEL or _kind(value)]
    others = [value for key, listed in given.items() for value in listed if key != LABEL and not _kind(value)]
    results: list[dict[str, Any]] = [{"type": ", ".join(sorted(value)[:3])} for value in others]
    for number, value in enumerate(labels):
        kind = _kind(value) or "labels"
        results.append({"id": f"m{number}", "type": kind, "value": value})
        same = [field for field in fields if all(field.get(key) == value.get(key) for key in ("start", "end"))]
        results += [{"id": f"m{number}", "type": "textarea", "value": field} for field in same[:1]]
    is_open = task.get("annotation_id") is None and task.get("annotator") is None
    yield {"data": task, "result": results, "annotator": _annotator(task.get("annotator")), "open": is_open}


def _kind(value: dict[str, Any]) -> str | None:
    """The type of a region; None for another object."""
    return next((kind for kind in REGIONS if kind in value), None)


def _listed(value: Any) -> list[dict[str, Any]]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def _annotator(completed_by: Any) -> str | None:
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return None if completed_by is None else str(completed_by)


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article with the regions of one annotator. Raises `ArticleError`."""
    return parsed(raw, _task)


def _task(task: Any) -> EditorTask:
    data, results = task["data"], task.get("result") or []
    document, offset = place_of(data)
    where = f"document {document!r}, passage at offset {offset}"
    text = _text_of(data, where)
    labels = [result for result in results if result["type"] in REGIONS]
    texts = {result["id"]: result["value"]["text"] for result in results if _is_identifier(result)}
    linked = bool(texts) or bool(data.get(LINKED))
    counted = _counted(text, labels)
    regions: list[Region] = []
    first: dict[str, int] = {}
    for result in labels:
        value = result["value"]
        place = counted(value)
        there, stated = text[slice(*place)], value.get("text")
        # Blanks may differ.
        if isinstance(stated, str) and place[1] <= len(text) and _plain(there) != _plain(stated):
            raise ArticleError(
                f"{where}: the region {shortened(stated, 60)!r} is at {place[0]}-{place[1]}, where the text is "
                f"{shortened(there, 60)!r}; the editor has another text than the export, or counts offsets in another "
                "way"
            )
        first[result["id"]] = len(regions)
        names = [str(label) for label in value.get(result["type"]) or value.get(_kind(value)) or []]
        if not names:
            name = shortened(str(value.get("text")), 60)
            raise ArticleError(
                f"{where}: the region {name!r} has no label; give it a label in the editor, or remove it"
            )
        score = score_of(result.get("score"))
        # Each label of a region is a mention.
        regions += [Region(*place, label, _stated(texts, linked, result["id"], label), score) for label in names]
    links: list[RegionLink] = []
    for result in results:
        if result["type"] == "relation":
            ends = first[result["from_id"]], first[result["to_id"]]
            if result.get("direction") == "left":
                ends = ends[::-1]
            links.append(RegionLink(", ".join(map(str, result.get("labels") or [])), *ends))
    section, annotator = str(data.get("section") or ""), task.get("annotator")
    return EditorTask(
        document, offset, text, section, tuple(regions), annotator, bool(task.get("open")), links=tuple(links)
    )


def _text_of(data: dict[str, Any], where: str) -> str:
    """The text of a task: its field `text`, or the only text that it has. Raises `ArticleError`."""
    if TEXT in data:
        return str(data[TEXT])
    if len(texts := _texts(data)) == 1:
        return str(data[texts[0]])
    fields = ", ".join(map(shortened, sorted(data))) or "no field"
    raise ArticleError(f"{where}: its text is expected in the field text, but it has {fields}; rename the field")


def _plain(text: str) -> str:
    """A text as a browser shows it: with single blanks. Label Studio writes a line break as `\\n`."""
    return " ".join(text.replace("\\n", " ").split())


def _stated(texts: dict[str, Any], linked: bool, id: str, label: str) -> tuple[str, ...] | None:
    """The identifiers of a region. A `linked` task has an empty field, or none, for the regions without one.

    Short and long forms are not looked up, so that no field states nothing about them.
    """
    if not linked or (label == ABBREVIATION and id not in texts):
        return None
    lines = texts.get(id) or []
    parts = ",".join([lines] if isinstance(lines, str) else lines).split(",")
    return tuple(part.strip() for part in parts if part.strip() not in ("", NO_CONCEPT))


Offsets = Callable[[dict[str, Any]], tuple[int, int]]
"""From a region to its start and end in code points."""


def _counted(text: str, labels: Sequence[dict[str, Any]]) -> Offsets:
    """The way of counting by which more texts of regions are right.

    The texts may differ in blanks, which a browser collapses. It also reads the line end CRLF as one character.
    """
    units = utf16_positions(text)

    def by(points: dict[int, int]) -> Offsets:
        """The way of counting with these code points of the positions."""

        # A position inside a character, or behind the text, is no place: `document_of` refuses it.
        def offsets(value: dict[str, Any]) -> tuple[int, int]:
            start, end = _ends(value)
            return points.get(start, len(text) + 1), points.get(end, len(text) + 1)

        return offsets

    ways = [by({unit: point for point, unit in enumerate(units)}), _ends]
    if returns := [point for point in range(len(text)) if text[point : point + 2] == "\r\n"]:
        ways.append(by({unit - bisect_left(returns, point): point for point, unit in enumerate(units)}))

    def right(offsets: Offsets) -> int:
        try:
            shown_and_stated = [
                (text[slice(*offsets(result["value"]))], result["value"].get("text")) for result in labels
            ]
        except DAMAGE:
            return 0
        return sum(isinstance(stated, str) and _plain(there) == _plain(stated) for there, stated in shown_and_stated)

    return max(ways, key=right)


def _ends(value: dict[str, Any]) -> tuple[int, int]:
    """Start and end of a region. One of a hypertext states them as `globalOffsets`, beside paths of elements."""
    places = value.get("globalOffsets") or value
    start, end = places["start"], places["end"]
    if isinstance(start, str) and not start.isdigit():
        # The text is one node of the page, so the offsets in the node are those of the text.
        start, end = value["startOffset"], value["endOffset"]
    return int(start), int(end)


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps, b",\n", lambda header: b"[\n", lambda header: b"\n]\n")
