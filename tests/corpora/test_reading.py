"""Reading from any sources, and `corpora.write`."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.errors import ArticleError, ConfigurationError, InputError
from corpora.formats.format import Header
from corpora.reading import Fault, ReadArticle, articles, sources
from corpora.reporting import ignore
from corpora.storage.inputs import expand


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
def test_written_files_are_read_back_in_the_format_of_their_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    assert corpora.write([document("1"), document("2", "Iron.")], path, report=silent) == 2
    found = list(corpora.read(path, report=silent))
    assert [(d.id, d.passages[0].text) for d in found] == [("1", "Zinc."), ("2", "Iron.")]
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_compressed_files_contain_neither_time_nor_name(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        corpora.write([document("1")], tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes()))["documents"][0]["id"] == "1"


def test_a_header_that_is_read_at_the_same_time_is_written(tmp_path: Path) -> None:
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


def test_an_empty_collection_is_written_and_read(tmp_path: Path) -> None:
    messages: list[str] = []
    for suffix in ("xml", "json"):
        assert corpora.write([], tmp_path / f"a.{suffix}") == 0
        assert list(corpora.read(tmp_path / f"a.{suffix}", report=messages.append)) == []
    assert [sentence.partition(": ")[2] for sentence in messages] == ["the collection contains no document"] * 2
    assert messages[0].startswith(f"{tmp_path / 'a.xml'}: ")


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


def test_faults_are_raised_with_the_file_name(tmp_path: Path) -> None:
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
    with pytest.raises(ConfigurationError, match="selects no format"):
        corpora.write([], tmp_path / "a.doc")


def test_a_file_can_be_read_and_replaced_at_the_same_time(tmp_path: Path) -> None:
    corpora.write([document("1"), document("2")], tmp_path / "a.xml")
    corpora.write(corpora.read(tmp_path / "a.xml"), tmp_path / "a.xml", format="biocjson")
    assert [d.id for d in corpora.read(tmp_path / "a.xml")] == ["1", "2"]


# -- articles and faults ------------------------------------------------------------------------


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with a broken article, a file that is cut off, a file in no format, and good articles."""
    path = tmp_path / "x.tar"
    good = '{"id": "%s", "passages": []}\n'
    with tarfile.open(path, "w") as packed:
        for name, text in {
            "a.jsonl": good % "1" + '{"id": "2", "passages": 5}\n' + good % "3",
            "b.xml": "<collection><source>S</source><document><id>4</id></document>",
            "c.md": "Dear reader,",
            "d.jsonl": good % "5" + good % "",
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    return path


def test_articles_continue_after_faults(archive: Path) -> None:
    found = list(articles(expand([str(archive)]), ignore))
    ids = [item.document.id if isinstance(item, ReadArticle) else "fault" for item in found]
    assert ids == ["1", "fault", "3", "4", "fault", "c", "5", "d-2"]
    places = [item.place for item in found]
    assert places == [
        f"{archive}, member {name}" for name in ["a.jsonl"] * 3 + ["b.xml"] * 2 + ["c.md"] + ["d.jsonl"] * 2
    ]


def test_a_fault_states_place_error_and_the_articles_before(archive: Path) -> None:
    texts = [str(item) for item in articles(expand([str(archive)]), ignore) if isinstance(item, Fault)]
    assert texts[0].startswith(f"{archive}, member a.jsonl: it is no")
    assert texts[1].startswith(f"{archive}, member b.xml: the XML ends too early")
    assert texts[1].endswith(" (read before that place: 1 article)")
    assert len(texts) == 2


def test_files_without_a_format_are_skipped_and_reported_in_one_sentence(archive: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    (tmp_path / "y.pdf").write_bytes(b"%PDF-1.4 \x00")
    list(articles(expand([str(tmp_path)]), messages.append))
    assert messages == [
        f"1 file was skipped, because the content has no format that is read (the first: {tmp_path / 'y.pdf'})"
    ]
    messages.clear()
    # The user named one file, and there is nothing else to read.
    (fault,) = articles(expand([str(tmp_path / "y.pdf")]), messages.append)
    assert str(fault).startswith(f"{tmp_path / 'y.pdf'}: it is a PDF")
    assert messages == []


def test_include_and_exclude_select_files_and_members(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    corpora.write([document("7")], tmp_path / "sub" / "7.json")

    def ids(**selection: list[str]) -> list[str]:
        return [d.id for d in corpora.read(tmp_path, report=ignore, **selection)]  # type: ignore[arg-type]

    assert ids(include=["d.jsonl", "sub/*"]) == ["5", "d-2", "7"]
    assert ids(include=["*.json*"], exclude=["a.jsonl"]) == ["5", "d-2", "7"]
    assert ids(exclude=["x.tar"]) == ["7"]


def test_text_files_are_one_article_or_one_article_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Zinc in water\n\nZinc was\nmeasured.\n")
    (tmp_path / "LICENSE.txt").write_text("You may copy zinc.")
    (one,) = corpora.read(tmp_path, report=ignore)
    assert (one.id, [(p.offset, p.text) for p in one.passages]) == (
        "a", [(0, "Zinc in water"), (15, "Zinc was measured.")]
    )  # fmt: skip
    found = list(corpora.read(tmp_path, report=ignore, lines=True))
    assert [(d.id, d.passages[0].text) for d in found] == [
        ("a-1", "Zinc in water"), ("a-3", "Zinc was"), ("a-4", "measured.")
    ]  # fmt: skip


def test_a_missing_file_is_a_fault_and_the_next_file_is_read(tmp_path: Path) -> None:
    corpora.write([document("1")], tmp_path / "b.xml")
    (tmp_path / "a.xml").symlink_to(tmp_path / "nowhere")
    fault, article = articles(expand([str(tmp_path)]), silent)
    assert str(fault) == f"{tmp_path / 'a.xml'}: it no longer exists; restore it and run again"
    assert isinstance(article, ReadArticle)


def test_messages_have_their_place_in_front(tmp_path: Path) -> None:
    corpora.write([], tmp_path / "a.xml")
    messages: list[str] = []
    assert list(articles(expand([str(tmp_path)]), messages.append)) == []
    assert messages == [f"{tmp_path / 'a.xml'}: the collection contains no document"]


def test_raw_articles_are_not_parsed(archive: Path) -> None:
    source = next(sources(expand([str(archive)])))
    raws = list(source.raw_articles(silent))
    assert [(raw.format, json.loads(raw.raw)["id"]) for raw in raws] == [("biocjson", id) for id in "123"]


def test_each_source_has_its_own_header(archive: Path) -> None:
    headers = []
    for source in sources(expand([str(archive)])):
        list(source.articles(silent))
        headers.append(source.header.source)
    assert headers == ["", "S", "", ""]
