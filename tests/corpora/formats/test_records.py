"""JSON lines with texts, and CSV and TSV with a column of texts: an article for each record."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora import reading
from corpora.errors import ConfigurationError, InputError
from corpora.storage import inputs
from corpora.storage.members import Selection


def read(folder: Path, name: str, content: str | bytes, **columns: str) -> list[BioCDocument]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(corpora.read(path, **columns))


def shown(document: BioCDocument) -> tuple[str, list[tuple[str, int, str | None]]]:
    return document.id, [(p.text, p.offset, p.infons.get("section_type")) for p in document.passages]


def test_a_json_line_has_a_text_and_if_wanted_id_title_and_more(tmp_path: Path) -> None:
    lines = (
        '{"id": 7, "title": "On  aspirin", "text": "Given.\\n\\nTwice.", "meta": {"doi": "10.1/x", "n": [1]},'
        ' "by": "me"}\n\n{"Text": "Only text"}\n{"pmid": "12", "title": "T", "abstract": "A", "year": 2020}\n'
    )
    first, second, third = read(tmp_path, "a.jsonl", lines)
    assert shown(first) == ("7", [("On aspirin", 0, "TITLE"), ("Given.", 11, None), ("Twice.", 19, None)])
    assert first.infons == {"article-id_doi": "10.1/x", "n": "[1]", "by": "me"}
    assert shown(second) == ("a-2", [("Only text", 0, None)])
    assert shown(third) == ("12", [("T", 0, "TITLE"), ("A", 2, "ABSTRACT")])
    assert third.infons == {"article-id_pmid": "12", "year": "2020"}


def test_a_table_has_a_column_of_texts_known_by_its_name(tmp_path: Path) -> None:
    table = '\ufeffPMID,Title,Abstract,Journal\n1,T,"A, b\nc",J\n2,,"""q""",\n'
    first, second = read(tmp_path, "a.csv", table)
    assert shown(first) == ("1", [("T", 0, "TITLE"), ("A, b c", 2, "ABSTRACT")])
    assert first.infons == {"article-id_pmid": "1", "journal": "J"}
    assert shown(second) == ("2", [('"q"', 0, "ABSTRACT")])


@pytest.mark.parametrize(("name", "separator"), [("a.tsv", "\t"), ("a.csv", ";")])
def test_the_separator_is_found(tmp_path: Path, name: str, separator: str) -> None:
    [one] = read(tmp_path, name, separator.join(("id", "text")) + "\r\n" + separator.join(("x", "Aspirin")) + "\r\n")
    assert shown(one) == ("x", [("Aspirin", 0, None)])


def test_the_user_names_the_columns(tmp_path: Path) -> None:
    [one] = read(tmp_path, "a.csv", "id,key,notes,text\n1,k,Aspirin,other\n", text_column="Notes", id_column="key")
    assert shown(one) == ("k", [("Aspirin", 0, None)])
    # What is neither is kept.
    assert one.infons == {"id": "1", "text": "other"}
    [line] = read(tmp_path, "a.jsonl", '{"nr": 3, "x": "Aspirin", "text": "a"}\n', text_column="x", id_column="nr")
    assert shown(line) == ("3", [("Aspirin", 0, None)])


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("a.csv", "a,b\n1,2\n", {}, r"without a column of texts that is known \(its columns: a, b\); name the column"),
        ("a.csv", "a,b\n1,2\n", {"text_column": "c"}, r"the table has no column 'c'; its columns are a, b"),
        ("a.csv", "id,text\n1,2,3\n", {}, r"line 2 has 3 cells, but the table has 2 columns"),
        ("a.tsv", b"id\ttext\n1\t\xff\n", {}, r"the table is not UTF-8"),
        ("a.csv", "document,start,end,text,identifier\n1,0,1,x,-\n", {}, r"a table of mentions, not of texts"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: str | bytes, columns: dict[str, str], message: str
) -> None:
    with pytest.raises((InputError, ConfigurationError), match=message):
        read(tmp_path, name, content, **columns)


def test_a_wrong_line_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": 5}\nno json\n[1]\n{"id": 1}\n{"text": "b"}\n')
    found = list(reading.articles(inputs.expand([str(tmp_path)]), lambda sentence: None, Selection()))
    faults = [str(item).partition("a.jsonl: ")[2] for item in found if isinstance(item, reading.Fault)]
    assert faults == [
        "line 2: the text is no text; write it in quotes",
        "line 3 is no valid JSON (a value is missing, line 1, column 1); correct it",
        "line 4 is no JSON object; write one object with a text into each line",
        "line 5 has no text; correct it, or remove the line",
    ]
    assert [item.document.passages[0].text for item in found if isinstance(item, reading.ReadArticle)] == ["a", "b"]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "1", "infons": {}, "passages": [{"offset": 0, "text": "a", "infons": {}}]}',
        '{"text": "Aspirin", "label": [[0, 7, "Chemical"]]}',
        '{"text": "Aspirin", "tokens": [], "spans": []}',
    ],
)
def test_lines_of_other_formats_are_none(line: str) -> None:
    from corpora.formats.records import sniff

    assert not sniff(line.encode())


def test_offsets_are_those_of_the_text(tmp_path: Path) -> None:
    text = "  One.\n\n\nTwo\r\nthree."
    [one] = read(tmp_path, "a.jsonl", f'{{"text": {__import__("json").dumps(text)}}}\n')
    for passage in one.passages:
        assert text[passage.offset : passage.offset + 3] == passage.text[:3]


def test_markdown_is_text(tmp_path: Path) -> None:
    [one] = read(tmp_path, "a.md", "# On aspirin\n\nIt was given.\n")
    assert [passage.text for passage in one.passages] == ["# On aspirin", "It was given."]


@pytest.mark.parametrize(
    ("name", "content", "program"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\n", "it is a PDF, which is not read; .*pdftotext"),
        ("a.docx", b"PK\x03\x04" + b"\x00" * 26 + b"[Content_Types].xml..word/document.xml", "Word.*pandoc"),
        ("a.odt", b"PK\x03\x04" + b"\x00" * 26 + b"mimetypeapplication/vnd.oasis.text", "LibreOffice.*save it as text"),
        ("a.html", b"<!DOCTYPE html><html><body>x</body></html>", "a web page.*; if it is the article, .*: pandoc"),
        ("a.rtf", b"{\\rtf1 x}", "RTF.*pandoc"),
    ],
)
def test_documents_of_other_programs_are_refused_with_the_program_that_converts_them(
    tmp_path: Path, name: str, content: bytes, program: str
) -> None:
    with pytest.raises(InputError, match=program):
        read(tmp_path, name, content)
