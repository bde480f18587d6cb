"""brat standoff: two files for an article, offsets in code points of the text file, and what is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation
from hypothesis import given
from hypothesis import strategies as st

import corpora
from corpora.datasets.articles import article
from corpora.errors import ArticleError, InputError
from corpora.formats import brat, detection
from corpora.model.document import (
    Definition,
    Evidence,
    IndexTerm,
    add_definition,
    add_index_term,
    add_mention,
    definitions,
    fresh_ids,
    mentions,
    set_identifiers,
)
from corpora.model.invariant import check, settle
from corpora.storage import standoff


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def ignore(sentence: str) -> None:
    pass


def parsed(text: str, annotations: str, report: corpora.reporting.Report = silent) -> BioCDocument:
    return brat.parse(standoff.joined("a", text.encode(), annotations.encode()), report)


def written(document: BioCDocument, report: corpora.reporting.Report = ignore) -> tuple[str, str]:
    _, contents = brat.files(brat.dumps(document, report))
    return contents[".txt"].decode(), contents[".ann"].decode()


def marked() -> BioCDocument:
    """A title and a paragraph with a linked mention, one in two pieces, and a definition."""
    document = article(
        "77", [("Ζinc and lead", None, "front"), ("Lead acetate (LA) and 𝛽-lead fell", None, "paragraph")]
    )
    title, paragraph = document.passages
    zinc = add_mention(title, [(0, 4)], id="1", annotator="x", score=0.5)
    set_identifiers(zinc, ["MESH:D015032", "MESH:D007501"], Evidence("exact", 1.0, "Zinc, elemental"))
    add_mention(paragraph, [(14, 18), (39, 43)], id="2", annotator=None)
    last = add_mention(paragraph, [(36, 43)], id="3", annotator=None)
    set_identifiers(last, ["MESH:D007854"])
    add_definition(paragraph, Definition("LA", "Lead acetate", (28, 30), (14, 26)), fresh_ids(document, "A"))
    return document


def test_mentions_concepts_and_relations_are_lines() -> None:
    text, annotations = written(marked())
    assert text == "Ζinc and lead\nLead acetate (LA) and 𝛽-lead fell\n"
    assert annotations.split("\n") == [
        "T1\tChemical 0 4\tΖinc",
        "T2\tChemical 14 18;39 43\tLead ead ",
        "T3\tChemical 36 43\t𝛽-lead ",
        "T4\tABBR 28 30\tLA",
        "T5\tABBR 14 26\tLead acetate",
        "N1\tReference T1 MESH:D015032\tZinc, elemental",
        "N2\tReference T1 MESH:D007501\tZinc, elemental",
        "N3\tReference T3 MESH:D007854\t𝛽-lead ",
        "R1\tABBR ShortForm:T4 LongForm:T5",
        "",
    ]


def test_an_article_is_read_back_with_its_spans_concepts_and_definitions() -> None:
    before = marked()
    after = brat.parse(brat.dumps(before, ignore), silent)
    assert (after.id, check(after)) == ("77", [])
    assert [(p.offset, p.text) for p in after.passages] == [(p.offset, p.text) for p in before.passages]
    assert [(m.text, m.type, m.spans, m.identifiers, m.evidence.matched_name) for m in mentions(after, None)] == [
        (m.text, m.type, m.spans, m.identifiers, m.evidence.matched_name) for m in mentions(before, None)
    ]
    assert list(definitions(after)) == list(definitions(before))


def test_losses_are_reported_by_name() -> None:
    document = marked()
    document.infons["article-id_pmc"] = "77"
    add_index_term(document, IndexTerm("MESH:D015032", "Zinc"))
    set_identifiers(add_mention(document.passages[0], [(9, 13)], id="9", annotator=None), [])
    reports: list[str] = []
    written(document, reports.append)
    assert reports == [
        "left out, because brat cannot store it: annotations without location (index terms) (1), "
        "infons of mentions (3), infons of the document (1), marks of mentions without a concept (-) (1)"
    ]


def test_offsets_and_characters_that_do_not_fit_are_changed_and_reported() -> None:
    document = article("77", [("Zinc\tand\nlead", None, "front")])
    document.passages[0].offset = 100
    add_mention(document.passages[0], [(100, 108)], id="1", annotator=None, type="Metal ion")
    reports: list[str] = []
    text, annotations = written(document, reports.append)
    assert (text, annotations) == ("Zinc\tand lead\n", "T1\tMetal_ion 0 8\tZinc and\n")
    assert reports == [
        "changed to fit into brat: line breaks (written as blanks) (1), passages that begin at another offset (1), "
        "types that are empty or contain blanks or colons (1)"
    ]


def test_a_mention_outside_the_text_is_left_out() -> None:
    document = article("77", [("Zinc", None, "front")])
    stray = BioCAnnotation()
    stray.id, stray.text, stray.infons, stray.locations = "1", "x", {"type": "Chemical"}, [BioCLocation(2, 9)]
    document.passages[0].add_annotation(stray)
    reports: list[str] = []
    assert written(document, reports.append) == ("Zinc\n", "")
    assert reports == ["left out, because brat cannot store it: mentions outside the text (1)"]


def test_each_line_is_a_passage_unless_a_mention_continues_in_the_next() -> None:
    document = parsed("One\n\nSodium\r\nchloride\nsalt", "T1\tChemical 5 21\tSodium  chloride\n")
    assert [(p.offset, p.text) for p in document.passages] == [(0, "One"), (5, "Sodium\r\nchloride"), (22, "salt")]
    assert [m.text for m in mentions(document)] == ["Sodium\r\nchloride"]
    assert check(document) == []


def test_other_annotation_lines_are_counted() -> None:
    reports: list[str] = []
    others = ["E1\tUse:T1", "#1\tAnnotatorNotes T1\tsee", "R1\tPart Arg1:E1 Arg2:T1", "N1\tReference E1 X:1\tx"]
    document = parsed("Zinc", "\n".join(["T1\tDrug 0 4\tZinc", *others]), reports.append)
    assert [m.type for m in mentions(document, None)] == ["Drug"]
    left_out = "left out: 4 annotation lines with other content than mentions, their concepts and their relations"
    assert reports == [left_out]


def test_a_text_that_differs_from_its_offsets_is_kept_and_found_by_the_check() -> None:
    document = parsed("Zinc", "T1\tDrug 0 4\tLead\n")
    [violation] = check(document)
    assert "'Lead'" in violation.reason
    assert "'Zinc'" in violation.reason


@pytest.mark.parametrize("line", ["T1\tDrug\tZinc", "T1\tDrug 0 99\tZinc", "T1\tDrug 3 3\t", "T1", "T1\tDrug 0 x\tZ"])
def test_a_mention_without_a_place_in_the_text_fails_the_article(line: str) -> None:
    with pytest.raises(ArticleError, match=r"the line T1 has .* where a type and spans in the text are expected"):
        parsed("Zinc", line)


def test_bytes_that_are_not_utf8_fail_the_article() -> None:
    with pytest.raises(ArticleError, match="byte 1 of its text is not UTF-8"):
        brat.parse(standoff.joined("a", b"Z\xe9", b""), silent)


def test_annotations_without_their_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"put the text, NAME\.txt, beside NAME\.ann"):
        detection.sniff(b"T1\tChemical 0 4\tZinc\n")


def test_a_folder_is_written_and_read(tmp_path: Path) -> None:
    first, second = marked(), article("10.1000/x", [("No mention", None, "front")])
    assert corpora.write([first, second], tmp_path / "out.brat", report=ignore) == 2
    assert sorted(path.name for path in (tmp_path / "out.brat").glob("[!.]*")) == [
        "10.1000%2Fx.ann",
        "10.1000%2Fx.txt",
        "77.ann",
        "77.txt",
    ]
    assert [document.id for document in corpora.read(tmp_path / "out.brat")] == ["10.1000/x", "77"]


ALPHABET = st.sampled_from("Zn 2+ä𝛽\n\t")


@given(st.lists(st.text(ALPHABET, min_size=1, max_size=12), min_size=1, max_size=4), st.data())
def test_spans_of_any_article_come_back(texts: list[str], data: st.DataObject) -> None:
    document = article("1", [(text, None, "paragraph") for text in texts])
    for number, passage in enumerate(document.passages):
        start = data.draw(st.integers(0, len(passage.text) - 1))
        end = data.draw(st.integers(start + 1, len(passage.text)))
        place = passage.offset
        add_mention(passage, [(place + start, place + end)], id=str(number), annotator=None)
    after = brat.parse(brat.dumps(document, ignore), silent)
    expected = [(m.text.replace("\n", " "), m.spans) for m in mentions(document)]
    assert [(m.text, m.spans) for m in mentions(after)] == expected
    assert check(after) == []


def test_two_lines_with_one_id_are_refused() -> None:
    lines = "T1\tDrug 0 4\tZinc\nT1\tDrug 5 9\tfell\n"
    with pytest.raises(ArticleError, match="two lines have the id T1; give one of them another id"):
        brat.parse(standoff.joined("a", b"Zinc fell", lines.encode()), silent)


def test_a_relation_can_have_three_mentions() -> None:
    lines = "T1\tA 0 1\tZ\nT2\tA 1 2\ti\nT3\tA 2 3\tn\nR0\tlink a:T3 b:T1 c:T2\n"
    document = brat.parse(standoff.joined("a", b"Zinc", lines.encode()), silent)
    (relation,) = document.passages[0].relations
    assert [(node.refid, node.role) for node in relation.nodes] == [("T3", "a"), ("T1", "b"), ("T2", "c")]


def test_a_span_behind_the_text_is_kept_for_another_unit_of_offsets() -> None:
    document = brat.parse(standoff.joined("a", "βββ zinc".encode(), b"T1\tDrug 7 11\tzinc\n"), silent)
    messages: list[str] = []
    settle(document, messages.append)
    assert 'convert the file with offsets="bytes"' in messages[0]
    assert settle(document, silent_after_correction, "bytes") == []
    assert document.passages[0].annotations[0].locations[0].offset == 4


def silent_after_correction(sentence: str) -> None:
    assert "offsets changed to code points: 1 annotation" in sentence


def test_line_ends_that_count_as_one_character_connect_no_lines() -> None:
    text, lines = b"Zinc\r\nfell.\r\n\r\nLead rose.", b"T1\tDrug 0 4\tZinc\nT2\tDrug 12 16\tLead\n"
    document = brat.parse(standoff.joined("a", text, lines), silent)
    assert [(one.offset, one.text) for one in document.passages] == [(0, "Zinc"), (6, "fell."), (15, "Lead rose.")]
    messages: list[str] = []
    settle(document, messages.append)
    assert 'convert the file with offsets="crlf"' in messages[0]
    assert settle(document, silent_after_correction, "crlf") == []
    assert document.passages[2].annotations[0].locations[0].offset == 15
