"""PubAnnotation and the lines of Europe PMC."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import corpora
from corpora.model.document import mentions
from corpora.model.metadata import article_ids

Nlmchem = Callable[..., tuple[int, str, str]]
DOCUMENT = {
    "sourcedb": "PubMed",
    "sourceid": "123",
    "text": "Low zinc.\nAspirin and 😀 NO.",
    "divisions": [{"span": {"begin": 0, "end": 9}, "label": "title"}, {"span": {"begin": 10, "end": 27}, "label": "p"}],
    "tracks": [
        {
            "project": "one",
            "denotations": [
                {"id": "T1", "span": {"begin": 4, "end": 8}, "obj": "Chemical"},
                {"id": "T2", "span": {"begin": 10, "end": 17}, "obj": "http://id.nlm.nih.gov/mesh/D001241"},
            ],
            "attributes": [{"subj": "T1", "pred": "identifier", "obj": "MESH:D015032"}],
            "relations": [{"id": "R1", "subj": "T1", "pred": "with", "obj": "T2"}],
        },
        {"project": "two", "denotations": [{"id": "T1", "span": {"begin": 24, "end": 26}, "obj": "MESH:D009569"}]},
    ],
}


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_pubannotation_is_read(tmp_path: Path) -> None:
    notes: list[str] = []
    [document] = corpora.read(write(tmp_path / "a.json", DOCUMENT), report=notes.append)
    assert (document.id, article_ids(document), notes) == ("123", {"pmid": "123"}, [])
    assert [(m.text, m.type, m.annotator) for m in mentions(document, None)] == [
        ("zinc", "Chemical", "one"), ("Aspirin", "Chemical", "one"), ("NO", "Chemical", "two"),
    ]  # fmt: skip
    assert len({m.annotation.id for m in mentions(document, None)}) == 3
    assert [m.identifiers for m in mentions(document)][::2] == [("MESH:D015032",), ("MESH:D009569",)]
    assert [relation.infons["type"] for relation in document.relations] == ["with"]


def test_pubannotation_is_written_and_read_back(run: Nlmchem, tmp_path: Path) -> None:
    source = write(tmp_path / "a.json", [DOCUMENT, {**DOCUMENT, "sourceid": "124"}])
    out = tmp_path / "b.pubannotation.json"
    assert run("convert", source, out)[0] == 0
    first, second = list(corpora.read(source)), list(corpora.read(out))
    assert [document.id for document in second] == ["123", "124"]
    for before, after in zip(first, second, strict=True):
        assert [(m.text, m.spans, m.identifiers) for m in mentions(before)] == [
            (m.text, m.spans, m.identifiers) for m in mentions(after)
        ]
        assert [passage.infons["type"] for passage in after.passages] == ["title", "p"]
        assert len(after.relations) == 1


def test_a_denotation_outside_of_the_text_is_reported(tmp_path: Path) -> None:
    notes: list[str] = []
    broken = {
        "text": "zinc",
        "sourceid": "1",
        "denotations": [{"id": "T1", "span": {"begin": 2, "end": 9}, "obj": "x"}],
    }
    [document] = corpora.read(write(tmp_path / "a.json", broken), report=notes.append)
    assert not list(mentions(document, None))
    assert "the denotation 'T1' at 2 to 9 is not inside one passage of the text" in notes[0]


def test_the_lines_of_europe_pmc(run: Nlmchem, tmp_path: Path) -> None:
    source = write(tmp_path / "a.json", DOCUMENT)
    out = tmp_path / "a.europepmc.jsonl"
    assert run("convert", source, out)[0] == 0
    line = json.loads(out.read_text("utf-8"))
    assert (line["src"], line["id"], len(line["anns"])) == ("MED", "123", 3)
    assert line["anns"][0] == {
        "position": "1.1", "prefix": "Low ", "exact": "zinc", "postfix": ".", "section": "Title", "type": "Chemicals",
        "tags": [{"name": "zinc", "uri": "http://id.nlm.nih.gov/mesh/D015032"}],
    }  # fmt: skip


def test_an_article_without_pmid_has_no_line_at_europe_pmc(run: Nlmchem, tmp_path: Path) -> None:
    source = write(tmp_path / "a.json", {**DOCUMENT, "sourcedb": "other"})
    code, _, told = run("convert", source, tmp_path / "a.europepmc.jsonl")
    assert (code, "has no PMID and no PMCID, which Europe PMC needs" in told) == (3, True)
