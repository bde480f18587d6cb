"""JSON lines with texts, and CSV and TSV with a column of texts: an article for each record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora import reading
from corpora.errors import ConfigurationError, InputError
from corpora.parsing import table_rows
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
    [one] = read(tmp_path, "a.jsonl", f'{{"text": {json.dumps(text)}}}\n')
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


# -- quotation marks of tables ------------------------------------------------------------------


def rows(folder: Path, name: str, content: str) -> tuple[list[list[str]], list[str]]:
    """The texts of each article of a file, and what is reported."""
    notes: list[str] = []
    (folder / name).write_text(content, encoding="utf-8")
    found = list(reading.articles(inputs.expand([str(folder / name)]), notes.append))
    texts = [
        [str(passage.text) for passage in item.document.passages]
        for item in found
        if isinstance(item, reading.ReadArticle)
    ]
    return texts, [note.partition(f"{name}: ")[2] for note in notes]


@pytest.mark.parametrize(
    ("row", "title"),
    [
        ('1;"Safe" zinc;A', '"Safe" zinc'),
        ('1;""Safe"" zinc;A', '""Safe"" zinc'),
        ('1;"Safe zinc;A', '"Safe zinc'),
        ('1;"Safe; zinc";A', "Safe; zinc"),
        ('1;"""Safe"" zinc";A', '"Safe" zinc'),
        ('1;"Safe zinc" ;A', "Safe zinc"),
        ('1;Safe "zinc";A', 'Safe "zinc"'),
        ('1;5" pipes;A', '5" pipes'),
        ('1;"Safe\nzinc";A', "Safe zinc"),
        ('1;"Safe\n2;or not"; A', "Safe 2;or not"),
    ],
)
def test_a_quotation_mark_encloses_a_cell_or_is_text(tmp_path: Path, row: str, title: str) -> None:
    texts, _ = rows(tmp_path, "a.csv", f"id;title;text\n{row}\n2;Iron;B\n3;Lead;C\n")
    assert [first for first, *_ in texts] == [title, "Iron", "Lead"]


def test_an_unmatched_quotation_mark_takes_no_other_rows(tmp_path: Path) -> None:
    table = (
        'id;title;text;by\n1;"Safe" zinc;Given.;A\n2;Copper;"Iron is a problem.;B\n3;Iron;x;C\n4;A 5" pipe;"Lead.";D\n'
    )
    texts, notes = rows(tmp_path, "a.csv", table)
    assert texts == [
        ['"Safe" zinc', "Given."],
        ["Copper", '"Iron is a problem.'],
        ["Iron", "x"],
        ['A 5" pipe', "Lead."],
    ]
    assert notes == [
        "2 cells begin with a quotation mark that does not enclose it, which is read as text (the first: line 2)"
    ]
    # A mark at the end of a later cell seems to close it, but all lines between them are rows.
    texts, _ = rows(tmp_path, "b.csv", 'id;title;text\n1;Zinc;"Open\n2;Iron;x\n3;Lead;of 5"\n')
    assert [first for first, *_ in texts] == ["Zinc", "Iron", "Lead"]
    # The next row has a quoted cell.
    texts, _ = rows(tmp_path, "c.tsv", 'id\ttitle\n1\t"Open\n2\t"Iron"\n3\tLead\n')
    assert texts == [['"Open'], ["Iron"], ["Lead"]]


def test_a_mark_without_end_does_not_read_the_whole_file_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "LARGEST_CELL", 100)
    texts, _ = rows(tmp_path, "a.tsv", 'id\ttext\n1\t"Open\n' + "".join(f"{n}\tZinc\n" for n in range(200)))
    assert len(texts) == 201


# -- markup in texts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("H<sub>2</sub>O and Ca<SUP>2+</SUP>", ["H2O and Ca2+"]),
        ("<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O (P &lt; 0.05)</jats:p>",
         ["Abstract", "H2O (P < 0.05)"]),
        ("The &lt;i&gt;CTR1&lt;/i&gt; gene", ["The CTR1 gene"]),
        ("&amp;lt;b&amp;gt;Zinc&amp;lt;/b&amp;gt; &amp;amp; iron", ["Zinc & iron"]),
        ('<p class="x">One.</p><p id=y>Two<br/>lines.</p>', ["One.", "Two lines."]),
        ("&alpha;-pinene at 5&#x2009;mM", ["α-pinene at 5\u2009mM"]),
        ("<!-- hidden -->Zinc <span style='a'>was</span> <jats:inline-formula>x</jats:inline-formula>", ["Zinc was x"]),
        ('Zinc <xref ref-type="bibr" rid="b1">[1]</xref>', ["Zinc [1]"]),
    ],
)  # fmt: skip
def test_markup_is_removed_and_reported(tmp_path: Path, text: str, plain: list[str]) -> None:
    texts, notes = rows(tmp_path, "a.jsonl", json.dumps({"text": text}) + '\n{"text": "b"}\n')
    assert texts == [plain, ["b"]]
    assert len(notes) == 1
    assert notes[0].startswith("1 text has markup, such as ")
    table, _ = rows(tmp_path, "a.tsv", f"id\ttext\n1\t{text}\n")
    assert table == [plain]


@pytest.mark.parametrize(
    "text", ["P<0.05 and x>3", "a<b and c>d", "if p<i and j>k", "R&D, AT&T; <5 mg", "x &unknown; y"]
)
def test_comparisons_are_no_markup(tmp_path: Path, text: str) -> None:
    assert rows(tmp_path, "a.tsv", f"id\ttext\n1\t{text}\n") == ([[text]], [])


# -- lists of words -----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["entities", "label", "labels", "annotations", "mentions"])
@pytest.mark.parametrize("value", [["zinc"], [], ["B-Chemical", "O"], "toxic"])
def test_words_under_a_key_of_annotations_are_kept(tmp_path: Path, key: str, value: object) -> None:
    lines = json.dumps({"id": "PM1", "title": "T", "text": "Zinc", key: []}) + "\n"
    lines += json.dumps({"id": "PM2", "title": "U", "text": "Iron", key: value}) + "\n"
    first, second = read(tmp_path, "a.jsonl", lines)
    assert (first.id, second.id) == ("PM1", "PM2")
    assert [passage.text for passage in second.passages] == ["U", "Iron"]
    assert second.infons[key] == (value if isinstance(value, str) else json.dumps(value))


def test_annotations_that_only_a_later_record_has_are_not_left_out_in_silence(tmp_path: Path) -> None:
    lines = '{"id": "a", "title": "T", "text": "Zinc", "entities": ["zinc"]}\n' * 2
    lines += '{"id": "b", "text": "Zinc", "found": [{"start": 0, "end": 4}]}\n'
    (tmp_path / "a.jsonl").write_text(lines)
    *_, last = reading.articles(inputs.expand([str(tmp_path)]), lambda sentence: None, Selection())
    assert str(last).endswith(
        "a.jsonl: line 3 has annotations ('found') in a form that is not read; remove them, or convert them"
    )


# -- keywords -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        {"keywords": {"en": ["zinc", "iron ore"], "pt": ["zinco"]}},
        {"keywords": {"en": "zinc; iron ore", "pt-BR": "zinco"}},
        {"Author Keywords": "zinc, iron ore", "keywords_pt": "zinco"},
        {"keywords": ["zinco"], "Keywords_en": ["zinc", "iron ore"], "language": "pt"},
    ],
)
def test_keywords_are_stored_one_by_one_by_language(tmp_path: Path, record: dict[str, object]) -> None:
    [one] = read(tmp_path, "a.jsonl", json.dumps({"text": "Zinc.", **record}) + "\n")
    infons = one.passages[0].infons
    own, others = ("kwd", "kwd-pt") if "language" not in record else ("kwd-en", "kwd")
    assert (infons[f"{own}_0"], infons[f"{own}_1"], infons[f"{others}_0"]) == ("zinc", "iron ore", "zinco")
    assert infons["kwd"] == ("zinc iron ore" if own == "kwd" else "zinco")


def test_keywords_that_are_no_words_are_kept_as_they_are(tmp_path: Path) -> None:
    [one] = read(tmp_path, "a.jsonl", '{"text": "Zinc.", "keywords": [1, {"a": 2}]}\n')
    assert one.infons == {"keywords": '[1, {"a": 2}]'}
