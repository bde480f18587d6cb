"""Articles: the scope of a definition, lists of abbreviations, the BioC output, and the table of definitions."""

from __future__ import annotations

import io
import json
import pickle
import tarfile
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage, biocxml
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.model.document import OCCURRENCE, definitions, every_annotation
from corpora.model.invariant import check
from nlmchem.abbreviations import AbbreviationStage, annotate, define, glossary_of
from nlmchem.abbreviations.stage import listed


def article(*texts: str | tuple[str, str], start: int = 0, id: str = "1") -> BioCDocument:
    """A document of passages: text, or (section type, text)."""
    document = BioCDocument()
    document.id = id
    offset = start
    for each in texts:
        section, text = each if isinstance(each, tuple) else ("RESULTS", each)
        passage = BioCPassage()
        passage.offset = offset
        passage.text = text
        passage.infons = {"section_type": section, "type": "paragraph"}
        document.add_passage(passage)
        offset += len(text) + 1
    return document


def pairs(document: BioCDocument) -> list[tuple[str, str]]:
    return [(one.short_form, one.long_form) for one in define(document).definitions]


def written(document: BioCDocument) -> list[tuple[str, str, str | None]]:
    return [(one.short_form, one.long_form, one.strategy) for one in definitions(document)]


def test_a_definition_applies_to_the_whole_article() -> None:
    glossary = define(article("Oil of palmitic acid (PA).", "PA was fed with oleic acid (OA).", start=7))
    assert list(glossary) == ["PA", "OA"]
    found = glossary.meaning("PA")
    assert found is not None
    assert found.long_span == (7 + 7, 7 + 20)


def test_references_and_author_contributions_define_nothing() -> None:
    document = article("We used PA.", ("REF", "On palmitic acid (PA)."), ("AUTH_CONT", "Written by Ada Byron (AB)."))
    assert pairs(document) == []


def test_definitions_of_one_article_do_not_apply_to_the_next() -> None:
    first, second = article("palmitic acid (PA)", id="1"), article("We used PA.", id="2")
    stage = AbbreviationStage()
    stage([first, second])
    stage([second])
    assert written(first) != []
    assert list(every_annotation(second)) == []


def test_a_long_form_does_not_cross_table_cells() -> None:
    assert pairs(article(("TABLE", "palmitic\tacid (PA)\npalmitic\nacid (PA)"))) == []
    assert pairs(article(("TABLE", "dose\tpalmitic acid (PA)"))) == [("PA", "palmitic acid")]


@pytest.mark.parametrize(
    "text",
    [
        "PA, palmitic acid; GSH, glutathione; OA, oleic acid.",
        "PA: palmitic acid; GSH: glutathione; OA: oleic acid",
        "PA = palmitic acid; GSH = glutathione; and OA = oleic acid.",
        "PA: palmitic acid, GSH: glutathione, OA: oleic acid",
        "PA\tpalmitic acid\nGSH\tglutathione\nOA\toleic acid",
        "(PA) palmitic acid (GSH) glutathione (OA) oleic acid",
        "PA – palmitic acid; GSH – glutathione; OA – oleic acid",
    ],
)
def test_lists_of_abbreviations_in_all_forms(text: str) -> None:
    assert pairs(article(("ABBR", text))) == [
        ("PA", "palmitic acid"),
        ("GSH", "glutathione"),
        ("OA", "oleic acid"),
    ]


def test_a_list_may_have_one_entry_per_paragraph() -> None:
    assert pairs(
        article(("ABBR", "Abbreviations"), ("ABBR", "PA: Palmitic acid"), ("ABBR", "CCE: crude extract (CCE)"))
    ) == [
        ("PA", "Palmitic acid"),
        ("CCE", "crude extract"),
    ]


def test_a_list_may_follow_a_heading_in_the_text() -> None:
    document = article(("TABLE", "Values are means. Abbreviations: PA, palmitic acid; GSH, glutathione."))
    assert pairs(document) == [("PA", "palmitic acid"), ("GSH", "glutathione")]


def test_a_list_entry_with_matching_letters_has_a_higher_score() -> None:
    fits, fits_not = define(article(("ABBR", "PA, palmitic acid; GSH, glutathione"))).definitions
    assert (fits.strategy, fits.score) == ("List+FirstLet", 0.99)
    assert (fits_not.strategy, fits_not.score) == ("List", 0.8)


def test_a_definition_is_two_annotations_and_a_relation_in_its_passage() -> None:
    document = article("Oil of palmitic acid (PA).", start=10)
    annotate(document)
    [passage] = document.passages
    short, long = passage.annotations
    assert (short.text, short.infons) == ("PA", {"type": "ABBR", "ABBR": "ShortForm"})
    assert (long.text, long.infons) == ("palmitic acid", {"type": "ABBR", "ABBR": "LongForm"})
    [relation] = passage.relations
    assert relation.infons == {"type": "ABBR", "strategy": "FirstLet", "score": "0.9982"}
    assert {(node.role, node.refid) for node in relation.nodes} == {("ShortForm", short.id), ("LongForm", long.id)}


def test_other_occurrences_are_related_to_the_valid_long_form() -> None:
    document = article("First PA, then", "palmitic acid (PA), PAs; later", "pulmonary artery (PA) and PA.")
    annotate(document)
    tied = [
        (one.short_form, one.long_form, one.short_span[0])
        for one in definitions(document)
        if one.strategy == OCCURRENCE
    ]
    assert sorted(tied, key=lambda one: one[2]) == [
        ("PA", "palmitic acid", 6),
        ("PA", "palmitic acid", 35),
        ("PA", "pulmonary artery", 72),
    ]
    across = {relation.infons["strategy"] for relation in document.relations}
    assert across == {OCCURRENCE}
    assert len(document.relations) == 1, "the first occurrence stands in another passage than its long form"


def test_the_singular_of_a_plural_short_form_is_an_occurrence() -> None:
    document = article("Polyaromatic hydrocarbons (PAHs) burn. Each PAH, and PAHs, too.")
    annotate(document)
    assert [short for short, _, strategy in written(document) if strategy == OCCURRENCE] == ["PAH", "PAHs"]


def test_ids_are_unique_in_a_document() -> None:
    document = article("palmitic acid (PA) and PA", "PA")
    annotate(document)
    ids = [annotation.id for annotation, _ in every_annotation(document)]
    ids += [relation.id for holder in (*document.passages, document) for relation in holder.relations]
    assert len(ids) == len(set(ids))


def test_existing_definitions_are_not_written_again() -> None:
    document = article("palmitic acid (PA)")
    annotate(document, with_occurrences=False)
    before = written(document)
    annotate(document, with_occurrences=False)
    assert written(document) == before


def test_passages_that_overlap_keep_their_own_definitions() -> None:
    document = article("palmitic acid (PA)", "oleic acid (OA) and")
    document.passages[1].offset = 0
    annotate(document)
    assert check(document) == []
    assert [len(passage.relations) for passage in document.passages] == [1, 1]


def test_occurrences_can_be_left_out() -> None:
    document = article("palmitic acid (PA), PA, PA")
    annotate(document, with_occurrences=False)
    assert written(document) == [("PA", "palmitic acid", "FirstLet")]


def test_a_glossary_can_be_read_from_a_written_document() -> None:
    document = article("PA or", "palmitic acid (PA); then", "pulmonary artery (PA) and PA")
    glossary = annotate(document)
    stream = io.BytesIO(biocxml.dumps(_collection(document)).encode())
    again = glossary_of(biocxml.load(stream).documents[0])
    for offset in range(80):
        here, there = glossary.meaning("PA", offset), again.meaning("PA", offset)
        assert here is not None
        assert there is not None
        assert here.long_form == there.long_form


def _collection(document: BioCDocument) -> object:
    from bioc import BioCCollection

    collection = BioCCollection()
    collection.add_document(document)
    return collection


def test_a_stage_and_a_glossary_can_be_pickled() -> None:
    stage = pickle.loads(pickle.dumps(AbbreviationStage()))
    document = article("palmitic acid (PA)")
    stage([document])
    assert written(document) == [("PA", "palmitic acid", "FirstLet")]
    glossary = define(document)
    assert pickle.loads(pickle.dumps(glossary)) == glossary


FRAGMENTS = st.sampled_from(
    ["palmitic acid", "PA", "(PA)", "[PA]", "(", ")", "; ", ", ", " ", "\t", "\n", "😀", "é", "ﬁ", "İ", "αβ", "𝛼", "=",
     "Abbreviations: ", "pulmonary artery", "K", "(K)", "potassium", "[K+]o", "S1", "-", "’s", "ABBR", "'"]
) | st.text(max_size=4)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(st.lists(FRAGMENTS, max_size=14), min_size=1, max_size=3), section=st.sampled_from(["ABBR", "INTRO"])
)
def test_offsets_are_valid_for_any_unicode_text(texts: list[list[str]], section: str) -> None:
    document = article(*((section, "".join(parts)) for parts in texts), start=3)
    glossary = annotate(document)
    assert check(document) == []
    whole = {passage.offset: passage.text for passage in document.passages}
    for definition in glossary.definitions:
        for form, (start, end) in (
            (definition.short_form, definition.short_span),
            (definition.long_form, definition.long_span),
        ):
            offset = max(at for at in whole if at <= start)
            assert form
            assert whole[offset][start - offset : end - offset] == form


TEXT = "We measured polyunsaturated fatty acids (PUFA)."


def line(id: str) -> str:
    return json.dumps({"id": id, "passages": [{"offset": 0, "text": TEXT}]}) + "\n"


def test_a_broken_member_does_not_stop_the_rest_of_its_archive(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as packed:
        for name, text in {
            "a.jsonl": line("1"),
            "b.jsonl": '{"id": "2", "passages": [',
            "c.jsonl": line("3"),
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    messages: list[str] = []
    outcomes = list(listed([str(tmp_path / "x.tar")], messages.append))
    found = [row for rows in outcomes for row in rows or ()]
    assert [(row["document"], row["short_form"]) for row in found] == [("1", "PUFA"), ("3", "PUFA")]
    assert [rows is not None for rows in outcomes] == [True, False, True]
    assert [message.partition(":")[0] for message in messages] == [f"{tmp_path / 'x.tar'}, member b.jsonl"]
