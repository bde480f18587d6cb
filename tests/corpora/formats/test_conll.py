"""CoNLL, read and written: tag schemes, columns, offsets, documents, and what is lost."""

from __future__ import annotations

import io

import pytest
from bioc import BioCDocument
from hypothesis import given
from hypothesis import strategies as st

from corpora.datasets.articles import article
from corpora.errors import ArticleError
from corpora.formats import conll, streams
from corpora.formats.format import Header
from corpora.model.document import Definition, add_definition, add_mention, fresh_ids, mentions, set_identifiers
from corpora.model.invariant import check
from corpora.model.passages import passage_text


def read(text: str) -> list[BioCDocument]:
    return [conll.parse(raw, print) for raw in conll.split(io.BytesIO(text.encode()), Header(), print)]


def found(document: BioCDocument) -> list[tuple[str, str, int]]:
    return [(mention.text, mention.type, mention.spans[0][0]) for mention in mentions(document, None)]


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        (["B-C", "I-C", "O"], [(0, 2, "C")]),
        (["I-C", "I-C", "O"], [(0, 2, "C")]),
        (["I-C", "B-C", "I-C"], [(0, 1, "C"), (1, 3, "C")]),
        (["B-C", "I-D", "I-D"], [(0, 1, "C"), (1, 3, "D")]),
        (["B-C", "E-C", "S-C"], [(0, 2, "C"), (2, 3, "C")]),
        (["B-C", "L-C", "U-C"], [(0, 2, "C"), (2, 3, "C")]),
        (["S-C", "I-C", "O"], [(0, 1, "C"), (1, 2, "C")]),
        (["B", "I", "O"], [(0, 2, "")]),
        (["O", "O", "B-C"], [(2, 3, "C")]),
        ([], []),
    ],
)
def test_tag_schemes(tags: list[str], spans: list[tuple[int, int, str]]) -> None:
    assert conll.spans_of(tags) == spans


def test_sentences_without_document_lines_are_documents() -> None:
    one, two = read("Zinc\tB-Chemical\nions\tI-Chemical\nfell\tO\n\n\nNo\tO\n")
    assert passage_text(one.passages[0]) == "Zinc ions fell"
    assert found(one) == [("Zinc ions", "Chemical", 0)]
    assert (two.id, found(two)) == ("", [])


def test_sentences_of_a_document_are_its_passages() -> None:
    [one, two] = read("-DOCSTART- (77)\tO\n\nIt\tO\n\nZinc\tB-Chemical\n\n-DOCSTART- -X- O O\n\nLead\tB\n")
    assert (one.id, two.id) == ("77", "")
    assert [(p.offset, p.text) for p in one.passages] == [(0, "It"), (3, "Zinc")]
    assert found(one) == [("Zinc", "Chemical", 3)]
    assert found(two) == [("Lead", "Chemical", 0)]
    assert check(one) == check(two) == []


def test_columns_are_separated_by_blanks_as_well_and_may_be_more_than_two() -> None:
    [document] = read("Zinc NN B-NP B-Chemical\r\nfell VB B-VP O\r\n")
    assert found(document) == [("Zinc", "Chemical", 0)]


@pytest.mark.parametrize("line", ["Zinc", "Zinc\tchemical", "\tB-Chemical"])
def test_a_line_without_token_and_tag_fails_with_its_number(line: str) -> None:
    with pytest.raises(ArticleError, match="line 2 is"):
        read(f"We\tO\n{line}\n")


def test_offsets_of_a_file_restore_the_text_with_its_gaps() -> None:
    document = article("77", [("Zn2+  ions", None, "front"), ("fell", None, "paragraph")])
    add_mention(document.passages[0], [(0, 10)], id="1", annotator=None)
    back = conll.parse(conll.dumps(document, lambda sentence: None), print)
    assert [(p.offset, p.text) for p in back.passages] == [(0, "Zn2+  ions"), (11, "fell")]
    assert found(back) == [("Zn2+  ions", "Chemical", 0)]


def test_offsets_that_contradict_the_tokens_are_ignored() -> None:
    [document] = read("-DOCSTART-\nZinc\t0\t4\tO\nions\t3\t7\tO\n")
    assert document.passages[0].text == "Zinc ions"


@pytest.mark.parametrize(
    ("head", "is_conll"),
    [
        (b"-DOCSTART- -X- O O\n", True),
        (b"Zinc\tB-Chemical\nfell\tO\n\nAl", True),
        (b"Zinc\tNN\tO", True),
        (b"Vitamin B\n", False),
        (b"Zinc\tmetal\n", False),
        (b"\n", False),
    ],
)
def test_a_file_of_tagged_tokens_is_detected(head: bytes, is_conll: bool) -> None:
    assert conll.sniff(head) is is_conll


def test_writing_cuts_tokens_where_mentions_begin_and_end() -> None:
    document = article("77", [("Zn2+-free Caco2 medium", None, "paragraph")])
    passage = document.passages[0]
    one = add_mention(passage, [(0, 4)], id="1", annotator="x")
    set_identifiers(one, ["MESH:D015032"])
    add_mention(passage, [(10, 12)], id="2", annotator="x")
    add_mention(passage, [(10, 15)], id="3", annotator="x", type="Cell")
    add_mention(passage, [(0, 4), (16, 22)], id="4", annotator="x")
    reports: list[str] = []
    text = conll.dumps(document, reports.append).decode()
    lines = [line.split("\t") for line in text.split("\n")]
    assert lines[:2] == [["-DOCSTART- (77)", "0", "0", "O"], [""]]
    assert lines[2:5] == [["Zn", "0", "2", "B-Chemical"], ["2", "2", "3", "I-Chemical"], ["+", "3", "4", "I-Chemical"]]
    assert lines[5:7] == [["-", "4", "5", "O"], ["free", "5", "9", "O"]]
    assert "Caco\t10\t14\tB-Cell\n2\t14\t15\tI-Cell\n" in text, "of two that overlap the longer one is written"
    assert reports == [
        "left out, because CoNLL cannot store it: "
        "infons of documents and passages (1), infons of mentions (5), "
        "mentions that overlap another, or have several pieces (2)"
    ]


def test_a_chemical_that_is_a_short_or_long_form_too_is_written_as_chemical() -> None:
    document = article("77", [("Nitric oxide (NO) rose, and BP too.", None, "paragraph")])
    passage = document.passages[0]
    ids = fresh_ids(document, "A")
    add_definition(passage, Definition("NO", "Nitric oxide", (14, 16), (0, 12)), ids)
    for number, span in enumerate(((7, 12), (14, 16))):
        add_mention(passage, [span], id=f"C{number}", annotator="x")
    add_definition(passage, Definition("BP", "rose", (28, 30), (18, 22)), ids)
    tags = [line.split("\t") for line in conll.dumps(document, lambda sentence: None).decode().splitlines()]
    assert [(row[0], row[3]) for row in tags if len(row) == 4 and row[3] != "O"] == [
        ("oxide", "B-Chemical"), ("NO", "B-Chemical"), ("rose", "B-ABBR"), ("BP", "B-ABBR"),
    ]  # fmt: skip


@given(st.lists(st.sampled_from(["Zn", "free", "of", "2"]), min_size=1, max_size=12), st.data())
def test_mentions_are_read_back(words: list[str], data: st.DataObject) -> None:
    document = article("1", [(" ".join(words), None, "paragraph")])
    passage = document.passages[0]
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    for place, (start, word) in enumerate(zip(starts, words, strict=True)):
        if data.draw(st.booleans()):
            add_mention(passage, [(start, start + len(word))], id=str(place), annotator="x")
    raw = conll.dumps(document, lambda sentence: None)
    [back] = [conll.parse(part, print) for part in conll.split(io.BytesIO(raw), Header(), print)]
    assert back.id == "1"
    assert [m.text for m in mentions(back)] == [m.text for m in mentions(document)]


def test_a_no_break_space_is_part_of_its_token() -> None:
    [document] = read("10\u00a0mM NN O\nNaCl NN B-Chemical\n")
    assert document.passages[0].text == "10\u00a0mM NaCl"
    [document] = read("\u00a0\tO\nNaCl\tB-Chemical\n")
    assert found(document) == [("NaCl", "Chemical", 2)]


def test_a_zero_width_no_break_space_is_no_token_because_it_is_a_byte_order_mark_at_the_start_of_a_line() -> None:
    document = article("1", [("Zn \ufeff2 \ufeffand\ufeff Pb", None, "paragraph")])
    add_mention(document.passages[0], [(12, 14)], id="1", annotator="x")
    add_mention(document.passages[0], [(10, 11)], id="2", annotator="x")
    reports: list[str] = []
    [back] = read(conll.dumps(document, reports.append).decode())
    assert (back.passages[0].text, found(back)) == ("Zn  2  and  Pb", [("Pb", "Chemical", 12)])
    assert "blanks other than U+0020 (read as U+0020) (3)" in reports[0]


@pytest.mark.parametrize("blanks", ["", " ", "\t", " \t \r"])
def test_blanks_at_line_ends_do_not_count(blanks: str) -> None:
    [document] = read(f"Zinc\tB-Chemical{blanks}\nfell\tO{blanks}\n")
    assert found(document) == [("Zinc", "Chemical", 0)]


def test_comments_are_counted_and_tokens_that_begin_with_a_number_sign_are_not() -> None:
    text = "# sent_id = 1\n#\tO\n# O\nZinc\tB-Chemical\n#1\tO\n\n# doc = x\n"
    reports: list[str] = []
    (raw,) = conll.split(io.BytesIO(text.encode()), Header(), reports.append)
    assert passage_text(conll.parse(raw, print).passages[0]) == "# Zinc #1"
    assert reports == ["left out: 3 lines of comments, which begin with #"]


def test_comments_name_documents() -> None:
    one, two = read("# doc_id = 7\nZinc\tB\n\nfell\tO\n\n# newdoc id = 8\nLead\tB\n")
    assert [(one.id, len(one.passages)), (two.id, len(two.passages))] == [("7", 2), ("8", 1)]


def test_a_bad_line_fails_its_sentence_with_its_number_in_the_file() -> None:
    first, second, third = conll.split(io.BytesIO(b"# c\nZinc\tB\n\nLead\tB\nfell\n\nIron\tB\n"), Header(), print)
    assert found(conll.parse(first, print)) == [("Zinc", "Chemical", 0)]
    with pytest.raises(ArticleError, match=r"line 5 is 'fell': a token and its tag \(O, B-..., I-...\) are expected"):
        conll.parse(second, print)
    assert found(conll.parse(third, print)) == [("Iron", "Chemical", 0)]


@pytest.mark.parametrize(
    ("head", "is_conll"),
    [
        (b"Zinc B-Chemical\nfell O\n", True),
        (b"Zinc NN B-Chemical\nfell VB O\n", True),
        (b"Zinc\tB\nfell\tO\n", True),
        (b"Zinc\tO-Chemical\nfell\tO-Chemical\n", True),
        (b"# text = Zinc\nZinc\tB-Chemical\nfell\tO\n", True),
        (b"Zinc\tB-Chemical \nfell\tO\nbad\nby\tO\n", True),
        (b"Mature B-cell\n", False),
        (b"The role of B-cell\nin mice and B-cell\n", False),
        (b"Type\tB\nType\tI\n", False),
        (b"# Vitamin B\n", False),
    ],
)
def test_files_of_other_programs_are_detected(head: bytes, is_conll: bool) -> None:
    assert conll.sniff(head) is is_conll


def test_offsets_that_do_not_fit_are_reported() -> None:
    reports: list[str] = []
    (raw,) = conll.split(io.BytesIO("Zinc\t0\t4\tO\nβ\t5\t7\tB\n".encode()), Header(), reports.append)
    assert conll.parse(raw, reports.append).passages[0].text == "Zinc β"
    assert reports == [
        "line 1: the offsets in its sentence do not fit the tokens, so they were not used: "
        "the tokens were joined by blanks"
    ]


@pytest.mark.parametrize("size", [1, 7, 30])
def test_documents_do_not_depend_on_how_much_is_read_at_once(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "-DOCSTART- (1)\t0\t0\tO\n\nZn\t0\t2\tB-C\n#\t3\t4\tO\n\n# c\n-DOCSTART- (2)\t0\t0\tO\n\nPb\t0\t2\tO\n"
    other = "1 Zn NN B-C\n2 ions NN I-C\n\n# newdoc id = 7\n1 Pb NN O\n2 fell VB O\n"
    for text in (own, other):
        expected = [(one.id, found(one), [p.text for p in one.passages]) for one in read(text)]
        monkeypatch.setattr(streams, "HEAD", size)
        assert [(one.id, found(one), [p.text for p in one.passages]) for one in read(text)] == expected
        monkeypatch.undo()
    assert expected == [("", [("Zn ions", "C", 0)], ["Zn ions"]), ("7", [], ["Pb fell"])]


def test_one_line_with_other_columns_does_not_change_the_offsets_of_the_others() -> None:
    reports: list[str] = []
    (raw,) = conll.split(io.BytesIO(b"Zn\t5\t7\tB-C\nions\tO\n"), Header(), reports.append)
    assert [(p.offset, p.text) for p in conll.parse(raw, reports.append).passages] == [(0, "Zn ions")]
    assert len(reports) == 1
    (raw,) = conll.split(io.BytesIO(b"Zn\t0\t2\tB-C\nions\tO\n"), Header(), reports.append)
    conll.parse(raw, reports.append)
    assert len(reports) == 1, "these offsets belong to tokens joined by blanks"


def test_marks_that_touch_cut_one_token_twice() -> None:
    texts, starts, tags = conll.tagged_tokens("a NaClx 1", 10, [(2, 4, "A"), (4, 6, "B")])
    assert list(zip(texts, starts, tags, strict=True)) == [
        ("a", 10, "O"), ("Na", 12, "B-A"), ("Cl", 14, "B-B"), ("x", 16, "O"), ("1", 18, "O"),
    ]  # fmt: skip
