"""Plain text: a file or a line is an article; only the text can be stored."""

from __future__ import annotations

import io

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError, InputError, UnclaimedError
from corpora.formats import detection, text
from corpora.formats.format import Header
from corpora.model.document import add_mention
from corpora.model.metadata import line_number


def test_paragraphs_are_passages_with_offsets_of_the_file() -> None:
    raw = "\ufeff\n\nAcetone\r\nin water\r\n \r\n\r\nZinc,\ncopper\n".encode()
    found = [(passage.offset, passage.text) for passage in text.parse(raw, print).passages]
    assert found == [(2, "Acetone  in water"), (26, "Zinc, copper")]
    content = raw.decode("utf-8-sig")
    assert [content[place : place + 4] for place, _ in found] == ["Acet", "Zinc"]


def test_each_line_is_a_passage_in_a_text_that_is_not_wrapped() -> None:
    body = "Zinc lowers the uptake of cadmium. " * 8
    document = text.parse(f"Zinc and cadmium\r\n{body}\r\n\n{body}\n".encode(), print)
    assert [passage.text for passage in document.passages] == ["Zinc and cadmium", body.strip(), body.strip()]
    wrapped = text.parse(f"Zinc and\ncadmium\n\n{body[:150]}\n{body[:150]}".encode(), print)
    assert [passage.text[:16] for passage in wrapped.passages] == ["Zinc and cadmium", body[:16]]


def test_text_in_another_encoding_is_an_error() -> None:
    with pytest.raises(ArticleError, match="byte 2 is not UTF-8"):
        text.parse("Crème".encode("latin-1"), print)


def test_each_line_is_an_article_with_its_number() -> None:
    raws = list(text.split_lines(io.BytesIO(b"Zinc\r\n\n \nIron"), Header(), print))
    documents = [text.parse_line(raw, print) for raw in raws]
    assert [(line_number(d), d.passages[0].text) for d in documents] == [(1, "Zinc"), (4, "Iron")]
    with pytest.raises(ArticleError, match="the first line must be the number"):
        text.parse_line(b"Zinc\nIron", print)


@pytest.mark.parametrize(
    ("name", "head", "found"),
    [
        ("a.txt", b"Zinc is a metal.", "text"),
        ("a.txt", b"1|t|Zinc\n1|a|\n", "pubtator"),
        ("a.TXT", b"T1 notes", "text"),
    ],
)
def test_the_suffix_selects_text_where_the_content_has_no_other_format(name: str, head: bytes, found: str) -> None:
    assert detection.sniff(head, name) == found


@pytest.mark.parametrize("name", ["a.txt", detection.PIPE])
def test_a_text_may_begin_with_a_bracket(name: str) -> None:
    for head in (
        b"[Effects of zinc]",
        b"[[Cu(phen)2]Cl2] binds DNA",
        b"{[Zn]} 1, 2",
        b"[1, 2]",
        b"[] Zinc",
        b'["a"] Zinc',
    ):
        assert detection.sniff(head, name) == "text"
    for head in (b'{"id": "1"', b'[{"id"', b"[", b"{ ", b"[]", b"[{}]", b'[[{"id"'):
        assert detection.sniff(head, name) == "biocjson"


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("README", b"About"), ("readme.txt", b"About"), ("LICENSE.txt", b"You may"), ("README.md", b"# Zinc"),
        ("a.pdf", b"%PDF"), ("a.jpg", b"\xff\xd8\x00"), ("a.xml", b"<other/>"), ("a.html", b"<html/>"),
        ("a.json", b'{"pmcid": "PMC1", "title": "Zinc"}'),
        ("x", b""),
    ],
)  # fmt: skip
def test_what_accompanies_articles_is_claimed_by_no_format(name: str, head: bytes) -> None:
    with pytest.raises(UnclaimedError):
        detection.sniff(head, name)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.xml", b""), ("a.xml", b"Not found"), ("a.nxml", b"<html/>"), ("b.xml", b"<html/>"),
        ("a.xml", b"\x89PNG\x00"),
        ("a.txt", b"Z\x00i\x00"),
        ("a.json", b"error"), ("a.pubtator", b"Zinc"), ("a.xml", b"<"),
    ],
)  # fmt: skip
def test_a_damaged_article_is_not_skipped(name: str, head: bytes) -> None:
    with pytest.raises(InputError) as caught:
        detection.sniff(head, name)
    assert not isinstance(caught.value, UnclaimedError)


def test_everything_but_the_text_is_reported_as_left_out() -> None:
    document = BioCDocument()
    for place, words in ((0, "Zinc"), (5, ""), (6, "Iron was")):
        passage = BioCPassage()
        passage.offset, passage.text = place, words
        passage.infons = {"section_type": "TITLE"}
        document.add_passage(passage)
    add_mention(document.passages[0], [(0, 4)], id="C1", annotator=None)
    messages: list[str] = []
    assert text.dumps(document, messages.append) == b"Zinc\n\nIron was\n"
    assert messages == [
        "left out, because text cannot store it: annotations (1), empty passages (1), "
        "ids of articles (1), infons of documents and passages (3)"
    ]
