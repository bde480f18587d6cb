"""JSON of any size is read in chunks; the result does not depend on the size of chunks."""

from __future__ import annotations

import io
import json

import pytest

from corpora.errors import InputError
from corpora.parsing import json_documents
from corpora.parsing.json_documents import JsonStream

DOCUMENTS = [
    {"id": "1", "passages": [{"offset": 0, "text": 'a "b" \\ / é 𝛼 \u2028 \x7f', "infons": {}}]},
    {"id": "2", "passages": [], "score": -1.25e-3, "n": 1234567890, "big": 10**30, "flags": [True, False, None]},
    {"id": "3", "passages": [{"offset": 1e2, "text": "\U0001f600 \ud800 }{][ \n"}], "empty": {}, "list": []},
]


def walk(data: bytes) -> tuple[list[str], list[tuple[str, object]]]:
    items = list(JsonStream(io.BytesIO(data)).documents())
    return [text for text, _ in items if text is not None], [other for _, other in items if other is not None]


def until_fault(data: bytes) -> tuple[list[str], str]:
    """The texts of the documents before the fault, and the fault."""
    found: list[str] = []
    try:
        for text, _ in JsonStream(io.BytesIO(data)).documents():
            found += [text] if text is not None else []
    except InputError as error:
        return found, str(error)
    return found, ""


def dumped(value: object, ascii: bool = True, **options: object) -> bytes:
    return json.dumps(value, ensure_ascii=ascii, **options).encode("utf-8", "surrogatepass")  # type: ignore[arg-type]


@pytest.fixture(params=[1, 2, 3, 5, 16, 1 << 20])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "CHUNK", request.param)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("options", [{}, {"indent": 1}, {"separators": (",", ":")}, {"ascii": False}])
def test_a_collection_yields_its_documents_and_its_own_keys(options: dict[str, object]) -> None:
    header_before = {"source": "PMC", "version": 1.5, "n": -12e3}
    header_behind = {"key": "k", "infons": {"a": None}, "year": 2024}
    texts, others = walk(dumped({**header_before, "documents": DOCUMENTS, **header_behind}, **options))
    assert [json.loads(text.encode("utf-8", "surrogateescape")) for text in texts] == DOCUMENTS
    assert dict(others) == {**header_before, **header_behind}


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "data",
    [
        dumped(DOCUMENTS),
        dumped([{"documents": DOCUMENTS}]),
        dumped({"PubTator3": DOCUMENTS}),
        b"\n".join(dumped(document) for document in DOCUMENTS),
        b"\r\n".join(dumped(document) for document in DOCUMENTS) + b"\r\n",
        b"\n\n".join(dumped(document) for document in DOCUMENTS) + b"\n\n\n",
        b"\n".join(dumped(document, indent=2) for document in DOCUMENTS),
        b" ".join(dumped(document) for document in DOCUMENTS),
        b"\xef\xbb\xbf \n\t" + dumped({"documents": DOCUMENTS}),
        dumped({"documents": DOCUMENTS[:1]}) + b"\n" + dumped({"documents": DOCUMENTS[1:]}),
    ],
    ids=["list", "list of one collection", "PubTator3", "lines", "lines CRLF", "blank lines", "indented", "on one line",
         "byte order mark", "two collections"],
)  # fmt: skip
def test_documents_are_found_in_all_wrappers(data: bytes) -> None:
    texts, others = walk(data)
    assert [json.loads(text) for text in texts] == DOCUMENTS
    assert others == []


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("number", ["1.5", "1e5", "1E+5", "-0.25", "12345678901234567890", "1.5e-7", "0"])
def test_a_number_at_the_end_of_a_chunk_continues_in_the_next(number: str) -> None:
    _, others = walk(b'{"documents":[],"a":' + number.encode() + b"}")
    assert others == [("a", json.loads(number))]


def test_documents_may_have_numbers_of_any_length() -> None:
    data = b'[{"n": %s}, {"m": 1}]' % (b"9" * 5000)
    assert len(walk(data)[0]) == 2


def test_bytes_that_are_not_utf_8_are_kept_for_their_document() -> None:
    texts, _ = walk(b'[{"id": "caf\xe9"}, {"id": "2"}]')
    assert [text.encode("utf-8", "surrogateescape") for text in texts] == [b'{"id": "caf\xe9"}', b'{"id": "2"}']


# -- where it breaks off ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_cut_off_collection_yields_the_documents_before_the_cut(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "CHUNK", size)
    head, parts = b'{"source": "x\\u00e9", "documents": [', [dumped(d, ascii=False) for d in DOCUMENTS]
    whole = head + b", ".join(parts) + b'], "key": 1.5}'
    ends = [len(head) + sum(map(len, parts[:n])) + 2 * (n - 1) for n in (1, 2, 3)]
    for cut in range(1, len(whole)):
        found, fault = until_fault(whole[:cut])
        assert "ends too early" in fault or "is broken" in fault, cut
        assert len(found) == sum(end <= cut for end in ends), cut


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_cut_off_json_lines_have_at_most_one_fault(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "CHUNK", size)
    lines = [dumped(document) for document in DOCUMENTS]
    whole = b"\n".join(lines)
    ends = [len(b"\n".join(lines[:n])) for n in (1, 2, 3)]
    for cut in range(1, len(whole) + 1):
        found, fault = until_fault(whole[:cut])
        complete = sum(end <= cut for end in ends)
        assert [json.loads(text) for text in found] == DOCUMENTS[:complete]
        assert bool(fault) == (cut not in ends and whole[cut - 1 : cut] != b"\n"), cut


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "broken",
    [
        b'{"id": "2", "passages": [}',
        b'{"id": "2", "passages": [',
        b'{"id": "2" "passages": []}',
        b'{"id": "2", "passages": [{"text": "unfinished]}',
        b"{id: 2}",
        b"{",
        b'{"id": ' + b"[" * 100_000,
        b"log: done",
    ],
)
def test_only_the_broken_line_is_lost(broken: bytes) -> None:
    texts, _ = walk(b'{"id": "1"}\n' + broken + b'\n{"id": "3"}\n')
    assert texts == ['{"id": "1"}', broken.decode(), '{"id": "3"}']


@pytest.mark.parametrize("last", [b'{"id": "2", "passages": [}', b'{"id": "2"'])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_broken_last_line_is_one_fault(last: bytes, end: bytes) -> None:
    stream = JsonStream(io.BytesIO(b'{"id": "1"}\n' + last + end)).documents()
    assert next(stream)[0] == '{"id": "1"}'
    try:
        rest = [text for text, _ in stream]
    except InputError:
        return
    assert rest == [last.decode()]


def test_a_broken_document_of_many_lines_is_one_fault() -> None:
    whole = dumped({"id": "1", "passages": [{"text": "a", "offset": 0}]}, indent=1)
    for cut in range(1, len(whole)):
        found, fault = until_fault(whole[:cut])
        # After the first bracket, the cut document can also be one broken line.
        assert bool(fault) + len(found) == 1, cut


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"documents":' * 50_000,
        b'[{"documents":' * 50_000,
        b'{"a":' * 100_000,
        b'[{"a":' + b"[" * 100_000,
    ],
)
def test_deep_nesting_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"nested too deeply|is broken|too early"):
        walk(data)


@pytest.mark.parametrize(
    "data", [b"[1]", b"[null]", b'{"documents": ["a"]}', b'["a", {}]', b"[{} {}]", b'{"documents": [{}]]']
)
def test_a_value_that_is_not_a_document_is_reported_with_its_line(data: bytes) -> None:
    with pytest.raises(InputError, match="line 2"):
        walk(b"\n" + data)


def test_the_line_number_is_correct_in_a_long_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_documents, "CHUNK", 8)
    data = b'{"documents": [\n' + b'{"id": "1"},\n' * 50 + b"oops]}"
    with pytest.raises(InputError, match="line 52 "):
        walk(data)
