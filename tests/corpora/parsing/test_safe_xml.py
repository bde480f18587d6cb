"""XML from unknown sources: entities are refused everywhere, encodings are detected, nothing else is lost."""

from __future__ import annotations

import codecs
import io

import pytest

from corpora.errors import InputError
from corpora.formats import detection
from corpora.formats.format import Header
from corpora.parsing import safe_xml
from corpora.parsing.safe_xml import (
    Cutter,
    Transcoded,
    encoding_of,
    illegal_characters,
    parse_fragment,
    refuse_entities,
    root_name,
    without_illegal_characters,
)

BOMB = '<!DOCTYPE collection [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
BODY = "<collection><document><id>1</id><passage><offset>0</offset><text>{}</text></passage></document></collection>"


def read(data: bytes) -> list[bytes]:
    return [raw for _, raw in detection.split(io.BytesIO(data), Header(), lambda sentence: None)]


@pytest.mark.parametrize(
    "prolog",
    [
        BOMB,
        '<!DOCTYPE collection SYSTEM "BioC.dtd" [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE collection [<!ENTITY % a SYSTEM "http://example.org/x.dtd"> %a;]>',
        "<!-- harmless --><?pi harmless?>\n" + BOMB,
        # Whoever takes the first ]> for the end of the DOCTYPE does not see the entity.
        '<!DOCTYPE collection [ <!-- ]><collection> --> <!ENTITY a "x"> ]>',
        '<!DOCTYPE collection [ <?p ]><collection> ?> <!ENTITY a "x"> ]>',
        '<!DOCTYPE collection [ <!ATTLIST a b CDATA "]><collection>"> <!ENTITY a "x"> ]>',
        f"<!--{'x' * 70_000}-->" + BOMB,
        f"<!DOCTYPE collection [ <!--{'x' * 70_000}--> <!ENTITY a 'x'> ]>",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_declared_entities_are_refused_in_every_part_of_the_prolog(prolog: str, encoding: str) -> None:
    data = (prolog + BODY.format("&a;")).encode(encoding)
    with pytest.raises(InputError, match=r"entities|no root element"):
        read(data)


def test_entities_in_another_encoding_are_refused() -> None:
    # +ADwAIQ- is <! in UTF-7, which libxml2 would read.
    data = b'<?xml version="1.0" encoding="UTF-7"?>\n<!DOCTYPE c [+ADwAIQ-ENTITY a "x">]>' + BODY.format("&a;").encode()
    with pytest.raises(InputError, match="declares the encoding UTF-7"):
        read(data)


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE collection SYSTEM "BioC.dtd">',
        "<!DOCTYPE collection PUBLIC '-//x//a \"b\" c' 'http://example.org/BioC.dtd'>",
        "<!DOCTYPE collection [<!ELEMENT collection (document*)> <!-- no ]> here -->]>",
        "<?xml-stylesheet href='a>b.xsl'?><!-- <collection> -->",
    ],
)
def test_a_doctype_without_entities_is_read(prolog: str) -> None:
    assert len(read((prolog + BODY.format("zinc")).encode())) == 1
    assert root_name(prolog.encode() + b"<collection>") == "collection"


def test_a_doctype_without_end_is_checked_in_linear_time() -> None:
    for part in (b"<", b'"', b"'", b"[", b"<!--", b"<?"):
        assert root_name(b"<!DOCTYPE c [ " + part * (60_000 // len(part))) is None
        refuse_entities(b"<!DOCTYPE c " + part * (60_000 // len(part)))


def test_a_parser_fetches_and_expands_nothing() -> None:
    element = parse_fragment(b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>1<!-- c --><?p i?>2</a>')
    assert element.text == "12"


@pytest.mark.parametrize("text", ["\x00", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_illegal_characters_are_the_ones_that_the_parser_refuses(text: str) -> None:
    assert illegal_characters("a" + text) == [f"U+{ord(text):04X}"]
    assert without_illegal_characters("a" + text) == "a\ufffd"


def test_all_other_characters_are_legal() -> None:
    legal = "\t\n\r \x7f\x85\u2028\ufdd0\ufdef\ufffd𝛼\U0010ffff"
    assert illegal_characters(legal) == []
    escaped = legal.replace("\r", "&#13;").encode()
    assert parse_fragment(b"<a>" + escaped + b"</a>").text == legal


# -- encodings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", None),
        ("utf-32", None),
        ("iso-8859-1", "ISO-8859-1"),
        ("cp1252", "windows-1252"),
        ("iso-8859-15", "ISO-8859-15"),
        ("gb18030", "GB18030"),
        ("shift_jis", "Shift_JIS"),
    ],
)
def test_a_file_is_read_in_its_encoding(encoding: str, declared: str | None) -> None:
    text = "naïve µ" if encoding not in ("gb18030", "shift_jis") else "β"
    declaration = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    (raw,) = read((declaration + BODY.format(text)).encode(encoding))
    assert f"<text>{text}</text>".encode() in raw


def test_a_byte_order_mark_has_priority_over_the_declaration() -> None:
    data = codecs.BOM_UTF8 + ('<?xml version="1.0" encoding="ISO-8859-1"?>' + BODY.format("naïve")).encode()
    assert "naïve".encode() in read(data)[0]


@pytest.mark.parametrize("name", ["punycode", "rot13", "hex", "nonsense", "UTF-16", "idna", "unicode_escape"])
def test_an_unsupported_encoding_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"declares the encoding {name}"):
        encoding_of(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode())


def test_utf_8_declared_as_latin_1_is_read_as_declared_and_reported() -> None:
    messages: list[str] = []
    data = ('<?xml version="1.0" encoding="ISO-8859-1"?>' + BODY.format("naïve")).encode()
    ((_, raw),) = detection.split(io.BytesIO(data), Header(), messages.append)
    assert "naÃ¯ve".encode() in raw
    assert "all its bytes are valid UTF-8" in messages[0]


@pytest.mark.parametrize("text", ["plain", "na\xefve \xe9"])
def test_correctly_declared_latin_1_is_not_reported(text: str) -> None:
    messages: list[str] = []
    data = ('<?xml version="1.0" encoding="ISO-8859-1"?>' + BODY.format(text)).encode("latin-1")
    list(detection.split(io.BytesIO(data), Header(), messages.append))
    assert messages == []


def test_bytes_that_are_invalid_in_the_encoding_end_the_file() -> None:
    data = codecs.BOM_UTF16_LE + BODY.format("a\ud800b").encode("utf-16-le", "surrogatepass")
    with pytest.raises(InputError, match="not valid utf-16, its encoding"):
        read(data)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "gb18030"])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_characters_across_chunks_are_decoded(encoding: str, size: int) -> None:
    text = "<a>𝛼β\u0301</a>"
    stream = Transcoded(io.BytesIO(text.encode(encoding)), encoding, lambda sentence: None)
    assert b"".join(iter(lambda: stream.read(size), b"")) == text.encode()


# -- Documents are found at any chunk size, with any text around and inside them.


def cut(data: bytes) -> tuple[list[bytes], Cutter]:
    cutter = Cutter(io.BytesIO(data), "document")
    return list(cutter.documents()), cutter


@pytest.fixture(params=[1, 2, 7, 64, 1 << 16])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_xml, "CHUNK", request.param)


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
