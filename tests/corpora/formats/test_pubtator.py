"""PubTator, read and written: both forms, how they differ, what is tolerated, and what is lost."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path
from typing import Any

import bioc
import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation, BioCSentence
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.errors import ArticleError, InputError
from corpora.formats import pubtator
from corpora.formats.header import Header
from corpora.model.invariant import check

TITLE = {"section_type": "TITLE", "type": "title"}
ABSTRACT = {"section_type": "ABSTRACT", "type": "abstract"}

CLASSICAL = (
    "9900011|t|Glutathione in yeast\n"
    "9900011|a|Yeast cells kept glutathione (GSH) low.\n"
    "9900011\t0\t11\tGlutathione\tChemical\tMESH:D005978\n"
    "9900011\t38\t49\tglutathione\tChemical\tMESH:D005978\n"
    "9900011\t51\t54\tGSH\tChemical\t-\n"
)

PASSAGES = (
    "9900012|t|Zinc and copper\n9900012|a|\n9900012\t0\t4\tZinc\tChemical\tMESH:D015032\n\n"
    "9900012|t|Results\n9900012|a|\n\n"
    "9900012|t|We saw copper.\n9900012|a|\n9900012\t7\t13\tcopper\tChemical\tMESH:D003300,MESH:D015032\n"
)


def never(sentence: str) -> None:
    pytest.fail(f"nothing to report was expected, but: {sentence}")


def raws(text: str | bytes) -> list[bytes]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(pubtator.split(io.BytesIO(raw), Header(), never))


def read(text: str | bytes) -> list[BioCDocument]:
    return [pubtator.parse(raw, never) for raw in raws(text)]


def read_one(text: str | bytes) -> BioCDocument:
    [document] = read(text)
    return document


def write(*documents: BioCDocument) -> tuple[str, list[str]]:
    """A whole file, and the reports."""
    reports: list[str] = []
    parts = [pubtator.dumps(document, reports.append) for document in documents]
    whole = pubtator.opening(Header()) + pubtator.SEPARATOR.join(parts) + pubtator.closing(Header())
    return whole.decode(), reports


def mention(start: int, text: str, /, id: str = "0", **infons: Any) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = id, text, infons
    annotation.add_location(BioCLocation(start, len(text)))
    return annotation


def passage(text: str, offset: int, *annotations: BioCAnnotation, **infons: Any) -> BioCPassage:
    made = BioCPassage()
    made.text, made.offset, made.infons, made.annotations = text, offset, infons, list(annotations)
    return made


def article(*passages: BioCPassage, id: str = "9900001") -> BioCDocument:
    document = BioCDocument()
    document.id, document.passages = id, list(passages)
    return document


def texts(document: BioCDocument) -> list[tuple[int, str]]:
    return [(part.offset, part.text) for part in document.passages]


def spans(document: BioCDocument) -> list[tuple[int, int, str, Any, Any]]:
    """Every mention: start, length, text, type and identifier, in document offsets."""
    return [
        (place.offset, place.length, annotation.text, infons.get("type"), infons.get("identifier"))
        for part in document.passages
        for annotation in part.annotations
        for place in annotation.locations
        for infons in [annotation.infons]
    ]


def infons(document: BioCDocument) -> list[dict[str, str]]:
    return [part.infons for part in document.passages]


# -- reading the classical form -----------------------------------------------------------------


def test_title_and_abstract_become_two_passages_one_character_apart() -> None:
    document = read_one(CLASSICAL)
    assert document.id == "9900011"
    assert texts(document) == [
        (0, "Glutathione in yeast"),
        (21, "Yeast cells kept glutathione (GSH) low."),
    ]
    assert infons(document) == [TITLE, ABSTRACT]


def test_a_mention_belongs_to_its_passage_and_has_document_offsets() -> None:
    document = read_one(CLASSICAL)
    assert [len(part.annotations) for part in document.passages] == [1, 2]
    assert spans(document)[1] == (38, 11, "glutathione", "Chemical", "MESH:D005978")
    assert [a.id for part in document.passages for a in part.annotations] == ["0", "1", "2"]
    assert check(document) == []


@pytest.mark.parametrize("value", ["D003404,D005473", "D003404;D005473", "D003404|D005473", "-", "-1", ""])
def test_identifiers_keep_the_spelling_of_the_file(value: str) -> None:
    document = read_one(f"1|t|zinc\n1|a|\n1\t0\t4\tzinc\tChemical\t{value}\n")
    assert document.passages[0].annotations[0].infons == {"type": "Chemical", "identifier": value}


def test_a_missing_identifier_or_type_gives_no_infon() -> None:
    document = read_one("1|t|zinc\n1|a|\n1\t0\t4\tzinc\tChemical\n1\t0\t4\tzinc\n1\t0\t4\tzinc\t\tD015032\n")
    assert [a.infons for a in document.passages[0].annotations] == [
        {"type": "Chemical"},
        {},
        {"identifier": "D015032"},
    ]


def test_a_seventh_column_is_kept() -> None:
    text = "1|t|D- and L-serine\n1|a|\n1\t0\t15\tD- and L-serine\tChemical\tD012694|C\tD-serine|L-serine\n"
    document = read_one(text)
    assert document.passages[0].annotations[0].infons["column7"] == "D-serine|L-serine"
    assert write(document)[0] == text + "\n"


def test_relations_are_kept() -> None:
    lines = "1\tCID\tD003404\tD005473\n1\tAssociation\t3175\t3630\tNovel\n"
    document = read_one(f"1|t|A\n1|a|B\n{lines}")
    assert [relation.infons for relation in document.relations] == [
        {"type": "CID", "entity1": "D003404", "entity2": "D005473"},
        {"type": "Association", "entity1": "3175", "entity2": "3630", "column5": "Novel"},
    ]
    assert [relation.id for relation in document.relations] == ["R0", "R1"]
    assert write(document) == (f"1|t|A\n1|a|B\n{lines}\n", [])


def test_other_tags_are_passages_in_order_of_appearance() -> None:
    document = read_one("1|t|Title\n1|a|Abstract\n1|m|Methods text\n1|fig_1|Caption\n1\t15\t22\tMethods\tX\t-\n")
    assert texts(document) == [(0, "Title"), (6, "Abstract"), (15, "Methods text"), (28, "Caption")]
    assert infons(document)[2:] == [{"type": "m"}, {"type": "fig_1"}]
    assert check(document) == []


def test_an_empty_title_or_abstract_is_not_a_passage_but_takes_one_character() -> None:
    assert texts(read_one("1|t|\n1|a|Text of it\n")) == [(1, "Text of it")]
    assert texts(read_one("1|t|Title\n1|a|\n")) == [(0, "Title")]
    assert texts(read_one("1|t|Title\n1|a|\n1|b|Body\n")) == [(0, "Title"), (7, "Body")]
    assert texts(read_one("1|t|\n1|a|\n")) == [(0, "")]


def test_a_missing_abstract_line_is_tolerated() -> None:
    assert texts(read_one("1|t|Only a title\n")) == [(0, "Only a title")]


def test_texts_may_contain_bars() -> None:
    document = read_one("1|t|The ratio |x|a|y| of zinc|copper\n1|a|a|b\n")
    assert texts(document) == [(0, "The ratio |x|a|y| of zinc|copper"), (33, "a|b")]


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c", "\x00", "\ufeff", "\r"])
def test_only_the_line_feed_ends_a_line(odd: str) -> None:
    document = read_one(f"1|t|Zinc{odd}and copper\n1|a|More{odd}zinc\n1\t21\t25\tzinc\tChemical\tD015032\n")
    assert texts(document) == [(0, f"Zinc{odd}and copper"), (16, f"More{odd}zinc")]
    assert check(document) == []


def test_windows_line_ends_byte_order_mark_and_blanks_are_tolerated() -> None:
    plain = read(CLASSICAL + "\n" + PASSAGES)
    windows = "\ufeff\n" + (CLASSICAL + " \n\n\n" + PASSAGES + "\n\n").replace("\n", "\r\n")
    windows = windows.replace("MESH:D005978\r", "MESH:D005978  \r")
    odd = read(windows)
    assert [texts(document) for document in odd] == [texts(document) for document in plain]
    assert [spans(document) for document in odd] == [spans(document) for document in plain]


def test_a_missing_last_line_end_is_tolerated() -> None:
    assert spans(read_one(CLASSICAL.rstrip("\n"))) == spans(read_one(CLASSICAL))


def test_articles_need_no_blank_line_between_them() -> None:
    second = CLASSICAL.replace("9900011", "9900013")
    assert [document.id for document in read(CLASSICAL + second)] == ["9900011", "9900013"]


def test_a_blank_line_inside_an_article_is_tolerated() -> None:
    lines = CLASSICAL.splitlines()
    spaced = f"{lines[0]}\n\n{lines[1]}\n\n" + "\n".join(lines[2:]) + "\n"
    assert spans(read_one(spaced)) == spans(read_one(CLASSICAL))


def test_a_mention_across_both_passages_is_kept_and_reported_by_the_check() -> None:
    document = read_one("1|t|Sodium\n1|a|chloride\n1\t0\t15\tSodium chloride\tChemical\tD012965\n")
    assert spans(document) == [(0, 15, "Sodium chloride", "Chemical", "D012965")]
    assert len(check(document)) == 1


def test_a_mention_outside_all_texts_or_with_another_text_is_kept_and_reported_by_the_check() -> None:
    document = read_one("1|t|Sodium\n1|a|chloride\n1\t90\t94\tzinc\tX\t-\n1\t0\t6\tsodium\tX\t-\n")
    assert spans(document) == [(0, 6, "sodium", "X", "-"), (90, 4, "zinc", "X", "-")]
    assert len(check(document)) == 2


# -- the passages form, and what tells it apart -------------------------------------------------


def test_blocks_of_one_id_with_empty_abstracts_are_one_document() -> None:
    document = read_one(PASSAGES)
    assert texts(document) == [(0, "Zinc and copper"), (16, "Results"), (24, "We saw copper.")]
    assert infons(document) == [{"type": "front"}, {"type": "paragraph"}, {"type": "paragraph"}]
    assert spans(document)[1] == (31, 6, "copper", "Chemical", "MESH:D003300,MESH:D015032")
    assert [a.id for part in document.passages for a in part.annotations] == ["0", "1"]
    assert check(document) == []


def test_an_empty_block_between_others_is_an_empty_passage() -> None:
    document = read_one("1|t|A\n1|a|\n\n1|t|\n1|a|\n\n1|t|B\n1|a|\n")
    assert texts(document) == [(0, "A"), (2, ""), (3, "B")]


def test_blocks_of_another_id_are_another_document() -> None:
    assert [len(d.passages) for d in read(PASSAGES + "\n" + PASSAGES.replace("9900012", "7"))] == [3, 3]


def test_the_passages_form_needs_no_blank_lines() -> None:
    assert texts(read_one(PASSAGES.replace("\n\n", "\n"))) == texts(read_one(PASSAGES))


def test_full_articles_that_repeat_an_id_stay_two_documents() -> None:
    documents = read(CLASSICAL + "\n" + CLASSICAL)
    assert [document.id for document in documents] == ["9900011", "9900011"]
    assert [spans(document) for document in documents] == [spans(read_one(CLASSICAL))] * 2


def test_a_full_article_beside_passage_blocks_of_its_id_is_another_document() -> None:
    blocks = PASSAGES.replace("9900012", "9900011")
    assert [len(d.passages) for d in read(CLASSICAL + "\n" + blocks)] == [2, 3]
    assert [len(d.passages) for d in read(blocks + "\n" + CLASSICAL)] == [3, 2]


def test_the_same_id_later_in_the_file_is_another_document() -> None:
    assert [d.id for d in read(f"{PASSAGES}\n{CLASSICAL}\n{PASSAGES}")] == ["9900012", "9900011", "9900012"]


# -- what cannot be read ------------------------------------------------------------------------


@pytest.mark.parametrize("junk", ["<?xml version='1.0'?>\n<collection/>\n", "{}\n", "\x1f\x8b\x08", "plain words\n"])
def test_a_file_of_another_kind_is_refused_at_once(junk: str) -> None:
    with pytest.raises(InputError, match="is not PubTator"):
        raws(junk)


def test_utf16_is_refused() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        raws(CLASSICAL.encode("utf-16"))


def test_an_empty_file_has_no_articles() -> None:
    assert raws("") == raws("\n \n\r\n") == []


def test_an_article_that_is_not_utf8_fails_alone_with_the_place() -> None:
    bad = "2|t|Title\n2|a|α-tocopherol\n".encode("iso8859-7")
    first, second, third = raws(CLASSICAL.encode() + b"\n" + bad + b"\n" + PASSAGES.encode())
    assert pubtator.parse(first, never).id == "9900011"
    assert pubtator.parse(third, never).id == "9900012"
    with pytest.raises(ArticleError, match=r"not UTF-8 at byte 14 \(line 2\).*'2\|t\|Title.*iconv"):
        pubtator.parse(second, never)


@pytest.mark.parametrize(
    "line",
    [
        "1\t0",
        "1\t0\t4\tzinc\tX".replace("4", "four"),
        "a line break in the abstract",
        "1\t0\t" + "9" * 5000 + "\tx",
    ],
)
def test_an_unknown_line_fails_the_article_and_is_quoted(line: str) -> None:
    [raw] = raws(f"1|t|zinc\n1|a|abstract\n{line}\n")
    with pytest.raises(ArticleError, match="is neither a text"):
        pubtator.parse(raw, never)


def test_mentions_without_a_text_fail_alone() -> None:
    first, orphan = raws(CLASSICAL + "77\t0\t4\tzinc\tChemical\t-\n")
    assert pubtator.parse(first, never).id == "9900011"
    with pytest.raises(ArticleError, match="'77' has mentions, but no text"):
        pubtator.parse(orphan, never)


def test_parse_requires_exactly_one_article() -> None:
    with pytest.raises(ArticleError, match="2 articles"):
        pubtator.parse((CLASSICAL + PASSAGES).encode(), never)
    with pytest.raises(ArticleError, match="0 articles"):
        pubtator.parse(b"\n\n", never)


class Broken(io.BytesIO):
    """A stream that fails at its end, as a truncated .gz does."""

    def readline(self, size: int | None = -1, /) -> bytes:
        if line := super().readline(size):
            return line
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")


def test_complete_articles_before_the_end_of_a_broken_stream_are_read() -> None:
    articles = pubtator.split(Broken((CLASSICAL + "\n" + PASSAGES).encode()), Header(), never)
    assert pubtator.parse(next(articles), never).id == "9900011"
    with pytest.raises(InputError, match=r"cannot be read any further.*'9900012'"):
        next(articles)


def test_an_article_that_is_too_large_ends_the_file_after_the_articles_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pubtator, "MAX_ARTICLE", 1000)
    for huge in (f"5|t|{'x' * 2000}\n", "5|t|x\n" + "5\t0\t1\tx\tX\t-\n" * 200, "5|t|x\n5|a|\n\n" * 100):
        articles = pubtator.split(io.BytesIO((CLASSICAL + "\n" + huge).encode()), Header(), never)
        assert pubtator.parse(next(articles), never).id == "9900011"
        with pytest.raises(InputError, match="larger than"):
            next(articles)


class Endless(io.RawIOBase):
    """A file of a million articles that counts the bytes that were read; it cannot seek."""

    def __init__(self) -> None:
        self.lines = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        self.lines += 1
        number, odd = divmod(self.lines - 1, 2)
        return b"\n" if odd else b"%d|t|Title\n" % number


def test_articles_are_read_one_at_a_time() -> None:
    stream = Endless()
    articles = pubtator.split(stream, Header(), never)  # type: ignore[arg-type]
    for _ in range(10):
        next(articles)
    assert stream.lines < 30


# -- which form is written ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], "classical"),
        ([{}], "classical"),
        ([{"section_type": "METHODS"}], "classical"),
        ([TITLE, ABSTRACT], "classical"),
        (
            [{"section_type": "TITLE", "type": "front"}, {"section_type": "ABSTRACT", "type": "abstract"}],
            "classical",
        ),
        ([{"type": "title"}, {"type": "abstract"}], "classical"),
        ([{}, {}], "classical"),
        ([{"type": "front"}, {"type": "paragraph"}], "passages"),
        ([{"section_type": "INTRO"}, {"section_type": "METHODS"}], "passages"),
        ([ABSTRACT, ABSTRACT], "passages"),
        ([TITLE, ABSTRACT, ABSTRACT], "passages"),
    ],
)
def test_the_passages_decide_the_form(kinds: list[dict[str, str]], expected: str) -> None:
    document = article(*(passage("Text", 5 * i, **kind) for i, kind in enumerate(kinds)))
    assert pubtator.form(document) == expected


def test_an_empty_second_passage_needs_the_passages_form() -> None:
    document = article(passage("Title", 0), passage("", 6))
    assert pubtator.form(document) == "passages"
    assert texts(read_one(write(document)[0])) == texts(document)


# -- writing ------------------------------------------------------------------------------------


def test_both_forms_are_written_back_byte_by_byte() -> None:
    assert write(read_one(CLASSICAL)) == (CLASSICAL + "\n", [])
    assert write(read_one(PASSAGES)) == (PASSAGES + "\n", [])


def test_a_blank_line_follows_each_article() -> None:
    text, _ = write(read_one(CLASSICAL), read_one(PASSAGES))
    assert text == f"{CLASSICAL}\n{PASSAGES}\n"


def test_a_relation_is_written_in_the_block_of_its_passage() -> None:
    text = PASSAGES.replace("\n\n9900012|t|Results", "\n9900012\tBind\tMESH:D1\tMESH:D2\n\n9900012|t|Results")
    assert write(read_one(text)) == (text + "\n", [])


def test_a_lone_abstract_is_written_as_an_abstract() -> None:
    document = article(passage("zinc", 1, mention(1, "zinc", type="Chemical"), **ABSTRACT))
    assert write(document) == ("9900001|t|\n9900001|a|zinc\n9900001\t1\t5\tzinc\tChemical\n\n", [])


def test_a_lone_abstract_of_blanks_keeps_its_blanks() -> None:
    assert texts(read_one(write(article(passage("  ", 0, **ABSTRACT)))[0])) == [(0, "  ")]


def test_other_offsets_are_changed_and_reported() -> None:
    document = article(
        passage("Zinc", 0, **TITLE),
        passage("is zinc", 100, mention(103, "zinc", type="Chemical"), **ABSTRACT),
    )
    text, reports = write(document)
    assert "9900001\t8\t12\tzinc\tChemical\n" in text
    assert reports == ["changed to fit into PubTator: passages that begin at another offset when read back (1)"]


def test_sentences_are_lost_but_their_text_and_mentions_are_not() -> None:
    sentence = BioCSentence()
    sentence.text, sentence.offset = "Zinc binds.", 0
    sentence.add_annotation(mention(0, "Zinc", type="Chemical", identifier="-"))
    holder = passage("", 0, **TITLE)
    holder.add_sentence(sentence)
    text, reports = write(article(holder))
    assert text == "9900001|t|Zinc binds.\n9900001|a|\n9900001\t0\t4\tZinc\tChemical\t-\n\n"
    assert reports == ["left out, because PubTator cannot store it: sentences (1)"]


def test_each_kind_of_loss_is_reported_with_its_number() -> None:
    term = BioCAnnotation()
    term.id, term.infons = "MIC1", {"type": "MeSH_Indexing_Chemical", "identifier": "MESH:D015032"}
    joint = BioCRelation()
    joint.id, joint.infons, joint.nodes = "R", {"type": "ABBR"}, [BioCNode("0", "ShortForm")]
    found = mention(0, "Zinc", type="Chemical", identifier="MESH:D015032", sieve="exact", score="1.0000")
    holder = passage("Zinc", 0, found, term, section_type="TITLE", type="front", journal="J")
    holder.add_relation(joint)
    document = article(holder)
    document.infons = {"article-id_pmc": "9900001"}
    text, [report] = write(document)
    assert text == "9900001|t|Zinc\n9900001|a|\n9900001\t0\t4\tZinc\tChemical\tMESH:D015032\n\n"
    assert report == (
        "left out, because PubTator cannot store it: annotations without location (1), infons of mentions (2), "
        "infons of passages (2), infons of the document (1), relations (1)"
    )


def test_a_mention_in_pieces_is_written_as_one_from_the_first_to_the_last() -> None:
    pieces = BioCAnnotation()
    pieces.id, pieces.text, pieces.infons = "0", "docosahexaenoic acids", {"type": "Chemical"}
    pieces.locations = [BioCLocation(0, 15), BioCLocation(35, 5)]
    document = article(passage("docosahexaenoic and eicosapentaeno acids", 0, pieces, **TITLE))
    text, [report] = write(document)
    assert "9900001\t0\t40\tdocosahexaenoic and eicosapentaeno acids\tChemical\n" in text
    assert "mentions in several pieces (written as one, from the first to the last) (1)" in report
    assert check(read_one(text)) == []


def test_tabs_and_line_breaks_become_blanks_and_offsets_hold() -> None:
    document = article(
        passage("Zinc\r\nand\tcopper", 0, mention(0, "Zinc\r\nand", type="A\tB"), mention(10, "copper"), **TITLE)
    )
    text, [report] = write(document)
    assert text == (
        "9900001|t|Zinc  and copper\n9900001|a|\n9900001\t0\t9\tZinc  and\tA B\n9900001\t10\t16\tcopper\t\n\n"
    )
    assert report == "changed to fit into PubTator: line breaks and tabs (written as blanks) (6)"
    assert check(read_one(text)) == []


def test_a_mention_outside_its_passage_is_written_with_the_passage_that_contains_it() -> None:
    stray = mention(5, "zinc", type="Chemical")
    document = article(passage("Iron", 0, stray), passage("zinc", 5), passage("gold", 10))
    document.annotations.append(mention(10, "gold", type="Chemical"))
    text, _ = write(document)
    assert spans(read_one(text)) == [(5, 4, "zinc", "Chemical", None), (10, 4, "gold", "Chemical", None)]


def test_a_mention_before_its_text_is_left_out_and_reported() -> None:
    document = article(passage("Iron", 7, mention(0, "gold", type="Chemical"), **TITLE))
    text, reports = write(document)
    assert "gold" not in text
    assert "mentions that begin before their text (1)" in reports[0]


def test_a_document_without_passages_is_written_as_an_empty_title() -> None:
    text, [report] = write(article())
    assert text == "9900001|t|\n9900001|a|\n\n"
    assert "documents without passages (written as an empty title) (1)" in report


def test_an_infon_that_is_not_text_is_written_as_json() -> None:
    document = article(passage("Zinc", 0, mention(0, "Zinc", type="Chemical", identifier=["D1"]), **TITLE))
    assert '\tChemical\t["D1"]\n' in write(document)[0]


@pytest.mark.parametrize("id", ["", " ", "a|b", "a\tb", "a\nb", "\ufeff1"])
def test_an_id_that_would_break_the_file_fails_the_article(id: str) -> None:
    with pytest.raises(ArticleError, match="cannot store the document id"):
        write(article(passage("Zinc", 0), id=id))


def test_a_lone_surrogate_fails_the_article() -> None:
    with pytest.raises(ArticleError, match=r"surrogate \(U\+D835\) follows .*Zinc"):
        write(article(passage("Zinc\ud835", 0)))


def test_a_relation_with_a_number_as_type_is_left_out() -> None:
    relation = BioCRelation()
    relation.infons = {"type": "12", "entity1": "13", "entity2": "14"}
    document = article(passage("Zinc", 0, **TITLE))
    document.add_relation(relation)
    text, reports = write(document)
    assert reports == ["left out, because PubTator cannot store it: relations (1)"]
    assert spans(read_one(text)) == []


def test_the_example_is_written_back_byte_by_byte() -> None:
    path = Path(__file__).parents[3] / "examples" / "well-water.pubtator"
    document = read_one(path.read_bytes())
    assert (document.id, len(document.passages)) == ("99900005", 21)
    assert write(document) == (path.read_text(encoding="utf-8"), [])


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
    return kept[1:] if pubtator.form(document) == "classical" and len(kept) == 2 and not kept[0].strip(" ") else kept


@settings(max_examples=400, deadline=None)
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


@settings(max_examples=400, deadline=None)
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
