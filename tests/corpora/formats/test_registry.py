"""The content of a file decides its format. A file is split into articles; an error is reported after them."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from corpora.errors import ConfigurationError, InputError
from corpora.formats import detection, registry, streams
from corpora.formats.format import Header
from corpora.storage import members
from corpora.storage.inputs import InputFile

XML = "<collection>" + "".join(
    f"<document><id>{n}</id><passage><offset>0</offset><text>zinc</text></passage></document>" for n in range(5)
) + "</collection>"  # fmt: skip
LINES = "".join(f'{{"id": "{n}", "passages": []}}\n' for n in range(5))
PUBTATOR = "1|t|Zinc\n1|a|Zinc is a metal.\n\n2|t|Iron\n2|a|\n\n"
JATS = '<!DOCTYPE article SYSTEM "JATS.dtd"><article><front/><body><p>Zinc.</p></body></article>'


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def ids(stream: io.BufferedIOBase) -> tuple[list[str], str]:
    """The ids of all documents before the fault, and the fault."""
    found: list[str] = []
    try:
        for name, raw in detection.split(stream, Header(), lambda sentence: None):  # type: ignore[arg-type]
            found.append(registry.readable(name).parse(raw, silent).id)
    except InputError as error:
        return found, str(error)
    return found, ""


# -- sniffing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (XML, "biocxml"),
        ("<document><id/></document>", "biocxml"),
        ('<?xml version="1.0"?>\n<!-- <article> -->\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection>', "biocxml"),
        ('{"documents": []}', "biocjson"),
        ("\n [", "biocjson"),
        (LINES, "biocjson"),
        (PUBTATOR, "pubtator"),
        (JATS, "jats"),
        ('<pmc-articleset><article article-type="x">', "jats"),
        ('<x:OAI-PMH xmlns:x="y"><record><article>', "jats"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_the_content_decides_the_format(head: str, name: str, encoding: str) -> None:
    assert detection.sniff(head.encode(encoding)) == name


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_xml_is_detected_in_wide_encodings(encoding: str) -> None:
    assert detection.sniff(XML.encode(encoding)) == "biocxml"
    assert detection.sniff(JATS.encode(encoding)) == "jats"


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf \n", "it is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "it is binary"),
        ('{"documents": []}'.encode("utf-16-le"), "text in UTF-16"),
        (b"Dear reader,", "none of the formats that are read"),
        (b"<html><body>", "it is a web page, as a server returns it in place of an article"),
        (b"<!-- only a comment -->", "no root element"),
        (b"<?xml", "no root element"),
        (b"<", "no root element"),
    ],
)
def test_other_content_is_refused_with_the_reason(head: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        detection.sniff(head)
    assert message in str(caught.value)


def test_the_suffix_of_an_output_selects_its_format() -> None:
    for name in registry.writable_names():
        suffix = registry.named(name).suffix
        assert registry.format_of_suffix(f"a{suffix}") == name
        assert registry.format_of_suffix(f"A{suffix.upper()}.gz") == name
    with pytest.raises(ConfigurationError, match="unknown format 'jats'; choose one of biocxml, biocjson"):
        registry.writable("jats")
    with pytest.raises(ConfigurationError, match='selects no format; add format="biocxml'):
        registry.format_of_suffix("a.doc")


# -- splitting ----------------------------------------------------------------------------------


def compressed(data: bytes) -> bytes:
    """Data compressed in small blocks, so that a file that is cut off ends inside the data."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as stream:
        for place in range(0, len(data), 20):
            stream.write(data[place : place + 20])
            stream.flush()
    return packed.getvalue()


@pytest.mark.parametrize("text", [XML, LINES], ids=["XML", "lines"])
def test_articles_before_the_end_of_a_cut_off_archive_are_read(text: str, tmp_path: Path) -> None:
    whole = compressed(text.encode())
    seen = set()
    for cut in range(20, len(whole) - 1, 7):
        (tmp_path / "a.gz").write_bytes(whole[:cut])
        found, fault = [], ""
        for _, stream in members.members(InputFile(str(tmp_path / "a.gz"), PurePosixPath("a.gz"))):
            found, fault = ids(stream)  # type: ignore[arg-type]
        assert "cannot be read any further" in fault
        plain = gzip.GzipFile(fileobj=io.BytesIO(whole[:cut]))
        text_there = b""
        try:
            while chunk := plain.read1(10):
                text_there += chunk
        except EOFError:
            pass
        whole_documents = text_there.count(b"</document>") if text is XML else text_there.count(b"}\n")
        # A JSON line is known to be complete when the next line begins.
        assert whole_documents - 1 <= len(found) <= whole_documents
        seen.add(len(found))
    assert len(seen) > 3


def test_garbage_after_a_compressed_file_is_reported_after_its_articles(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(XML.encode()) + b"garbage")
    for _, stream in members.members(InputFile(str(tmp_path / "a.gz"), PurePosixPath("a.gz"))):
        found, fault = ids(stream)  # type: ignore[arg-type]
    assert found == ["0", "1", "2", "3", "4"]
    assert "cannot be read any further" in fault


def test_a_damaged_member_of_a_zip_is_a_fault(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.xml", XML)
    (tmp_path / "a.zip").write_bytes(packed.getvalue().replace(b"<id>1</id>", b"<id>9</id>", 1))
    ((member, _),) = members.members(InputFile(str(tmp_path / "a.zip"), PurePosixPath("a.zip")))
    assert "Bad CRC-32" in str(member.fault)


@pytest.mark.parametrize(
    "text",
    [
        "<collection><document><id>1</id></document><document><text>" + "x" * 200_000,
        '[{"id": "1", "passages": []}, {"id": "' + "x" * 200_000,
        "1|t|Zinc\n1|a|\n\n2|t|" + "x" * 200_000,
    ],
    ids=["XML", "JSON", "PubTator"],
)
def test_an_endless_article_ends_the_file(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_ARTICLE", 100_000)
    found, fault = ids(io.BufferedReader(io.BytesIO(text.encode())))  # type: ignore[arg-type]
    assert found in (["1"], [])
    assert "article is larger than" in fault or "cut off" in fault


def test_the_limit_is_for_one_article_and_not_for_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_ARTICLE", 200_000)
    one = "<document><id>1</id><passage><offset>0</offset><text>" + "x" * 50_000 + "</text></passage></document>"
    found, fault = ids(io.BytesIO(("<collection>" + one * 20 + "</collection>").encode()))
    assert (len(found), fault) == (20, "")


def test_a_decompression_bomb_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_ARTICLE", 20 << 20)
    packed = lzma.compress(b"<collection><document>" + b" " * (50 << 20), preset=0)
    assert len(packed) < 20_000
    (tmp_path / "a.xz").write_bytes(packed)
    for _, stream in members.members(InputFile(str(tmp_path / "a.xz"), PurePosixPath("a.xz"))):
        found, fault = ids(stream)  # type: ignore[arg-type]
    assert found == []
    assert "one article is larger than 20 MB" in fault


def test_an_article_of_fifty_megabytes_is_read() -> None:
    text = "zinc " * (10 << 20)
    for data in (XML.replace("zinc", text, 1).encode(), b'{"passages": [{"offset": 0, "text": "%s"}]}' % text.encode()):
        ((_, raw),) = list(detection.split(io.BytesIO(data), Header(), silent))[:1]
        assert len(raw) > 50 << 20


# -- headers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "header", "message"),
    [
        ("biocjson", Header("s", infons={"a": None}, extra={"b": 1}), []),
        ("biocxml", Header("s", "d", "k", {"a": "b"}), []),
        (
            "biocxml",
            Header(infons={"a": None}),
            ["the collection's header: left out, because BioC XML cannot store it"],
        ),
        ("biocxml", Header(extra={"version": "1", "bioctype": "x"}), ["JSON keys that BioC does not define (1)"]),
        ("biocxml", Header("a\x0bb"), ["characters that XML forbids (replaced by U+FFFD) (1)"]),
        ("jsonl", Header("s"), ["JSON lines has no place for the collection's source"]),
        ("pubtator", Header("s"), ["PubTator has no place"]),
        ("tsv", Header(), []),
    ],
)
def test_losses_of_a_header_are_reported(format: str, header: Header, message: list[str]) -> None:
    reports: list[str] = []
    registry.report_header_losses(header, format, reports.append)
    assert len(reports) == len(message)
    assert all(part in sentence for part, sentence in zip(message, reports, strict=True))


# -- documentation ------------------------------------------------------------------------------


def test_the_documentation_lists_every_format_with_its_suffix() -> None:
    [place] = (Path(__file__).parents[3] / "docs").rglob("formats.md")
    page = place.read_text("utf-8")
    rows = re.findall(r"^\| (.+) \| `([\w-]+)` \| `(\.[\w.-]+)` \| (yes)? ?\| (yes)? ?\|$", page, re.MULTILINE)
    # The page also lists the formats of companions, which an installation can lack.
    rows = [row for row in rows if row[1] in registry.FORMATS.names()]
    assert [row[1:] for row in rows] == [
        (format.name, format.suffix, "yes" if format.reader else "", "yes" if format.writer else "")
        for format in registry.formats()
    ]
    for format, row in zip(registry.formats(), rows, strict=True):
        assert row[0].removeprefix("BioC ").startswith(format.title.removeprefix("BioC "))


def test_no_two_formats_are_written_with_the_same_suffix() -> None:
    written = [format.suffix for format in registry.formats() if format.writer]
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("id", ["[7]", "[a", "{7", "{x}", "<7>", "<7", "7" * 3000])
def test_pubtator_is_recognised_whatever_its_first_id(id: str) -> None:
    assert detection.sniff(f"{id}|t|Water\n{id}|a|\n".encode()) == "pubtator"


@pytest.mark.parametrize("text", ['{"id": "a|t|b"}', '[{"a": 1}]', "{}", "[]", "[[", '{ "a', "{\n", "["])
def test_json_is_recognised_by_its_first_value(text: str) -> None:
    assert detection.sniff(text.encode()) == "biocjson"


def test_an_encoding_behind_many_blanks_is_refused() -> None:
    declared = b'<?xml version="1.0"' + b" " * 400 + b' encoding="UTF-7"?><collection/>'
    with pytest.raises(InputError, match="declares the encoding UTF-7"):
        detection.sniff(declared)
    with pytest.raises(InputError, match="declaration does not end"):
        detection.sniff(declared.replace(b" " * 400, b" " * 2000))
