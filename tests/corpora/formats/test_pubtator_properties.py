"""PubTator, written and read: properties of random articles, and the corpora that use the format."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import bioc
import pytest
from bioc import BioCDocument
from hypothesis import given, settings
from hypothesis import strategies as st
from pubtator_articles import (
    ABSTRACT,
    TITLE,
    article,
    mention,
    never,
    passage,
    raws,
    read,
    read_one,
    spans,
    write,
)

from corpora.errors import ArticleError, InputError
from corpora.formats import pubtator
from corpora.formats.pubtator_writer import form
from corpora.model.invariant import check

# -- properties ---------------------------------------------------------------------------------

CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("\u2028\u2029\x0b\x0c\x85\x1e\x00\r\n\t|αβγ\u0301\u20d7𝛼𝕏😀 \ufeff"),
)
TEXTS = st.text(CHARACTERS, max_size=30)
VALUES = st.text(CHARACTERS, max_size=8).map(str.rstrip)
KINDS = st.sampled_from([{}, TITLE, ABSTRACT, {"section_type": "METHODS"}, {"type": "paragraph"}])


@st.composite
def articles(draw: st.DrawFn) -> BioCDocument:
    document = article(id=draw(st.from_regex(r"\A[1-9][0-9]{0,3}\Z")))
    offset = 0
    for text, kind in draw(st.lists(st.tuples(TEXTS, KINDS), min_size=1, max_size=5)):
        holder = passage(text, offset, **kind)
        for _ in range(draw(st.integers(0, 3)) if text else 0):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            found = mention(offset + start, text[start:end], type="T" + draw(VALUES))
            if draw(st.booleans()):
                found.infons["identifier"] = "I" + draw(VALUES)
            holder.add_annotation(found)
        document.add_passage(holder)
        offset += len(text) + 1
    return document


def blanked(value: Any) -> Any:
    """A text after the documented change: blanks in place of tabs and line breaks."""
    return value.translate({9: " ", 10: " ", 13: " "}) if isinstance(value, str) else value


def expected_passages(document: BioCDocument) -> list[str]:
    kept = [blanked(part.text) for part in document.passages]
    # The other documented loss: an empty title before an abstract.
    return kept[1:] if form(document) == "classical" and len(kept) == 2 and not kept[0].strip(" ") else kept


@settings(max_examples=200, deadline=None)
@given(articles())
def test_bioc_to_pubtator_to_bioc_keeps_text_spans_and_identifiers(document: BioCDocument) -> None:
    text, reports = write(document)
    back = read_one(text)
    assert back.id == document.id
    assert [part.text for part in back.passages] == expected_passages(document)
    moved = any("another offset" in report for report in reports)
    shift = 1 if moved else 0  # a lone abstract stands after an empty title
    expected = [(s + shift, *map(blanked, rest)) for s, *rest in spans(document)]
    kept = [(*most, kind.rstrip(" "), i and i.rstrip(" ")) for *most, kind, i in spans(back)]
    assert kept == [(*most, kind.rstrip(" "), i and i.rstrip(" ")) for *most, kind, i in expected]
    assert check(back) == []


@settings(max_examples=200, deadline=None)
@given(articles())
def test_a_file_that_was_read_is_written_back_byte_by_byte(document: BioCDocument) -> None:
    once = read_one(write(document)[0])
    assert write(read_one(write(once)[0]))[0] == write(once)[0]


@settings(max_examples=200, deadline=None)
@given(st.lists(articles(), max_size=6, unique_by=lambda document: document.id))
def test_a_file_has_the_articles_that_were_written_into_it(documents: list[BioCDocument]) -> None:
    if not documents:
        return
    back = read(write(*documents)[0])
    assert [document.id for document in back] == [document.id for document in documents]
    assert [[p.text for p in d.passages] for d in back] == [expected_passages(d) for d in documents]


PIECES = st.sampled_from(
    [
        b"1",
        b"2",
        b"|t|",
        b"|a|",
        b"|x|",
        b"\t",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"zinc",
        b"0\t4\tzinc\tX\t-",
        b"\xff",
        b"-3",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_hostile_bytes_give_plain_errors_and_lose_no_line(raw: bytes) -> None:
    def lines(text: bytes) -> list[bytes]:
        return [line for line in text.split(b"\n") if line.strip()]

    try:
        parts = raws(raw)
    except InputError:
        return
    assert lines(b"".join(part + b"\n" for part in parts)) == lines(raw)
    for part in parts:
        try:
            check(pubtator.parse(part, never))
        except ArticleError:
            continue


# -- the corpora --------------------------------------------------------------------------------


def _elements(document: BioCDocument) -> list[Any]:
    return [
        (
            part.offset,
            part.text,
            part.infons,
            [(a.id, a.text, a.infons, [(p.offset, p.length) for p in a.locations]) for a in part.annotations],
        )
        for part in document.passages
    ]


@pytest.mark.realdata
def test_nlmchem_in_passages_equals_its_bioc_edition(shared_data: Path) -> None:
    raw = (shared_data / "nlmchem" / "nlmchem-open.passages.PubTator").read_bytes()
    documents = read(raw)
    assert len(documents) == 30
    for document in documents:
        [gold] = bioc.biocxml.load(str(shared_data / "nlmchem" / "bioc" / f"{document.id}.xml")).documents
        assert _elements(document) == _elements(gold)
        assert check(document) == []
    assert write(*documents) == (raw.decode(), [])


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("folder", "names", "articles", "chemicals"),
    [
        ("bc5cdr", ("BC5CDR_TrainDev", "BC5CDR_Test"), 1500, 15920),
        ("biored", ("BioRED_TrainDev", "BioRED_Test"), 600, 4429),
    ],
)
def test_abstract_corpora_round_trip_byte_by_byte(
    shared_data: Path, folder: str, names: tuple[str, ...], articles: int, chemicals: int
) -> None:
    documents: list[BioCDocument] = []
    for name in names:
        raw = gzip.decompress((shared_data / folder / f"{name}.PubTator.gz").read_bytes())
        found = read(raw)
        assert write(*found) == (raw.decode(), [])
        documents += found
    assert len(documents) == articles
    assert sum(span[3] == "Chemical" for document in documents for span in spans(document)) == chemicals
    assert [violation for document in documents for violation in check(document)] == []


@pytest.mark.realdata
def test_articles_of_any_order_read_the_same(shared_data: Path) -> None:
    raw = (shared_data / "nlmchem" / "nlmchem-open.passages.PubTator").read_bytes()
    parts = raws(raw)
    shuffled = random.Random(7).sample(parts, len(parts))
    assert sorted(raws(b"\n".join(shuffled))) == sorted(parts)
