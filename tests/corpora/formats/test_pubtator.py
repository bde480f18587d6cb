"""Reading PubTator: both forms, how they differ, what is tolerated, and what is an error."""

from __future__ import annotations

import io

import pytest
from pubtator_articles import (
    ABSTRACT,
    CLASSICAL,
    PASSAGES,
    TITLE,
    infons,
    never,
    raws,
    read,
    read_one,
    spans,
    texts,
    write,
)

from corpora.errors import ArticleError, InputError
from corpora.formats import pubtator
from corpora.formats.format import Header
from corpora.model.invariant import check

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


ROWS = "7|t|Zinc fell.\n7|a|\n7\t0\t4\tZinc\tChemical\tD1\n"


@pytest.mark.parametrize(
    "row",
    [
        "7\t\t\tZinc\tChemical\tD1",
        "7\t-\t-\tZinc\tChemical\tD1",
        "7\tNaN\tNaN\tZinc\tChemical\tD1",
        "7\t0.5\t4.5\tZinc\tChemical\tD1",
        "7\tNone\tNone\tZinc\tChemical",
        "7\tChemical\t0\t4\tZinc",
        "7\tT1\tChemical\tZinc",
        "7\tCID\tD1\t",
        "7\tT1\tChemical\tZinc\tD1",
        "7\t1.4e1\t2.6e1\tfell\tVerb\tD1",
        "7\tinf\tinf\tfell\tVerb\tD1",
        "7\t1,005\t1,009\tfell\tVerb\tD1",
        "7 5 9 fell Verb",
    ],
)
def test_a_row_that_is_neither_mention_nor_relation_is_refused_with_its_line(row: str) -> None:
    with pytest.raises(ArticleError, match=r"line 4 of document '7', .* is neither a text .* nor a mention .* nor a"):
        pubtator.parse((ROWS + row + "\n").encode(), print)


@pytest.mark.parametrize(
    ("row", "id"),
    [
        ("7\t5.0\t9.00\tfell\tVerb", "1"),
        ("7\tT9\tVerb\t5\t9\tfell", "T9"),
        ("7\tE12\tVerb\t5.0\t9.0\tfell", "E12"),
        ("7\tT9\t5\t9\tfell\tVerb", "T9"),
        ("7\t3\t5\t9\tfell\tVerb", "3"),
    ],
)
def test_other_layouts_of_mentions_are_read(row: str, id: str) -> None:
    document = pubtator.parse((ROWS + row + "\n").encode(), print)
    second = document.passages[0].annotations[1]
    assert (second.id, second.text, second.infons) == (id, "fell", {"type": "Verb"})
    assert (second.locations[0].offset, second.locations[0].length) == (5, 4)
    assert not document.relations


@pytest.mark.parametrize(
    "row", ["7\tCID\tD1\tD2", "7\tR1\tCID\tD1\tD2", "7\tAssociation\t3290\t7124\tNovel", "7\tBind\tChemical|1\tGene|2"]
)
def test_relations_stay_relations(row: str) -> None:
    document = pubtator.parse((ROWS + row + "\n").encode(), print)
    assert len(document.relations) == 1


def test_line_ends_of_two_kinds_are_refused() -> None:
    with pytest.raises(ArticleError, match=r"line 1 of document '7', .* contains line ends of another kind \(CR\)"):
        pubtator.parse(b"7|t|Zinc\r7|a|fell.\n", print)
