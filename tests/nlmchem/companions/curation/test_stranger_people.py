"""Who annotated what in the exports of editors: people count, suggestions and copies never do."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.companions.curation.gold import import_tasks

STRANGERS = Path(__file__).parents[3] / "corpora" / "formats" / "strangers"
TITLE = "Zinc binds  lead 😀 and calcium chloride."
GAVE = "We gave sodium chloride and copper."
FIRST = {"text": TITLE, "document": "7", "offset": 0, "section": "TITLE"}
SECOND = {"text": GAVE, "document": "7", "offset": 42, "section": "ABSTRACT"}
BOTH = {"ann": 2}
Files = Mapping[str, bytes | str]


def passages_of(files: Files, folder: Path, zipped: bool = True) -> tuple[dict[str, int], int, list[str]]:
    """The number of passages of each annotator, and of those without one; what is reported."""
    if zipped:
        paths = [folder / "export.zip"]
        with zipfile.ZipFile(paths[0], "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    else:
        paths = [folder / "export"]
        for name, content in files.items():
            path = paths[0] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    notes: list[str] = []
    selection = STRANGERS / "inception_selection"
    try:
        done = import_tasks(list(map(str, paths)), selection, folder / "gold", "majority", bool, notes.append)
    except ConfigurationError as error:
        return {}, 2, [*notes, str(error)]
    found = {name: counts["passages"] for name, counts in done["annotators"].items()}
    return found, len(done["unfinished"]), [*notes, *done["failed"]]


# -- INCEpTION ----------------------------------------------------------------------------------


def project(**states: str) -> str:
    documents = [{"name": "7.json", "user": user, "state": state} for user, state in states.items()]
    return json.dumps({"name": "p", "annotation_documents": documents})


def inception(description: str | None, people: str = "ann bob", top: str = "", nested: bool = False) -> Files:
    with zipfile.ZipFile(STRANGERS / "inception_project_export.zip") as archive:
        own, initial = (archive.read(f"annotation/7.json/{name}.json") for name in ("ann", "INITIAL_CAS"))
    files: dict[str, bytes | str] = {"source/7.json": initial, "annotation/7.json/INITIAL_CAS.json": initial}
    for name in people.split():
        content = own if name == "ann" else initial
        if nested:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr(f"{name}.json", content)
            content = packed.getvalue()
        files[f"annotation/7.json/{name}.{'zip' if nested else 'json'}"] = content
    if description is not None:
        files["exportedproject.json"] = description
    return {f"{top}{name}": content for name, content in files.items()}


FINISHED = project(ann="FINISHED", bob="INPROGRESS", INITIAL_CAS="NEW")
INCEPTION = {
    "states": (inception(FINISHED), BOTH),
    "states in a folder": (inception(FINISHED, top="p/"), BOTH),
    "no states": (inception("{}"), {"ann": 2, "bob": 2}),
    "no description": (inception(None), {"ann": 2, "bob": 2}),
    "nobody": (inception(FINISHED, people=""), {}),
    "locked": (inception(project(ann="IGNORE"), people="ann"), {}),
    "a copy for corrections": (inception(None, people="ann CORRECTION_USER"), BOTH),
}


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("name", INCEPTION)
def test_people_of_inception(name: str, zipped: bool, tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    files, people = INCEPTION[name]
    found, unfinished, notes = passages_of(files, tmp_path, zipped)
    assert (found, unfinished) == (people, 0 if people else 2)
    assert bool(notes) == (not people)


def test_archives_in_a_project_are_read_when_it_is_unpacked(tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    files = inception(FINISHED, nested=True)
    assert passages_of(files, tmp_path, zipped=False)[0] == BOTH
    assert "it is an archive inside an archive; unpack the outer one" in str(passages_of(files, tmp_path)[2])


# -- Label Studio, doccano, Prodigy, brat -------------------------------------------------------


def region(id: str, start: int, end: int, text: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": ["Chemical"]}
    return {"id": id, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


IN_FIRST = [region("a", 0, 4, "Zinc"), region("b", 24, 40, "calcium chloride")]
IN_SECOND = [region("c", 8, 23, "sodium chloride"), region("d", 28, 34, "copper")]


def label_studio(*of_first: Any, **others: Any) -> Files:
    """An export in which ann finished the second task."""
    first = {"id": 1, "data": FIRST, "annotations": list(of_first), **others}
    return {"p.json": json.dumps([first, {"id": 2, "data": SECOND, "annotations": [by("ann", IN_SECOND)]}])}


def by(name: Any, result: list[Any], **others: Any) -> dict[str, Any]:
    return {"completed_by": name, "result": result, **others}


def short(*tasks: Any) -> Files:
    """An export JSON-MIN."""
    return {"p.json": json.dumps([{"lead_time": 1.5, **task} for task in tasks])}


def values(regions: list[Any]) -> list[Any]:
    return [region["value"] for region in regions]


def lines(*tasks: Any) -> str:
    return "".join(json.dumps(task) + "\n" for task in tasks)


def spans(task: dict[str, Any], *places: tuple[int, int], **others: Any) -> dict[str, Any]:
    marks = [{"start": start, "end": end, "label": "Chemical"} for start, end in places]
    return {**task, "spans": marks, **others}


def labels(task: dict[str, Any], *places: tuple[int, int]) -> dict[str, Any]:
    return {**task, "label": [[*place, "Chemical"] for place in places]}


def brat(end: str) -> Files:
    text = f"{TITLE}{end}{GAVE}{end}"
    start = text.index("sodium")
    return {
        "ann/7.txt": text,
        "ann/7.ann": f"T1\tChemical 0 4\tZinc{end}T2\tChemical {start} {start + 15}\tsodium chloride{end}",
    }


SUGGESTED = [{"model_version": "x", "result": IN_FIRST}]
CASES: dict[str, tuple[Files, dict[str, int]]] = {
    "two people": (label_studio(by({"email": "ann"}, IN_FIRST), by("bob", IN_FIRST[:1])), {"ann": 2, "bob": 1}),
    "a suggestion": (label_studio(predictions=SUGGESTED), {"ann": 1}),
    "a draft": (label_studio(drafts=[{"user": 1, "result": IN_FIRST}]), {"ann": 1}),
    "a skipped task": (label_studio(by("bob", IN_FIRST, was_cancelled=True), predictions=SUGGESTED), {"ann": 1}),
    "an accepted suggestion": (label_studio(by("ann", IN_FIRST, parent_prediction=4)), {"ann": 2}),
    "nobody is named": (label_studio(by(None, IN_FIRST)), {"ann": 1, "p": 1}),
    "JSON-MIN of two": (
        short(
            {**FIRST, "label": values(IN_FIRST), "annotator": "ann", "annotation_id": 1},
            {**FIRST, "label": values(IN_FIRST), "annotator": "bob", "annotation_id": 2},
            {**SECOND, "label": values(IN_SECOND), "annotator": "ann", "annotation_id": 3},
        ),
        {"ann": 2, "bob": 1},
    ),
    "JSON-MIN that nobody opened": (
        short(FIRST, {**SECOND, "label": values(IN_SECOND), "annotator": "ann", "annotation_id": 3}),
        {"ann": 1},
    ),
    "users of doccano": (
        {"ann.jsonl": lines(labels(FIRST, (0, 4)), labels(SECOND)), "bob.jsonl": lines(labels(FIRST, (0, 4)))},
        {"ann": 2, "bob": 1},
    ),
    "what no user of doccano opened": (
        {"ann.jsonl": lines(labels(FIRST, (0, 4))), "unknown.jsonl": lines(labels(SECOND))},
        {"ann": 1},
    ),
    "answers of Prodigy": (
        {
            "p.jsonl": lines(
                spans(FIRST, (0, 4), answer="accept", _annotator_id="ann"),
                spans(SECOND, (8, 23), answer="reject", _annotator_id="ann"),
            )
        },
        {"ann": 1},
    ),
    "no answers of Prodigy": ({"p.jsonl": lines(spans(FIRST, (0, 4)), spans(SECOND, (8, 23)))}, {}),
    "a first task of Prodigy without spans": (
        {"ann.jsonl": lines({**FIRST, "answer": "accept"}, spans(SECOND, (8, 23), answer="accept"))},
        BOTH,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_people_of_other_editors(name: str, tmp_path: Path) -> None:
    files, people = CASES[name]
    assert passages_of(files, tmp_path)[0] == people


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_of_windows_move_no_mention(end: str, tmp_path: Path) -> None:
    found, _, notes = passages_of(brat(end), tmp_path, zipped=False)
    assert found == BOTH
    assert notes == []
    rows = (tmp_path / "gold" / "report" / "changes.tsv").read_text("utf-8").splitlines()[1:]
    assert [row.split("\t")[3] for row in rows] == ["kept", "removed", "kept", "removed"]
