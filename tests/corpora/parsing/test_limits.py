"""Limits on the parts of one article: small compressed files cannot fill the memory."""

from __future__ import annotations

import io

import pytest

from corpora import parsing, reading
from corpora.errors import ArticleError, InputError
from corpora.formats import pubtator
from corpora.formats.detection import split
from corpora.formats.format import Header
from corpora.parsing import json_documents, safe_xml
from corpora.parsing.json_documents import JsonStream
from corpora.reporting import ignore

DOCUMENT = b"<document><id>1</id><passage><offset>0</offset><text>water</text></passage></document>"


def read(data: bytes) -> list[bytes]:
    return [raw for _, raw in split(io.BytesIO(data), Header(), ignore)]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower limits, so that the tests are fast."""
    for module in (parsing, json_documents):
        monkeypatch.setattr(module, "MAX_NODES", 1000)
    monkeypatch.setattr(pubtator, "MAX_LINES", 1000)


@pytest.mark.parametrize(
    ("format", "raw"),
    [
        ("biocxml", b"<document><id>1</id>" + b"<annotation/>" * 2000 + b"</document>"),
        (
            "biocxml",
            b"<document><id>1</id><passage " + b"".join(b'a%d="" ' % i for i in range(2000)) + b"/></document>",
        ),
        ("biocxml", b"<document><id>1</id>" + b"&a;" * 2000 + b"</document>"),
        ("biocjson", b'{"id": "1", "passages": [' + b"{}," * 2000 + b"{}]}"),
        ("jats", b"<article><body>" + b"<p/>" * 2000 + b"</body></article>"),
        ("pubtator", b"1|t|water\n1|a|\n" + b"1\t0\t5\twater\tChemical\t-\n" * 900),
    ],
)
def test_an_article_with_too_many_parts_is_refused(few: None, format: str, raw: bytes) -> None:
    with pytest.raises(ArticleError, match="1,000 elements or values"):
        reading.parse(format, raw, "x", ignore)


@pytest.mark.parametrize("between", [b"<a/>" * 400_000, b"<!-- " + b"x" * 1_500_000 + b" -->", b" " * 1_500_000])
def test_xml_outside_of_documents_is_limited(between: bytes) -> None:
    with pytest.raises(InputError, match="more than 1 MB outside of its documents"):
        read(b"<collection>" + DOCUMENT + between + DOCUMENT + b"</collection>")


def test_xml_outside_of_documents_is_limited_in_all() -> None:
    part = b"<a/>" * (safe_xml.MAX_AROUND // 40) + DOCUMENT
    with pytest.raises(InputError, match="more than 1 MB outside of its documents"):
        read(b"<collection>" + part * 11 + b"</collection>")


@pytest.mark.parametrize(
    "text",
    [
        '{"documents": [' + "[]," * 2000 + "[]]}",
        '{"x": [' + "[]," * 700_000 + '[]], "documents": []}',
        '{"documents": [{"passages": [' + "[]," * 700_000 + "[]]}]}",
        "{" + ",".join(f'"{number}": 0' for number in range(11_000)) + "}",
    ],
    ids=["lists", "key", "document", "keys"],
)
def test_json_values_with_too_many_parts_are_refused(few: None, text: str) -> None:
    with pytest.raises(InputError, match=r"more than 1.?,000"):
        list(JsonStream(io.BytesIO(text.encode())).documents())


def test_a_collection_of_many_documents_is_not_limited(few: None) -> None:
    text = '{"documents": [' + ",".join(['{"id": "1", "passages": []}'] * 3000) + "]}"
    assert len(list(JsonStream(io.BytesIO(text.encode())).documents())) == 3000


def test_jats_outside_of_articles_is_limited(few: None) -> None:
    article = b"<article><body><p>Water</p></body></article>"
    with pytest.raises(InputError, match="more than 1 MB outside of its documents"):
        read(b"<pmc-articleset>" + article + b"<a/>" * 400_000 + article + b"</pmc-articleset>")


def test_a_pubtator_article_with_too_many_lines_is_refused(few: None) -> None:
    with pytest.raises(InputError, match="1,000 lines"):
        read(b"1|t|water\n1|a|\n" + b"1\t0\t5\twater\tChemical\t-\n" * 2000)


def test_notes_about_one_article_are_limited() -> None:
    notes: list[str] = []
    raw = b"<document><id>1</id>" + b"".join(b"<a%d/>" % number for number in range(2000)) + b"</document>"
    reading.parse("biocxml", raw, "x", notes.append)
    assert len(notes) == reading.MAX_NOTES + 1
    assert notes[-1] == "only the first 1000 notes are reported"
