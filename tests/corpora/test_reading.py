"""`corpora.read` and `corpora.write`, as a user calls them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.errors import ArticleError, ConfigurationError, InputError
from corpora.formats.header import Header


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def document(id: str, text: str = "Zinc.") -> BioCDocument:
    made = BioCDocument()
    made.id = id
    passage = BioCPassage()
    passage.offset, passage.text = 0, text
    made.passages = [passage]
    return made


@pytest.mark.parametrize("suffix", [".xml", ".json", ".jsonl", ".pubtator", ".xml.gz", ".json.gz", ".XML"])
def test_what_is_written_is_read_and_the_suffix_says_how(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    assert corpora.write([document("1"), document("2", "Iron.")], path, report=silent) == 2
    found = list(corpora.read(path, report=silent))
    assert [(d.id, d.passages[0].text) for d in found] == [("1", "Zinc."), ("2", "Iron.")]
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_what_is_compressed_carries_neither_time_nor_name(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        corpora.write([document("1")], tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes()))["documents"][0]["id"] == "1"


def test_a_header_goes_through_also_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"documents": [{"id": "1", "passages": []}], "source": "S", "infons": {"a": 1}}')
    header = Header()
    assert corpora.write(corpora.read(tmp_path / "a.json", header), tmp_path / "b.json", header=header) == 1
    again = Header()
    list(corpora.read(tmp_path / "b.json", again))
    assert again == Header("S", infons={"a": 1})


def test_the_header_is_that_of_the_first_file(tmp_path: Path) -> None:
    for name in "ab":
        corpora.write([document("1")], tmp_path / f"{name}.xml", header=Header(source=name))
    header = Header()
    assert len(list(corpora.read(tmp_path, header))) == 2
    assert header.source == "a"


def test_no_documents_make_an_empty_collection(tmp_path: Path) -> None:
    told: list[str] = []
    for suffix in ("xml", "json"):
        assert corpora.write([], tmp_path / f"a.{suffix}") == 0
        assert list(corpora.read(tmp_path / f"a.{suffix}", report=told.append)) == []
    assert [sentence.partition(": ")[2] for sentence in told] == ["its collection holds no document"] * 2
    assert told[0].startswith(f"{tmp_path / 'a.xml'}: ")


def test_several_paths_and_folders_are_read_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    corpora.write([document("1")], tmp_path / "a.xml")
    corpora.write([document("2")], tmp_path / "folder" / "b.jsonl")
    paths = [tmp_path / "folder", str(tmp_path / "a.xml"), str(tmp_path / "*.xml")]
    assert [d.id for d in corpora.read(paths)] == ["2", "1", "1"]


def test_a_document_without_id_gets_the_name_of_its_file(tmp_path: Path) -> None:
    corpora.write([document("")], tmp_path / "PMC12.v1.xml.gz")
    assert next(corpora.read(tmp_path / "PMC12.v1.xml.gz")).id == "PMC12.v1"


def test_one_document_is_read_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "passages": []}\n{"id": "2", "passages": []}\nbroken\n')
    documents = corpora.read(path)
    assert isinstance(documents, Iterator)
    assert [next(documents).id, next(documents).id] == ["1", "2"]
    with pytest.raises(ArticleError, match=r"a\.jsonl: "):
        next(documents)


def test_faults_name_the_file_and_the_member(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<collection><document><id>1</id>")
    with pytest.raises(InputError, match=r"a\.xml: the XML ends too early"):
        list(corpora.read(tmp_path / "a.xml"))
    with pytest.raises(ConfigurationError, match="no file or folder at nowhere"):
        corpora.read("nowhere")


def test_an_article_that_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("old")
    with pytest.raises(ArticleError, match="document '2'"):
        corpora.write([document("1"), document("2", "\x00")], tmp_path / "a.xml")
    assert (tmp_path / "a.xml").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]
    with pytest.raises(ConfigurationError, match="no suffix of a format"):
        corpora.write([], tmp_path / "a.txt")


def test_a_file_may_be_rewritten_from_itself(tmp_path: Path) -> None:
    corpora.write([document("1"), document("2")], tmp_path / "a.xml")
    corpora.write(corpora.read(tmp_path / "a.xml"), tmp_path / "a.xml", format="biocjson")
    assert [d.id for d in corpora.read(tmp_path / "a.xml")] == ["1", "2"]
