"""Writing PubTator: the form that is selected, what is changed, and what is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCLocation, BioCNode, BioCRelation, BioCSentence
from pubtator_articles import (
    ABSTRACT,
    CLASSICAL,
    PASSAGES,
    TITLE,
    article,
    mention,
    passage,
    read_one,
    spans,
    texts,
    write,
)

from corpora.errors import ArticleError
from corpora.formats.pubtator_writer import form
from corpora.formats.registry import writable
from corpora.model.invariant import check

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
    assert form(document) == expected


def test_an_empty_second_passage_needs_the_passages_form() -> None:
    document = article(passage("Title", 0), passage("", 6))
    assert form(document) == "passages"
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


def test_a_second_passage_of_line_breaks_is_kept() -> None:
    assert texts(read_one(write(article(passage("", 0), passage("\n", 1)))[0])) == [(0, ""), (1, " ")]


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


def test_a_mention_with_an_offset_that_no_reader_accepts_is_lost_with_a_sentence() -> None:
    far = 10**16
    sentences: list[str] = []
    document = article(passage("water and salt", 0, mention(0, "water"), mention(far, "salt")))
    text = writable("pubtator").dumps(document, sentences.append)
    assert str(far) not in text.decode()
    assert [sentence for sentence in sentences if "offset of more than 15 digits" in sentence]
