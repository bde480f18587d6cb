"""Every document is read back from every format unchanged, except for the losses in docs/reference/formats.md."""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import re
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import (
    BioCAnnotation,
    BioCDocument,
    BioCLocation,
    BioCNode,
    BioCPassage,
    BioCRelation,
    BioCSentence,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corpora
from corpora.errors import ArticleError
from corpora.formats import biocjson, biocxml, columns, detection, pubtator_writer, registry
from corpora.formats.format import Header
from corpora.formats.pubtator_writer import form
from corpora.model.invariant import check
from corpora.parsing import json_documents, safe_xml
from corpora.parsing.safe_xml import illegal_characters
from corpora.reporting import no_formula

quick = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)

# -- random documents ---------------------------------------------------------------------------

ODD = ["", " ", "\r\n", "\r", "\t", "\x85", "\u2028", "\ufeff", "\ufdd0", "\ufdee\ufdef", "]]>", "&amp;",
       "&#11;", "<!--", "</document>", "𝛼", "e\u0301\u0327", "\u200f", "\\u0041", '"', "'", "{}[],:",
       "a|b", "NA", "\U0010ffff"]  # fmt: skip

anything = st.text(st.characters(), max_size=12) | st.sampled_from(ODD) | st.lists(st.sampled_from(ODD)).map("".join)
"""Any text, with control characters, lone surrogates and noncharacters."""

legal = anything.map(lambda text: re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "?", text))
"""Any text that XML can store."""

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def documents(
    draw: st.DrawFn, text: st.SearchStrategy[str] = legal, values: st.SearchStrategy[Any] = legal, extras: bool = False
) -> BioCDocument:
    """A document whose annotations hold the invariant; with JSON's own values and keys where `extras`."""
    infons = st.dictionaries(text, values, max_size=3)
    ids = text

    def dressed(holder: Any) -> Any:
        if hasattr(holder, "infons"):
            holder.infons = draw(infons)
        if extras and draw(st.booleans()):
            holder.extra = draw(st.dictionaries(text.map("x-".__add__), values, min_size=1, max_size=2))
        return holder

    def annotation(source: str, offset: int) -> BioCAnnotation:
        made = dressed(BioCAnnotation())
        made.id = draw(ids)
        cuts = draw(st.lists(st.integers(0, len(source)), max_size=6).map(sorted))
        pieces = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
        made.locations = [dressed(BioCLocation(offset + a, b - a)) for a, b in pieces]
        made.text = " ".join(source[a:b] for a, b in pieces) if pieces else draw(text)
        return made

    def relation() -> BioCRelation:
        made = dressed(BioCRelation())
        made.id = draw(ids)
        made.nodes = [dressed(BioCNode(draw(ids), draw(text))) for _ in range(draw(st.integers(0, 2)))]
        return made

    def common(holder: Any, source: str, offset: int) -> Any:
        dressed(holder)
        holder.annotations = [annotation(source, offset) for _ in range(draw(st.integers(0, 2)))]
        holder.relations = [relation() for _ in range(draw(st.integers(0, 1)))]
        return holder

    document = BioCDocument()
    document.id = draw(ids)
    offset = draw(st.integers(0, 3))
    for _ in range(draw(st.integers(0, 3))):
        passage = BioCPassage()
        passage.offset, passage.text = offset, draw(text)
        source = passage.text
        if draw(st.booleans()):
            sentence = BioCSentence()
            sentence.offset, sentence.text = offset, draw(st.just(source) | st.just(""))
            passage.sentences = [common(sentence, source, offset)]
        document.passages.append(common(passage, source, offset))
        offset += len(source) + draw(st.integers(0, 2))
    if document.passages:
        common(document, document.passages[0].text, document.passages[0].offset)
    return document


def plain(holder: Any) -> Any:
    """A BioC object as plain values, `extra` and all, for comparison."""
    if isinstance(
        holder, (BioCDocument, BioCPassage, BioCSentence, BioCAnnotation, BioCRelation, BioCLocation, BioCNode)
    ):
        return {
            key: plain(value)
            for key, value in vars(holder).items()
            # The text and the file of a document are not part of its content.
            if not (key == "text" and isinstance(holder, BioCDocument)) and not key.startswith("_")
        }
    return [plain(item) for item in holder] if isinstance(holder, list) else holder


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


BIOC_WRITERS = [biocxml.WRITER, biocjson.WRITER, biocjson.LINES_WRITER]


def there_and_back(document: BioCDocument, writer: Any, report: Callable[[str], None] = silent) -> BioCDocument:
    data = writer.opening(Header()) + writer.dumps(document, report) + writer.closing(Header())
    ((name, raw),) = detection.split(io.BytesIO(data), Header(), silent)
    return registry.readable(name).parse(raw, silent)


# -- BioC formats -------------------------------------------------------------------------------


@quick
@given(documents())
def test_bioc_xml_keeps_everything_that_xml_can_store(document: BioCDocument) -> None:
    before = plain(document)
    assert plain(there_and_back(document, biocxml.WRITER)) == before
    assert plain(document) == before


@quick
@given(documents(text=anything, values=anything | scalars | st.lists(scalars, max_size=2), extras=True))
@pytest.mark.parametrize("writer", [biocjson.WRITER, biocjson.LINES_WRITER], ids=["biocjson", "jsonl"])
def test_bioc_json_loses_nothing(writer: Any, document: BioCDocument) -> None:
    assert plain(there_and_back(document, writer)) == plain(document)


@quick
@given(documents(text=anything, values=anything | scalars, extras=True))
def test_losses_of_xml_are_reported_or_fail_the_article(document: BioCDocument) -> None:
    reports: list[str] = []
    expected = copy.deepcopy(document)
    nulls = drop_what_xml_cannot_hold(expected)
    if illegal_characters("".join(every_text(plain(expected)))):
        with pytest.raises(ArticleError, match=r"contains U\+"):
            biocxml.dumps(document, reports.append)
        return
    again = there_and_back(document, biocxml.WRITER, reports.append)
    assert plain(again) == plain(expected)
    assert bool(reports) == nulls


def drop_what_xml_cannot_hold(document: BioCDocument) -> bool:
    """The losses of BioC XML, done to a document; says whether there were any."""
    lost = False
    for holder in all_parts(document):
        if vars(holder).pop("extra", None):
            lost = True
        for key, value in list(getattr(holder, "infons", {}).items()):
            if not isinstance(value, str):
                lost = True
                if value is None:
                    del holder.infons[key]
                else:
                    holder.infons[key] = json.dumps(value, ensure_ascii=False)
    return lost


def every_text(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *every_text(list(value.values()))]
    return [text for item in value for text in every_text(item)] if isinstance(value, list) else [str(value)]


def all_parts(holder: Any) -> list[Any]:
    parts = [holder]
    for value in vars(holder).values():
        if isinstance(value, list):
            parts += [part for item in value if hasattr(item, "__dict__") for part in all_parts(item)]
    return parts


@quick
@given(st.lists(documents(), min_size=1, max_size=3), st.integers(1, 40))
@pytest.mark.parametrize(
    "writer", [biocxml.WRITER, biocjson.WRITER, biocjson.LINES_WRITER], ids=["biocxml", "biocjson", "jsonl"]
)
def test_a_collection_is_read_back_at_any_chunk_size(writer: Any, many: list[BioCDocument], size: int) -> None:
    header = Header("s", "d", "k", {"a": "b"})
    data = (
        writer.opening(header) + writer.separator.join(writer.dumps(d, silent) for d in many) + writer.closing(header)
    )
    found = Header()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safe_xml, "CHUNK", size)
        patch.setattr(json_documents, "CHUNK", size)
        again = [
            registry.readable(name).parse(raw, silent) for name, raw in detection.split(io.BytesIO(data), found, silent)
        ]
    assert plain(again) == plain(many)
    assert found == (Header() if writer is biocjson.LINES_WRITER else header)


@quick
@given(legal, legal, legal, st.dictionaries(legal, legal, max_size=3))
@pytest.mark.parametrize("writer", [biocxml.WRITER, biocjson.WRITER], ids=["biocxml", "biocjson"])
def test_a_header_is_read_back(writer: Any, source: str, date: str, key: str, infons: dict[str, str]) -> None:
    header, found = Header(source, date, key, infons), Header()
    list(detection.split(io.BytesIO(writer.opening(header) + writer.closing(header)), found, lambda sentence: None))
    assert found == header


# -- PubTator and tables ------------------------------------------------------------------------


@quick
@given(documents(text=legal))
def test_pubtator_keeps_texts_spans_types_and_identifiers(document: BioCDocument) -> None:
    """Up to docs/reference/pubtator.md: one piece a mention, blanks for breaks, passages one behind the other."""
    document.id = "PMC1"
    again = there_and_back(document, pubtator_writer.WRITER, lambda sentence: None)
    assert again.id == "PMC1"
    texts = [flat(p.text) for p in document.passages]
    if any(texts) and form(document) == "classical":
        texts = [text for text in texts if text.strip(" ")] or texts[:1]
    assert [p.text for p in again.passages] == (texts or [""])
    assert again.infons == {}
    assert sorted(mention_texts(again)) == sorted(mention_texts(document))
    assert plain(there_and_back(again, pubtator_writer.WRITER, lambda sentence: None)) == plain(again)


def flat(text: str) -> str:
    return re.sub("[\t\r\n]", " ", text)


def mention_texts(document: BioCDocument) -> list[str]:
    """The text from the first to the last piece of every mention that has a place."""
    found = []
    for holder in all_parts(document):
        if isinstance(holder, BioCAnnotation) and holder.locations:
            start = min(place.offset for place in holder.locations)
            end = max(place.offset + place.length for place in holder.locations)
            passage = next(p for p in document.passages if p.offset <= start and end <= p.offset + len(p.text))
            found.append(flat(passage.text[start - passage.offset : end - passage.offset]))
    return found


@quick
@given(documents(text=legal))
def test_a_table_read_by_csv_has_a_row_for_each_annotation(document: BioCDocument) -> None:
    data = (columns.WRITER.opening(Header()) + columns.dumps(document, lambda sentence: None)).decode()
    rows = list(csv.reader(io.StringIO(data, newline=""), delimiter="\t", strict=True))
    annotations = [part for part in all_parts(document) if isinstance(part, BioCAnnotation)]
    assert rows[0] == list(columns.names(columns.MENTIONS))
    assert all(len(row) == len(rows[0]) for row in rows)
    cells = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert sorted((row["document"], row["start"], row["end"], row["text"]) for row in cells) == sorted(
        (
            no_formula(document.id),
            str(min((place.offset for place in a.locations), default="")),
            str(max((place.offset + place.length for place in a.locations), default="")),
            no_formula(a.text),
        )
        for a in annotations
    )


# -- containers ---------------------------------------------------------------------------------


def as_tar(path: Path, data: bytes) -> str:
    with tarfile.open(path / "a.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("folder/file")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return str(path / "a.tar.gz")


def as_zip(path: Path, data: bytes) -> str:
    with zipfile.ZipFile(path / "a.zip", "w") as archive:
        archive.writestr("file", data)
    return str(path / "a.zip")


def as_file(name: str, pack: Callable[[bytes], bytes], given: str) -> Callable[[Path, bytes], str]:
    def written(path: Path, data: bytes) -> str:
        (path / name).write_bytes(pack(data))
        return str(path / given)

    return written


CONTAINERS = {
    "gz": as_file("a.gz", gzip.compress, "a.gz"),
    "tar.gz": as_tar,
    "zip": as_zip,
    "folder": as_file("wrong.nxml", bytes, ""),
    "glob": as_file("a.dat", bytes, "*.d?t"),
    "stdin": as_file("stdin", bytes, "stdin"),
}


@settings(quick, max_examples=12)
@given(st.lists(documents(), min_size=1, max_size=2))
@pytest.mark.parametrize(
    "writer", [biocxml.WRITER, biocjson.WRITER, biocjson.LINES_WRITER], ids=["biocxml", "biocjson", "jsonl"]
)
@pytest.mark.parametrize("container", CONTAINERS)
def test_documents_are_read_back_from_every_container(container: str, writer: Any, many: list[BioCDocument]) -> None:
    for number, document in enumerate(many):
        document.id = f"{number}"
    data = (
        writer.opening(Header())
        + writer.separator.join(writer.dumps(d, silent) for d in many)
        + writer.closing(Header())
    )
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        source = CONTAINERS[container](Path(folder), data)
        if container == "stdin":
            patch.setattr(sys, "stdin", io.TextIOWrapper(Path(source).open("rb")))
            source = "-"
        assert plain(list(corpora.read(source, report=silent))) == plain(many)


@quick
@given(
    st.binary(max_size=60)
    | st.sampled_from([b"<collection>", b"{", b"[", b"1|t|"]).flatmap(
        lambda start: st.binary(max_size=60).map(start.__add__)
    )
)
def test_random_bytes_raise_only_planned_errors(data: bytes) -> None:
    try:
        for name, raw in detection.split(io.BytesIO(data), Header(), lambda sentence: None):
            try:
                document = registry.readable(name).parse(raw, lambda sentence: None)
                check(document)
            except ArticleError:
                pass
    except corpora.InputError:
        pass
