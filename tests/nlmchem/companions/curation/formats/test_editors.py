"""Label Studio, doccano and Prodigy: a passage is a task; offsets are counted as each editor counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

import corpora
from corpora.datasets.articles import article
from corpora.errors import ArticleError, InputError
from corpora.formats import detection, registry
from corpora.model.document import add_mention, mentions, set_identifiers
from corpora.model.mention_infons import candidates_of, set_candidates
from corpora.reporting import ignore
from nlmchem.companions.curation import curator, is_open
from nlmchem.companions.curation.formats import label_studio

EDITORS = ("label-studio", "doccano", "prodigy")
ASTRAL = "𝛼-Carotene and 𝛽-carotene, zinc"


def an_article() -> BioCDocument:
    """Characters outside the basic plane, a mention in a mention, and one of two pieces."""
    document = article("77", [("Zinc", "TITLE", "front"), (ASTRAL, "ABSTRACT", "abstract")])
    title, abstract = document.passages
    add_mention(title, [(0, 4)], id="C1", annotator=None, score=0.5)
    start = abstract.offset
    for number, spans in enumerate([[(0, 10)], [(2, 10)], [(15, 25)], [(0, 1), (16, 25)]], 2):
        places = [(start + first, start + last) for first, last in spans]
        set_identifiers(add_mention(abstract, places, id=f"C{number}", annotator=None), [f"MESH:D{number}", "MESH:D1"])
    return document


def written(format: str, folder: Path, document: BioCDocument) -> tuple[Path, list[str]]:
    path = folder / f"tasks{registry.suffix_of(format)}"
    messages: list[str] = []
    corpora.write([document], path, report=messages.append)
    return path, messages


def values(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]


def flat(document: BioCDocument) -> Iterator[tuple[str, tuple[int, int]]]:
    return ((mention.text, mention.spans[0]) for mention in mentions(document))


@pytest.mark.parametrize("format", EDITORS)
def test_what_is_written_is_read_again(format: str, tmp_path: Path) -> None:
    document = an_article()
    path, messages = written(format, tmp_path, document)
    assert detection.sniff(path.read_bytes(), path.name) == format
    (found,) = corpora.read(path)
    assert found.id == "77"
    assert [(one.offset, one.text) for one in found.passages] == [(one.offset, one.text) for one in document.passages]
    assert [one.infons for one in found.passages] == [{"section_type": "TITLE"}, {"section_type": "ABSTRACT"}]
    pieces = [
        (" ".join(document_text(document, span)), span) for mention in mentions(document) for span in mention.spans
    ]
    assert list(flat(found)) == pieces
    assert "mentions of several pieces (each piece is a mention) (1)" in messages[0]


def document_text(document: BioCDocument, span: tuple[int, int]) -> list[str]:
    return [
        one.text[span[0] - one.offset : span[1] - one.offset]
        for one in document.passages
        if one.offset <= span[0] < one.offset + len(one.text)
    ]


def test_label_studio_stores_identifiers_and_scores_and_the_others_report_them(tmp_path: Path) -> None:
    path, messages = written("label-studio", tmp_path, an_article())
    (found,) = corpora.read(path)
    assert [mention.identifiers for mention in mentions(found)][1] == ("MESH:D2", "MESH:D1")
    assert next(mentions(found)).evidence.score == 0.5
    assert "infons of mentions" not in messages[0]
    assert "infons of mentions (5)" in written("doccano", tmp_path, an_article())[1][0]
    assert "infons of mentions (4)" in written("prodigy", tmp_path, an_article())[1][0]


def test_label_studio_counts_utf16_units_and_code_points_are_recognised_by_the_texts(tmp_path: Path) -> None:
    path, _ = written("label-studio", tmp_path, an_article())
    tasks = values(path)
    labels = [one["value"] for one in tasks[1]["predictions"][0]["result"] if one["type"] == "labels"]
    assert [(one["start"], one["end"]) for one in labels] == [(0, 11), (3, 11), (16, 27), (0, 2), (18, 27)]
    for one in labels:
        one["start"] = len(ASTRAL.encode("utf-16-le")[: 2 * one["start"]].decode("utf-16-le"))
        one["end"] = len(ASTRAL.encode("utf-16-le")[: 2 * one["end"]].decode("utf-16-le"))
    path.write_text(json.dumps(tasks))
    (found,) = corpora.read(path)
    assert [mention.text for mention in mentions(found)][1:4] == ["𝛼-Carotene", "Carotene", "𝛽-carotene"]


def test_label_studio_has_a_document_for_each_annotator_and_skipped_tasks_are_open(tmp_path: Path) -> None:
    path, _ = written("label-studio", tmp_path, an_article())
    first, second = values(path)
    result = first["predictions"][0]["result"]
    first["annotations"] = [
        {"completed_by": {"id": 1, "email": "ann@x.org"}, "result": result},
        {"completed_by": 2, "result": []},
    ]
    second["annotations"] = [{"completed_by": 1, "was_cancelled": True, "result": []}]
    path.write_text(json.dumps([first, second]))
    found = list(corpora.read(path))
    assert [(curator(one), is_open(one), len(list(mentions(one)))) for one in found] == [
        ("ann@x.org", False, 1),
        ("2", False, 0),
        (None, True, 5),
    ]


def test_short_forms_without_identifier_stay_without_in_label_studio(tmp_path: Path) -> None:
    document = article("77", [("Zinc (Zn)", "TITLE", "front")])
    set_identifiers(add_mention(document.passages[0], [(0, 4)], id="C1", annotator=None), ["MESH:D015032"])
    add_mention(document.passages[0], [(6, 8)], id="A1", annotator=None, type="ABBR")
    path, _ = written("label-studio", tmp_path, document)
    (found,) = corpora.read(path)
    assert [(one.type, one.sought) for one in mentions(found, None)] == [("Chemical", True), ("ABBR", False)]


def test_an_emptied_field_of_label_studio_is_no_concept(tmp_path: Path) -> None:
    path, _ = written("label-studio", tmp_path, an_article())
    tasks = values(path)
    result = tasks[1]["predictions"][0]["result"]
    result.remove(next(one for one in result if one["type"] == "textarea"))
    path.write_text(json.dumps(tasks))
    (found,) = corpora.read(path)
    title, first, second, *_ = mentions(found)
    assert (title.sought, first.sought, first.identifiers, second.identifiers[0]) == (False, True, (), "MESH:D3")


def test_prodigy_tasks_are_finished_by_accept_only(tmp_path: Path) -> None:
    path, _ = written("prodigy", tmp_path, an_article())
    first, second = values(path)
    first |= {"answer": "accept", "_annotator_id": "gold-ann"}
    second |= {"answer": "ignore", "_annotator_id": "gold-ann"}
    path.write_text("".join(json.dumps(one) + "\n" for one in (first, second)))
    found = list(corpora.read(path))
    assert [(curator(one), is_open(one)) for one in found] == [("gold-ann", False), ("gold-ann", True)]


@pytest.mark.parametrize("format", [*EDITORS, "brat"])
def test_editors_get_the_candidates(format: str, tmp_path: Path) -> None:
    document = an_article()
    set_candidates(next(mentions(document)), [("MESH:D015032", "Zinc", 0.99), ("MESH:D017967", None, None)])
    assert candidates_of(next(mentions(document))) == "MESH:D015032 Zinc (0.99); MESH:D017967"
    messages: list[str] = []
    corpora.write([document], tmp_path / "out", format, report=messages.append)
    path = tmp_path / "out" / "77.ann" if format == "brat" else tmp_path / "out"
    assert "MESH:D015032 Zinc (0.99); MESH:D017967" in path.read_text("utf-8")
    corpora.write(
        corpora.read(path.parent if format == "brat" else path), tmp_path / "again.xml", report=messages.append
    )
    assert not any("were left out" in message for message in messages)


@pytest.mark.parametrize("format", [*EDITORS, "brat"])
def test_editors_get_their_labels(format: str) -> None:
    files = registry.named(format).files_beside(["Chemical", 'A "B"'])
    assert all(b"Chemical" in content for content in files.values())
    assert bool(files) is (format != "prodigy")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"data": {"text": "Zinc", "document": "1"}, "predictions": []}]', "export it again"),
        ('[{"data": {"text": "Zinc", "document": "1", "offset": 0}, "predictions": [{"result": [{"type": "labels", '
         '"id": "m", "value": {"start": 0, "end": 9, "labels": ["Chemical"]}}]}]}]', "outside the text"),
        ('{"text": "Zinc", "document": "1", "offset": "x", "entities": []}', "export it again"),
        ('{"text": "Zinc", "document": "1", "offset": 0, "spans": [{"start": 3, "end": 3, "label": "a"}]}',
         "the region 3-3 is outside"),
    ],
)  # fmt: skip
def test_broken_tasks_are_one_sentence(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(content)
    with pytest.raises(ArticleError, match=message):
        list(corpora.read(tmp_path / "tasks.json"))


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text('[{"data": {}, "predictions": [')
    with pytest.raises(InputError, match="it is not JSON"):
        list(corpora.read(tmp_path / "tasks.json"))


@pytest.mark.parametrize("score", ["high", True, float("nan"), {}])
def test_a_score_that_is_no_number_is_not_stated(score: object, tmp_path: Path) -> None:
    span = {"start": 0, "end": 4, "label": "Chemical", "score": score}
    task = {"text": "Zinc", "document": "1", "offset": 0, "spans": [span]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    (found,) = corpora.read(tmp_path / "tasks.jsonl")
    assert [mention.evidence.score for mention in mentions(found)] == [None]


def test_an_article_without_text_has_no_tasks(tmp_path: Path) -> None:
    with pytest.raises(ArticleError, match="nothing to annotate"):
        corpora.write([article("1", [(" ", None, "x")])], tmp_path / "tasks.doccano.jsonl")


def test_positions_in_utf16() -> None:
    assert label_studio.utf16_positions("a𝛼b") == [0, 1, 3, 4]


def test_the_characters_of_a_task_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each mention, which would take minutes for a long passage."""
    counted: list[str] = []
    monkeypatch.setattr(label_studio, "utf16_positions", lambda text: counted.append(text) or range(len(text) + 1))
    document = article("1", [("zinc " * 50, None, "paragraph")])
    for number in range(50):
        add_mention(document.passages[0], [(5 * number, 5 * number + 4)], id=str(number), annotator=None)
    label_studio.dumps(document, ignore)
    assert len(counted) == 1
