"""INCEpTION: a CAS in JSON, whose offsets count UTF-16 code units."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora.datasets.articles import article
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import detection, registry
from corpora.model.document import add_mention, mentions, set_identifiers

pytest.importorskip("cassis")
TEXT = "𝛼-Carotene and 𝛽-carotene, zinc"


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, list[str]]:
    """The file of an article with nested mentions and one of two pieces; what the writer reported."""
    document = article("77", [("Zinc", "TITLE", "front"), (TEXT, "ABSTRACT", "abstract")])
    title, abstract = document.passages
    set_identifiers(add_mention(title, [(0, 4)], id="C1", annotator=None, score=0.5), [])
    for number, spans in enumerate([[(0, 10)], [(2, 10)], [(15, 25)], [(0, 1), (16, 25)]], 2):
        places = [(abstract.offset + first, abstract.offset + last) for first, last in spans]
        set_identifiers(add_mention(abstract, places, id=f"C{number}", annotator=None), [f"MESH:D{number}", "MESH:D1"])
    messages: list[str] = []
    corpora.write([document], tmp_path / "out", "inception", report=messages.append)
    return tmp_path / "out" / "77.json", messages


def structures(path: Path, layer: str) -> list[dict[str, Any]]:
    return [
        one for one in json.loads(path.read_text("utf-8"))["%FEATURE_STRUCTURES"] if one["%TYPE"].endswith(f".{layer}")
    ]


def test_what_is_written_is_read_again(written: tuple[Path, list[str]]) -> None:
    path, messages = written
    assert detection.sniff(path.read_bytes(), path.name) == "inception"
    (found,) = corpora.read(path)
    assert (found.id, [(one.offset, one.text) for one in found.passages]) == ("77", [(0, "Zinc"), (5, TEXT)])
    own = [(one.text, one.spans[0][0], one.identifiers, one.sought) for one in mentions(found)]
    linked = [("MESH:D2", "MESH:D1"), ("MESH:D5", "MESH:D1"), ("MESH:D3", "MESH:D1"), ("MESH:D4", "MESH:D1")]
    assert sorted(own) == sorted(
        [
            ("Zinc", 0, (), True), ("𝛼-Carotene", 5, linked[0], True), ("𝛼", 5, linked[1], True),
            ("Carotene", 7, linked[2], True), ("𝛽-carotene", 20, linked[3], True), ("-carotene", 21, linked[1], True),
        ]
    )  # fmt: skip
    assert next(mentions(found)).evidence.score == 0.5
    assert "mentions of several pieces (each piece is a mention) (1)" in messages[0]


def test_offsets_in_the_file_count_utf16_units(written: tuple[Path, list[str]]) -> None:
    spans = sorted((one["begin"], one["end"]) for one in structures(written[0], "Mention"))
    assert spans == [(0, 4), (5, 7), (5, 16), (8, 16), (21, 32), (23, 32)]


def test_the_layers_are_beside() -> None:
    layers = registry.named("inception").files_beside(["Chemical"])["layers.xml"].decode()
    for name in ("webanno.custom.Passage", "webanno.custom.Mention", "identifier", "candidates", "offset"):
        assert f"<name>{name}</name>" in layers


def test_an_annotator_changes_a_mention(written: tuple[Path, list[str]]) -> None:
    def change(value: Any) -> None:
        first = next(one for one in value["%FEATURE_STRUCTURES"] if one["%TYPE"].endswith(".Mention"))
        first.update(identifier="MESH:D9", end=3)
        first.pop("score")

    changed(written[0], change)
    (found,) = corpora.read(written[0])
    first = next(mentions(found))
    assert (first.text, first.identifiers, first.evidence.score) == ("Zin", ("MESH:D9",), None)


def changed(path: Path, change: Callable[[Any], None]) -> None:
    value = json.loads(path.read_text("utf-8"))
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def test_a_mention_across_two_passages_is_one_sentence(written: tuple[Path, list[str]]) -> None:
    def change(value: Any) -> None:
        next(one for one in value["%FEATURE_STRUCTURES"] if one["%TYPE"].endswith(".Mention")).update(end=8)

    changed(written[0], change)
    with pytest.raises(ArticleError, match=r"the mention 'Zinc\\n𝛼-' at 0 is not inside one passage; part it"):
        list(corpora.read(written[0]))


def test_a_broken_file_is_one_sentence(written: tuple[Path, list[str]]) -> None:
    changed(written[0], lambda value: value.pop("%FEATURE_STRUCTURES"))
    with pytest.raises(ArticleError, match=r"the CAS cannot be read .*; export it again"):
        list(corpora.read(written[0]))


def test_a_missing_package_is_named(written: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.extras.installed", lambda module: False)
    with pytest.raises(ConfigurationError, match=r"INCEpTION needs the package dkpro-cassis; install it: pip install"):
        list(corpora.read(written[0]))


def test_an_id_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    corpora.write([article("../1", [("Zinc", None, "x")])], tmp_path / "out", "inception")
    assert [path.name for path in (tmp_path / "out").glob("*.json")] == ["%2E.%2F1.json"]
    assert [document.id for document in corpora.read(tmp_path / "out")] == ["../1"]
