"""Documents are found at any chunk size, with any text around and inside them."""

from __future__ import annotations

import io

import pytest

from corpora.parsing import xml_documents
from corpora.parsing.xml_documents import Cutter


def cut(data: bytes) -> tuple[list[bytes], Cutter]:
    cutter = Cutter(io.BytesIO(data), "document")
    return list(cutter.documents()), cutter


@pytest.fixture(params=[1, 2, 7, 64, 1 << 16])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_documents, "CHUNK", request.param)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "document",
    [
        b"<document></document>",
        b"<document/>",
        b"<document />",
        b"<document a='1'><id>1</id></document\n >",
        b"<document><!-- </document> --></document>",
        b"<document><text><![CDATA[</document><document>]]></text></document>",
        b"<document><?p </document>?></document>",
        b"<document><text>&lt;/document></text></document>",
        b"<document><documents/><documented>x</documented></document>",
        b"<document>" + b"x" * 200 + b"</document>",
    ],
)
def test_a_document_ends_at_its_end_tag(document: bytes) -> None:
    data = b"\xef\xbb\xbf<?xml?><!-- <document> --><collection>\n" + (document + b"\n") * 3 + b"<infon/></collection>"
    found, cutter = cut(data)
    assert found == [document] * 3
    assert cutter.around == b"<?xml?><!-- <document> --><collection>\n\n<infon/></collection>"
    assert not cutter.cut_off
    assert cutter.lines == data.count(b"\n") + 1


@pytest.mark.usefixtures("chunk")
def test_only_the_document_without_end_tag_is_lost() -> None:
    found, cutter = cut(b"<collection><document><id>1</id><document><id>2</id></document></collection>")
    assert found == [b"<document><id>1</id>", b"<document><id>2</id></document>"]
    assert not cutter.cut_off


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "end", [b"<document", b"<document>", b"<document><!-- ", b"<document><![CDATA[ x", b"<document></docu"]
)
def test_a_file_that_ends_inside_a_document_is_marked_as_cut_off(end: bytes) -> None:
    found, cutter = cut(b"<collection><document>1</document>" + end)
    assert found == [b"<document>1</document>"]
    # An unfinished <document is no document yet, but no end of a collection either.
    assert cutter.cut_off or cutter.around.endswith(b"<document")


def test_a_large_document_is_read_in_linear_time() -> None:
    document = b"<document>" + b"<text>x</text>" * 3_000_000 + b"</document>"
    found, _ = cut(document)
    assert found == [document]
