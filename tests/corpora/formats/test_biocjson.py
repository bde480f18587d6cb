"""BioC JSON and JSON lines: the reader is tolerant, the writer is strict, and nothing that JSON can store is lost."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from bioc import BioCDocument
from bioc import biocjson as peer

from corpora.errors import ArticleError
from corpora.formats import biocjson, biocxml
from corpora.formats.format import Header


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def article(**changes: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "infons": {"license": None},
        "passages": [
            {
                "offset": 0,
                "infons": {"type": "title"},
                "text": "zinc",
                "sentences": [
                    {"offset": 0, "infons": {}, "text": "zinc", "annotations": [], "relations": []},
                ],
                "annotations": [
                    {
                        "id": "a",
                        "infons": {"type": "Chemical", "score": 0.5},
                        "text": "z nc",
                        "locations": [{"offset": 0, "length": 1}, {"offset": 2, "length": 2}],
                    }
                ],
                "relations": [{"id": "r", "infons": {}, "nodes": [{"refid": "a", "role": "x"}]}],
            }
        ],
        "annotations": [],
        "relations": [],
        **changes,
    }


def parse(value: Any) -> BioCDocument:
    return biocjson.parse(json.dumps(value).encode(), silent)


def dumped(document: BioCDocument) -> Any:
    raw = biocjson.dumps(document, silent)
    assert b"\n" not in raw
    return json.loads(raw)


def split(data: bytes, header: Header | None = None, reports: list[str] | None = None) -> list[BioCDocument]:
    report = silent if reports is None else reports.append
    header = header or Header()
    return [biocjson.parse(raw, report) for raw in biocjson.split(io.BytesIO(data), header, report)]


# -- there and back -----------------------------------------------------------------------------


def test_a_document_is_read_back_unchanged() -> None:
    assert dumped(parse(article())) == article()


def test_keys_that_bioc_does_not_define_are_kept_at_every_level() -> None:
    value = article(pmid=5, _id="x", accessions=["a"])
    passage = value["passages"][0]
    passage["extra"] = {"deep": [1, None]}
    passage["sentences"][0]["n"] = 1.5
    passage["annotations"][0]["valid"] = True
    passage["annotations"][0]["locations"][0]["unit"] = "character"
    passage["relations"][0]["score"] = 0.1
    passage["relations"][0]["nodes"][0]["weight"] = 2
    assert dumped(parse(value)) == value


def test_a_header_is_read_before_and_after_the_documents() -> None:
    before = {"source": "S", "version": "1.0", "bioctype": "BioCCollection", "infons": {"a": [1]}}
    behind = {"date": "D", "key": "K", "more": {"b": None}}
    header = Header()
    found = split(json.dumps({**before, "documents": [article()], **behind}).encode(), header)
    written = biocjson.opening(header) + biocjson.dumps(found[0], silent) + biocjson.closing(header)
    assert json.loads(written) == {**before, **behind, "documents": [article()]}


@pytest.mark.parametrize(
    "header",
    [{"source": 5}, {"infons": ["a"]}, {"infons": None, "date": None}, {"documents": []}, {"PubTator3": None}],
    ids=str,
)
def test_an_error_in_the_header_loses_no_article(header: dict[str, Any]) -> None:
    found = Header()
    assert len(split(json.dumps({"documents": [article()], **header}).encode(), found, [])) in (0, 1)
    json.loads(biocjson.opening(found) + biocjson.closing(found))
    biocxml.opening(found)


def test_a_header_with_a_number_that_json_cannot_store_loses_no_article() -> None:
    opening = biocjson.opening(Header(infons={"n": math.nan, "o": object()}))
    assert json.loads(opening + b"]}")["infons"]["n"] == "NaN"


def test_the_first_of_several_headers_is_kept_and_reported() -> None:
    reports: list[str] = []
    header = Header()
    parts = [json.dumps({"source": source, "documents": [article()]}).encode() for source in ("A", "A", "B")]
    assert len(split(b"\n".join(parts), header, reports)) == 3
    assert header.source == "A"
    assert len(reports) == 1
    assert "several collections" in reports[0]


def test_a_lone_surrogate_is_kept_by_json_and_fails_the_article_in_xml() -> None:
    value = article()
    value["passages"][0]["text"] = "a\ud800b"
    document = parse(value)
    assert dumped(document) == value
    with pytest.raises(ArticleError, match=r"document '1' contains U\+D800"):
        biocxml.dumps(document, lambda sentence: None)


def test_what_is_written_is_read_by_the_bioc_package() -> None:
    header = Header("S", "D", "K", {"a": "b"})
    data = biocjson.opening(header) + biocjson.dumps(parse(article()), silent) + biocjson.closing(header)
    theirs = peer.loads(data.decode())
    assert (theirs.source, theirs.infons) == ("S", {"a": "b"})
    assert theirs.documents[0].passages[0].relations[0].nodes[0].refid == "a"


def test_what_the_bioc_package_writes_is_read() -> None:
    document = parse(article())
    stream = io.StringIO()
    writer = peer.encoder.BioCJsonIterWriter(stream)
    writer.write(document)
    writer.write(document)
    (first, second) = split(stream.getvalue().encode())
    assert first.passages[0].annotations[0].text == second.passages[0].annotations[0].text == "z nc"
    reports: list[str] = []
    biocxml.dumps(first, reports.append)
    # The package writes "bioctype" into every object, which is not reported as a loss.
    assert not any("does not name" in sentence for sentence in reports)


def test_json_lines_have_one_document_a_line_and_no_header() -> None:
    writer, stream = biocjson.LINES_WRITER, io.BytesIO()
    writer.write((writer.dumps(parse(article(id=str(n))), silent) for n in range(3)), Header("S"), stream)
    data = stream.getvalue()
    assert [json.loads(line)["id"] for line in data.splitlines()] == ["0", "1", "2"]
    assert [document.id for document in split(data)] == ["0", "1", "2"]


# -- tolerance ----------------------------------------------------------------------------------


def test_missing_lists_and_nulls_count_as_empty() -> None:
    nulls = dict.fromkeys(("infons", "sentences", "annotations", "relations", "text"))
    for extras in ({}, nulls):
        document = parse({"passages": [{"offset": 0, **extras}]})
        passage = document.passages[0]
        assert (document.id, document.infons, passage.text, passage.infons) == ("", {}, "", {})
        assert passage.sentences == passage.annotations == passage.relations == []


def test_null_infons_are_kept() -> None:
    assert parse(article(infons={"a": None})).infons == {"a": None}


def test_numbers_are_accepted_as_ids_and_text_as_offsets() -> None:
    document = parse(article(id=7, passages=[{"offset": "5", "text": "x"}, {"offset": 6.0, "text": "y"}]))
    assert document.id == "7"
    assert [passage.offset for passage in document.passages] == [5, 6]


def test_control_characters_in_strings_are_read() -> None:
    raw = b'{"id": "1", "passages": [{"offset": 0, "text": "a\tb\x0bc\nd"}]}'
    assert biocjson.parse(raw, silent).passages[0].text == "a\tb\x0bc\nd"


@pytest.mark.parametrize("data", [b'{"documents": []}', b"[]", b'{"documents": [], "source": "x"}'])
def test_a_collection_without_documents_is_reported(data: bytes) -> None:
    reports: list[str] = []
    assert split(data, None, reports) == []
    assert reports == ["the collection contains no document"]


# -- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [None, True, 1.5, "x", "", [], {}, math.nan, math.inf, "1_0 0", "1e3"])
def test_an_offset_that_is_not_a_whole_number_fails_with_its_place(offset: Any) -> None:
    with pytest.raises(ArticleError, match=r"document '1': the offset of a passage is .* not a whole number"):
        parse(article(passages=[{"offset": offset, "text": ""}]))


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        ("text", "document '1': a passage is 'text', not a JSON object"),
        (None, "a passage is None"),
        ({"offset": 0, "text": 5}, "document '1', passage at offset 0: its text is 5, not a string"),
        ({"offset": 0, "text": ["a"]}, "its text is"),
        ({"offset": 0, "infons": []}, "passage at offset 0: its infons are not a JSON object"),
        ({"offset": 0, "annotations": {}}, "its annotations are not a JSON list"),
        ({"offset": 0, "annotations": [None]}, "passage at offset 0: a annotation is None"),
        ({"offset": 0, "annotations": [{"id": "x", "locations": [5]}]}, "annotation 'x': a location is 5"),
        ({"offset": 0, "annotations": [{"id": "x", "locations": [{}]}]}, "annotation 'x': the offset of a location"),
        ({"offset": 0, "annotations": [{"id": ["x"]}]}, "one of its elements has the id"),
        ({"offset": 0, "relations": [{"id": "x", "nodes": ["a"]}]}, "relation 'x': a node is 'a'"),
        ({"offset": 0, "sentences": [{}]}, "passage at offset 0: the offset of a sentence is None"),
    ],
)
def test_an_error_message_contains_the_place(passage: Any, message: str) -> None:
    with pytest.raises(ArticleError) as caught:
        parse(article(passages=[passage]))
    assert message in str(caught.value)
    assert "document '1'" in str(caught.value)


@pytest.mark.parametrize("value", [{}, {"id": "1"}, {"passages": {}}, [], "x", 5, None])
def test_other_json_than_a_document_is_refused(value: Any) -> None:
    with pytest.raises(ArticleError, match="not a BioC document"):
        parse(value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"id": "7", "passages": [}', "document '7': its JSON is broken"),
        (b'{"id": "7", "a": "caf\xe9"}', "document '7': its byte 21, 0xE9, is not UTF-8"),
        (b'{"id": "7", "passages": [], "a": ' + b"9" * 5000 + b"}", "document '7': its JSON is broken"),
        (b'{"id": "7", "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "document '7': its JSON is nested too deeply"),
        (b'{"passages": [}', "a document without id: its JSON is broken"),
        (b"", "a document without id"),
    ],
)
def test_broken_json_fails_one_article(raw: bytes, message: str) -> None:
    with pytest.raises(ArticleError) as caught:
        biocjson.parse(raw, silent)
    assert message in str(caught.value)


def loop() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("front", "name"),
    [
        ('"infons": {"id": "other", "note": "{[\\""}, "id": "7"', "document '7'"),
        ('"passages": [{"annotations": [{"id": "T1"}]}], "id": 7', "document '7'"),
        ('"infons": {"id": "other"}, "key": "id"', "a document without id"),
        ('"infons": {"id": "other"}, "text": "unfinished', "a document without id"),
    ],
)
def test_broken_json_is_named_by_the_id_of_the_document_itself(front: str, name: str) -> None:
    with pytest.raises(ArticleError, match=f"^{name}: its JSON is broken"):
        biocjson.parse(f"{{{front}, oops".encode(), silent)


def test_the_name_of_a_broken_document_is_found_in_linear_time() -> None:
    with pytest.raises(ArticleError, match="a document without id"):
        biocjson.parse(b'{"a": "' + b'\\"' * 400_000, silent)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, {1, 2}, b"x", object(), loop()], ids=lambda value: type(value).__name__
)
def test_values_that_json_cannot_store_fail_the_article(value: Any) -> None:
    document = parse(article())
    document.passages[0].infons["score"] = value
    with pytest.raises(ArticleError, match="document '1' contains a value that JSON cannot"):
        biocjson.dumps(document, silent)


def test_nan_is_read_and_becomes_text_in_xml() -> None:
    document = biocjson.parse(b'{"id": "1", "passages": [], "infons": {"a": NaN}}', silent)
    assert math.isnan(document.infons["a"])
    assert b'<infon key="a">NaN</infon>' in biocxml.dumps(document, lambda sentence: None)


@pytest.mark.parametrize("value", ["12\x1f", "1_2", "１２", "\n12"])
def test_only_ascii_digits_are_a_number(value: str) -> None:
    with pytest.raises(ArticleError, match="offset of a passage"):
        biocjson.parse(json.dumps({"id": "7", "passages": [{"offset": value, "text": "x"}]}).encode(), lambda s: None)
